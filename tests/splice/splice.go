// Package splice makes new SQL of written SQL: a stretch of words goes, or another one comes
// in its place. Most of what it makes is nearly right, which chance alone seldom is.
package splice

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var word = regexp.MustCompile(`(?s)'(?:[^']|'')*'|"[^"]*"|` + "`[^`]*`" + `|\d+(?:\.\d+)?|\w+|<=>|->>|->|::|\|\||<>|<=|>=|!=|=>|:=|\S`)

// Splicer has the statements that pieces are taken from.
type Splicer struct {
	statements [][]string
	more       []string
}

// New makes a splicer of statements, and of words that may come in besides.
func New(statements []string, more ...string) *Splicer {
	s := &Splicer{more: more}
	for _, text := range statements {
		if words := word.FindAllString(text, -1); len(words) > 1 {
			s.statements = append(s.statements, words)
		}
	}
	return s
}

// Any makes a statement of any.
func (s *Splicer) Any(r *rand.Rand) string {
	return s.change(s.statements[r.IntN(len(s.statements))], r)
}

// Of makes a statement of a given one.
func (s *Splicer) Of(text string, r *rand.Rand) string {
	return s.change(word.FindAllString(text, -1), r)
}

func (s *Splicer) change(words []string, r *rand.Rand) string {
	own := words
	for n := 1 + r.IntN(3); n > 0 && len(words) > 0; n-- {
		from, to := stretch(words, r)
		var in []string
		switch r.IntN(6) {
		case 0: // nothing
		case 1, 2:
			in = []string{s.more[r.IntN(len(s.more))]}
		case 3:
			a, b := stretch(own, r)
			in = own[a:b]
		case 4:
			other := s.statements[r.IntN(len(s.statements))]
			a, b := stretch(other, r)
			in = other[a:b]
		case 5: // before it
			in, to = []string{s.more[r.IntN(len(s.more))]}, from
		}
		words = append(append(append([]string(nil), words[:from]...), in...), words[to:]...)
	}
	return strings.Join(words, " ")
}

// stretch is a range of words whose brackets match, if a few tries find one.
func stretch(words []string, r *rand.Rand) (from, to int) {
	for range 8 {
		from = r.IntN(len(words))
		to = min(len(words), from+1+r.IntN(7))
		if balanced(words[from:to]) {
			return from, to
		}
	}
	return from, from + 1
}

func balanced(words []string) bool {
	depth := 0
	for _, w := range words {
		switch w {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// Bytes is a source of chance for a fuzzer: its numbers are the bytes, then the smallest.
type Bytes []byte

// Uint64 is the next number; the first two of its bytes are given. The others are ones, since
// rand draws again, for ever, where all are zeros.
func (b *Bytes) Uint64() uint64 {
	x := uint64(1)<<48 - 1
	for i := 0; i < 2 && len(*b) > 0; i++ {
		x |= uint64((*b)[0]) << (56 - 8*i)
		*b = (*b)[1:]
	}
	return x
}

// Seed gives a fuzzer n recipes to begin with.
func Seed(f *testing.F, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		b := make([]byte, 40)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
}

// Case is a golden test's statements.
type Case struct {
	Setup   string
	Queries []string
}

// Golden reads what the golden tests below a folder define and ask.
func Golden(t testing.TB, dir string) []Case {
	t.Helper()
	var out []Case
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".test" {
			return err
		}
		text, err := os.ReadFile(path)
		if c := caseOf(string(text)); err == nil && len(c.Queries) > 0 {
			out = append(out, c)
		}
		return err
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("%d golden tests in %s, %v", len(out), dir, err)
	}
	return out
}

func caseOf(text string) (c Case) {
	for block := range strings.SplitSeq(text, "\n\n") {
		for strings.HasPrefix(block, "#") {
			_, block, _ = strings.Cut(block, "\n")
		}
		head, body, _ := strings.Cut(block, "\n")
		if head == "setup" {
			c.Setup += body + "\n"
		} else if strings.HasPrefix(head, "query ") && body != "" {
			c.Queries = append(c.Queries, body)
		}
	}
	return c
}

// Public reads the statements of sqllogictest files (.test, .slt) below a folder, of any
// system: the short ones of the first part of each file.
func Public(t testing.TB, dir string) []string {
	t.Helper()
	const most, long = 200_000, 1500
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || ext != ".test" && ext != ".slt" {
			return err
		}
		text, err := os.ReadFile(path)
		for block := range strings.SplitSeq(string(text[:min(len(text), most)]), "\n\n") {
			head, body, _ := strings.Cut(block, "\n")
			body, _, _ = strings.Cut(body, "\n----")
			if body != "" && len(body) < long && (strings.HasPrefix(head, "query") || strings.HasPrefix(head, "statement")) {
				out = append(out, body)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
