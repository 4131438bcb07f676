package differential

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser"
)

// examples asks what the examples of a function ask, then variants in which constants
// have changed: patterns, formats and paths are at home there.
func (m *maker) examples(name string, names []string, list []fn.Example, variants int) {
	g := newGenerator(seed, "examples of "+name)
	var texts []string
	for _, ex := range list {
		if strings.Contains(ex.SQL, name+"(") || !word.MatchString(name) || len(names) > 1 {
			texts = append(texts, ex.SQL)
		}
	}
	pieces := constantsIn(texts)
	for _, sql := range texts {
		m.example(name, names, sql)
	}
	for n := 0; n < variants && len(texts) > 0; n++ {
		m.example(name, names, g.vary(texts[g.r.IntN(len(texts))], pieces))
	}
}

// example asks an engine that has the function in its own words, as far as a change of
// words is enough; where it is not, the engine refuses, and nothing is compared.
func (m *maker) example(name string, names []string, sql string) {
	c := &Case{Func: name, Kind: "expr", SQL: sql}
	upper := strings.ToUpper(sql)
	if strings.HasPrefix(upper, "SELECT ") || strings.Contains(upper, " FROM (VALUES") {
		c.Kind = "query"
		if !strings.HasPrefix(upper, "SELECT ") {
			c.SQL = "SELECT " + sql
		}
	}
	if m.named(Spark, names) {
		c.Spark = translate(c.SQL, Spark)
	}
	if m.named(DuckDB, names) {
		c.DuckDB = translate(c.SQL, DuckDB)
	}
	m.add(c)
}

// token is a piece of SQL text with its kind.
type token struct {
	kind parser.TokenKind
	text string
}

// cut splits a text into tokens and what lies between them, which has the kind of a
// comment.
func cut(sql string) []token {
	var out []token
	at := 0
	for _, t := range parser.Tokens(sql) {
		if t.Start > at {
			out = append(out, token{parser.TokenComment, sql[at:t.Start]})
		}
		out = append(out, token{t.Kind, sql[t.Start:t.End]})
		at = t.End
	}
	return append(out, token{parser.TokenComment, sql[at:]})
}

func join(list []token) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.text)
	}
	return b.String()
}

// constantsIn lists the texts of the constants of some kind.
func constantsIn(list []string) map[parser.TokenKind][]string {
	out := map[parser.TokenKind][]string{}
	for _, sql := range list {
		for _, t := range cut(sql) {
			if t.kind == parser.TokenString || t.kind == parser.TokenNumber {
				out[t.kind] = append(out[t.kind], t.text)
			}
		}
	}
	return out
}

var (
	otherStrings = []string{"''", "' '", "'a'", "'naïve'", "'日本'", "'A b'", "'2024-02-29'", "'-1.5'", "'.'", "'%'", "'1969-12-31 23:59:59.999999'", "'0001-01-01'",
		"'9999-12-31'", "'[1, null, {\"a\": \"é\"}]'", "'{\"a\": {\"b\": [1, 2.50, true, null]}}'", "'$.a'", "'$[0]'"}
	otherNumbers = []string{"0", "1", "2", "3", "10", "100", "2147483647", "0.5", "2.50", "1e10", "9223372036854775807"}
)

// vary changes one or two constants of a text: to another one of the function's
// examples, to an edge value, to NULL, or a number to its negative.
func (g *generator) vary(sql string, pieces map[parser.TokenKind][]string) string {
	list := cut(sql)
	var at []int
	for i, t := range list {
		if t.kind == parser.TokenString && !prefixed(list, i) || t.kind == parser.TokenNumber {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return sql
	}
	for range 1 + g.r.IntN(2) {
		t := &list[at[g.r.IntN(len(at))]]
		t.text = g.other(t.kind, t.text, pieces[t.kind])
	}
	return join(list)
}

// prefixed reports that a string belongs to the word before it: DATE '…', INTERVAL '…'.
func prefixed(list []token, i int) bool {
	for i--; i >= 0; i-- {
		if list[i].kind == parser.TokenComment && strings.TrimSpace(list[i].text) == "" {
			continue
		}
		w := strings.ToUpper(list[i].text)
		return w == "DATE" || w == "TIME" || strings.HasPrefix(w, "TIMESTAMP") || w == "INTERVAL"
	}
	return false
}

func (g *generator) other(kind parser.TokenKind, text string, pieces []string) string {
	edges := otherNumbers
	if kind == parser.TokenString {
		edges = otherStrings
	}
	switch n := g.r.IntN(10); {
	case n == 0:
		return "NULL"
	case n < 4:
		return pieces[g.r.IntN(len(pieces))]
	case n == 4 && kind == parser.TokenNumber:
		return "-" + strings.TrimPrefix(text, "-")
	case n == 4 && kind == parser.TokenString && len(text) > 3:
		cutAt := 1 + g.r.IntN(len([]rune(text))-2)
		return string([]rune(text)[:cutAt]) + "'"
	}
	return edges[g.r.IntN(len(edges))]
}

// translate changes words in which the engines differ.
func translate(sql, engine string) string {
	list := cut(sql)
	for i := range list {
		t := &list[i]
		switch {
		case engine == Spark && t.kind == parser.TokenString && strings.HasPrefix(t.text, "'") && strings.Contains(t.text[1:len(t.text)-1], "''"):
			t.text = quoteFor(Spark, strings.ReplaceAll(t.text[1:len(t.text)-1], "''", "'"))
		case engine == DuckDB && t.kind != parser.TokenString && strings.EqualFold(t.text, "array") && i+1 < len(list) && list[i+1].text == "(":
			t.text = "list_value"
		case engine == Spark && strings.EqualFold(t.text, "BYTES"):
			t.text = "BINARY"
		case engine == DuckDB && strings.EqualFold(t.text, "BYTES"):
			t.text = "BLOB"
		case engine == DuckDB && t.text == "->" && lambda(list, i):
			t.text = ":"
		}
	}
	return join(list)
}

// lambda marks the parameters before an arrow with the word that DuckDB wants.
func lambda(list []token, arrow int) bool {
	i := arrow - 1
	for i >= 0 && list[i].kind == parser.TokenComment {
		i--
	}
	if i < 0 || list[i].kind != parser.TokenName && list[i].text != ")" {
		return false
	}
	if list[i].text != ")" {
		list[i].text = "lambda " + list[i].text
		return true
	}
	list[i].text = ""
	for i >= 0 && list[i].text != "(" {
		i--
	}
	if i >= 0 {
		list[i].text = "lambda "
	}
	return true
}
