package differential

import (
	"slices"
	"strings"
)

// castRules explain differences of CAST from Spark, and by that from DuckDB.
func castRules() []*Rule {
	rule := func(text, why string, when func(d *Difference) bool, types ...string) *Rule {
		r := &Rule{Engine: Spark, When: when, Text: text, Why: why}
		for _, t := range types {
			r.Funcs = append(r.Funcs, "CAST AS "+t, "TRY_CAST AS "+t)
		}
		return r
	}
	refused := either(fails, isNull)
	return []*Rule{
		rule("now and today are no times", "the result of a CAST does not depend on the clock", all(refused, text("'now'", "'today'")), "DATE", "TIMESTAMP", "TIMESTAMP_NTZ"),
		rule("a time of day of 24:00:00 or a second 60 makes no DATE either", "text is read to its end", all(refused, text("24:00:00", "12:34:60")), "DATE", "TIMESTAMP", "TIMESTAMP_NTZ"),
		rule("a number beyond DOUBLE or FLOAT fails", "it is not infinite", all(refused, text("'1e400'")), "DOUBLE", "FLOAT"),
	}
}

func sparkCasts() []*Rule {
	return []*Rule{
		spark("letters after a number are none of it", "1d and 1f are literals of Java", text("'1d'", "'1f'"), "CAST AS DOUBLE", "CAST AS FLOAT", "TRY_CAST AS DOUBLE", "TRY_CAST AS FLOAT"),
		spark("digits are 0 to 9", "a CAST to INT takes no others in Spark either", text("'٣'"), "CAST AS DECIMAL", "TRY_CAST AS DECIMAL"),
		spark("NaN and the infinities are no DECIMAL: an error", "as a CAST to BIGINT is in Spark too; TRY_CAST gives NULL", all(fails, wasNull, text("NaN", "Infinity")), "CAST AS DECIMAL"),
		spark("text that is no interval fails", "as any other CAST does; TRY_CAST gives NULL", all(fails, wasNull), "CAST AS INTERVAL"),
		spark("days may stand before a time of day, as in a literal", "CAST reads what INTERVAL '…' reads", wasNull, "CAST AS INTERVAL", "TRY_CAST AS INTERVAL"),
		spark("a time of day alone is no TIMESTAMP", "the result of a CAST does not depend on the clock", all(fails, text("'12:34:56'")), "CAST AS TIMESTAMP"),
	}
}

// momentRules explain differences of aggregates from Spark, and by that from DuckDB.
func momentRules() []*Rule {
	return []*Rule{
		spark("which of the most frequent values is taken is free", "here the smallest", differs, "mode"),
		spark("sums of moments are exact, so that rows can be taken back; one infinity, NaN or number near the end of DOUBLE makes the whole undefined: NaN or NULL",
			"a result that does not depend on the order of rows", all(text("Infinity", "NaN", "E308"), differs),
			"covar_pop", "covar_samp", "corr", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy", "regr_intercept", "skewness", "kurtosis", "var_samp", "var_pop", "stddev_samp", "stddev_pop"),
		spark("sums of moments are exact", "a slope of 2 stays 2 beside a number of 19 digits", text("9223372036854775807"), "regr_slope", "regr_intercept", "regr_r2", "corr"),
	}
}

func sparkAggregates() []*Rule {
	return []*Rule{
		spark("the first value that is not NULL is taken", "any value is better than none", wasNull, "any_value"),
		spark("elements come in ascending order; in Spark in that of a hash table", "an order that can be relied on", sameElements, "collect_set", "collect_union"),
		spark("of rows with an equal key the first comes first", "an order that can be relied on", differs, "max_by", "min_by"),
		spark("which neighbours are merged is free", "a histogram of n bars is an approximation", differs, "histogram_numeric"),
		spark("the mean is a DOUBLE; of DECIMALs Spark makes a DECIMAL", "as all other regr_ functions", differentType, "regr_avgx", "regr_avgy"),
	}
}

// sameElements: lists that are equal but for their order.
func sameElements(d *Difference) bool {
	x, ok1 := d.first().([]any)
	y, ok2 := d.theirFirst().([]any)
	return ok1 && ok2 && slices.Equal(sortedTexts(x), sortedTexts(y))
}

func sortedTexts(list []any) []string {
	var out []string
	for _, x := range list {
		s, _ := x.(string)
		if amount.MatchString(s) || strings.Contains(s, "E") {
			s = plainNumber(s)
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
