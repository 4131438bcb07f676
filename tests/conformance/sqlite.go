package conformance

import "slices"

// sqlite is how the SQL of the suite is spelled.
var sqlite = dialect{flavor: sqliteText, integerDivision: true, nullOnError: true, dropsAlone: true, forms: []func(string) string{spellSQLite},
	phrases: []phrase{say(`\bcast\s*\(\s*NULL\s+AS\s+SIGNED\s*\)`, "CAST(NULL AS BIGINT)"), say(`\bNOT\s+INDEXED\b`, ""),
		say(`^REPLACE\s+INTO\b`, "INSERT OR REPLACE INTO")},
	words: map[string]string{"integer": "BIGINT", "int": "BIGINT", "signed": "BIGINT", "float": "DOUBLE", "real": "DOUBLE"}}

// spellSQLite writes what SQLite alone has: IN of a table and of nothing, a plus that changes
// nothing, and total, a sum that is 0.0 of nothing.
func spellSQLite(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	ends := map[int]bool{} // brackets of total, by where they end
	for i, t := range toks {
		rest := toks[i+1:]
		switch {
		case t.is("in") && len(rest) > 1 && rest[0].text == "(" && rest[1].text == ")":
			e.replace(rest[0].start, rest[1].end, "(SELECT NULL WHERE FALSE)")
		case t.is("in") && len(rest) > 0 && (rest[0].kind == word || rest[0].kind == quoted):
			e.replace(rest[0].start, rest[0].end, "(SELECT * FROM "+rest[0].text+")")
		case t.text == "+" && (i == 0 || !endsOperand(toks[i-1])):
			e.replace(t.start, t.end, "")
		case t.is("total") && len(rest) > 0 && rest[0].text == "(":
			if end := slices.IndexFunc(rest, func(x token) bool { return x.text == ")" && x.depth == t.depth }); end > 0 {
				e.replace(t.start, t.end, "coalesce(sum")
				e.replace(rest[distinct(rest)].end, rest[distinct(rest)].end, " CAST(")
				ends[rest[end].end] = true
			}
		case t.text == ")" && ends[t.end]:
			e.replace(t.start, t.end, " AS DOUBLE)), 0.0)")
		case t.kind == number && len(rest) > 1 && rest[0].text == "<" && rest[1].text == "<" && rest[1].start == rest[0].end:
			e.replace(t.end, t.end, "L") // integers have 64 bits
		}
	}
	return e.done()
}

// distinct is 1 where DISTINCT follows the bracket of a call.
func distinct(call []token) int {
	if len(call) > 1 && call[1].is("distinct") {
		return 1
	}
	return 0
}

// sqliteReasons are why statements of the suite fail, and why that stays.
var sqliteReasons = []explanation{
	because("text is no number: sum and avg of it are refused", "sqlite", `(sum|avg) needs a number as argument 1, got STRING`, refused),
	because("values of types that have nothing in common are not compared", "sqlite", `IN cannot compare BYTES with BIGINT`, refused),
	because("an aggregate of DISTINCT values may have more arguments", "sqlite", `group_concat\(DISTINCT`, accepted),
	because("a column that is set twice is an error, as the standard says", "evidence/slt_lang_update", `column "x" is set twice`),
	because("a sum of integers has all its digits: SQLite's is a DOUBLE, printed with 16", "evidence/slt_lang_aggfunc", `(sum\(DISTINCT|total\()`, wrong),
	because("the file has no result for an overflow: its evidence is to be written", "evidence/slt_lang_aggfunc", `0 rows expected`, wrong),
}
