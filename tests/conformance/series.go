package conformance

import "strings"

// nameSeries gives the column of range(…), generate_series(…) and unnest(…) in FROM the name that it has
// there: the function's, or the alias's where that names the column too.
func nameSeries(byAlias bool) func(sql string) string {
	return func(sql string) string {
		toks := tokens(sql)
		e := edits{sql: sql}
		for i := 1; i+1 < len(toks); i++ {
			t := toks[i]
			if !(t.is("range") || t.is("generate_series") || t.is("unnest")) || toks[i+1].text != "(" || !afterFrom(toks, i) {
				continue
			}
			name, end := strings.ToLower(t.text), closing(toks, i+1)
			if hasWords(toks[end+1:min(end+3, len(toks))], "with", "ordinality") {
				if end+3 >= len(toks) || !toks[end+3].is("as") && !isAlias(toks[end+3]) {
					e.replace(toks[end+2].end, toks[end+2].end, " AS "+name+"("+name+", ordinality)")
				}
				continue
			}
			if t.is("unnest") && len(splitAt(toks[i+2:end], toks[i+1].depth+1)) > 1 {
				continue // several columns
			}
			alias := end + 1
			if alias < len(toks) && toks[alias].is("as") {
				alias++
			}
			switch {
			case alias >= len(toks) || !isAlias(toks[alias]):
				e.replace(toks[end].end, toks[end].end, " AS "+name+"("+name+")")
			case alias+1 < len(toks) && toks[alias+1].text == "(":
			case byAlias:
				e.replace(toks[alias].end, toks[alias].end, "("+toks[alias].text+")")
			default:
				e.replace(toks[alias].end, toks[alias].end, "("+name+")")
			}
		}
		return e.done()
	}
}

// afterFrom reports that a table stands at i.
func afterFrom(toks []token, i int) bool {
	if toks[i-1].is("from") || toks[i-1].is("join") || toks[i-1].is("lateral") {
		return true
	}
	if toks[i-1].text != "," {
		return false
	}
	for k := i - 1; k >= 0 && toks[k].depth >= toks[i].depth; k-- { // FROM a, range(…)
		if toks[k].depth == toks[i].depth && endsItems(toks[k]) {
			return toks[k].is("from")
		}
		if toks[k].depth == toks[i].depth && toks[k].is("select") {
			return false
		}
	}
	return false
}

// isAlias reports a word that can call a table, and begins nothing else.
func isAlias(t token) bool {
	if t.kind == quoted {
		return true
	}
	if t.kind != word || endsItems(t) {
		return false
	}
	for _, w := range []string{"join", "left", "right", "full", "inner", "cross", "natural", "on", "using", "select", "positional", "asof", "semi", "anti", "as", "tablesample",
		"using", "pivot", "unpivot", "returning", "set", "with", "lateral", "values", "sample"} {
		if t.is(w) {
			return false
		}
	}
	return true
}
