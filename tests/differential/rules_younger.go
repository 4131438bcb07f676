package differential

// This file explains differences in the types that Spark has not, or not for long: TIME,
// UUID and JSON.

func sparkYounger() []*Rule {
	return []*Rule{
		spark("a TIME has 6 digits, which its name does not tell", "there is no other TIME", text("TIME '", "AS TIME)"), "typeof"),
		spark("the time of a text with a date or a zone is taken", "as in PostgreSQL and DuckDB", text("CAST('2024-02-29 12:34:56' AS TIME)", "CAST('12:34:56Z' AS TIME)"), "CAST AS TIME"),
		spark("infinity is a time, and 2024/02/29 a date", "as in PostgreSQL and DuckDB", text("'infinity'", "'2024/02/29'"), "CAST AS DATE", "CAST AS TIMESTAMP", "CAST AS TIMESTAMP_NTZ",
			"TRY_CAST AS DATE", "TRY_CAST AS TIMESTAMP", "TRY_CAST AS TIMESTAMP_NTZ"),
		spark("text beside another type is compared as text", "it need not be of the type's form", text("nullif('abc', TIME"), "nullif"),
		spark("a pattern with letters of PostgreSQL is one of PostgreSQL", "the two spellings do not meet in one pattern", class("INCONSISTENT_BEHAVIOR_CROSS_VERSION"), "date_format", "to_timestamp"),
		spark("the text of a FLOAT is 16777216 or 1e-45", "as everywhere in text", text("AS FLOAT)"), "translate"),
	}
}

func duckYounger() []*Rule {
	return []*Rule{
		duck("integers become BYTES and come from them, the highest byte first", "as in PostgreSQL", either(text("AS BYTES"), text("CAST(X'")),
			"CAST AS BYTES", "TRY_CAST AS BYTES", "CAST AS TINYINT", "CAST AS SMALLINT", "CAST AS INT", "CAST AS BIGINT", "TRY_CAST AS TINYINT", "TRY_CAST AS SMALLINT", "TRY_CAST AS INT", "TRY_CAST AS BIGINT"),
		duck("a TIME is the INTERVAL since midnight", "as in PostgreSQL", text("(TIME '", "AS TIME) AS"), "CAST AS INTERVAL", "TRY_CAST AS INTERVAL"),
		duck("a TIME stays within its day", "as in Spark; a TIMESTAMP can pass midnight", says("stays within its day"), "+", "-"),
		duck("hashes are those of Spark", "keys that were made there find their rows", nil, "hash"),
		duck("it gives rows; range gives an array", "as in PostgreSQL, whose function it is", nil, "generate_series"),
		duck("NULL gives NULL", "as in Spark; concat_ws leaves NULLs out", all(text("NULL"), isNull), "concat"),
		duck("true, false and numbers do not become one another", "as in PostgreSQL: the document says which they are", text("JSON 'true'", "JSON 'false'", "CAST('true' AS JSON)", "CAST('-1.5' AS JSON)", "CAST('0' AS JSON)", "CAST('12345678901234567890' AS JSON)", "JSON '12345678901234567890'"),
			"CAST AS TINYINT", "CAST AS SMALLINT", "CAST AS INT", "CAST AS BIGINT", "CAST AS FLOAT", "CAST AS DOUBLE", "CAST AS DECIMAL", "CAST AS BOOLEAN",
			"TRY_CAST AS TINYINT", "TRY_CAST AS SMALLINT", "TRY_CAST AS INT", "TRY_CAST AS BIGINT", "TRY_CAST AS FLOAT", "TRY_CAST AS DOUBLE", "TRY_CAST AS DECIMAL", "TRY_CAST AS BOOLEAN"),
		duck("BYTES are text such as \\x6162 in JSON, and are read from it", "as PostgreSQL prints them; to_json writes Base64, as Spark's does", text("X'"), "CAST AS JSON", "TRY_CAST AS JSON"),
		duck("a FLOAT has its own digits", "the nearest DOUBLE has more, which nobody wrote", text("AS FLOAT) AS JSON"), "CAST AS JSON", "TRY_CAST AS JSON"),
		duck("NaN and infinities are text", "as in to_json; JSON has no such numbers", text("Infinity", "NaN"), "CAST AS JSON", "TRY_CAST AS JSON"),
		duck("numbers have their shortest text", "a document has one text", sameDocument, "CAST AS JSON", "TRY_CAST AS JSON"),
		duck("a comma before a bracket, and NaN, are no JSON", "RFC 8259", text("'[1,]'", "'NaN'"), "CAST AS JSON", "TRY_CAST AS JSON"),
		duck("what is no object has no members", "as in any other cast", text("AS STRUCT"), "TRY_CAST AS STRUCT"),
		duck("a member that is not there is NULL", "as in from_json", text("CAST('{}' AS JSON)"), "CAST AS STRUCT"),
		duck("what is neither text nor JSON counts as its text, which need not be JSON", "to_json makes JSON of a value", text("TIME '", "CAST('123e4567-e89b-42d3-a456-426614174000' AS UUID)", "AS UUID)"),
			"json_keys", "json_valid", "parse_json", "json_structure", "json_type", "json_array_length"),
		duck("a path that is none is an error, whatever the document", "the mistake is in the path", says("no path of members"), "json_set", "json_replace", "json_remove"),
		duck("a UUID of a version without time has none: NULL", "as in PostgreSQL", gives, "uuid_extract_timestamp"),
		duck("a time has 48 bits without a sign", "RFC 9562", text("80000000-0000-7000-8000-000000000001"), "uuid_extract_timestamp"),
		duck("a UUID of another variant has no version: NULL", "as in PostgreSQL", isNull, "uuid_extract_version"),
	}
}

// sparkWider and duckWider are rules on functions that take more here, or give another of
// several answers that are right.
func sparkWider() []*Rule {
	return []*Rule{
		spark("the mean of times is a time; Spark counts their seconds", "the mean of a column is of its type", text("TIMESTAMP"), "avg"),
		spark("the median of times is a time of the same type, that of texts one of them", "as in DuckDB", nil, "median"),
		spark("a mean that its type holds is given, also where the sum is beyond 38 digits", "the sum is exact here", text("DECIMAL(38,38)"), "try_avg"),
		spark("times reach infinity", "as in PostgreSQL and DuckDB", all(text("'infinity'"), class("INVALID_TYPED_LITERAL")), "*"),
		spark("shares below 0 count from the greatest value", "as in DuckDB", text(", -0.25)"), "percentile"),
	}
}

func duckWider() []*Rule {
	return []*Rule{
		duck("bits are those of BYTES, from the lowest of the first byte", "as in PostgreSQL, whose function it is", nil, "get_bit", "set_bit"),
		duck("no rows and NULLs alone give bins without values", "as count gives 0", wasNull, "histogram_exact"),
		duck("a sum beyond 38 digits is exact too", "the mean fits", class("OutOfRangeException"), "decimal_average"),
		duck("text can stand where a UUID is wanted", "as a literal can", text("UUID"), "can_cast_implicitly"),
		duck("a NULL alone has the type of nothing: the cast leaves it NULL", "as CAST(NULL AS …) does", gives, "cast_to_type", "replace_type"),
		duck("a text that is no such form is no BYTES", "as in PostgreSQL", says("is not a BYTES"), "cast_to_type"),
		duck("lengths may be as long as they like", "what is not there is not taken", class("OutOfRangeException"), "substring_grapheme", "left_grapheme", "right_grapheme"),
		duck("half a microsecond is rounded away from 1970", "as round does", text("0001-01-01", "1582-10-10", "9999-12-31"), "avg", "mad"),
		duck("a NULL inside an element is the smallest value", "NULLs sort first everywhere", text("[CAST(NULL", "array(CAST(NULL"), "list_median"),
		duck("they cast as CAST does", "one meaning of a cast", differs, "cast_to_type", "replace_type"),
		duck("a text that is no interval is an error, also beside NULL", "the mistake is in the text of the query, not in a row", says("not an INTERVAL"), "time_bucket"),
		duck("buckets of a TIME begin at midnight", "a time has no day that they could be counted from", text(", TIME '"), "time_bucket"),
		duck("a folder has no slash at its end", "one path has one text", text("'dir/sub/'"), "path_join"),
	}
}
