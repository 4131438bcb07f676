package planner

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// FuzzPlan plans whatever parses: nothing may panic, and what is refused is refused at a
// place of the text.
func FuzzPlan(f *testing.F) {
	for _, group := range aliases {
		for _, sql := range group {
			f.Add(sql)
		}
	}
	for _, sql := range []string{
		"CREATE MACRO f(a, b := 1) AS (SELECT max(v) + b FROM plain WHERE k = a); SELECT f(k), sum(f(k, b => v)) FROM plain GROUP BY k",
		"CREATE FUNCTION w(l ARRAY<INT>) RETURNS TABLE (x INT) RETURN SELECT explode(l); SELECT id, x FROM lists LEFT JOIN w(l) AS q ON true",
		"SELECT * FROM plain TABLESAMPLE BERNOULLI (10) REPEATABLE (7) AS t JOIN dim ON t.k = dim.k",
		"SELECT a.k, x FROM plain a, LATERAL (SELECT a.v + 1 AS x WHERE a.v > 0) q, LATERAL (SELECT max(v) FROM plain b WHERE b.k = a.k) r",
		"SELECT (ts, INTERVAL '1' DAY) OVERLAPS (ts, ts), k SIMILAR TO '(a|b)%', v = ANY(ARRAY[1]) FROM events UNION ALL BY NAME SELECT k FROM plain",
		"INSERT INTO dim (name) VALUES ('x'); SELECT json_value(k, '$.a' RETURNING INT), k:a.b[0] ->> 'c' FROM plain",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		stmts, _ := parser.Parse(diag.Source{Text: text})
		if len(stmts) == 0 {
			return
		}
		s := newSession(t)
		for _, stmt := range stmts {
			q, err := s.statement(stmt, text)
			checkPlaces(t, text, err)
			if q != nil {
				physical.Explain(q)
			}
		}
	})
}

func checkPlaces(t testing.TB, text string, err error) {
	var list *diag.Error
	if !errors.As(err, &list) {
		return
	}
	for _, d := range list.Diagnostics {
		if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(text) || d.Code == "" || d.Message == "" {
			t.Fatalf("%q: bad diagnostic %+v", text, d)
		}
	}
}

// FuzzFormatters formats and reads with any pattern; calls over constants run when they are
// planned.
func FuzzFormatters(f *testing.F) {
	for _, p := range []string{"yyyy-MM-dd HH:mm:ss.SSSSSS", "%Y-%m-%d %H:%M:%S.%f", "EEEE, d MMMM yyyy G", "''", "'", "[HH][:mm]", "%", "%-5.2f|%s|%d|%x|%e",
		"999,990.00", "FM00", "{}", "yyyyyyyyyyyyyyyy", "%0999999d", "\xff", "SSSSSSSSSS", "VV xxx", "Q q w W u"} {
		f.Add(p, "2024-02-29 23:59:59.999999", int64(1709251199999999))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, micros int64) {
		if len(pattern)+len(text) <= 300 {
			runFormatters(t, newSession(t), pattern, text, micros)
		}
	})
}

// TestRandomFormatters is FuzzFormatters with patterns and texts put together of their letters.
func TestRandomFormatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(*editSeed, 1))
	pieces := strings.Split("y|yyyy|M|MM|MMM|d|dd|H|HH|h|m|mm|s|ss|S|SSS|SSSSSSSSS|a|E|EEEE|G|Q|q|w|W|u|x|XXX|z|V|O|'|''|[|]|%|%Y|%m|%d|%H|%M|%S|%f|%j|%z|%-5.2f|%010d|%x|%e|%s|%%|-|:|.|,|T| |0|1|9|2024|12|31|23:59:59|999999|+14:00|Z|Europe/Berlin|Feb|Monday|PM|1e400|-0|NaN|Infinity|é|日|FM|S|MI|PR|$|#|\\|(|)|*|+|?|{|}|^|{\"a\":|$.a[0]|..|1 day|-3 hours", "|")
	text := func() string {
		out := ""
		for range rng.IntN(8) {
			out += pieces[rng.IntN(len(pieces))]
		}
		return out
	}
	s := newSession(t)
	for range *randomEdits / 10 {
		runFormatters(t, s, text(), text(), rng.Int64()>>rng.IntN(60))
	}
}

// runFormatters calls what reads and writes by a pattern, and casts.
func runFormatters(t *testing.T, s *session, pattern, text string, micros int64) {
	lit := func(s string) string { return parser.Print(&ast.Literal{Kind: ast.LitString, Text: s}) }
	n, p, x := "("+strconv.FormatInt(micros/2, 10)+")", lit(pattern), lit(text) // the least BIGINT is no literal
	for _, call := range []string{"date_format(timestamp_micros(" + n + "), " + p + ")", "strftime(timestamp_micros(" + n + "), " + p + ")",
		"to_timestamp(" + x + ", " + p + ")", "strptime(" + x + ", " + p + ")", "to_date(" + x + ", " + p + ")", "format_number(" + n + ", " + p + ")",
		"printf(" + p + ", " + n + ", " + x + ", 1.5e0)", "to_char(" + n + ", " + p + ")", "to_number(" + x + ", " + p + ")",
		"regexp_replace(" + x + ", " + p + ", " + x + ")", "get_json_object(" + x + ", " + p + ")", "parse_url(" + x + ", 'QUERY', " + p + ")",
		x + " SIMILAR TO " + p, x + " LIKE " + p, "CAST(" + x + " AS INTERVAL)", "CAST(" + x + " AS TIMESTAMP)", "CAST(" + x + " AS DECIMAL(38, 10))",
		"CAST(" + x + " AS DOUBLE)", "CAST(" + x + " AS TIME)", "CAST(" + x + " AS UUID)", "CAST(" + x + " AS JSON)", "CAST(" + x + " AS DATE)"} {
		sql := "SELECT " + call + " AS x"
		stmts, err := parser.Parse(diag.Source{Text: sql})
		if err != nil {
			continue // text that is not UTF-8
		}
		planOne(t, s, stmts[0], sql)
	}
}

func planOne(t *testing.T, s *session, stmt ast.Statement, sql string) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%v on %s", r, sql)
		}
	}()
	_, err := s.statement(stmt, sql)
	checkPlaces(t, sql, err)
}
