package conformance

import "slices"

// feldera is how the SQL of the suite is spelled.
var feldera = dialect{flavor: postgresText, blankNull: true, integerDivision: true, conflict: replace, niladic: true,
	phrases: slices.Concat(felderaUnsigned, []phrase{
		// the length between two times in months is a length in months; other units change nothing
		say(`\(\s*((?:date|timestamp)?\s*(?:'[^']*'|[\w.]+))\s*-\s*((?:date|timestamp)?\s*(?:'[^']*'|[\w.]+))\s*\)\s*months?\b`, "(timestampdiff(MONTH, $2, $1) * INTERVAL '1' MONTH)"),
		say(`\(\s*((?:date|timestamp)?\s*(?:'[^']*'|[\w.]+)\s*-\s*(?:date|timestamp)?\s*(?:'[^']*'|[\w.]+))\s*\)\s*(?:day|hour|minute|second)s?(\s+as\b)`, "($1)$2"),
		say(`\bWITH\s*\([^()]*'append_only'[^()]*\)`, ""), say(`\bLATENESS\s+[^,()]+`, ""), say(`\bcreate\s+local\s+view\b`, "CREATE VIEW"),
		// what a table function of windows gives beside the rows, and how a session is called
		say(`\bSELECT\s+\*\s+FROM\s+TABLE\s*\(\s*(TUMBLE|HOP|SESSION)\b`, "SELECT * EXCEPT (window_time) FROM TABLE($1"), say(`(\bSESSION\s*\([^;]*?)\bSIZE\s*=>`, "${1}GAP =>"),
		say(`\bdouble\s+precision\b`, "DOUBLE"), say(`\bWITH\s*\(\s*'[^;]*?\)(\s+AS\b)`, "$1"), say(`\bSQL_TSI_`, ""), say(`\bINTERNED\b`, "")}), recursive: true, nowTable: true, uniqueColumns: true,
	literals: map[string]string{"unknown": "NULL"}, callForms: felderaForms(), functions: felderaFunctions,
	casts: map[string]bool{"char": true, "varchar": true, "decimal": true, "numeric": true, "boolean": true, "bool": true, "timestamp": true, "binary": true, "varbinary": true},
	words: map[string]string{"variant": "JSON", "int64": "BIGINT", "int32": "INT", "int16": "SMALLINT", "int8": "BIGINT"}}

// felderaReasons are why statements of the suite fail, and why that stays.
var felderaReasons = []explanation{
	because("stddev, variance and covariance of integers are DOUBLE", "feldera", `stddev|variance|(var|covar)_(pop|samp)|regr_s\w\w\(`, wrong),
	because("stddev, variance and covariance of integers are DOUBLE", "feldera", "", wrong).in(`stddev`),
	because("LATENESS of a table drops a late row for all its readers, emit_final waits; here a late row is dropped where it would change what is final", "feldera", "", wrong).in(`lateness|emit_final|\bwatermark interval`),
	because("the program sets the time by rows of a table NOW", "feldera", "", wrong).in(`insert into now\b`),
	because("the program compiles a circuit that sees the rows of a step alone", "sql/WindowTests", `\bgot .*\b\d`, wrong).in(`rank\(\) over \(order by x\)`),
	because("CHAR(n) and VARCHAR(n) are STRING: nothing is cut off or padded, as in Spark's CAST", "feldera", `\bchar\(\d+\)`, wrong),
	because("CHAR(n) and VARCHAR(n) are STRING: nothing is cut off or padded, as in Spark's CAST", "feldera", "", wrong).in(`\bchar\(\d+\)`),
	because("BINARY(n) is BYTES of any length", "feldera", `as binary\(\d+\)`, wrong),
	because("least and greatest leave NULL out, as in Spark and PostgreSQL", "feldera", "", wrong).in(`\b(least|greatest)\(`),
	because("array functions take NULL for an unknown element, keep the order of the first array and its NULLs, as in Spark", "feldera", `\b(array_(union|position|contains|remove|intersect|except)|arrays_overlap)\(`, wrong),
	because("array functions take NULL for an unknown element, keep the order of the first array and its NULLs, as in Spark", "feldera", "", wrong).in(`\b(array_(union|position|contains|remove|intersect|except)|arrays_overlap)\(`),
	because("array_agg leaves NULL out and is empty over no rows, as Spark's is", "feldera", "", wrong).in(`array_agg\(`),
	because("max_by of a tie takes another of its rows", "feldera", "", wrong).in(`\b(max_by|min_by|arg_max|arg_min)\(`),
	because("a map keeps the order of its keys, as in Spark", "feldera", `\bmap_(keys|values)\(`, wrong),
	because("a REAL is compared with a number or a text as DOUBLE, as in Spark", "PostgresFloat4Tests", `f1 ([<>=]+|[*+-]) '|' [<>=]+ f\.f1`, wrong),
	because("a REAL is compared with a number or a text as DOUBLE, as in Spark", "feldera", "", wrong).in(`c2 REAL.*filter \(where c2 > -?\d+\.`),
	because("a part of a day added to a DATE makes a TIMESTAMP, as in Spark", "feldera", `timestampadd\(|(date '[^']*' [+-] (\(?interval)|\+ date ')`, wrong),
	because("a name after a difference of times is the column's, no unit", "feldera", `select \((date|time|timestamp)[^()]*- (date|time|timestamp)[^()]*\) (second|day|month|hour|minute|year)s?$`, wrong),
	because("an interval becomes the text that INTERVAL reads back, whatever its unit was", "feldera", `cast\(.*\binterval\b.*as varchar\)`, wrong),
	because("an interval has no unit that cuts it off", "feldera", `cast\(\s*interval .* as interval`, wrong),
	because("a text becomes BOOLEAN by true, t, yes, y, 1 and their opposites, as in Spark", "feldera", `safe_cast\('\w*' as bool`, wrong),
	because("an element that cannot be cast is NULL in its array, as in Spark", "feldera", `safe_cast\(array`, wrong),
	because("overlay and substring count from the end where the place is negative, as in Spark", "feldera", `\b(overlay|substring)\(.*-\d`, wrong),
	because("the text of a BOOLEAN is true, as in Spark", "feldera", `concat\('string', 1, true\)`, wrong),
	because("regexp_replace replaces all matches, and reads groups as \\1", "feldera", `regexp_replace\(`, wrong),
	because("a week begins on Monday", "feldera", `floor\(timestamp .* to week\)`, wrong),
	because("of rows that are equal in an order, another is the first", "feldera", `order by sal rows current row`, wrong),
	because("each part of an interval has its own sign: the tests print the sign once", "feldera", `-1 days`, wrong),
	because("each part of an interval has its own sign: the tests print the sign once", "feldera", `select i, -i from|interval '-1 02:03'`, wrong),
	because("CAST of BYTES to STRING takes the bytes as text, as in Spark", "feldera", "", wrong).in(`cast\(x'ab01' as varchar\)`),
	because("CAST of JSON to STRING is its text", "feldera", `as variant\) as varchar`, wrong),
	because("their text for a byte of zero has an escape of the program", "feldera", `chr\(0\)`, wrong),
	because("a TIME has µs", "feldera", `'23:59:59\.9999999'::time`, wrong),
	because("to_hex and hex write capitals, as in Spark", "feldera", `\bto_hex\(`, wrong),
	because("nth_value without ORDER BY takes the rows as they came", "feldera", `nth_value\(.*over\(\)`, wrong),
	because("a correlated subquery has its own LIMIT for each outer row", "feldera", `dept\.deptno.*limit`, wrong),
	because("sin near its zeros differs in the last digits", "feldera", `\bcsc\(pi`, wrong),
	because("a cast to DECIMAL rounds half up, as in Spark and PostgreSQL", "feldera", `as decimal`, wrong),
	because("split takes a pattern, as Spark's does", "feldera", `\bsplit\(`, wrong),
	because("least and greatest leave NULL out, as in Spark and PostgreSQL", "feldera", `\b(least|greatest)\(`, wrong),
	because("sequence counts down where its end is smaller, as in Spark", "feldera", `\bsequence\(`, wrong),
}
