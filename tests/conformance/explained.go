package conformance

import (
	"regexp"
	"strings"
)

// explanation says why statements fail, and why that stays.
type explanation struct {
	path   string         // part of the path of the file
	causes []cause        // nil = any
	match  *regexp.Regexp // of message and statement, with a blank between; nil = any
	why    string
	// program is found in what made the objects read; nil = any.
	program *regexp.Regexp
}

// in narrows an explanation to steps whose program has the pattern.
func (e explanation) in(pattern string) explanation {
	e.program = regexp.MustCompile(`(?is)` + pattern)
	return e
}

func because(why, path, pattern string, causes ...cause) explanation {
	e := explanation{path: path, causes: causes, why: why}
	if pattern != "" {
		e.match = regexp.MustCompile(`(?is)` + pattern)
	}
	return e
}

// explanations are the failures that stay, by reason. The first that fits counts.
var explanations = []explanation{
	because("of several equal matches of an ASOF join, ours is the greatest row, theirs the one of the smallest key", "risingwave/e2e_test/streaming/join/asof_join", "", wrong),
	because("approx_percentile is exact here, or another sketch", "", `approx_percentile|percentile`, wrong),
	because("approx_percentile is exact here, or another sketch", "approx_percentile", "", wrong),
	because("a full join of NULL keys has a row for each side; their result has none", "full_outer_join_global_agg", "", wrong),
	because("a materialised view has no mode: EMIT ON WINDOW CLOSE belongs to INSERT INTO and SELECT", "", `EMIT is allowed only|emit on window close`),
	because("array_agg leaves NULL out and is empty over no rows, as Spark's is", "", `array_agg\(|\blist\(`, wrong),
	because("string_agg without a separator joins without one", "duckdb", `string_agg\([^,)]*( ORDER BY [^,)]*)?\)`, wrong),
	because("of values that are equally frequent, mode takes the smallest", "", `\bmode\(`, wrong),
	because("kurtosis and skewness are those of the population, as in Spark", "", `kurtosis|skewness`, wrong),
	because("corr and regr_slope of a constant are NULL, as in Spark", "", `(corr|regr_\w+)\(`, wrong),
	because("max_by of a tie takes another of its rows", "", `\b(max_by|min_by|arg_max|arg_min|argmax|argmin)\(`, wrong),
	because("a window table function has window_time, as in Flink", "", `\b(from|table\()\s*\(?(tumble|hop|session)\s*\(`, wrong),
	because("a type is called as in Spark", "", `typeof\(`, wrong),
	because("dow counts from 1 for Sunday, as in Spark", "", `extract\(\s*dow`, wrong),
	because("the seconds of a time have their fraction, as in PostgreSQL", "", `(extract\(second|date_part\('seconds?')`, wrong),
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
	because("log has its base first, and log of 0 is NULL, as in Spark", "", `\blog(10)?\(`, wrong),
	because("split takes a pattern, as Spark's does", "feldera", `\bsplit\(`, wrong),
	because("least and greatest leave NULL out, as in Spark and PostgreSQL", "feldera", `\b(least|greatest)\(`, wrong),
	because("sequence counts down where its end is smaller, as in Spark", "feldera", `\bsequence\(`, wrong),
	because("generate_series in a select list makes rows, as in PostgreSQL", "duckdb", `select generate_series\(`, wrong),
	because("from_hex and its like give BYTES", "duckdb", `from_hex|unhex|from_binary`, wrong),
	because("~ looks for the pattern anywhere, as in PostgreSQL", "duckdb/test/sql/function/string/regex", ` ~ `, wrong),
	because("a string is no BLOB with escapes", "duckdb", `blob`, wrong),
	because("PIVOT gives NULL where nothing was counted, as Spark's does", "", `pivot`, wrong),
	because("USING columns come first, as the standard says", "duckdb/test/sql/join", `\*.*(using\s*\(|natural\s+join)`, wrong),
	because("NULL inside a nested value is the smallest", "duckdb", `(\[|\{)[^\]}]*null.*order by`, wrong),
	because("a late row counts while its result is open, and is dropped where that is final", "risingwave/e2e_test/streaming", `as a continuous query: .*\b(between_join_mv|hash_join_wm_mv)\b`, wrong),
	because("array_agg leaves NULL out and is empty over no rows, as Spark's is", "", "", wrong).in(`array_agg\(`),
	because("a window table function has window_time, as in Flink", "", "", wrong).in(`\bfrom\s+(tumble|hop)\s*\(`),
	because("a key takes the last row, or the first; single columns are not merged", "risingwave", "", wrong).in(`if not null`),
	because("their session's zone is a setting that is not mapped: times are read and printed in UTC", "risingwave/e2e_test/streaming", `expr_context|make_timestamptz`, wrong),
	because("their session's zone is a setting that is not mapped: times are read and printed in UTC", "risingwave", "", wrong).in(`make_timestamptz\(num`),
	because("random() gives another number", "", `random\(`, wrong),
}

// explain finds the reason of a failure, "" if there is none.
func explain(suite string, o outcome) string {
	text := o.message + " " + o.step.sql
	for _, e := range explanations {
		if !strings.Contains(suite+"/"+o.step.file, e.path) || e.match != nil && !e.match.MatchString(text) ||
			e.program != nil && !e.program.MatchString(o.program) {
			continue
		}
		fits := e.causes == nil
		for _, c := range e.causes {
			fits = fits || c == o.cause
		}
		if fits {
			return e.why
		}
	}
	return ""
}
