package conformance

import "slices"

// duckdb is how the SQL of the suite is spelled.
var duckdb = dialect{flavor: duckdbText, nulls: nullsLast, duckMeaning: duckMeanings, forms: duckForms, callForms: joinedForms(duckAggregates(duckCalls()), duckNestedCalls(), duckValueCalls()), functions: duckFunctions,
	words: map[string]string{"int2": "SMALLINT", "int1": "TINYINT", "short": "SMALLINT", "long": "BIGINT", "hugeint": "DECIMAL(38,0)",
		"int128": "DECIMAL(38,0)", "utinyint": "SMALLINT", "usmallint": "INT", "uinteger": "BIGINT", "ubigint": "DECIMAL(20,0)",
		"time_ns": "TIME", "int64": "BIGINT", "int32": "INT", "uhugeint": "DECIMAL(38,0)", "uint8": "SMALLINT", "uint16": "INT", "uint32": "BIGINT", "uint64": "DECIMAL(20,0)",
		"int16": "SMALLINT", "signed": "BIGINT"},
	phrases: append(slices.Concat(duckWindows, duckQuantileNamed), say(`\bbpchar\b`, "STRING"), say(`\b(int|integer|float|double|varchar|bigint)\[\d+\]`, "$1[]"))}

// duckdbReasons are why statements of the suite fail, and why that stays.
var duckdbReasons = []explanation{
	because("USING columns come first, as the standard says", "duckdb/test/sql/join/pushdown/pushdown_generated_columns", `using \(total_profit\)`, wrong),
	because("a path of JSON with * that finds nothing gives NULL, and no empty list", "order/top_n_issue_21623", `json_extract\('\[\]', '\$\[\*\]'\)`, wrong),
	because("a recursive query is computed to its end, whatever LIMIT asks for", "duckdb/test/sql/cte", `it has not ended after`, refused),
	because("histogram of a table is no table function: histogram(x, equi_width_bins(…)) is the aggregate", "duckdb/test/sql/aggregate", `unknown table function "histogram(_values)?"`, refused),
	because("there is no type of bits", "duckdb", `there is no type of bits`, refused),
	because("an aggregate computes nothing for the rows that FILTER leaves out", "duckdb/test/sql/aggregate", `::integer.*filter \(where keep\)`, accepted),
	because("a column has no collation: COLLATE stands behind what is compared or ordered by", "duckdb/test/sql", `collate of a column is not supported|collate .* stands behind what is compared`, refused, follows),
	because("a constant in ORDER BY and DISTINCT ON orders nothing", "duckdb/test/sql/order", `(order by|distinct on \(|, ?)('[^']*'|true|false|null|-\d+)`, accepted),
	because("a number has 38 digits", "duckdb", `a DECIMAL has at most 38 digits`, refused, follows),
	because("unsigned and narrow integers are computed as wider ones, and literals are INT", "duckdb/test/sql/binder/integer_literal_binding", `typeof\(`, wrong),
	because("NULL alone has no type to store", "duckdb", `has no type, only NULL`, refused, follows),
}
