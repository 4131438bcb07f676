package conformance

import (
	"regexp"
	"strings"
)

// duckAggregates spell the aggregates of DuckDB that have another name or another meaning
// here.
func duckAggregates(calls map[string]form) map[string]form {
	for name, f := range map[string]form{
		"skewness": renamed("skewness_samp"), "kurtosis": renamed("kurtosis_samp"),
		"histogram":    duckHistogram,
		"weighted_avg": duckWeighted, "wavg": duckWeighted,
		"reservoir_quantile": func(c call) string {
			return renamed("quantile_disc")(call{args: c.args[:min(len(c.args), 2)], tail: c.tail})
		},
		"arg_min_nulls_last": duckFirstOfMany, "arg_max_nulls_last": duckFirstOfMany,
		"approx_top_k":  duckTopItems,
		"quantile_cont": duckInDecimals, "mad": duckInDecimals,
		"string_agg": duckNullSeparator,
	} {
		calls[name] = f
	}
	return calls
}

// duckHistogram is histogram(x), which is NULL over no values.
func duckHistogram(c call) string {
	if len(c.args) != 1 {
		return ""
	}
	return "(CASE WHEN cardinality(" + c.text() + ") > 0 THEN " + c.text() + " END)"
}

// duckWeighted is weighted_avg(x, w), as DuckDB's macro of that name is written.
func duckWeighted(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	x, w := c.args[0], c.args[1]
	return "(CAST(sum((" + x + ") * (" + w + "))" + c.tail + " AS DOUBLE) / sum(CASE WHEN (" + x + ") IS NOT NULL THEN (" + w + ") ELSE 0 END)" + c.tail + ")"
}

// duckFirstOfMany is arg_min_nulls_last(x, y), the first of the array that it is with a number.
func duckFirstOfMany(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	return "(" + c.name + "(" + c.args[0] + ", " + c.args[1] + ", 1)" + c.tail + ")[1]"
}

// duckTopItems is approx_top_k(x, n): the values without their counts.
func duckTopItems(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	return "transform(" + c.text() + ", top_item -> top_item.item)"
}

var duckDecimalCast = regexp.MustCompile(`(?is)::\s*decimal\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*$`)

// duckInDecimals is a quantile between two values that are cast to DECIMAL in the call: it is
// one too, cut off.
func duckInDecimals(c call) string {
	if len(c.args) == 0 {
		return ""
	}
	m := duckDecimalCast.FindStringSubmatch(c.args[0])
	if m == nil && strings.EqualFold(c.name, "mad") && c.tail == "" && !strings.HasPrefix(strings.ToLower(c.args[0]), "distinct ") {
		return "duck_like(" + c.text() + ", any_value(" + c.args[0] + "))"
	}
	if m == nil {
		return ""
	}
	cut := func(x string) string {
		return "CAST(trunc(" + x + ", " + m[2] + ") AS DECIMAL(" + m[1] + "," + m[2] + "))"
	}
	if len(c.args) == 2 && strings.HasPrefix(strings.TrimSpace(c.args[1]), "[") {
		return "transform(" + c.text() + ", one_share -> " + cut("one_share") + ")"
	}
	return cut(c.text())
}

// duckNullSeparator is string_agg(x, NULL), which is NULL.
func duckNullSeparator(c call) string {
	if len(c.args) != 2 || !strings.EqualFold(strings.TrimSpace(c.args[1]), "null") {
		return ""
	}
	return "max(CAST(NULL AS STRING))" + c.tail
}

// duckQuantileNamed is the share of a quantile by its name.
var duckQuantileNamed = []phrase{say(`\b(percentile_(?:cont|disc))\s*\(\s*quantile\s*:=\s*`, "$1(")}

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
