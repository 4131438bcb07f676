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
	because("stddev of integers is a DOUBLE", "feldera", `stddev`, wrong),
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
	because("an interval is printed with days and hours apart as it was made", "", `interval`, wrong),
	because("a late row counts while its result is open, and is dropped where that is final", "risingwave", `watermark|wm_|interval_join|stream_[ab]`, wrong),
	because("random() gives another number", "", `random\(`, wrong),
}

// explain finds the reason of a failure, "" if there is none.
func explain(suite string, o outcome) string {
	text := o.message + " " + o.step.sql
	for _, e := range explanations {
		if !strings.Contains(suite+"/"+o.step.file, e.path) || e.match != nil && !e.match.MatchString(text) {
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
