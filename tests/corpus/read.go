// Package corpus runs the statements of the dialect corpus with the whole engine: what
// parses must plan and run, over streams and over tables, or be refused by name. The
// verdicts of the parser alone are tested beside it. Open corpus_test.go first; world.go
// has the objects that the statements name.
package corpus

import (
	"bufio"
	"os"
	"strings"
)

// Case is one statement, or short script, with its verdict.
type Case struct {
	Group, ID, Text string
	OK              bool // it must parse
}

// Path finds the corpus: SQLSTREAM_CORPUS, the team's shared copy, or the smaller one that
// the parser's tests carry.
func Path() string {
	for _, path := range []string{os.Getenv("SQLSTREAM_CORPUS"), "../../../shared/language/corpus.sql"} {
		if _, err := os.Stat(path); path != "" && err == nil {
			return path
		}
	}
	return "../../parser/testdata/corpus.sql"
}

// Read reads a corpus: "-- ## group" and "-- # id … front=ok" stand above the statements.
func Read(path string) ([]Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []Case
	group := ""
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		if g, ok := strings.CutPrefix(line, "-- ## "); ok {
			group, _, _ = strings.Cut(g, " ")
			continue
		}
		if head, ok := strings.CutPrefix(line, "-- # "); ok {
			id, rest, _ := strings.Cut(head, " ")
			list = append(list, Case{Group: group, ID: id, OK: strings.Contains(rest, "front=ok")})
			continue
		}
		if len(list) > 0 {
			list[len(list)-1].Text += line + "\n"
		}
	}
	return list, sc.Err()
}
