package conformance

// duckMeaning is what of a dialect only DuckDB's tests need.
type duckMeaning struct {
	notOurs      map[string]string // words whose statements fall under a rule, by word
	ieeeDivision bool              // / gives DOUBLE, infinity by zero; // and % by zero are NULL
	strictReals  bool              // / by zero is NULL too
	descending   bool              // ORDER BY that does not say is descending
	castsRows    bool              // INSERT casts whatever it can to its columns, ORDER BY ALL says where NULL is
	noViews      bool              // its tests have no materialised views
	fullRegex    bool              // ~ matches the whole text
}

var duckMeanings = duckMeaning{ieeeDivision: true, noViews: true, castsRows: true, notOurs: duckStates}

// duckForms are the respellings of whole statements.
var duckForms = []func(string) string{duckPrefixNames, duckPlaces, duckJoinTypes, duckColumnTexts, duckAliasCalls, duckFixed, duckUnnests, duckMaps, callsOf(duckOperators, false), nameSeries(false), nameValues, countingPivot, filterWhere, separate, duckYears, duckWholeUnits, duckStamps, quoteAliases, withoutMain, duckSeriesAsList, duckTrailingCommas, duckBlobs, duckNamed, duckWholes, duckTextCasts, duckDated}

// duckStates are words of DuckDB's values that are states of aggregates.
var duckStates = map[string]string{"export_state": "aggregate state", "to_aggregate_state": "aggregate state", "aggregate_state": "aggregate state",
	"finalize": "aggregate state", "combine": "aggregate state", "combine_aggr": "aggregate state", "stats": "storage", "read_blob": "connector", "test_all_types": "program", "test_vector_types": "program", "legacy_aggregate_state": "aggregate state"}

// stateCall reports that a word that can be a name stands for the function of states.
func stateCall(toks []token, i int) bool {
	return toks[i].is("export_state") || i+1 < len(toks) && toks[i+1].text == "("
}
