package differential

import "slices"

// duckRules explain differences from DuckDB.
func duckRules() []*Rule {
	return slices.Concat(duckTypes(), duckText(), duckNested(), duckJSON(), duckTimes())
}

func duck(text, why string, when func(d *Difference) bool, funcs ...string) *Rule {
	return &Rule{Engine: DuckDB, Funcs: funcs, When: when, Text: text, Why: why}
}

// likeSpark: Spark has answered the same call, and its answer is ours.
func likeSpark(d *Difference) bool {
	theirs, ok := d.Case.Answers[Spark]
	if !ok || theirs.Refused() {
		return false
	}
	ok, _ = same(Spark, d.Ours, theirs)
	return ok
}

// asSpark: Spark's answer is explained by one of its own rules, which hold here too.
func asSpark(d *Difference) bool {
	theirs, ok := d.Case.Answers[Spark]
	if !ok || theirs.Refused() {
		return false
	}
	s := &Difference{Case: d.Case, Engine: Spark, Ours: d.Ours, Theirs: theirs}
	_, s.What = same(Spark, d.Ours, theirs)
	return slices.ContainsFunc(sparkRules(), func(r *Rule) bool { return r.Explains(s) })
}

func duckTypes() []*Rule {
	return []*Rule{
		duck("Spark, which was asked the same, gives what is given here", "where the two disagree, Spark is followed", likeSpark, "*"),
		duck("Spark differs too, for the reason that stands in its own table", "as there", asSpark, "*"),
		duck("a value is not cast implicitly to a narrower type", "digits are not dropped without a CAST that one can read",
			func(d *Difference) bool {
				return planned(d) && (narrowing.MatchString(d.Ours.Err) || says("needs an integer")(d))
			}, "*"),
		duck("a constant that has no value of the type is refused when the query is planned, where DuckDB gives NULL because another argument is NULL",
			"the mistake is in the text of the query, not in a row", all(planned, either(says("cannot read"), says("and the text"), says("with the text"), says("needs a constant"), says("must be a constant"), says("cannot read the schema"), says("is no time zone"), says("cannot order"), says("needs a unit such as"), says("knows no aggregate"))), "*"),
		duck("DECIMAL arithmetic stays exact, of Spark's types; in DuckDB a quotient is DOUBLE, and an operand that has not enough digits before the point fails", "Spark is followed",
			either(typed("DOUBLE"), gives), "+", "-", "*", "/", "%", "div", "nullif", "<>", "=", "<", ">", "<=", ">=", "<=>", "in"),
		duck("the name of a type is the one of this language", "typeof gives what CAST takes", nil, "typeof"),
	}
}

func duckText() []*Rule {
	return []*Rule{
		duck("text beside numbers counts as a number, also inside arrays", "as in Spark, where = does so", says("not a DOUBLE"), "nullif"),
		duck("what is no digit ends base64, and blanks are nothing", "Spark's unbase64 is the same function", class("ConversionException"), "unbase64"),
		duck("what is no hexadecimal text gives NULL", "as in Spark", class("InvalidInputException"), "unhex"),
		duck("a separator of NULL gives NULL", "NULL in, NULL out", text("NULL"), "string_split", "array_join"),
		duck("a separator of NULL cuts into characters, and an empty text has no parts", "as in PostgreSQL, whose function it is", text("NULL", "''"), "string_to_array"),
		duck("a negative length gives an empty text", "as in Spark", text("left("), "sha256", "left", "right"),
		duck("bits are shifted out of a negative number too, and the distance counts modulo the width", "as in Spark and Java", nil, "shiftleft", "shiftright"),
		duck("%s, %I and %L are replaced; DuckDB has {} instead", "as in PostgreSQL; format_string is printf", nil, "format"),
		duck("an option of NULL gives NULL", "NULL in, NULL out", text("NULL"), "parse_filename"),
		duck("a message of NULL is an error too", "the call is there to fail", text("NULL"), "raise_error"),
	}
}

func duckNested() []*Rule {
	return []*Rule{
		duck("NULL in place of an array gives NULL", "NULL in, NULL out, as in Spark's array functions", all(text("NULL"), isNull),
			"array_append", "array_prepend", "list_append", "list_prepend", "list_concat", "list_intersect", "array_concat", "list_resize"),
		duck("the elements get a DECIMAL that holds both types, with fewer digits after the point", "as beside each other in an array of Spark", gives, "list_append", "list_prepend", "array_append", "list_concat"),
		duck("an element that is not there has position 0", "as in Spark", wasNull, "array_position"),
		duck("whether an array with NULL contains what is not found is unknown: NULL", "as in Spark's array_contains", isNull, "contains", "array_contains", "list_contains"),
		duck("elements stay in their order; DuckDB gives them in that of a hash table", "an order that can be relied on", differs, "list_distinct", "list_intersect"),
		duck("a NULL index gives NULL, a NULL condition is not true", "a NULL is no error", class("InvalidInputException"), "list_select", "list_where"),
		duck("a NULL inside an element is the smallest value", "NULLs sort first everywhere", text("array(CAST(NULL AS INT))"), "list_grade_up", "list_reverse_sort", "list_sort"),
		duck("an index far beyond the text gives an empty text", "as one a little beyond it does", class("OutOfRangeException"), "list_extract"),
		duck("only 1 is a dimension", "an array is no matrix", says("dimension"), "array_length"),
		duck("no rows and NULLs alone give a map without entries", "as count gives 0", wasNull, "histogram", "list_histogram"),
		duck("NULLs alone give 0", "as count does, and count_if in Spark", wasNull, "count_if"),
		duck("the first value that is not NULL is taken", "any value is better than none", all(wasNull), "any_value"),
		duck("a NULL inside a struct or an array is the smallest value, and of several rows with the extreme value which one counts is free", "NULLs sort first everywhere",
			differs, "max_by", "min_by", "min", "max", "arg_max", "arg_min", "arg_max_nulls_last", "arg_min_nulls_last", "arg_min_null", "arg_max_null"),
		duck("what has no finite value gives NaN", "as arithmetic of DOUBLE does", gives, "kurtosis", "kurtosis_pop", "skewness"),
		duck("they are those of the whole population", "as the aggregates of these names in Spark", differs, "list_kurtosis", "list_skewness"),
		duck("what has no finite value gives NaN", "as arithmetic of DOUBLE does", text("NaN", "Infinity"), "list_kurtosis", "list_skewness", "list_mad", "list_stddev_pop", "list_var_pop"),
		duck("which of the most frequent elements is taken is free", "here the smallest", differs, "list_mode"),
		duck("a sum of integers is a BIGINT, and one beyond it an error", "as sum gives in Spark", says("does not fit in BIGINT"), "list_sum", "list_aggregate"),
	}
}

func duckJSON() []*Rule {
	return []*Rule{
		duck("text that is no JSON gives NULL, or false", "as in Spark's get_json_object", class("InvalidInputException"),
			"->", "->>", "#>", "#>>", "get_json_object", "json_array_length", "json_exists", "json_extract", "json_object_keys", "json_value", "json_query", "json_type", "json_contains", "json_extract_path", "json_extract_path_text", "json_keys"),
		duck("what is no JSON has no members", "as it has no keys", class("InvalidInputException"), "json_each"),
		duck("an empty path or key names nothing", "a path begins with $", text("''"), "->", "->>", "json_exists", "json_extract", "json_value", "json_extract_path"),
		duck("what is no array has no length: NULL", "as in Spark's json_array_length", isNull, "json_array_length"),
		duck("NaN is no JSON", "RFC 8259", text("NaN"), "json_valid", "json_type", "parse_json"),
		duck("NULLs are left out", "as the standard's json_arrayagg does by default", nil, "json_arrayagg"),
		duck("NULLs are left out", "as the standard's json_array does by default", text("NULL"), "json_array"),
		duck("BYTES are Base64", "as in to_json, which can carry any byte", text("X'"), "json_array"),
		duck("a key that comes again counts once", "an object has each key once", repeatedKey, "json_object"),
		duck("keys stand in order, numbers have their shortest text, times are of ISO 8601", "a document has one text", sameDocument,
			"json_array", "json_object", "json_quote", "json_merge_patch", "json_pretty", "json_strip_nulls", "parse_json", "json_deep_merge"),
		duck("1e3 is the whole number 1000", "as jsonb of PostgreSQL says", text("'1e3'"), "json_type"),
		duck("digits stay as they are written", "a value is taken from the text as it is", text("2.50"), "json_each"),
		duck("NULL gives NULL", "NULL in, NULL out", all(text("NULL"), isNull), "json_merge_patch", "json_deep_merge"),
		duck("a value that is text is text; DuckDB reads it as JSON", "parse_json reads it, where that is meant", text("'$.b.c'"), "json_set"),
		duck("a path that is none is an error, whatever the document", "the mistake is in the path", says("no path of members"), "json_insert"),
		duck("a key of NULL is left out, one that comes again counts once; FLOATs have their own digits", "an object has each key once", nil, "json_objectagg"),
		duck("a DECIMAL keeps its digits", "1.50 stays 1.50", text("DECIMAL"), "to_json"),
	}
}

func duckTimes() []*Rule {
	return []*Rule{
		duck("TIMESTAMP is an instant, DuckDB's TIMESTAMPTZ; what DuckDB calls TIMESTAMP is TIMESTAMP_NTZ", "as in Spark", text(", TIMESTAMP '"), "timezone"),
		duck("a unit that is none gives NULL", "as in Spark", all(isNull, text("datetrunc(")), "date_trunc"),
		duck("milliseconds are counted when they are over; of a TIMESTAMPTZ DuckDB rounds them", "as DuckDB does of a TIMESTAMP", text("TIMESTAMP '9999-12-31 23:59:59.999999'"), "epoch_ms"),
		duck("years go to 140,000 before and after the year 0", "the difference of two times can be told in µs", all(fails, says("DATE overflow")), "make_date"),
		duck("a DATE and whole days or months stay a DATE", "as in Spark", text("DATE '"), "date_add", "date_sub", "+", "-"),
	}
}
