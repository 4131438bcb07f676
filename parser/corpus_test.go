package parser

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// corpusCase is one statement of the corpus with its verdict.
type corpusCase struct {
	id, text string
	ok       bool
}

// corpusPath finds the dialect corpus: SQLSTREAM_CORPUS, the team's shared copy,
// or the smaller one in testdata.
func corpusPath() string {
	for _, path := range []string{os.Getenv("SQLSTREAM_CORPUS"), "../../shared/language/corpus.sql"} {
		if _, err := os.Stat(path); path != "" && err == nil {
			return path
		}
	}
	return filepath.Join("testdata", "corpus.sql")
}

func readCorpus(t testing.TB) []corpusCase {
	t.Helper()
	f, err := os.Open(corpusPath())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []corpusCase
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		if id, ok := strings.CutPrefix(line, "-- # "); ok {
			name, rest, _ := strings.Cut(id, " ")
			list = append(list, corpusCase{id: name, ok: strings.Contains(rest, "front=ok")})
			continue
		}
		if len(list) > 0 && !strings.HasPrefix(line, "-- ## ") {
			list[len(list)-1].text += line + "\n"
		}
	}
	if len(list) < 20 {
		t.Fatalf("%s has only %d statements", f.Name(), len(list))
	}
	return list
}

// refusedByName are statements of the dialect that have no node in the tree yet;
// they are refused with the name of the clause.
var refusedByName = map[string]string{
	"q-match": "MATCH_RECOGNIZE is not supported",
}

func TestCorpusVerdicts(t *testing.T) {
	for _, c := range readCorpus(t) {
		t.Run(c.id, func(t *testing.T) {
			_, err := Parse(diag.Source{Text: c.text})
			if message, ok := refusedByName[c.id]; ok {
				if err == nil || !strings.Contains(err.Error(), message) {
					t.Errorf("want %q, got %v", message, err)
				}
				return
			}
			if c.ok != (err == nil) {
				t.Errorf("%s\nwant ok=%v, got %v", c.text, c.ok, err)
			}
		})
	}
}
