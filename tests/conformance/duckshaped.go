package conformance

import "strings"

// duckJoinTypes writes JOIN BY (TYPE semi), by which DuckDB's tests ask for a kind of join, as
// SEMI JOIN.
func duckJoinTypes(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+5 < len(toks); i++ {
		if !toks[i].is("join") || !toks[i+1].is("by") || toks[i+2].text != "(" || !toks[i+3].is("type") || toks[i+5].text != ")" {
			continue
		}
		switch kind := strings.TrimSuffix(strings.ToLower(toks[i+4].text), "_join"); kind {
		case "inner", "left", "right", "full", "semi", "anti":
			e.replace(toks[i].start, toks[i+5].end, strings.ToUpper(kind)+" JOIN")
		}
	}
	return e.done()
}

// duckColumnTexts makes names of the texts that call the columns of a table, t('k').
func duckColumnTexts(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 3; i+1 < len(toks); i++ {
		table := i - 2
		if toks[table].is("as") {
			table--
		}
		if toks[i].text != "(" || toks[i+1].kind != text || toks[table].kind != word || table == 0 || !afterFrom(toks, table) || toks[i-1].kind == symbol {
			continue
		}
		for k := i + 1; k < closing(toks, i); k++ {
			if toks[k].kind == text {
				e.replace(toks[k].start, toks[k].end, quote(strings.Trim(toks[k].text, "'")))
			}
		}
	}
	return e.done()
}

// duckAliasCalls writes alias(x), the name of a column, as that name: the one behind AS, else
// that of the column in the brackets.
func duckAliasCalls(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+3 < len(toks); i++ {
		if !toks[i].is("alias") || toks[i+1].text != "(" || !(toks[i-1].is("select") || toks[i-1].text == ",") || !inItems(toks, i) {
			continue
		}
		end := closing(toks, i+1)
		switch {
		case end+2 < len(toks) && toks[end+1].is("as"):
			e.replace(toks[i].start, toks[end].end, "'"+toks[end+2].name()+"'")
		case end == i+3 && toks[i+2].kind == word:
			e.replace(toks[i].start, toks[end].end, "'"+toks[i+2].text+"'")
		}
	}
	return e.done()
}
