package parser

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	tidbparser "github.com/pingcap/tidb/pkg/parser"

	"github.com/sqlstream/sqlstream/parser/ast"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		" ; ;; ":                     "",
		"SELECT 1":                   "SELECT 1|open",
		"SELECT 1;":                  "SELECT 1|done",
		"SELECT ';'; SELECT -- ;\n2": "SELECT ';'|done SELECT -- ;\n2|open",
		"SELECT 'a;":                 "SELECT 'a;|open",
		"SELECT \"a; SELECT 1;":      "SELECT \"a; SELECT 1;|open",
		"SELECT /* ; */ 1; /* x":     "SELECT /* ; */ 1|done /* x|open",
		"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END; SELECT 1":                                                          "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END|done SELECT 1|open",
		"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;":                                                                        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;|open",
		"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN x THEN 1 END; INSERT INTO b SELECT 1; END EMIT UPDATE; SELECT 1": "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN x THEN 1 END; INSERT INTO b SELECT 1; END EMIT UPDATE|done SELECT 1|open",
	} {
		var got []string
		for _, s := range Split(text) {
			state := "open"
			if s.Complete {
				state = "done"
			}
			got = append(got, text[s.Start:s.End]+"|"+state)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

func TestTokens(t *testing.T) {
	text := "SELECT a, 'x' /* c */ || $1 + 2L @ \"q\" EMIT -- end"
	var got []string
	for _, tok := range Tokens(text) {
		got = append(got, fmt.Sprintf("%s:%d", text[tok.Start:tok.End], tok.Kind))
	}
	want := "SELECT:1 a:0 ,:5 'x':2 /* c */:6 ||:5 $1:4 +:5 2L:3 @:7 \"q\":0 EMIT:1 -- end:6"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestParseOneOfAKind(t *testing.T) {
	if q, err := ParseQuery(sql("SELECT 1 FROM t")); err != nil || dump(q.Body.(*ast.Select).From) != "(TableName Name:t)" {
		t.Errorf("query: %v", err)
	}
	if _, err := ParseQuery(sql("SELECT 1 FROM t EMIT CHANGES")); err == nil {
		t.Error("a query took EMIT")
	}
	if e, err := ParseExpr(sql("a + 1")); err != nil || dump(e) != "(Binary Op:+ L:a R:1)" {
		t.Errorf("expression: %v", err)
	}
	for _, text := range []string{"", "a b", "a;", "SELECT 1", "a, b", "a)"} {
		if e, err := ParseExpr(sql(text)); err == nil {
			t.Errorf("%q was taken as the expression %s", text, dump(e))
		}
	}
	if typ, err := ParseType(sql("map<text, row(a int not null, b decimal(10,2)[])>")); err != nil ||
		Print(typ) != "MAP<STRING, STRUCT<a INT NOT NULL, b ARRAY<DECIMAL(10, 2)>>>" {
		t.Errorf("type: %v", err)
	}
}

func TestItemTextFoldsWhiteSpace(t *testing.T) {
	q, err := ParseQuery(sql("SELECT count ( * ), a   +\n  b /* c */ - 1 AS x, t.*, (  a) FROM t"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range q.Body.(*ast.Select).Items {
		got = append(got, item.Text)
	}
	if want := "count ( * )|a + b - 1|t.*|( a)"; strings.Join(got, "|") != want {
		t.Errorf("got %q want %q", got, want)
	}
}

// TestConcurrent parses from several goroutines: inner parsers are pooled.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				text := fmt.Sprintf("SELECT a%d + %d FROM t%d WHERE x = 'v%d'", i, j, i, j)
				stmts, err := Parse(sql(text))
				if err != nil || !strings.Contains(Print(stmts[0]), fmt.Sprintf("a%d + %d FROM t%d", i, j, i)) {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
	wg.Wait()
}

const benchmarkQuery = "SELECT user_id, count(*) AS n FROM events WHERE amount > 10 GROUP BY user_id"

func BenchmarkFrontEnd(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(sql(benchmarkQuery)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInner is TiDB alone, for comparison.
func BenchmarkInner(b *testing.B) {
	setDriver()
	inner := tidbparser.New()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := inner.ParseSQL(benchmarkQuery); err != nil {
			b.Fatal(err)
		}
	}
}
