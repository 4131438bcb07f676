package parser

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/tests/cputime"
)

func sql(text string) diag.Source { return diag.Source{Text: text} }

// check parses a text and demands what holds for every text: no panic, every
// diagnostic inside the text, renderable, with a code; every tree prints to a text
// that gives the same tree.
func check(t testing.TB, text string) (stmts []ast.Statement, diags []*diag.Diagnostic) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("panic %v on %q", r, text)
		}
	}()
	src := sql(text)
	stmts, err := Parse(src)
	if err == nil {
		return stmts, nil
	}
	var list *diag.Error
	if !errors.As(err, &list) || len(list.Diagnostics) == 0 {
		t.Fatalf("%q: not a list of diagnostics: %v", text, err)
	}
	for i, d := range list.Diagnostics {
		if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(text) || d.Code == "" || d.Message == "" {
			t.Fatalf("%q: bad diagnostic %+v", text, d)
		}
		if i < 20 { // a caret costs a look at the whole text before it
			src.Render(d)
		}
	}
	return stmts, list.Diagnostics
}

// TestRandomTokens strings tokens of the grammar together at random.
func TestRandomTokens(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	vocabulary := append(Keywords(), strings.Fields(`a b t x 1 2.5 'x' '1 day' "q" ( ) ( ) [ ] { } , , . . :: : -> ->> || + - * / %
		= < > <> => ? $1 :n count sum MINUTE WINDOW window INT STRING TIMESTAMP QUALIFY OVER ; SELECT SELECT FROM WHERE`)...)
	for range 20000 {
		var b strings.Builder
		b.WriteString([]string{"SELECT ", "CREATE SOURCE s (", "INSERT INTO t ", "SELECT a FROM t ", ""}[rng.IntN(5)])
		for range 1 + rng.IntN(12) {
			b.WriteString(vocabulary[rng.IntN(len(vocabulary))] + " ")
		}
		stmts, _ := check(t, b.String())
		for _, s := range stmts {
			roundTrip(t, s)
		}
		if t.Failed() {
			t.Fatalf("on %q", b.String())
		}
	}
}

// growing makes long texts of n parts; the time to parse them may grow only with n.
var growing = map[string]func(n int) string{
	"concat":     func(n int) string { return "SELECT a" + strings.Repeat(" || 'x'", n) },
	"plus":       func(n int) string { return "SELECT a" + strings.Repeat(" + 1", n) },
	"and":        func(n int) string { return "SELECT * FROM t WHERE a" + strings.Repeat(" AND b = 1", n) },
	"casts":      func(n int) string { return "SELECT a" + strings.Repeat("::text", n) },
	"subscripts": func(n int) string { return "SELECT a" + strings.Repeat("[1]", n) },
	"arrows":     func(n int) string { return "SELECT a" + strings.Repeat(" -> 'x'", n) },
	"is null":    func(n int) string { return "SELECT a" + strings.Repeat(" IS NULL", n) },
	"items":      func(n int) string { return "SELECT a" + strings.Repeat(", f(b, 1) AS c", n) + " FROM t" },
	"in list":    func(n int) string { return "SELECT a IN (1" + strings.Repeat(", 2", n) + ")" },
	"case":       func(n int) string { return "SELECT CASE" + strings.Repeat(" WHEN a THEN 1", n) + " END" },
	"unions":     func(n int) string { return "SELECT 1" + strings.Repeat(" UNION ALL SELECT 2", n) },
	"joins":      func(n int) string { return "SELECT 1 FROM a" + strings.Repeat(" JOIN b ON x = y", n) },
	"values":     func(n int) string { return "VALUES (1, 'a')" + strings.Repeat(", (1 + 1, 'b')", n) },
	"literals":   func(n int) string { return "INSERT INTO t VALUES (1, 'a')" + strings.Repeat(", (2, 'b')", n) },
	"statements": func(n int) string { return strings.Repeat("SELECT 1; ", n) },
	"comments":   func(n int) string { return "SELECT 1" + strings.Repeat(" /* c */", n) },
	"path":       func(n int) string { return "SELECT a" + strings.Repeat(".b", n) },
	"columns":    func(n int) string { return "CREATE TABLE t (a INT" + strings.Repeat(", b STRUCT<x: INT>", n) + ")" },
	"ctes": func(n int) string {
		return "WITH a AS (SELECT 1)" + strings.Repeat(", b AS (SELECT 2)", n) + " SELECT 1"
	},
	"less":        func(n int) string { return "SELECT a" + strings.Repeat(", array < b", n) },
	"bad strings": func(n int) string { return strings.Repeat("SELECT @; ", n) },
	"open":        func(n int) string { return "SELECT " + strings.Repeat("(", n) },
}

func TestLinear(t *testing.T) {
	for name, text := range growing {
		t.Run(name, func(t *testing.T) {
			const n = 300
			small, large := text(n), text(16*n)
			measure := func(s string) time.Duration {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				best := time.Hour
				for range 2 {
					start := cputime.Thread()
					check(t, s)
					best = min(best, cputime.Thread()-start)
				}
				return best
			}
			var a, b time.Duration
			for range 6 { // collections of garbage disturb some attempts, not all
				a, b = max(measure(small), time.Millisecond), measure(large)
				if b <= 80*a { // linear is 16, quadratic 256
					return
				}
			}
			t.Errorf("%d bytes took %v, %d bytes took %v", len(small), a, len(large), b)
		})
	}
}

func TestNestingLimit(t *testing.T) {
	nested := map[string]func(n int) string{
		"parentheses": func(n int) string { return "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
		"calls":       func(n int) string { return "SELECT " + strings.Repeat("f(", n) + "1" + strings.Repeat(")", n) },
		"subqueries": func(n int) string {
			return strings.Repeat("SELECT (", n) + "SELECT 1" + strings.Repeat(")", n)
		},
		"derived": func(n int) string {
			return strings.Repeat("SELECT * FROM (", n) + "SELECT 1" + strings.Repeat(") t", n)
		},
		"case": func(n int) string {
			return "SELECT " + strings.Repeat("CASE WHEN a THEN ", n) + "1" + strings.Repeat(" END", n)
		},
		"not":    func(n int) string { return "SELECT " + strings.Repeat("NOT ", n) + "a" },
		"minus":  func(n int) string { return "SELECT " + strings.Repeat("- ", n) + "a" },
		"arrays": func(n int) string { return "SELECT " + strings.Repeat("[", n) + strings.Repeat("]", n) },
		"types":  func(n int) string { return "SELECT a::" + strings.Repeat("ARRAY<", n) + "INT" + strings.Repeat(">", n) },
		"lambda": func(n int) string { return "SELECT " + strings.Repeat("f(x -> ", n) + "1" + strings.Repeat(")", n) },
		"joins": func(n int) string {
			return "SELECT 1 FROM a" + strings.Repeat(" JOIN b", n) + strings.Repeat(" ON c", n)
		},
		"rollup": func(n int) string {
			return "SELECT 1 FROM t GROUP BY " + strings.Repeat("ROLLUP(", n) + "a" + strings.Repeat(")", n)
		},
		"unions": func(n int) string { return strings.Repeat("(", n) + "SELECT 1" + strings.Repeat(" LIMIT 1)", n) },
	}
	for name, text := range nested {
		t.Run(name, func(t *testing.T) {
			if _, diags := check(t, text(100)); diags != nil {
				t.Errorf("100 levels are refused: %v", diags[0])
			}
			_, diags := check(t, text(20000))
			if len(diags) != 1 || diags[0].Code != diag.TooDeep && diags[0].Code != diag.Bracket {
				t.Errorf("20000 levels: %v", diags)
			}
		})
	}
}

func TestTextLimit(t *testing.T) {
	long := "SELECT '" + strings.Repeat("x", maxText) + "'"
	if _, diags := check(t, long); len(diags) != 1 || diags[0].Code != diag.TooLong {
		t.Errorf("got %v", diags)
	}
	rows := fmt.Sprintf("INSERT INTO t VALUES %s (1)", strings.Repeat("('some text', 12345), (NULL, -1.5),", 60000)) // 2 MB
	rows = strings.TrimSuffix(rows, " (1)") + "('x', 0)"
	if stmts, diags := check(t, rows); len(diags) != 0 || len(stmts) != 1 {
		t.Errorf("literal rows are refused: %v", diags)
	}
}

func FuzzLex(f *testing.F) {
	for _, c := range readCorpus(f) {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		toks, _ := lex(text, true)
		end := int32(0)
		for _, tok := range toks {
			if tok.start < end || tok.end <= tok.start || int(tok.end) > len(text) {
				t.Fatalf("token %+v after %d in %q", tok, end, text)
			}
			end = tok.end
		}
	})
}

// FuzzLiteral reads a text as each kind of literal: no panic, and what is taken prints as the
// same.
func FuzzLiteral(f *testing.F) {
	for _, seed := range []string{"1", "0x_F", "1e999999999", "00001.5BD", "9223372036854775808L", "2024-02-30", "0000-01-01", "9999-12-31 23:59:59.9999999+14:00",
		"1 day -2 hours 3.5 seconds", "1-6", "-1 02:03:04.5", "12:34:56", "a''b", `\n\x41\u00e9`, "CAFE", "b8b5d1f6-8c4f-4c5e-9d3a-2f1d6a7c8e90", `{"a": [1]}`, "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := "'" + strings.ReplaceAll(text, "'", "''") + "'"
		for _, form := range []string{text, "-" + text, quoted, "E" + quoted, "r" + quoted, "X" + quoted, "$$" + text + "$$", "DATE " + quoted, "TIME " + quoted,
			"TIMESTAMP " + quoted, "TIMESTAMP_NTZ " + quoted, "INTERVAL " + quoted, "INTERVAL " + quoted + " DAY TO SECOND", "INTERVAL " + quoted + " MONTH",
			"INTERVAL " + text + " MINUTES", "JSON " + quoted, "UUID " + quoted} {
			stmts, _ := check(t, "SELECT "+form)
			for _, s := range stmts {
				roundTrip(t, s)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, c := range readCorpus(f) {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stmts, _ := check(t, text)
		for _, s := range stmts {
			roundTrip(t, s)
		}
	})
}

// Texts and names are UTF-8, in quotes as anywhere else: no sink could write them.
func TestQuotedTextIsUTF8(t *testing.T) {
	for _, text := range []string{"SELECT 'a\xff'", "SELECT E'\xc3('", "SELECT 1 AS \"\xff\"", "SELECT 1 AS `a\xe2\x80`", "SELECT $$\xff$$", "SELECT r'\xff'"} {
		_, err := Parse(diag.Source{Text: text})
		if err == nil || !strings.Contains(err.Error(), "not valid UTF-8") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if _, err := Parse(diag.Source{Text: "SELECT 'é�日', \"�\""}); err != nil {
		t.Error(err)
	}
}
