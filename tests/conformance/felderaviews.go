package conformance

import (
	"slices"
	"strconv"
	"strings"
)

// felderaUnsigned are the types of unsigned integers, and other forms that are written
// otherwise here.
var felderaUnsigned = []phrase{
	say(`--[^\n]*\bLATENESS\b[^\n]*`, ""), // a comment on a clause is not the clause
	// Unsigned integers are those that hold their values.
	say(`\bTINYINT\s+UNSIGNED\b`, "SMALLINT"), say(`\bSMALLINT\s+UNSIGNED\b`, "INT"), say(`\bINT(EGER)?\s+UNSIGNED\b`, "BIGINT"),
	say(`\bBIGINT\s+UNSIGNED\b`, "DECIMAL(20, 0)"), say(`\bAS\s+UNSIGNED\b`, "AS BIGINT"),
	say(`\blimit\s+(\d+)\s*,\s*(\d+|all)\b`, "LIMIT $2 OFFSET $1"),
}

// withoutNotNull takes NOT NULL from the parameters and the result of CREATE FUNCTION, and
// from the fields of a ROW: it promises more than is said here.
func withoutNotNull(sql string) string {
	toks := tokens(sql)
	if len(toks) < 2 || !toks[0].is("create") {
		return sql
	}
	function := toks[1].is("function")
	e := edits{sql: sql}
	var rows []int // the depths of open ROW(…)
	for i, t := range toks {
		switch {
		case t.text == "(" && i > 0 && toks[i-1].is("row"):
			rows = append(rows, t.depth)
		case t.text == ")" && len(rows) > 0 && rows[len(rows)-1] == t.depth:
			rows = rows[:len(rows)-1]
		case function && t.is("as"):
			return e.done()
		case (function || len(rows) > 0) && t.is("null"):
			from := t.start
			if toks[i-1].is("not") {
				from = toks[i-1].start
			}
			e.replace(from, t.end, "")
		case t.is("select"):
			return e.done()
		}
	}
	return e.done()
}

// foreignFunction reports CREATE FUNCTION without a body: it is written in Rust.
func foreignFunction(toks []token) bool {
	return len(toks) > 2 && toks[0].is("create") && toks[1].is("function") && hasWords(toks, "returns") &&
		!slices.ContainsFunc(toks, func(t token) bool { return t.is("as") && t.depth == 0 })
}

// rowValues writes the rows of VALUES without the word ROW: VALUES ROW(a, b), (ROW(c, d)).
func rowValues(body string) string {
	toks := tokens(body)
	e := edits{sql: body}
	depth := -1
	for i, t := range toks {
		switch {
		case t.is("values"):
			depth = t.depth
		case depth < 0 || !t.is("row"):
		case t.depth == depth:
			e.replace(t.start, t.end, "")
		case t.depth == depth+1 && toks[i-1].text == "(" && wholeRow(toks[i:]):
			e.replace(toks[i-1].start, t.end, "")
			end := closing(toks, i+1)
			e.replace(toks[end+1].start, toks[end+1].end, "")
		}
	}
	return e.done()
}

// wholeRow reports ROW (…) before a closing bracket.
func wholeRow(toks []token) bool {
	if len(toks) < 2 || toks[1].text != "(" {
		return false
	}
	end := closing(toks, 1)
	return end+1 < len(toks) && toks[end+1].text == ")"
}

// recursion is what DECLARE RECURSIVE VIEW has announced: views that are made later, each
// of which becomes WITH RECURSIVE, and the local views between, which are written out there.
type recursion struct {
	declared map[string]string // folded name → the names of the columns
	between  map[string]string // folded name → query
}

// declare reads DECLARE RECURSIVE VIEW name (column type, …).
func (r *recursion) declare(sql string, toks []token) bool {
	if !hasWords(toks[:min(3, len(toks))], "declare", "recursive", "view") || len(toks) < 5 {
		return false
	}
	var names []string
	end := closing(toks, 4)
	for _, col := range splitAt(toks[5:end], 1) {
		names = append(names, quote(col[0].name()))
	}
	if r.declared == nil {
		r.declared, r.between = map[string]string{}, map[string]string{}
	}
	r.declared[strings.ToLower(toks[3].name())] = strings.Join(names, ", ")
	return true
}

// view writes CREATE VIEW of a declared view as one that has WITH RECURSIVE. wait is set
// if the view is local and reads one that is declared and not made yet.
func (r *recursion) view(sql string, toks []token) (out string, wait bool) {
	as := slices.IndexFunc(toks, func(t token) bool { return t.is("as") && t.depth == 0 })
	if len(r.declared) == 0 || as < 0 || !toks[0].is("create") || !hasWords(toks[:as], "view") {
		return sql, false
	}
	name := strings.ToLower(target(toks))
	body := sql[toks[as].end:]
	cols, declared := r.declared[name]
	if declared {
		delete(r.declared, name)
		body = r.writtenOut(body)
		if !mentionsWord(body, name) {
			return sql[:toks[as].end] + body, false
		}
		return sql[:toks[as].end] + " WITH RECURSIVE " + quote(name) + "(" + cols + ") AS (" + setUnion(body) + ") SELECT * FROM " + quote(name), false
	}
	for n := range r.declared {
		wait = wait || mentionsWord(body, n)
	}
	for n := range r.between {
		wait = wait || mentionsWord(body, n)
	}
	if wait {
		if open := toks[as-1]; open.text == ")" { // v(a, b) AS
			return sql, false
		}
		r.between[name] = body
	}
	return sql, wait
}

// writtenOut puts the queries of the local views between in their places in FROM.
func (r *recursion) writtenOut(body string) string {
	toks := tokens(body)
	e := edits{sql: body}
	for i, t := range toks {
		q, ok := r.between[strings.ToLower(t.name())]
		if !ok || i == 0 || !toks[i-1].is("from") && !toks[i-1].is("join") && toks[i-1].text != "," {
			continue
		}
		alias := ""
		if i+1 == len(toks) || toks[i+1].kind != word && toks[i+1].kind != quoted || !toks[i+1].is("as") && reservedAfterTable(toks[i+1]) {
			alias = " AS " + quote(t.name())
		}
		e.replace(t.start, t.end, "("+r.writtenOut(q)+")"+alias)
	}
	return e.done()
}

// reservedAfterTable reports a word that follows a table without being its alias.
func reservedAfterTable(t token) bool {
	for _, w := range []string{"on", "join", "where", "group", "union", "left", "right", "inner", "full", "cross", "natural", "order", "having", "limit", "except", "intersect", "using"} {
		if t.is(w) {
			return true
		}
	}
	return false
}

// setUnion is a body whose UNION ALL are UNION: a recursive view is a set.
func setUnion(body string) string {
	toks := tokens(body)
	e := edits{sql: body}
	for i, t := range toks {
		if t.is("all") && i > 0 && toks[i-1].is("union") {
			e.replace(t.start, t.end, "")
		}
	}
	return e.done()
}

func mentionsWord(sql, name string) bool {
	return slices.ContainsFunc(tokens(sql), func(t token) bool {
		return (t.kind == word || t.kind == quoted) && strings.EqualFold(t.name(), name)
	})
}

// uniqueNames numbers columns whose name an earlier one has: x, x0, x1.
func uniqueNames(names []string) (out []string, twins bool) {
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	used := map[string]bool{}
	for _, n := range names {
		unique := n
		for i := 0; used[unique]; i++ {
			if unique = n + strconv.Itoa(i); seen[unique] {
				unique = n
			}
			twins = true
		}
		used[unique] = true
		out = append(out, unique)
	}
	return out, twins
}
