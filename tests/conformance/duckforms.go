package conformance

import (
	"strings"
)

// duckMeaning is what of a dialect only DuckDB's tests need.
type duckMeaning struct {
	forms        []func(sql string) string // respellings, after the phrases
	notOurs      map[string]string         // words whose statements fall under a rule, by word
	ieeeDivision bool                      // / gives DOUBLE, infinity by zero; // and % by zero are NULL
	castsRows    bool                      // INSERT casts whatever it can to its columns, ORDER BY ALL says where NULL is
	noViews      bool                      // its tests have no materialised views
	fullRegex    bool                      // ~ matches the whole text
}

var duckMeanings = duckMeaning{ieeeDivision: true, noViews: true, castsRows: true, notOurs: duckStates, forms: []func(string) string{duckPrefixNames, duckPlaces, duckJoinTypes, duckColumnTexts, duckAliasCalls, duckFixed, duckUnnests, duckMaps, duckCalled, nameRange, nameValues, filterWhere, separate, duckYears, duckWholeUnits, duckStamps, quoteAliases, withoutMain, duckSeriesAsList, duckTrailingCommas, duckBlobs, duckNamed, duckWholes, duckTextCasts}}

// duckStates are words of DuckDB's values that are states of aggregates.
var duckStates = map[string]string{"export_state": "aggregate state", "to_aggregate_state": "aggregate state", "aggregate_state": "aggregate state",
	"finalize": "aggregate state", "combine": "aggregate state", "combine_aggr": "aggregate state", "stats": "storage", "read_blob": "connector", "test_all_types": "program", "test_vector_types": "program", "legacy_aggregate_state": "aggregate state"}

// stateCall reports that a word that can be a name stands for the function of states.
func stateCall(toks []token, i int) bool {
	return toks[i].is("export_state") || i+1 < len(toks) && toks[i+1].text == "("
}

// nameRange gives the column of range(…), generate_series(…) and unnest(…) in FROM the name that it has
// in DuckDB: the function's.
func nameRange(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+1 < len(toks); i++ {
		t := toks[i]
		if !(t.is("range") || t.is("generate_series") || t.is("unnest")) || toks[i+1].text != "(" || !afterFrom(toks, i) {
			continue
		}
		end := closing(toks, i+1)
		name := strings.ToLower(t.text)
		if end+1 < len(toks) && toks[end+1].is("with") && end+2 < len(toks) && toks[end+2].is("ordinality") {
			continue
		}
		alias := end + 1
		if alias < len(toks) && toks[alias].is("as") {
			alias++
		}
		switch {
		case alias >= len(toks) || !isAlias(toks[alias]):
			e.replace(toks[end].end, toks[end].end, " AS "+name+"("+name+")")
		case alias+1 >= len(toks) || toks[alias+1].text != "(":
			e.replace(toks[alias].end, toks[alias].end, "("+name+")")
		}
	}
	return e.done()
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
