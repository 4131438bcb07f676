package conformance

// duckWindows spell frames and window functions of DuckDB that have another form here.
var duckWindows = []phrase{
	// a frame that ends before it begins has no rows, as one from the second to the first row behind
	say(`\b(rows|range|groups)\s+between\s+(\d+\s+following\s+and\s+(current\s+row|\d+\s+preceding)|current\s+row\s+and\s+\d+\s+preceding)(\s+exclude\s+(ties|group|current\s+row|no\s+others))?`,
		"ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING"),
	say(`\bcount_star\s*\(\s*\)`, "count(*)"),
}

// duckTrailingCommas leaves out the comma behind the last element of a list.
func duckTrailingCommas(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].text == "," && toks[i+1].text == "]" {
			e.replace(toks[i].start, toks[i].end, "")
		}
	}
	return e.done()
}
