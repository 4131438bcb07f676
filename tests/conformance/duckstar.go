package conformance

import "strings"

// patternStar is the star of * SIMILAR TO and * EXCLUDE (…) SIMILAR TO at i, -1 if something
// else is compared.
func patternStar(toks []token, i int) int {
	k := i - 1
	if k > 0 && toks[k].text == ")" {
		for k > 0 && (toks[k].text != "(" || toks[k].depth != toks[i].depth) {
			k--
		}
		k--
		if k < 1 || !toks[k].is("exclude") && !toks[k].is("except") {
			return -1
		}
		k--
	}
	if k < 1 || toks[k].text != "*" || !(toks[k-1].is("select") || toks[k-1].text == "," || toks[k-1].text == "(" || toks[k-1].text == ".") {
		return -1
	}
	return k
}

// starPattern writes the operator of n tokens at i, which chooses columns, as RLIKE of the
// whole name.
func starPattern(sql string, toks []token, i, n, last int) string {
	not := ""
	if toks[i].is("not") {
		not = "NOT "
	}
	pattern := strings.Trim(span(sql, toks[i+n:last+1]), "'")
	return sql[:toks[i].start] + not + "RLIKE '^(?:" + pattern + ")$'" + sql[toks[last].end:]
}
