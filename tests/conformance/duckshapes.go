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

// spaces are the schemas and databases that statements which are not applicable made, with
// the rule of those.
type spaces map[string]string

// note keeps what a statement under a rule makes.
func (s spaces) note(sql, rule string) {
	toks := tokens(sql)
	switch {
	case hasWords(toks[:min(2, len(toks))], "create", "schema") || hasWords(toks[:min(2, len(toks))], "create", "database"):
		s[strings.ToLower(target(skipWord(toks, "database")))] = rule
	case len(toks) > 2 && toks[0].is("attach"):
		for i, t := range toks[:len(toks)-1] {
			if t.is("as") {
				s[strings.ToLower(toks[i+1].name())] = rule
			}
		}
	}
}

func skipWord(toks []token, w string) []token {
	var out []token
	for _, t := range toks {
		if !t.is(w) {
			out = append(out, t)
		}
	}
	return out
}

// ruleOf is the rule of a statement that names an object of such a schema or database.
func (s spaces) ruleOf(sql string) string {
	if len(s) == 0 {
		return ""
	}
	toks := tokens(sql)
	for i := 1; i+1 < len(toks); i++ {
		rule := s[strings.ToLower(toks[i].name())]
		if rule == "" || toks[i+1].text != "." || toks[i].kind != word && toks[i].kind != quoted {
			continue
		}
		for _, w := range []string{"from", "join", "into", "table", "view", "exists", "update", "macro", "function", "sequence", "type", "index", "on"} {
			if toks[i-1].is(w) {
				return rule
			}
		}
		if toks[i-1].text == "," && afterFrom(toks, i) {
			return rule
		}
	}
	return ""
}

// duckShapeReasons are why statements about forms of queries fail, and why that stays.
var duckShapeReasons = []explanation{
	because("UNPIVOT calls a row as its column is written, as Spark's does", "pivot/test_unpivot", `unpivot`, wrong),
	because("a fraction stored as INT is cut off, as in Spark", "pivot/test_pivot.test", `StandardCost`, wrong),
	because("a value of PIVOT has a type that is compared with its column's", "duckdb/test/sql/pivot", `cannot compare`, refused),
	because("the column of an aggregate of PIVOT is called as it is written", "pivot/test_pivot_duplicate_aggregates", `does not exist`, refused),
	because("PIVOT takes any expression of aggregates, and names may be given twice", "duckdb/test/sql/pivot", `pivot`, accepted),
	because("with a setting of theirs, a subquery of several rows is its first one", "duckdb", `a subquery used as a value has more than one row`, refused),
	because("DuckDB does not compute this yet", "subquery/any_all", `(row\(|\().* (in|= any|<> any)`, accepted),
	because("DuckDB does not compute this yet", "asof/test_asof_join", `asof`, accepted),
	because("a NATURAL JOIN without a common column is a cross join, as the standard says", "natural/natural_join", `natural join`, accepted),
	because("UPDATE and DELETE see what stands before a query as FROM does", "lateral/pg_lateral", `^an error is expected (update|delete)`, accepted),
	because("a number is no condition, as in Spark", "duckdb", `needs a BOOLEAN condition, got`, refused),
	because("rows that ORDER BY calls equal come in any order", "setops/test_union_all_by_name", `order by t1\.y`, wrong),
	because("random() gives another number", "iejoin/test_iejoin_events", `events`, wrong),
	because("the rows of the test are not in the order of its ORDER BY … NULLS FIRST", "asof/test_asof_join_doubles", `nulls first`, wrong),
	because("the keys of a JSON object come in their order", "binder/test_alias_map_in_subquery", `address`, wrong),
	because("text and numbers are compared as numbers, as in Spark", "binder/string_literal_binding", "", accepted),
	because("text and numbers are compared as numbers, as in Spark", "binder/old_implicit_cast", "", accepted, refused),
}
