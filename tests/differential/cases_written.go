package differential

import "fmt"

// written asks what no signature leads to: syntax of its own, and formats, patterns and
// paths that random text never meets.
func (m *maker) written() {
	for _, w := range writtenCases() {
		for _, e := range w.exprs {
			c := &Case{Func: w.f, Kind: "expr", SQL: e}
			if w.engines&1 != 0 {
				c.Spark = translate(e, Spark)
			}
			if w.engines&2 != 0 {
				c.DuckDB = translate(e, DuckDB)
			}
			m.add(c)
		}
	}
}

type written struct {
	f       string
	engines int // 1 Spark, 2 DuckDB, 3 both
	exprs   []string
}

func writtenCases() []written {
	return []written{
		{"BETWEEN", 3, []string{"2 BETWEEN 1 AND 3", "NULL BETWEEN 1 AND 3", "2 BETWEEN NULL AND 1", "2 NOT BETWEEN 1 AND 3", "'b' BETWEEN 'a' AND 'c'", "2.5 BETWEEN 2 AND 3"}},
		{"IN", 3, []string{"1 IN (1, 2)", "3 IN (1, NULL)", "1 IN (1, NULL)", "NULL IN (1)", "1 NOT IN (2, NULL)", "'a' IN ('a', 'b')", "1.0 IN (1, 2)"}},
		{"CASE", 3, []string{"CASE WHEN NULL THEN 1 ELSE 2 END", "CASE 1 WHEN 1 THEN 'a' END", "CASE NULL WHEN NULL THEN 1 ELSE 2 END", "CASE WHEN true THEN 1 ELSE 2.5 END"}},
		{"IS NULL", 3, []string{"NULL IS NULL", "1 IS NOT NULL", "true IS TRUE", "NULL IS TRUE", "NULL IS NOT FALSE", "NULL IS UNKNOWN", "1 IS DISTINCT FROM NULL", "NULL IS NOT DISTINCT FROM NULL"}},
		{"regexp_replace", 1, emptyMatches("regexp_replace(%s, %s, '-')")},
		{"regexp_extract_all", 1, emptyMatches("regexp_extract_all(%s, %s, 0)")},
		{"regexp_count", 1, emptyMatches("regexp_count(%s, %s)")},
		{"split", 1, emptyMatches("split(%s, %s)")},
		{"AND", 3, []string{"true AND NULL", "false AND NULL", "true OR NULL", "false OR NULL", "NOT NULL"}},
	}
}

// emptyMatches are calls with patterns that match nothing, too.
func emptyMatches(call string) (out []string) {
	for _, p := range []string{"a*", "(h|i)?", "x*?", `\b`, "^", "$", "^a*", "a*$", "(a|b*)", "(|a)", "(?i)A?", "(?m)^", "(?m)$", `[a-z]*\b`, `\B`, "é*", "a{0,2}"} {
		for _, s := range []string{"", "hi", "baaac", "aaa", "ab cd", "a\nb", "éaé", "aXa"} {
			out = append(out, fmt.Sprintf(call, quote(s), quote(p)))
		}
	}
	return out
}
