package differential

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// sparkRules explain differences from Spark.
func sparkRules() []*Rule {
	return slices.Concat(sparkTypes(), castRules(), sparkCasts(), momentRules(), sparkAggregates(), sparkFunctions())
}

func spark(text, why string, when func(d *Difference) bool, funcs ...string) *Rule {
	return &Rule{Engine: Spark, Funcs: funcs, When: when, Text: text, Why: why}
}

var narrowing = regexp.MustCompile(`needs an? .* as argument \d+, got |needs a number, got STRING`)

// sparkTypes are rules on types, whatever the function.
func sparkTypes() []*Rule {
	arithmetic := []string{"+", "-", "*", "/", "%", "pmod", "div", "try_add", "try_subtract", "try_multiply", "try_divide", "try_mod"}
	return []*Rule{
		spark("a value is not cast implicitly to a narrower type", "digits are not dropped without a CAST that one can read",
			func(d *Difference) bool { return planned(d) && narrowing.MatchString(d.Ours.Err) }, "*"),
		spark("a constant text that has no value of the type is refused when the query is planned, where Spark never comes to read it",
			"the mistake is in the text of the query, not in a row", all(planned, either(says("cannot read"), says("and the text"), says("with the text"), says("pattern letter"), says("is no time zone"), says("there is no unit"))), "*"),
		spark("units, fields, digits, precisions, formats and indexes that are part of the query must be right, and are no NULL, also where Spark gives NULL or casts them",
			"the mistake is in the text of the query, not in a row", all(planned, either(says("needs a constant"), says("needs a precision"), says("_agg needs BIGINT"), says("takes no element 0"), says("needs HOUR, MINUTE"), says("needs true or false"))), "*"),
		spark("a constant INT counts with its own digits beside a DECIMAL, as a literal does; in Spark only the literal does",
			"5 and CAST(5 AS INT) are one value", all(text("AS INT)", "AS BIGINT)"), differentType), arithmetic...),
		spark("a bare NULL takes the type of the other operand; in Spark it counts as DOUBLE", "NULL / 2.50 has the type of x / 2.50",
			all(text("NULL"), isNull, wasNull, typed("double")), "/"),
		spark("an argument beyond INT is taken", "digits, bits and rows are counted in 64 bits", class("CAST_OVERFLOW"), "*"),
		spark("the text of a DOUBLE has an exponent from 1e16 on, as in 1e+16", "it reads back as the same value, and plain digits are easier to read", sameNumbers, "*"),
		spark("an ARRAY, MAP or STRUCT as text is JSON", "it can be read again, by any program", nestedText, "CAST AS STRING", "TRY_CAST AS STRING", "string", "concat", "format_string"),
		spark("an ARRAY inside an ARRAY as text is JSON too", "it can be read again", nil, "CAST AS ARRAY"),
		spark("the smallest FLOAT is 1e-45, its shortest digits", "Java writes one digit more", text("1.4E-45"), "CAST AS STRING", "TRY_CAST AS STRING"),
		spark("an interval as text is `26:03:04` or `1 day 02:03:04`", "it reads back as the same value", text("INTERVAL"), "CAST AS STRING", "TRY_CAST AS STRING", "string", "concat", "format_string"),
	}
}

// planned: refused before a row was read.
func planned(d *Difference) bool { return strings.Contains(d.Ours.Err, "error SQL") }

func differentType(d *Difference) bool { return strings.HasPrefix(d.What, "the type") }

var numberText = regexp.MustCompile(`[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?`)

// sameNumbers: texts that are equal but for how numbers in them are written.
func sameNumbers(d *Difference) bool {
	x, ok1 := d.first().(string)
	y, ok2 := d.theirFirst().(string)
	norm := func(s string) string {
		return numberText.ReplaceAllStringFunc(s, func(n string) string {
			f, err := strconv.ParseFloat(n, 64)
			if err != nil {
				return n
			}
			return strconv.FormatFloat(f, 'g', -1, 64)
		})
	}
	return ok1 && ok2 && strings.ContainsAny(x+y, "eE") && norm(x) == norm(y)
}

func nestedText(d *Difference) bool {
	s, ok := d.first().(string)
	return ok && (strings.Contains(s, "[") || strings.Contains(s, "{"))
}

func sparkFunctions() []*Rule {
	return []*Rule{
		spark("an integer stays one; Spark gives a DECIMAL", "rounding an integer to more digits changes nothing", wholeNumber, "ceil", "floor"),
		spark("text counts as DOUBLE; Spark gives a DECIMAL", "as in round(x, n)", typed("decimal"), "ceil", "floor"),
		spark("an overflow of BIGINT fails; Spark wraps around", "never a wrong number", says("overflow"), "div", "from_unixtime"),
		spark("a year beyond 9999 is printed without a plus", "the texts of CAST and date_format are the same", text("253402300800"), "from_unixtime"),
		spark("digits after the point are cut off; Spark rounds up a DECIMAL(38,38) just below 1", "Spark's own rule is to cut off", text("0.99999999999999999999999999999999999999"), "int", "bigint", "smallint", "tinyint", "negative", "CAST AS INT", "CAST AS BIGINT", "CAST AS SMALLINT", "CAST AS TINYINT"),
		spark("the text comes first, then what is trimmed", "as in Spark's btrim, in DuckDB and in PostgreSQL", nil, "ltrim", "rtrim", "trim"),
		spark("a start of NULL gives NULL; Spark gives 0", "NULL in, NULL out", text("NULL"), "position"),
		spark("a pattern without the wanted group fails whether it matches or not", "the mistake is in the pattern, not in a row", says("groups, not"), "regexp_extract", "regexp_extract_all"),
		spark("a brace that begins no repetition is itself", "as in RE2, PostgreSQL and Perl", text("{\"a\""), "regexp_extract", "regexp_extract_all", "rlike", "split", "regexp_replace", "regexp_count", "regexp_instr", "regexp_substr"),
		spark("what is no URL is judged by other rules", "Spark uses Java's, which refuse brackets and take blanks", nil, "parse_url", "try_parse_url"),
		spark("text that is no JSON fails", "Spark guesses a type for any text", says("not JSON"), "schema_of_json"),
		spark("the type of a DECIMAL stays, also with 38 digits after the point", "a zero needs no digits before the point", differentType, "zeroifnull", "nullifzero"),
		spark("text is written in bits; Spark reads it as a BIGINT", "DuckDB's bin is the same function, and '12' may be either", class("CAST_INVALID_INPUT"), "bin"),
		spark("the result has the common type of the results; DECIMALs are DOUBLE in Spark", "digits are not lost", differentType, "decode"),
		spark("hex, base64 and escape are encodings too", "PostgreSQL's encode has these, Spark's the charsets", class("INVALID_PARAMETER_VALUE.CHARSET"), "encode", "decode"),
		spark("the fields of PostgreSQL and DuckDB exist too", "epoch, millennium and the like mean one thing", class("INVALID_EXTRACT_FIELD"), "extract"),
		spark("a whole number may be printed by %f", "its value is the same", class("IllegalArgumentException"), "format_string"),
		spark("an option that is not known, or a separator of several characters, is an error", "what is misspelt would change nothing", either(says("knows the option sep"), says("needs one character as sep")), "from_csv"),
		spark("the text of a DOUBLE that is taken as text has an exponent as in 3.4e+38", "as everywhere in text", text("CAST('3.4028235E38' AS FLOAT)", "CAST('5e-324' AS DOUBLE)"), "regexp_replace", "levenshtein", "overlay"),
		spark("w is a week", "as in DuckDB and Flink; Spark gives NULL for units that it does not know", all(text("'W'"), wasNull), "date_trunc"),
		spark("words are found by the rules of Unicode", "Java's are its own", nil, "sentences"),
		spark("quotes in text are doubled", "RFC 4180, as every other program reads it", text("\""), "to_csv"),
		spark("an offset is written +hh:mm", "a bare number may be anything", text("'-3'", "'-1'"), "to_utc_timestamp", "from_utc_timestamp", "convert_timezone"),
		spark("a letter of 5 bits alone makes no byte; Spark gives its upper 3 bits", "a byte has 8 bits", oneMore, "from_base32"),
		spark("the last bytes of BYTES are BYTES; Spark gives a STRING", "as left gives in Spark too", typed("string"), "right"),
		spark("an escape may be a value of a row: a number counts as its text, NULL gives NULL", "any text of one character can be an escape", class("INVALID_ESCAPE_CHAR"), "ilike"),
		spark("the letters that \\b and \\B look at are those of \\w, of ASCII", "as in RE2; Java's \\w and \\b disagree", all(text("'éaé'"), text("\\b'", "\\B'")), "regexp_replace", "regexp_extract_all", "regexp_count", "split"),
		spark("(?m)^ matches before an empty text", "as ^ does", text("'', '(?m)^'"), "regexp_replace", "regexp_extract_all", "regexp_count"),
		spark("flags may stand in place of a start", "as in PostgreSQL and DuckDB", all(class("CAST_INVALID_INPUT"), text("'i')", "'g')")), "regexp_replace"),
		spark("years go to 140,000 before and after the year 0", "the difference of two times can be told in µs", all(fails, either(says("DATE overflow"), says("no such time: 0-"))), "date_from_unix_date", "make_timestamp"),
		spark("the coupons of a small sketch stand in ascending order; in Spark in that of the rows", "what a sketch is does not depend on the order of rows", sameBytes, "hll_sketch_agg"),
		spark("a VARIANT is a JSON, whose numbers have their shortest text", "one type for documents", all(typed("variant"), sameDocument), "parse_json", "try_parse_json"),
		spark("NULL in the vector gives NULL before the degree is looked at", "NULL in, NULL out", class("INVALID_VECTOR_NORM_DEGREE"), "vector_normalize"),
		spark("the type of NULL is called null; in Spark void", "no other word of the language is void", text("typeof(NULL)"), "typeof"),
		spark("a time that does not fit into 64 bits of µs, or whose text does not fit, fails", "what can be computed can be printed and read", all(fails, says("overflow")), "timestamp_micros", "to_timestamp", "timestamp_millis", "timestamp_seconds"),
		spark("a pattern of NULL gives NULL, for a DATE too", "NULL in, NULL out", all(text("NULL"), isNull), "to_date", "to_timestamp", "to_timestamp_ntz", "try_to_timestamp", "to_timestamp_ltz", "try_to_date"),
	}
}

// oneMore: theirs has a byte more.
func oneMore(d *Difference) bool {
	x, ok1 := d.first().(string)
	y, ok2 := d.theirFirst().(string)
	return ok1 && ok2 && len(y) == len(x)+2 && strings.HasPrefix(y, x)
}

// sameBytes: the same hexadecimal digits in another order.
func sameBytes(d *Difference) bool {
	x, ok1 := d.first().(string)
	y, ok2 := d.theirFirst().(string)
	sorted := func(s string) string { b := []byte(s); slices.Sort(b); return string(b) }
	return ok1 && ok2 && sorted(x) == sorted(y)
}

func wholeNumber(d *Difference) bool {
	return len(d.Ours.Cols) > 0 && (d.Ours.Cols[0].Type.IsInteger() || d.Ours.Cols[0].Type.Kind == types.Null) && typed("decimal")(d)
}
