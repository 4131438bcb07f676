package conformance

// sqlite is how the SQL of the suite is spelled.
var sqlite = dialect{flavor: sqliteText, integerDivision: true, nullOnError: true,
	phrases: []phrase{say(`\bcast\s*\(\s*NULL\s+AS\s+SIGNED\s*\)`, "CAST(NULL AS BIGINT)"), say(`\bNOT\s+INDEXED\b`, "")},
	words:   map[string]string{"integer": "BIGINT", "int": "BIGINT", "signed": "BIGINT", "float": "DOUBLE", "real": "DOUBLE"}}
