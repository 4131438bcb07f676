package conformance

// duckWindows spell frames and window functions of DuckDB that have another form here.
var duckWindows = []phrase{
	// a frame that ends before it begins has no rows: for us that is the row without itself
	say(`\b(rows|range|groups)\s+between\s+(\d+\s+following\s+and\s+(current\s+row|\d+\s+preceding)|current\s+row\s+and\s+\d+\s+preceding)(\s+exclude\s+(ties|group|current\s+row|no\s+others))?`,
		"ROWS BETWEEN CURRENT ROW AND CURRENT ROW EXCLUDE CURRENT ROW"),
	say(`\bcount_star\s*\(\s*\)`, "count(*)"),
}
