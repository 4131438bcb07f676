package conformance

import (
	"slices"
	"strconv"
	"strings"
)

// prepared runs PREPARE of a change of rows, and gives the text that EXECUTE stands for:
// those of queries are the product's. done tells that nothing is left to run.
func (w *world) prepared(sql string) (left string, done bool) {
	toks := tokens(sql)
	if len(toks) < 2 {
		return sql, false
	}
	name := strings.ToLower(toks[1].name())
	switch {
	case toks[0].is("prepare") && len(toks) > 3:
		as := slices.IndexFunc(toks, func(t token) bool { return t.is("as") })
		if as < 0 || !changesRows(toks[as+1:]) {
			delete(w.changesOf, name)
			return sql, false
		}
		w.changesOf[name] = sql[toks[as].end:]
		return "", true
	case toks[0].is("execute"):
		body, ok := w.changesOf[name]
		if !ok {
			return sql, false
		}
		var args []string
		if len(toks) > 3 && toks[2].text == "(" {
			for _, a := range splitAt(toks[3:closing(toks, 2)], 1) {
				args = append(args, span(sql, a))
			}
		}
		return withArguments(body, args), false
	case toks[0].is("deallocate"):
		if _, ok := w.changesOf[name]; ok {
			delete(w.changesOf, name)
			return "", true
		}
	}
	return sql, false
}

// changesRows reports a change of rows, perhaps behind WITH.
func changesRows(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool { return t.depth < 2 && (t.is("insert") || t.is("update") || t.is("delete")) })
}

// withArguments writes arguments in the place of ? and $1.
func withArguments(sql string, args []string) string {
	e := edits{sql: sql}
	toks := tokens(sql)
	next := 0
	for i, t := range toks {
		switch {
		case t.text == "?":
			if next < len(args) {
				e.replace(t.start, t.end, args[next])
			}
			next++
		case t.text == "$" && i+1 < len(toks) && toks[i+1].start == t.end:
			if n, err := strconv.Atoi(toks[i+1].text); err == nil && n >= 1 && n <= len(args) {
				e.replace(t.start, toks[i+1].end, args[n-1])
			}
		}
	}
	return e.done()
}
