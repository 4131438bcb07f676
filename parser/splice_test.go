package parser

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/tests/splice"
)

var (
	splices    = flag.Int("splices", 20000, "how many statements TestSplicedStatements makes")
	spliceSeed = flag.Uint64("splices.seed", 7, "the seed of TestSplicedStatements")
	spliceMore = flag.String("splices.more", "", "a folder with sqllogictest files, whose statements are spliced too")
)

// foreign are words that spliced statements get besides one another's.
var foreign = strings.Fields(`a t x 1 2.5 'x' '1 day' "q" "" '' "select" "a b" () [] {} , . :: : -> ->> || + - * / % = < > ? $1 :n # @ ~ !~ 1e5 0x1F
	X'CAFE' E'\n' r'a' $$x$$ -1 ** // ^ & | << >> <> (SELECT 1) OVER() (*) [1]`)

func newSplicer(t testing.TB) *splice.Splicer {
	var texts []string
	for _, c := range readCorpus(t) {
		texts = append(texts, c.text)
	}
	for _, c := range splice.Golden(t, "../tests/golden") {
		texts = append(append(texts, strings.Split(c.Setup, ";\n")...), c.Queries...)
	}
	if *spliceMore != "" {
		texts = append(texts, splice.Public(t, *spliceMore)...)
	}
	return splice.New(texts, append(Keywords(), foreign...)...)
}

// checkPrint demands what holds for every text, that what is taken prints as the same, and that
// the inner grammar complains about nothing that we let through. It counts the statements.
func checkPrint(t testing.TB, text string) int {
	stmts, diags := check(t, text)
	for _, s := range stmts {
		roundTrip(t, s)
	}
	for _, d := range diags {
		if d.Code == diag.Syntax {
			t.Errorf("only the inner grammar noticed: %s", (&diag.Source{Text: text}).Render(d))
		}
	}
	if t.Failed() {
		t.Fatalf("of %s", text)
	}
	return len(stmts)
}

func TestSplicedStatements(t *testing.T) {
	s, r := newSplicer(t), rand.New(rand.NewPCG(*spliceSeed, 9))
	for range *splices {
		checkPrint(t, s.Any(r))
	}
}

// FuzzSplice splices by the bytes.
func FuzzSplice(f *testing.F) {
	s := newSplicer(f)
	splice.Seed(f, 200)
	f.Fuzz(func(t *testing.T, b []byte) {
		source := splice.Bytes(b)
		checkPrint(t, s.Any(rand.New(&source)))
	})
}
