package conformance

import (
	"regexp"
	"strings"
)

// felderaForms spell the functions of the suite that have another name or another meaning
// here. What a form needs the types for is a function of felderafunctions.go.
func felderaForms() map[string]form {
	forms := map[string]form{
		// names
		"blackbox": template(1, "($1)"), "initcap_spaces": renamed("initcap"), "is_inf": template(1, "isinf(CAST($1 AS DOUBLE))"),
		"is_nan":         template(1, "CASE WHEN ($1) IS NOT NULL THEN isnan(CAST($1 AS DOUBLE)) END"),
		"finite_or_null": template(1, "CASE WHEN isfinite($1) THEN ($1) END"), "div_null": template(2, "feldera_try_divide($1, nullif($2, 0))"),
		"bin2utf8": template(1, "CASE WHEN is_valid_utf8($1) THEN CAST($1 AS VARCHAR) END"), "gunzip": template(1, "CAST(gunzip($1) AS VARCHAR)"),
		"arg_max": renamed("max_by"), "arg_min": renamed("min_by"),
		"log":    template(2, "CASE WHEN ($2) = 0 THEN 0e0 ELSE log10($1) / log10($2) END"),
		"log10":  template(1, "CASE WHEN ($1) = 0 THEN CAST('-Infinity' AS DOUBLE) ELSE log10($1) END"),
		"to_int": template(1, "CAST(conv(hex(substring($1, 1, 4)), 16, 10) AS INT)"), "safe_offset": template(1, "(($1) + 1)"),
		"element": template(1, "CASE WHEN cardinality($1) > 0 THEN element_at($1, CASE WHEN cardinality($1) = 1 THEN 1 ELSE 0 END) END"),
		// times
		"timestamp_trunc": truncated, "date_trunc": truncated, "datetime_trunc": truncated, "date_part": partOf,
		"time_trunc": template(2, "floor($1 TO $2)"),
		"parse_date": parsed("DATE"), "parse_time": parsed("TIME"), "parse_timestamp": parsed("TIMESTAMP"),
		"format_date": printed("DATE"), "format_time": printed("TIME"), "format_timestamp": printed("TIMESTAMP"), "floor": boundedUnit, "ceil": boundedUnit,
		"extract": wholeSeconds,
		// NULL
		"greatest_ignore_nulls": renamed("greatest"), "least_ignore_nulls": renamed("least"), "greatest": unlessNull, "least": unlessNull,
		// arrays and maps: NULL is an element like others
		"array_contains": template(2, "exists($1, e__ -> e__ IS NOT DISTINCT FROM $2)"),
		"array_position": template(2, "CASE WHEN ($1) IS NOT NULL THEN coalesce(array_position(transform($1, e__ -> e__ IS NOT DISTINCT FROM $2), true), 0) END"),
		"array_remove":   template(2, "filter($1, e__ -> e__ IS DISTINCT FROM $2)"),
		"arrays_overlap": template(2, "exists($1, e__ -> exists($2, f__ -> f__ IS NOT DISTINCT FROM e__))"),
		"array_union":    template(2, "sort_array(array_union($1, $2))"), "array_intersect": template(2, "sort_array(array_intersect($1, $2))"),
		"array_except": template(2, "sort_array(array_except($1, $2))"), "array_agg": sortedList,
		"map_keys": template(1, "sort_array(map_keys($1))"), "map_values": template(1, "transform(sort_array(map_entries($1)), e__ -> e__.value)"),
		"sequence":   template(2, "CASE WHEN ($1) > ($2) THEN slice(array($1), 1, 0) ELSE sequence($1, $2) END"),
		"map_concat": renamed("map_union"),
		// JSON: a member that is not of the type is left out
		"json_each_bigint": members("json_typeof(v) = 'number' AND CAST(v AS STRING) NOT LIKE '%.%'", "BIGINT"), "json_each_boolean": members("json_typeof(v) = 'boolean'", "BOOLEAN"),
		"json_each_string": members("json_typeof(v) = 'string'", "STRING"), "json_each_date": members("json_typeof(v) = 'string'", "DATE"),
		"json_each_time": members("json_typeof(v) = 'string'", "TIME"), "json_each_timestamp": members("json_typeof(v) = 'string'", "TIMESTAMP"),
		"variant_merge": renamed("json_deep_merge"), "variant_map": variantMap, "variant_filter": variantFilter,
		// texts
		"to_hex": template(1, "lower(to_hex($1))"), "split": template(2, "CASE WHEN ($2) = '' THEN array($1) ELSE string_split($1, $2) END"),
		"substring": fromOne, "substr": fromOne, "overlay": overlaid, "concat": concatenated,
		"cast": converted, "safe_cast": converted,
	}
	for _, f := range strings.Fields("avg stddev stddev_pop stddev_samp variance var_pop var_samp covar_pop covar_samp regr_sxx regr_syy") {
		forms[f] = spread
	}
	return forms
}

var unitWord = regexp.MustCompile(`(?i)^(millennium|century|decade|year|quarter|month|week|day|hour|minute|second|millisecond|microsecond)s?$`)

// truncated is timestamp_trunc(time, UNIT): a DATE stays one, a century begins with its
// year 1, a week on Sunday.
func truncated(c call) string {
	if len(c.args) != 2 || !unitWord.MatchString(c.args[1]) {
		return ""
	}
	with := "date_trunc('$2', $1)"
	switch strings.ToLower(c.args[1]) {
	case "century", "millennium":
		with = "date_trunc('$2', $1 - INTERVAL '1' YEAR) + INTERVAL '1' YEAR"
	case "week":
		with = "date_trunc('$2', $1 + INTERVAL '1' DAY) - INTERVAL '1' DAY"
	}
	return c.fill("feldera_like($1, " + with + ")")
}

// partOf is date_part(UNIT, time).
func partOf(c call) string {
	if len(c.args) != 2 || len(strings.Fields(c.args[0])) != 1 || strings.HasPrefix(c.args[0], "'") {
		return ""
	}
	if strings.EqualFold(c.args[0], "second") || strings.EqualFold(c.args[0], "epoch") {
		return c.fill("CAST(floor(date_part('$1', $2)) AS BIGINT)")
	}
	return c.fill("date_part('$1', $2)")
}

// strftimeLong are what their formats have for several specifiers.
var strftimeLong = strings.NewReplacer("%%", "%%", "%c", "%a %b %e %H:%M:%S %Y", "%x", "%m/%d/%y", "%t", "\t", "%3f", "%g", "%6f", "%f", "%:z", "%z")

// parsed is a function that reads a time by a format: NULL where the text does not have it.
func parsed(t string) form {
	return func(c call) string {
		if len(c.args) != 2 {
			return ""
		}
		c.args[0] = strftimeLong.Replace(c.args[0])
		return c.fill("CAST(try_strptime(CAST($2 AS VARCHAR), $1) AS " + t + ")")
	}
}

func printed(t string) form {
	return func(c call) string {
		if len(c.args) != 2 {
			return ""
		}
		c.args[0] = strftimeLong.Replace(c.args[0])
		return c.fill("strftime(CAST($2 AS " + t + "), $1)")
	}
}

// boundedUnit is floor or ceil (time TO UNIT): a DATE stays one, a week begins on Sunday.
func boundedUnit(c call) string {
	x, unit, ok := cut(c.args[0], "to")
	switch {
	case !ok || !unitWord.MatchString(unit):
		return ""
	case strings.EqualFold(unit, "week"):
		return "feldera_like(" + x + ", " + c.name + "((" + x + " + INTERVAL '1' DAY) TO WEEK) - INTERVAL '1' DAY)"
	}
	return "feldera_like(" + x + ", " + c.name + "(" + x + " TO " + unit + "))"
}

// wholeSeconds is extract(second FROM time), an integer.
func wholeSeconds(c call) string {
	if unit, x, ok := cut(c.args[0], "from"); ok && (strings.EqualFold(unit, "second") || strings.EqualFold(unit, "epoch")) {
		return "CAST(floor(extract(" + unit + " FROM " + x + ")) AS BIGINT)"
	} else if ok && strings.EqualFold(unit, "nanosecond") {
		return "(CAST(1000 AS BIGINT) * extract(microsecond FROM " + x + "))"
	}
	return ""
}

// unlessNull is a function that is NULL where an argument is.
func unlessNull(c call) string {
	var tests []string
	for _, a := range c.args {
		tests = append(tests, "("+a+") IS NULL")
	}
	return "CASE WHEN " + strings.Join(tests, " OR ") + " THEN NULL ELSE " + c.text() + " END"
}

// sortedList is array_agg: it keeps NULL, and has its elements in ascending order if it
// does not say another.
func sortedList(c call) string {
	if len(c.args) != 1 {
		return ""
	}
	x, name := c.args[0], "list"
	if i := strings.Index(strings.ToLower(x), " ignore nulls"); i >= 0 {
		x, name = x[:i]+x[i+len(" ignore nulls"):], "array_agg"
	}
	if _, _, ordered := cut(x, "order"); ordered {
		return name + "(" + x + ")" + c.tail
	}
	sorted := "sort_array(" + name + "(" + x + ")" + c.tail + ")"
	if strings.Contains(strings.ToLower(c.tail), "filter") { // of no rows it has no elements
		sorted = "coalesce(" + sorted + ", ARRAY[])"
	}
	return sorted
}

// partArgs are the arguments of substring, also of substring(x FROM a FOR n); nil if it has
// neither.
func (c call) partArgs() []string {
	if len(c.args) != 1 {
		return c.args
	}
	x, rest, ok := cut(c.args[0], "from")
	if !ok {
		return nil
	}
	from, n, limited := cut(rest, "for")
	if limited {
		return []string{x, from, n}
	}
	return []string{x, from}
}

// fromOne is substring of a place before the first: the length counts from there.
func fromOne(c call) string {
	a := c.partArgs()
	if a == nil {
		return ""
	}
	c.args = a
	if len(a) == 3 && strings.HasPrefix(a[2], "-") {
		return c.fill("substring($1, $2, $3)")
	}
	if len(a) == 3 {
		return c.fill("CASE WHEN ($2) < 1 THEN substring($1, 1, CASE WHEN ($2) < 1 - ($3) THEN 0 ELSE ($2) - 1 + ($3) END) ELSE substring($1, $2, $3) END")
	}
	return c.fill("substring($1, CASE WHEN ($2) < 1 THEN 1 ELSE $2 END)")
}

// overlaid is overlay: nothing happens before the first place, and a negative length is 0.
func overlaid(c call) string {
	x, rest, ok := cut(c.args[0], "placing")
	if !ok {
		return ""
	}
	y, place, _ := cut(rest, "from")
	from, n, limited := cut(place, "for")
	with := "overlay(" + x + " PLACING " + y + " FROM " + from
	if limited {
		with += " FOR CASE WHEN (" + n + ") < 0 THEN 0 ELSE " + n + " END"
	}
	return "CASE WHEN (" + from + ") < 1 THEN " + x + " ELSE " + with + ") END"
}

func concatenated(c call) string {
	for i, a := range c.args {
		c.args[i] = "feldera_text(" + a + ")"
	}
	return c.text()
}

// members is a MAP of the members of a JSON object that have a type.
func members(condition, t string) form {
	return template(1, "map_filter(transform_values(TRY_CAST($1 AS MAP<STRING, JSON>), (k, v) -> CASE WHEN "+condition+" THEN TRY_CAST(v AS "+t+") END), (k, v) -> v IS NOT NULL)")
}

// leniently makes CAST of the parts of a VARIANT NULL where it has no value.
func leniently(lambda string) string {
	return strings.ReplaceAll(strings.ReplaceAll(lambda, "CAST(", "TRY_CAST("), "TRY_TRY_", "TRY_")
}

// variantMap is a lambda for each member of an object, else for the whole, without a name.
func variantMap(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	c.args[1] = leniently(c.args[1])
	return c.fill("CASE WHEN json_typeof($1) = 'object' THEN CAST(transform_values(CAST($1 AS MAP<STRING, JSON>), $2) AS JSON) " +
		"WHEN ($1) IS NOT NULL THEN CAST(zip_with(array(CAST(NULL AS STRING)), array($1), $2)[1] AS JSON) END")
}

// variantFilter keeps the members for which a lambda is true, or the whole.
func variantFilter(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	c.args[1] = leniently(c.args[1])
	return c.fill("CASE WHEN json_typeof($1) = 'object' THEN CAST(map_filter(CAST($1 AS MAP<STRING, JSON>), $2) AS JSON) " +
		"WHEN zip_with(array(CAST(NULL AS STRING)), array($1), $2)[1] THEN $1 END")
}
