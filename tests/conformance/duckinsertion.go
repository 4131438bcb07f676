package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// DuckDB gives rows in the order in which they were inserted where a query leaves it open: to
// functions with OVER without ORDER BY, to rows that an ORDER BY calls equal, to LIMIT. Here
// any order is as good. A query whose rows are others is asked again over tables with a column
// that counts their rows, by which it orders where it left the order open: it then has one
// answer.

// insertionRow is the column that counts.
const insertionRow = "insertion__row"

// scopeOf is a SELECT with what belongs to it: tokens from SELECT on, up to end.
type scopeOf struct {
	from, end int
	depth     int
	numbered  bool
}

// insertionOrder spells a query so that rows come as they were inserted; "" if it leaves no
// order open, or none of its tables can be counted.
func (r *runner) insertionOrder(sql string) string {
	toks := tokens(sql)
	scopes := scopesOf(toks)
	var list []inserted
	for k := range scopes {
		list = append(list, r.numberedFrom(toks, &scopes[k])...)
	}
	n := len(list)
	for k, s := range scopes {
		if s.numbered {
			list = append(list, orderedRows(toks, scopes, k)...)
		}
	}
	for i, t := range toks {
		if t.is("over") && i+1 < len(toks) && scopes != nil && scopes[innermost(scopes, i)].numbered {
			list = append(list, orderedWindow(sql, toks, scopes[innermost(scopes, i)], i)...)
		}
	}
	if len(list) == n {
		return ""
	}
	return insertAll(sql, list)
}

// scopesOf are the SELECTs of a text.
func scopesOf(toks []token) []scopeOf {
	var out []scopeOf
	for i, t := range toks {
		if !t.is("select") {
			continue
		}
		s := scopeOf{from: i, end: i + 1, depth: t.depth}
		for s.end < len(toks) && toks[s.end].depth >= s.depth && !(toks[s.end].depth == s.depth && slices.ContainsFunc([]string{"union", "intersect", "except", "select"}, toks[s.end].is)) {
			s.end++
		}
		out = append(out, s)
	}
	return out
}

// innermost is the smallest scope around a token, the first one if none is.
func innermost(scopes []scopeOf, i int) int {
	at := 0
	for k, s := range scopes {
		if s.from <= i && i < s.end && s.from >= scopes[at].from {
			at = k
		}
	}
	return at
}

// numberedFrom puts tables with counted rows into a FROM: tables of the test, and VALUES with
// names.
func (r *runner) numberedFrom(toks []token, s *scopeOf) []inserted {
	var list []inserted
	for i := s.from; i+1 < s.end; i++ {
		if toks[i].depth != s.depth || !toks[i].is("from") && !toks[i].is("join") {
			continue
		}
		name := toks[i+1]
		end := i + 2
		switch {
		case name.text == "(" && i+2 < s.end && toks[i+2].is("values"):
			list = append(list, numberedValues(toks, i+1)...)
		case r.tables[strings.ToLower(name.name())] != nil && (end >= len(toks) || toks[end].text != "(" && toks[end].text != "."):
			t := r.tables[strings.ToLower(name.name())]
			if r.fillNumbered(t) != nil {
				continue
			}
			as := ""
			if end >= len(toks) || !toks[end].is("as") && !isAlias(toks[end]) {
				as = " AS " + quote(name.name())
			}
			list = append(list, inserted{name.start, quote(t.name+insertionRow) + " /* "}, inserted{name.end, " */" + as})
		default:
			continue
		}
		s.numbered = s.numbered || toks[i].is("from")
	}
	return list
}

// numberedValues counts the rows of VALUES in brackets at i, whose columns have names.
func numberedValues(toks []token, i int) []inserted {
	end := closing(toks, i)
	name := end + 1
	if name < len(toks) && toks[name].is("as") {
		name++
	}
	if name+1 >= len(toks) || toks[name+1].text != "(" {
		return nil
	}
	list := []inserted{{toks[closing(toks, name+1)].start, ", " + insertionRow}}
	for k := i + 2; k < end; k++ {
		if toks[k].depth == toks[i].depth+1 && toks[k].text == "(" {
			list = append(list, inserted{toks[closing(toks, k)].start, fmt.Sprintf(", %d", len(list))})
		}
	}
	return list
}

// fillNumbered makes the table with counted rows in the batch engine.
func (w *world) fillNumbered(t *table) error {
	if t.bulk {
		return fmt.Errorf("table %q has too many rows", t.name)
	}
	r := &catalog.Relation{Columns: append(slices.Clone(t.relation.Columns), catalog.Column{Column: types.Column{Name: insertionRow, Type: types.Of(types.Int64)}})}
	var rows []*vec.Batch
	for i, row := range t.live() {
		one := row.Clone()
		one.Cols = append(slices.Clone(one.Cols), vec.NewConst(types.Of(types.Int64), int64(i), one.N))
		rows = append(rows, one)
	}
	return w.fill(t.name+insertionRow, r, rows)
}

// orderedRows orders the rows of a scope: behind its keys, or where LIMIT has none; a star
// leaves the count out.
func orderedRows(toks []token, scopes []scopeOf, k int) []inserted {
	s := scopes[k]
	var list []inserted
	hasOrder := false
	for i := s.from + 1; i < s.end; i++ {
		t := toks[i]
		if t.depth != s.depth {
			continue
		}
		switch {
		case t.text == "*" && (i+1 == len(toks) || toks[i+1].text == "," || toks[i+1].is("from")) && (toks[i-1].is("select") || toks[i-1].text == "," || toks[i-1].text == "."):
			list = append(list, inserted{t.end, " EXCLUDE (" + insertionRow + ")"})
		case t.is("order") && i+1 < s.end && toks[i+1].is("by"):
			items := orderItems(toks, i)
			last := items[len(items)-1]
			hasOrder = true
			list = append(list, inserted{last[len(last)-1].end, ", " + insertionRow})
		case (t.is("limit") || t.is("offset") || t.is("fetch")) && !hasOrder:
			hasOrder = true
			list = append(list, inserted{t.start, "ORDER BY " + insertionRow + " "})
		}
	}
	return list
}

var (
	rankings   = []string{"rank", "dense_rank", "rank_dense", "percent_rank", "cume_dist"}
	numberings = []string{"row_number", "ntile", "lead", "lag"}
)

// orderedWindow orders the rows of the window at OVER: all of them where it has no ORDER BY,
// equal ones where its frame counts rows. Ranks take equal rows together.
func orderedWindow(sql string, toks []token, s scopeOf, over int) []inserted {
	f := functionOf(toks, over)
	if slices.ContainsFunc(rankings, f.is) {
		return nil
	}
	open := over + 1
	if toks[open].text != "(" {
		for open = s.from; open+2 < s.end && !(toks[open].is(toks[over+1].text) && toks[open+1].is("as") && toks[open+2].text == "("); {
			open++
		}
		if open += 2; open >= s.end {
			return nil
		}
	}
	body := windowInOrder(sql, toks[open+1:closing(toks, open)], toks[open].depth+1, slices.ContainsFunc(numberings, f.is))
	switch {
	case body == "":
		return nil
	case open == over+1:
		return []inserted{{toks[open].end, body + " /* "}, {toks[closing(toks, open)].start, " */"}}
	}
	return []inserted{{toks[over+1].start, "(" + body + ") /* "}, {toks[over+1].end, " */"}}
}

// functionOf is the name of the function that OVER belongs to.
func functionOf(toks []token, over int) token {
	k := over - 1
	for k > 0 && toks[k].kind == word {
		k-- // IGNORE NULLS
	}
	k = opening(toks, k) - 1
	if k > 1 && toks[k].is("filter") {
		k = opening(toks, k-1) - 1
	}
	return toks[max(k, 0)]
}

// windowInOrder is the text of a window with an order of all rows, "" to leave it.
func windowInOrder(sql string, body []token, depth int, numbers bool) string {
	order, frame := -1, len(body)
	for i, t := range body {
		switch {
		case t.depth != depth:
		case t.is("order"):
			order = i
		case (t.is("rows") || t.is("range") || t.is("groups")) && frame == len(body):
			frame = i
		case t.is("exclude"):
			return ""
		}
	}
	rows := frame < len(body) && body[frame].is("rows")
	before, behind := span(sql, body[:frame]), span(sql, body[frame:])
	switch {
	case order >= 0 && (rows || numbers):
		return before + ", " + insertionRow + " " + behind
	case order >= 0:
		return ""
	case rows || numbers:
		return before + " ORDER BY " + insertionRow + " " + behind
	}
	return before + " ORDER BY " + insertionRow + " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
}
