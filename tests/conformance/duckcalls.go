package conformance

import (
	"fmt"
	"strings"
)

// quoteAliases makes a name of a string behind AS.
func quoteAliases(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i < len(toks); i++ {
		t := toks[i]
		if t.kind == text && t.text[0] == '\'' && toks[i-1].is("as") {
			e.replace(t.start, t.end, quote(strings.ReplaceAll(t.text[1:len(t.text)-1], "''", "'")))
		}
	}
	return e.done()
}

// withoutMain leaves out the schema main, which all tables are in.
func withoutMain(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].is("main") && toks[i+1].text == "." && toks[i].end == toks[i+1].start && (i == 0 || toks[i-1].text != "." && !fieldOfMain(toks, i)) {
			e.replace(toks[i].start, toks[i+1].end, "")
		}
	}
	return e.done()
}

// fieldOfMain reports a field of a column called main: alone in a list of items, of tables that
// are not called by their schema.
func fieldOfMain(toks []token, i int) bool {
	if !(toks[i-1].is("select") || toks[i-1].text == "," && !afterFrom(toks, i)) {
		return false
	}
	for k := 1; k+1 < len(toks); k++ {
		if toks[k].is("main") && toks[k+1].text == "." && (toks[k-1].is("from") || toks[k-1].is("join")) {
			return false
		}
	}
	return i+3 == len(toks) || toks[i+3].text != "." && toks[i+3].text != "("
}

// filterWhere writes the WHERE that DuckDB's FILTER (condition) leaves out.
func filterWhere(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].is("filter") && toks[i+1].text == "(" && i > 0 && toks[i-1].text == ")" && !toks[i+2].is("where") {
			e.replace(toks[i+1].end, toks[i+1].end, "WHERE ")
		}
	}
	return e.done()
}

// separate writes the separator that string_agg has in DuckDB where none is given: a comma.
func separate(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+2 < len(toks); i++ {
		t := toks[i]
		if !(t.is("string_agg") || t.is("group_concat") || t.is("listagg")) || toks[i+1].text != "(" {
			continue
		}
		end, at := closing(toks, i+1), -1
		one := true
		for k := i + 2; k < end; k++ {
			if toks[k].depth != toks[i+1].depth+1 {
				continue
			}
			if at < 0 && (toks[k].text == "," || toks[k].is("order")) {
				one, at = toks[k].text != ",", k
			}
		}
		if at < 0 {
			at = end
		}
		if one && at > i+2 {
			e.replace(toks[at-1].end, toks[at-1].end, ", ','")
		}
	}
	return e.done()
}

// nameValues gives the columns of VALUES in FROM the names that they have in DuckDB, col0,
// col1 and so on, if they have none.
func nameValues(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+2 < len(toks); i++ {
		if !toks[i].is("values") || toks[i+1].text != "(" || toks[i-1].text != "(" {
			continue
		}
		end := closing(toks, i-1)
		names := valueNames(toks, i+1)
		switch alias := end + 1; {
		case i >= 2 && afterFrom(toks, i-1):
			if alias < len(toks) && toks[alias].is("as") {
				alias++
			}
			if alias >= len(toks) || !isAlias(toks[alias]) {
				e.replace(toks[end].end, toks[end].end, " AS valueslist("+names+")")
			} else if alias+1 >= len(toks) || toks[alias+1].text != "(" {
				e.replace(toks[alias].end, toks[alias].end, "("+names+")")
			}
		case i >= 3 && (toks[i-2].is("as") || toks[i-2].is("materialized")) && (i < 3 || toks[i-3].text != ")"):
			e.replace(toks[i-1].end, toks[i-1].end, "SELECT * FROM (")
			e.replace(toks[end].start, toks[end].start, ") AS valueslist("+names+")")
		}
	}
	return e.done()
}

// valueNames names the columns of the row that begins at i.
func valueNames(toks []token, i int) string {
	n := len(splitAt(toks[i+1:closing(toks, i)], toks[i].depth+1))
	var out []string
	for k := range n {
		out = append(out, fmt.Sprintf("col%d", k))
	}
	return strings.Join(out, ", ")
}
