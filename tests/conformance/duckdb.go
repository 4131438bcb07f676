package conformance

// duckdb is how the SQL of the suite is spelled.
var duckdb = dialect{flavor: duckdbText, nulls: nullsLast, duckMeaning: duckMeanings, callForms: duckCalls(), functions: duckFunctions,
	words: map[string]string{"int2": "SMALLINT", "int1": "TINYINT", "short": "SMALLINT", "long": "BIGINT", "hugeint": "DECIMAL(38,0)",
		"int128": "DECIMAL(38,0)", "utinyint": "SMALLINT", "usmallint": "INT", "uinteger": "BIGINT", "ubigint": "DECIMAL(20,0)",
		"timestamp_s": "TIMESTAMP", "timestamp_ms": "TIMESTAMP", "timestamp_us": "TIMESTAMP", "timestamp_ns": "TIMESTAMP", "timestamptz_ns": "TIMESTAMP", "time_ns": "TIME", "int64": "BIGINT", "int32": "INT"},
	phrases: []phrase{say(`\btimestamp(tz)?_(s|ms|us|ns)\s+'`, "TIMESTAMP '"), say(`\bbpchar\b`, "STRING"), say(`\b(int|integer|float|double|varchar|bigint)\[\d+\]`, "$1[]")}}

// duckdbReasons are why statements of the suite fail, and why that stays.
var duckdbReasons = []explanation{
	because("string_agg without a separator joins without one", "duckdb", `string_agg\([^,)]*( ORDER BY [^,)]*)?\)`, wrong),
	because("generate_series in a select list makes rows, as in PostgreSQL", "duckdb", `select generate_series\(`, wrong),
	because("from_hex and its like give BYTES", "duckdb", `from_hex|unhex|from_binary`, wrong),
	because("~ looks for the pattern anywhere, as in PostgreSQL", "duckdb/test/sql/function/string/regex", ` ~ `, wrong),
	because("a string is no BLOB with escapes", "duckdb", `blob`, wrong),
	because("USING columns come first, as the standard says", "duckdb/test/sql/join", `\*.*(using\s*\(|natural\s+join)`, wrong),
	because("NULL inside a nested value is the smallest", "duckdb", `(\[|\{)[^\]}]*null.*order by`, wrong),
}
