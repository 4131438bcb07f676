package conformance

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// duckNestedReasons are why statements with nested values, casts and lambdas fail, and why that
// stays.
var duckNestedReasons = []explanation{
	because("random() in a condition of a correlated subquery has a value for each pair of rows, which no join computes", "join/pair_dependent_full_outer_join_subquery", `random\(\) has another value for each row around`, refused),
	because("a series of a billion rows is counted through, whatever LIMIT and OFFSET ask for", "order/test_limit_parameter", `execute v5\(3, `, timedOut),
	because("a text in a list is read as far as it goes: a backslash outside of quotes is itself", "duckdb/test/sql/cast/string_to_list_cast", `"bar":"\\\\""`, accepted),
	because("USING KEY takes aggregates alone: the NaN that corr gives there is written around it", "duckdb/test/sql/cte/recursive_cte_key_aggregation", `USING KEY takes columns and aggregates of columns, which coalesce\(corr\(`, refused),
	because("a constant text that is no number is told before rows are looked at", "duckdb/test/sql/function/operator/test_in_empty_table", `the text 'a', which is no number`, refused),
	because("parts are counted from 1, or from -1 at the end, as in Spark and PostgreSQL", "duckdb/test/sql/function/string/test_split_part", `split_part: parts are counted from 1`, refused),
	because("an aggregate of a million values that are ordered takes longer than a test may", "duckdb/test/sql/aggregate/aggregates/mode_rewrite_memory", `range\(1000000\)`, timedOut),
	because("a text that is cast to BYTES is its bytes: \\x is an escape in a literal only", "duckdb/test/sql/function/list/aggregates/minmax_nested", `from blob_structs`, wrong),
	because("a text with a fraction is no INT, as in Spark", "duckdb/test/sql/cast/string_to_", `try_cast\(col1 as int\[\]\)|'42\.0' is not an int`, wrong, refused),
	because("FLOAT and DECIMAL make a DOUBLE, as in Spark", "duckdb/test/sql/function/list/lambdas/reduce_initial", `list_reduce\(l, .*initial\)`, wrong),
	because("of UNNESTs of several depths the values stand side by side, not the lists", "duckdb/test/sql/types/list/recursive_unnest", `unnest.*recursive.*unnest`, wrong),
	because("quotes stand around a whole value: others inside are characters of it", "duckdb/test/sql/cast/string_to_list_escapes", `special\\,"chars`, wrong),
	because("a number has 38 digits", "duckdb/test/sql/cast/string_to_integer", `not a decimal\(38,0\)`, refused),
	because("a number beyond FLOAT is infinite, and text beyond DOUBLE an error, as in Spark", "duckdb/test/sql/cast", `(1e308|dbl)::float|1e310`, accepted, refused),
	because("a text beside a struct is no struct without CAST", "duckdb/test/sql", `no common type for struct<.*> and string`, refused),
	because("structs of other fields have no common type", "duckdb/test/sql", `no common type for struct<.*> and struct<`, refused),
	because("there is no type UNION", "duckdb/test/sql", `expected a type, found "union"`, refused, follows),
	because("a struct has at least one field", "duckdb/test/sql/types/struct", `named_struct takes pairs|expected "<", found|expected an expression, found "\)"`, refused, follows),
	because("remap_struct is what their readers of files use where a schema has changed", "duckdb/test/sql/types/struct/remap_struct", `unknown function "remap_struct"`, refused, follows),
	because("times count microseconds, whatever their name says", "duckdb/test/sql/cast/timestamp_casts", `timestamp(tz)?_(s|ms|ns)`, wrong, accepted),
	because("conditions are BOOLEAN", "duckdb/test/sql", `needs a boolean( condition)?( as argument \d)?, got (int|array<null>)`, refused),
	because("a similarity of lists of DOUBLE is a DOUBLE: the test has the digits of a FLOAT for both", "duckdb/test/sql/function/list/list_cosine_similarity", `list_cosine_similarity\(l`, wrong),
	because("a function with OVER () sees rows in no order, not in that in which UNNEST made them", "duckdb/test/sql/function/list/list_reverse", `lead\(i, 1\) over \(\)`, wrong),
	because("CAST to integers inside of a MAP cuts off", "duckdb/test/sql/types/map/map_cast", `tinyint\)`, wrong),
	because("a text beside a DECIMAL is a DOUBLE, as in Spark", "duckdb/test/sql/function/list/aggregates", `list_min\(h\)`, wrong),
	because("sum of BIGINT is BIGINT, as in Spark", "duckdb/test/sql/function/list/aggregates", `sum: the result does not fit in bigint`, refused),
	because("arrays have no fixed length", "duckdb/test/sql", `(int|integer)\[\d`, accepted),
}

// duckUnnests says that UNNEST leaves structs whole, as it does in DuckDB.
func duckUnnests(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+1 < len(toks); i++ {
		if !toks[i].is("unnest") || toks[i+1].text != "(" || i > 0 && (toks[i-1].text == "." || toks[i-1].text == ")" || toks[i-1].is("as")) {
			continue
		}
		end := closing(toks, i+1)
		if len(splitAt(toks[i+2:end], toks[i+1].depth+1)) == 1 {
			e.replace(toks[end].start, toks[end].start, ", max_depth := 1")
		}
	}
	return e.done()
}

// duckNestedCalls spell functions of lists and maps.
func duckNestedCalls() map[string]form {
	return map[string]form{
		"list_kurtosis": template(1, "list_aggregate($1, 'kurtosis_samp')"), "list_skewness": template(1, "list_aggregate($1, 'skewness_samp')"),
		"list_filter": duckKept, "array_filter": duckKept, "list_transform": duckLambda, "list_apply": duckLambda, "array_transform": duckLambda, "array_apply": duckLambda, "apply": duckLambda,
		"array_distinct": template(1, "list_distinct($1)"),
		"flatten":        template(1, "flatten(list_filter($1, e -> e IS NOT NULL))"),
		"list_intersect": template(2, "list_intersect($1, coalesce($2, []))"), "array_intersect": template(2, "list_intersect($1, coalesce($2, []))"),
		"array_to_string_comma_default": duckCommas,
	}
}

// duckCommas is array_to_string with a comma where nothing else is said.
func duckCommas(c call) string {
	sep := "','"
	if len(c.args) == 2 {
		_, with, ok := strings.Cut(c.args[1], ":=")
		if !ok {
			return ""
		}
		sep = with
	}
	return "array_to_string(" + c.args[0] + ", coalesce(" + sep + ", ','))" + c.tail
}

// duckMaps spells MAP(keys, values) of two lists, and ROW(a, b), whose fields have no names.
// The types MAP(K, V) and ROW(a T) stand behind a cast, a name or in another type.
func duckMaps(sql string) string {
	toks := tokens(sql)
	var list []inserted
	for i := 0; i+1 < len(toks); i++ {
		if toks[i+1].text != "(" || toks[i].kind != word {
			continue
		}
		end := closing(toks, i+1)
		if i > 0 && duckTypePlace(toks[i-1]) && (toks[i].is("map") || toks[i].is("struct") || toks[i].is("row") || toks[i].is("union") || toks[i].is("tuple")) {
			if toks[i].is("tuple") { // the type of a row without names
				list = append(list, inserted{toks[i].start, "STRUCT /* "}, inserted{toks[i].end, " */"})
				for k, a := range splitAt(toks[i+2:end], toks[i+1].depth+1) {
					list = append(list, inserted{a[0].start, fmt.Sprintf("col%d ", k+1)})
				}
			}
			i = end
			continue
		}
		args := splitAt(toks[i+2:end], toks[i+1].depth+1)
		switch {
		case toks[i].is("map") && len(args) == 2:
			list = append(list, inserted{toks[i].end, "_from_arrays"})
		case toks[i].is("row") && len(args) > 0 && !duckComparedRow(toks, end):
			list = append(list, inserted{toks[i].start, "named_struct /* "}, inserted{toks[i].end, " */"})
			for k, a := range args {
				list = append(list, inserted{a[0].start, fmt.Sprintf("'col%d', ", k+1)})
			}
		}
	}
	return insertAll(sql, list)
}

// duckComparedRow reports a row, which ends at a bracket, that is compared with the rows of a
// query: its fields are, one by one.
func duckComparedRow(toks []token, end int) bool {
	for k := end + 1; k < len(toks) && k < end+5; k++ {
		switch {
		case toks[k].is("in") || toks[k].is("any") || toks[k].is("all"):
			return true
		case !strings.Contains("<>=!", toks[k].text) && !toks[k].is("not"):
			return false
		}
	}
	return false
}

// duckTypePlace reports a token behind which a type stands: a cast, or the name of a column.
func duckTypePlace(t token) bool {
	return t.text == "::" || t.is("as") || t.kind == quoted || t.kind == word && takesBracket(t)
}

// isTuple reports a struct of fields without names, which are called col1, col2 and so on
// here.
func isTuple(t types.Type) bool {
	for i, f := range t.Fields {
		if f.Name != fmt.Sprintf("col%d", i+1) {
			return false
		}
	}
	return t.Kind == types.Struct
}

// duckInside writes a text inside a nested value: in quotes if it has signs of such values,
// with a backslash before quotes and backslashes then.
func duckInside(s string) string {
	if s != "" && strings.TrimSpace(s) == s && !strings.ContainsAny(s, `'"[]{}(),:=`) && !strings.EqualFold(s, "null") {
		return s
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
