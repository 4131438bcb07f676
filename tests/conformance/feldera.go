package conformance

import "slices"

// feldera is how the SQL of the suite is spelled.
var feldera = dialect{flavor: postgresText, blankNull: true, integerDivision: true, conflict: replace, niladic: true,
	phrases: slices.Concat(felderaUnsigned, []phrase{
		// the length between two times in months is a length in months; other units change nothing
		say(`\(\s*((?:date|timestamp)?\s*(?:'[^']*'|[\w.]+))\s*-\s*((?:date|timestamp)?\s*(?:'[^']*'|[\w.]+))\s*\)\s*months?\b`, "(timestampdiff(MONTH, $2, $1) * INTERVAL '1' MONTH)"),
		say(`\(\s*((?:date|timestamp)?\s*(?:'[^']*'|[\w.]+)\s*-\s*(?:date|timestamp)?\s*(?:'[^']*'|[\w.]+))\s*\)\s*(?:day|hour|minute|second)s?(?:\s*to\s*(?:hour|minute|second)s?)?(\s+as\b|\s*[,)]|\s+from\b)`, "($1)$2"),
		say(`\(\s*((?:date|timestamp)?\s*(?:'[^']*'|[\w.]+))\s*-\s*((?:date|timestamp)?\s*(?:'[^']*'|[\w.]+))\s*\)\s*years?(\s+as\b|\s*[,)])`, "(timestampdiff(YEAR, $2, $1) * INTERVAL '1' YEAR)$3"),
		say(`(\bTUMBLE(?:_START|_END)?\s*\([^()]*,\s*)TIME\s+('[^']*')`, "${1}INTERVAL $2 HOUR TO SECOND"),
		say(`\bWITH\s*\([^()]*'append_only'[^()]*\)`, ""),
		say(`^\s*LATENESS\s[^,()]+$`, ""), say(`\bLATENESS\s+\d+(::\w+)?`, ""),
		say(`\bWITH\s*\(\s*'emit_final'\s*=\s*'\w+'\s*\)(\s+AS\b[^;]*)`, "$1 EMIT ON WINDOW CLOSE"), say(`\bcreate\s+local\s+view\b`, "CREATE VIEW"),
		// what a table function of windows gives beside the rows, and how a session is called
		say(`\bSELECT\s+\*\s+FROM\s+TABLE\s*\(\s*(TUMBLE|HOP|SESSION)\b`, "SELECT * EXCEPT (window_time) FROM TABLE($1"), say(`(\bSESSION\s*\([^;]*?)\bSIZE\s*=>`, "${1}GAP =>"),
		say(`\bdouble\s+precision\b`, "DOUBLE"), say(`\bWITH\s*\(\s*'[^;]*?\)(\s+AS\b)`, "$1"), say(`\bSQL_TSI_`, ""), say(`\bINTERNED\b`, "")}), recursive: true, nowTable: true, uniqueColumns: true, forms: []func(string) string{countingPivot, foldUnpivot},
	literals: map[string]string{"unknown": "NULL"}, callForms: felderaForms(), functions: felderaFunctions,
	casts: map[string]bool{"char": true, "varchar": true, "decimal": true, "numeric": true, "boolean": true, "bool": true, "timestamp": true, "binary": true, "varbinary": true},
	words: map[string]string{"variant": "JSON", "int64": "BIGINT", "int32": "INT", "int16": "SMALLINT", "int8": "BIGINT"}}

// felderaReasons are why statements of the suite fail, and why that stays.
var felderaReasons = []explanation{
	because("there is a year 0 before the year 1, as in Spark", "feldera", `make_date\(0,`, wrong),
	because("years go beyond 9999, as in Spark", "feldera", `make_date\(\d{5,},`, wrong),
	because("of values that are equally frequent, mode takes the smallest", "quidem/AggTests", `other rows: want \["50 M" .*mode\(gender\)`, wrong),
	because("EMIT ON WINDOW CLOSE, which emit_final is, needs a watermark that reaches the view", "feldera", `append needs final rows`, refused, follows),
	because("WATERMARK of a column holds its rows back until it has passed them: a row is read when it comes, and the clause is refused", "feldera", `expected DELAY, found "INTERVAL"`, refused, follows),
	because("the quarter of months before zero is 1 + months DIV 3, and the epoch of a year has 365.25 days, as in PostgreSQL 16", "PostgresIntervalTests", `-5months`, wrong),
	because("the program compiles a circuit that sees the rows of a step alone", "sql/WindowTests", `\bgot .*\b\d`, wrong).in(`rank\(\) over \(order by x\)`),
	because("a column of CHAR(n) is STRING: nothing is padded", "feldera", "", wrong).in(`x char\(\d+\)`),
	because("their sum of REAL is a REAL", "feldera", "", wrong).in(`c2 REAL.*filter \(where c2 > -?\d+\.`),
	because("a TIME has µs", "PostgresTimeTests", `:25\.575401234|59\.9999999`, wrong),
	because("their intervals have ms, those of years and months no days", "MiscTests", `(\* interval '[^']*' day|'-1-3' year to month / deptno)`, wrong),
	because("their intervals have ms", "CastTests", `1:1\.111111`, wrong),
	because("an interval has no unit, in which its text would be", "feldera", `cast\(\(interval '[^']*' year.* as varchar\)|interval '[^']*' days to seconds as variant`, wrong),
	because("an interval has no unit, in which its text would be", "Regression1Tests", "", wrong).in(`cast\(c1_minus_c2 as varchar\)`),
	because("an element that cannot be cast is NULL in its array, as in Spark", "feldera", `safe_cast\(array`, wrong),
	because("%g of strftime is a fraction, as in DuckDB", "DateFormatsTests", `%G,%g`, wrong),
	because("a replacement names a group by \\1 as well", "CalciteSqlOperatorTest", `regexp_replace\('abcdefghijabc', 'abc\(\.\)', '\\1xy'\)`, wrong),
	because("of rows that are equal in an order, another is the first", "WinAggTests", `order by sal rows current row`, wrong),
	because("the tests print a length of 0 as 0", "Regression2Tests", `want \["0"\], got \["00:00:00"\]`, wrong),
	because("sin near its zeros differs in the last digits", "TrigonometryTests", `\bcsc\(pi`, wrong),
	because("ln of a negative number is NULL, as in Spark", "PostgresFloat8Part2Tests", `\bln\(`, accepted),
	because("a format that leaves a part of the time open takes 0 for it", "feldera", `\bparse_time(stamp)?\(`, accepted),
	because("values of MAP have no order", "feldera", `cannot order values of MAP`, refused),
	because("bit_and and bit_or are of integers", "feldera", `bit_and needs an integer, got BYTES`, refused),
	because("a TIME is no TIMESTAMP, which has a date", "TimestampDiffTests", `got TIME|CAST does not convert TIME to TIMESTAMP`, refused),
	because("a zone that does not exist is an error", "TimestampDiffTests", `is no time zone`, refused),
	because("their xxhash has a seed", "Regression2Tests", `unknown function "XXHASH"`, refused),
	because("a key of a map is not NULL", "feldera", `a key is NULL in map`, refused),
	because("there are no geometries", "FunctionsTest", `unknown function "st_point"`, refused),
}
