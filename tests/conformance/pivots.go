package conformance

import (
	"slices"
	"strings"
)

// countingPivot writes rows PIVOT (count(*) FOR x IN (…)) as PIVOT rows ON x IN (…) USING
// count(*): the statement counts 0 where nothing is, as theirs does.
func countingPivot(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		if !t.is("pivot") || i == 0 || i+1 == len(toks) || toks[i+1].text != "(" {
			continue
		}
		from, end := pivotInput(toks, i-1), closing(toks, i+1)
		aggs, axes, keys, ok := pivotParts(toks[i+2 : end])
		if from < 0 || !ok || !slices.ContainsFunc(aggs, func(t token) bool { return t.is("count") }) {
			continue
		}
		with := "(PIVOT " + countingPivot(span(sql, toks[from:i])) + " ON " + span(sql, axes) + " USING " + span(sql, aggs)
		if len(keys) > 0 {
			with += " " + span(sql, keys)
		}
		e.replace(toks[from].start, toks[end].end, with+")")
	}
	return e.done()
}

// pivotInput is where the table or query that ends at end begins, -1 if it has an alias.
func pivotInput(toks []token, end int) int {
	from := end
	for toks[end].text == ")" && from > 0 && (from == end || toks[from].depth > toks[end].depth) {
		from--
	}
	if before := from - 1; before < 0 || !toks[before].is("from") {
		return -1
	}
	return from
}

// pivotParts are what is between the brackets of PIVOT: aggregates, FOR with one IN, GROUP BY.
func pivotParts(toks []token) (aggs, axes, keys []token, ok bool) {
	top := func(w string) func(token) bool {
		return func(t token) bool { return t.depth == toks[0].depth && t.is(w) }
	}
	if len(toks) == 0 {
		return nil, nil, nil, false
	}
	at := slices.IndexFunc(toks, top("for"))
	if at < 0 {
		return nil, nil, nil, false
	}
	aggs, axes = toks[:at], toks[at+1:]
	if g := slices.IndexFunc(axes, top("group")); g >= 0 {
		axes, keys = axes[:g], axes[g:]
	}
	in := 0
	for _, t := range axes {
		if t.depth == toks[0].depth && t.is("in") {
			in++
		}
	}
	return aggs, axes, keys, in == 1
}

// foldUnpivot writes the columns of UNPIVOT in small letters: theirs folds names, which are
// values there.
func foldUnpivot(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		if !t.is("unpivot") {
			continue
		}
		open := i + 1 + slices.IndexFunc(toks[i+1:], func(t token) bool { return t.text == "(" })
		if open == i {
			continue
		}
		end := closing(toks, open)
		in := open + 1 + slices.IndexFunc(toks[open+1:end], func(t token) bool { return t.is("in") })
		for _, c := range toks[max(in, open) : end+1] {
			if low := strings.ToLower(c.text); in > open && c.kind == word && !c.is("in") && !c.is("as") && low != c.text {
				e.replace(c.start, c.end, low)
			}
		}
	}
	return e.done()
}
