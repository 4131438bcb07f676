package planner

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/tests/splice"
)

var (
	splices    = flag.Int("splices", 4000, "how many queries TestSplicedQueries makes")
	spliceSeed = flag.Uint64("splices.seed", 7, "the seed of TestSplicedQueries")
	spliceMore = flag.String("splices.more", "", "a folder with sqllogictest files, whose statements are spliced too")
)

// pieces are words and expressions that spliced queries get besides one another's.
var pieces = append(parser.Keywords(), strings.Split("NULL|0|-1|1.5|'x'|''|TRUE|9223372036854775807|1e0|DATE '2024-01-01'|INTERVAL '1 day'|array(1, NULL)|map('a', 1)|struct(1 AS a)|"+
	"*|a|k|v|t|x|count(*)|sum(x)|max(k)|row_number() OVER (ORDER BY 1)|lag(k) OVER (ORDER BY k)|(SELECT 1)|(SELECT max(k) FROM t)|EXISTS (SELECT 1)|x -> x + 1|+|-|*|/|%|||=|<|IS NULL|"+
	"IS DISTINCT FROM|IN (1, 2)|IN (SELECT 1)|LIKE 'a%'|BETWEEN 1 AND 2|:: STRING|:: INT|DISTINCT|NOT|LEFT|FULL|SEMI|CROSS|NATURAL|UNION ALL|EXCEPT|INTERSECT ALL|LIMIT 2|OFFSET 1|ORDER BY 1|"+
	"ORDER BY ALL|GROUP BY ALL|HAVING count(*) > 1|WHERE 1 = 1|QUALIFY row_number() OVER (ORDER BY 1) = 1|FILTER (WHERE TRUE)|OVER ()|OVER (ORDER BY 1)|ROLLUP (1)|LATERAL|UNNEST(array(1))|"+
	"try(1)|CASE WHEN TRUE THEN 1 END|COLLATE NOCASE|window(ts, '1 minute')|now()|rand()|explode(array(1))|grouping(k)|AS a|AS k", "|")...)

type splicing struct {
	cases []splice.Case
	*splice.Splicer
}

func newSplicing(t testing.TB) *splicing {
	s := &splicing{cases: splice.Golden(t, "../tests/golden")}
	var queries []string
	for _, c := range s.cases {
		queries = append(queries, c.Queries...)
	}
	if *spliceMore != "" {
		queries = append(queries, splice.Public(t, *spliceMore)...)
	}
	s.Splicer = splice.New(queries, pieces...)
	return s
}

// plan splices a query of a golden test and plans it over what the test defines: nothing may
// panic, and what is refused is refused at a place of the text.
func (s *splicing) plan(t testing.TB, r *rand.Rand) {
	c := s.cases[r.IntN(len(s.cases))]
	text := s.Of(c.Queries[r.IntN(len(c.Queries))], r)
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("%v", v)
		}
		if t.Failed() {
			t.Fatalf("spliced: %s\n%s", c.Setup, text)
		}
	}()
	stmts, _ := parser.Parse(diag.Source{Text: text})
	if len(stmts) == 0 {
		return
	}
	session := newSession(t)
	if _, err := session.run(c.Setup); err != nil {
		return
	}
	for _, stmt := range stmts {
		q, err := session.statement(stmt, text)
		checkPlaces(t, text, err)
		if q != nil {
			physical.Explain(q)
		}
	}
}

func TestSplicedQueries(t *testing.T) {
	s, r := newSplicing(t), rand.New(rand.NewPCG(*spliceSeed, 9))
	for range *splices {
		s.plan(t, r)
	}
}

// FuzzPlanSplice splices by the bytes.
func FuzzPlanSplice(f *testing.F) {
	s := newSplicing(f)
	splice.Seed(f, 100)
	f.Fuzz(func(t *testing.T, b []byte) {
		source := splice.Bytes(b)
		s.plan(t, rand.New(&source))
	})
}
