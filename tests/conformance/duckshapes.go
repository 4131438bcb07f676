package conformance

import (
	"regexp"
	"strings"
)

// duckPrefixNames writes the name that DuckDB lets stand before what it names, x : a + 1 and
// FROM t : range(3), behind it.
func duckPrefixNames(sql string) string {
	for from := 1; ; {
		toks := tokens(sql)
		i := from
		for i+2 < len(toks) && !namesBefore(toks, i) {
			i++
		}
		if i+2 >= len(toks) {
			return sql
		}
		from = i + 1
		end, table := i+2, !inItems(toks, i)
		for end < len(toks) && toks[end].depth >= toks[i].depth && !(toks[end].depth == toks[i].depth && endsNamed(toks[end], table)) {
			end++
		}
		name := toks[i].text
		if toks[i].kind == text {
			name = quote(strings.Trim(name, "'"))
		}
		sql = sql[:toks[i].start] + sql[toks[i+2].start:toks[end-1].end] + " AS " + name + sql[toks[end-1].end:]
	}
}

// namesBefore reports name : at the begin of an item of a select list or of FROM.
func namesBefore(toks []token, i int) bool {
	t := toks[i]
	if t.kind == number || t.kind == symbol || toks[i+1].text != ":" || toks[i+1].depth != t.depth {
		return false
	}
	prev := toks[i-1]
	for _, w := range []string{"select", "distinct", "from", "join"} {
		if prev.is(w) {
			return true
		}
	}
	return prev.text == "," && (inItems(toks, i) || afterFrom(toks, i))
}

// inItems reports that the token at i is in a select list, not in a bracket within it.
func inItems(toks []token, i int) bool {
	for k := i - 1; k >= 0 && toks[k].depth >= toks[i].depth; k-- {
		if toks[k].depth == toks[i].depth && (endsItems(toks[k]) || toks[k].is("join")) {
			return false
		}
		if toks[k].depth == toks[i].depth && toks[k].is("select") {
			return true
		}
	}
	return false
}

func endsNamed(t token, table bool) bool {
	if t.text == "," || endsItems(t) {
		return true
	}
	return table && !isAlias(t) && t.kind == word
}

var duckPlace = regexp.MustCompile(`^\d+$`)

// duckPlaces writes the places of ORDER BY and GROUP BY, #2, as the numbers that they are.
func duckPlaces(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+1 < len(toks); i++ {
		if toks[i].text != "#" || !duckPlace.MatchString(toks[i+1].text) || toks[i].end != toks[i+1].start {
			continue
		}
		k := i - 1
		for k > 0 && toks[k].depth == toks[i].depth && !toks[k].is("by") && !toks[k].is("select") {
			k--
		}
		if toks[k].is("by") && toks[k].depth == toks[i].depth && (toks[i-1].is("by") || toks[i-1].text == ",") {
			e.replace(toks[i].start, toks[i].end, "")
		}
	}
	return e.done()
}

// duckJoinTypes writes JOIN BY (TYPE semi), by which DuckDB's tests ask for a kind of join, as
// SEMI JOIN.
func duckJoinTypes(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+5 < len(toks); i++ {
		if !toks[i].is("join") || !toks[i+1].is("by") || toks[i+2].text != "(" || !toks[i+3].is("type") || toks[i+5].text != ")" {
			continue
		}
		switch kind := strings.TrimSuffix(strings.ToLower(toks[i+4].text), "_join"); kind {
		case "inner", "left", "right", "full", "semi", "anti":
			e.replace(toks[i].start, toks[i+5].end, strings.ToUpper(kind)+" JOIN")
		}
	}
	return e.done()
}

// duckColumnTexts makes names of the texts that call the columns of a table, t('k').
func duckColumnTexts(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 3; i+1 < len(toks); i++ {
		table := i - 2
		if toks[table].is("as") {
			table--
		}
		if toks[i].text != "(" || toks[i+1].kind != text || toks[table].kind != word || table == 0 || !afterFrom(toks, table) || toks[i-1].kind == symbol {
			continue
		}
		for k := i + 1; k < closing(toks, i); k++ {
			if toks[k].kind == text {
				e.replace(toks[k].start, toks[k].end, quote(strings.Trim(toks[k].text, "'")))
			}
		}
	}
	return e.done()
}

// duckAliasCalls writes alias(x), the name of a column, as that name: the one behind AS, else
// that of the column in the brackets.
func duckAliasCalls(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+3 < len(toks); i++ {
		if !toks[i].is("alias") || toks[i+1].text != "(" || !(toks[i-1].is("select") || toks[i-1].text == ",") || !inItems(toks, i) {
			continue
		}
		end := closing(toks, i+1)
		switch {
		case end+2 < len(toks) && toks[end+1].is("as"):
			e.replace(toks[i].start, toks[end].end, "'"+toks[end+2].name()+"'")
		case end == i+3 && toks[i+2].kind == word:
			e.replace(toks[i].start, toks[end].end, "'"+toks[i+2].text+"'")
		}
	}
	return e.done()
}

// duckShapeReasons are why statements about forms of queries fail, and why that stays.
var duckShapeReasons = []explanation{
	because("UPDATE and DELETE see what stands before a query as FROM does", "lateral/pg_lateral", `^an error is expected (update|delete)`, accepted),
	because("UPDATE and DELETE see what stands before a query as FROM does", "lateral/pg_lateral", `xx1`, follows),
	because("a value of PIVOT has a type that is compared with its column's", "duckdb/test/sql/pivot", `cannot compare`, refused),
	because("the column of an aggregate of PIVOT is called as it is written", "pivot/test_pivot_duplicate_aggregates", `does not exist`, refused),
	because("PIVOT takes any expression of aggregates, and names may be given twice", "duckdb/test/sql/pivot", `pivot`, accepted),
	because("with a setting of theirs, a subquery of several rows is its first one", "duckdb", `a subquery used as a value has more than one row`, refused),
	because("DuckDB does not compute this yet", "subquery/any_all", `(row\(|\().* (in|= any|<> any)`, accepted),
	because("DuckDB does not compute this yet", "asof/test_asof_join", `asof`, accepted),
	because("a NATURAL JOIN without a common column is a cross join, as the standard says", "natural/natural_join", `natural join`, accepted),
	because("a number is no condition, as in Spark", "duckdb", `needs a BOOLEAN condition, got`, refused),
	because("rows that ORDER BY calls equal come in any order", "setops/test_union_all_by_name", `order by t1\.y`, wrong),
	because("random() gives another number", "iejoin/test_iejoin_events", `count\(\*\) from \(\s*select r\.id, s\.id`, wrong),
	because("the rows of the test are not in the order of its ORDER BY … NULLS FIRST", "asof/test_asof_join_doubles", `right join \(.*order by 1 asc nulls first`, wrong),
	because("-> of a text gives a text, which becomes a JSON string", "binder/test_alias_map_in_subquery", `address`, wrong),
	because("alias.x is the column x that an alias calls so, as alias is a prefix of any", "binder/alias_qualification_errors", `alias\.x`, accepted),
	because("a constant in ORDER BY orders nothing, and is no error, as in Spark", "binder/order_by_view", `order by true`, accepted),
	because("alias(x), the name of x, is respelled as it is written, not as it is declared", "binder/test_case_insensitive_binding", `alias\(hello\)`, wrong),
	because("of names that differ in the case of letters alone, the one written alike is meant", "binder/test_case_insensitive_binding", `from test1, test2`, accepted),
	because("the harness leaves out the schema main, where FROM has it", "binder/test_implicit_struct_pack", `select main\.t from main\.test t`, accepted),
	because("BOOLEAN and INT have no common type, as in Spark", "binder/test_null_type_propagation", `no common type for (int and boolean|boolean and int)`, refused),
	because("an ASOF JOIN does not compute values of the query around", "asof/test_asof_join_subquery", `a correlated subquery over asof`, refused),
	because("the files that the test reads are not among the tests", "iejoin/test_iejoin_overlaps", `overlap\.left\.csv does not exist`, refused),
	because("NEAREST is read as the name of VALUES (…) before it", "join/nearest/nearest_parser", `\(values .*\) nearest`, refused),
	because("two columns of one name, one of them made by USING, are ambiguous in a subquery of ON as anywhere", "join/non_inner_join_subquery_binding", `column "x" is ambiguous`, refused),
	because("mark and single are inner kinds of joins of DuckDB: here they are EXISTS and a scalar subquery", "join/test_join_by", `type (mark|mark_join|single)\)`, refused),
	because("PIVOT of several columns compares rows, not single values", "pivot/pivot_empty", `\(country, name\)`, refused),
	because("names are no texts but behind AS", "pivot/unpivot_expression", `for 'v' in`, refused),
	because("a pattern of * may come from a column, when it is computed", "projection/select_star_like", `similar to pattern`, accepted),
	because("REPLACE and RENAME may name one column, which is both", "projection/select_star_rename", `rename`, accepted),
	because("the harness takes a text before a colon for a name", "select/test_select_alias_prefix_colon", `'j': 42`, accepted),
	because("text beside a number is cast to it, as in Spark", "setops/test_setops", `not a bigint: 'asdf'`, refused),
	because("the columns of a query of set operators are called as in its first part", "duckdb/test/sql/setops", `unknown column "(y|b)"`, refused),
	because("the star of a table of the query around is its columns", "lateral/lateral_join_chain", `select integers\.\*`, accepted),
	because("the table in front of a column of ORDER BY in ARRAY (query) is not looked up", "scalar/array_order_subquery", `order by x\.i`, accepted),
	because("ARRAY (query) of several columns has rows", "scalar/array_subquery", `array\(select 1,2\)`, accepted),
	because("DuckDB does not compute this yet", "scalar/correlated_pivot", `pivot`, accepted),
	because("DuckDB does not compute this yet", "scalar/subquery_row_in_any", `row\(1, 2\) in`, accepted),
	because("DuckDB does not compute this yet", "scalar/test_complex_correlated_subquery", `row_number\(\) over`, accepted),
	because("a subquery may use an expression of GROUP BY, and aggregates in windows are those of the query around", "scalar/test_grouped_correlated_subquery", `(group by \(col1 \+ 1\)|partition by sum)`, accepted),
	because("a query in FROM without an alias has no name", "table/test_unnamed_subquery", `unknown column "unnamed_subquery`, refused),
	because("text and numbers are compared as numbers, as in Spark", "binder/string_literal_binding", "", accepted),
	because("text and numbers are compared as numbers, as in Spark", "binder/old_implicit_cast", "", accepted, refused),
}
