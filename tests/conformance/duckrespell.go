package conformance

import (
	"regexp"
	"strings"
)

// duckCalls spell the functions of DuckDB that have another name or another meaning here.
func duckCalls() map[string]form {
	same := func(name string) form {
		return func(c call) string { return name + "(" + strings.Join(c.args, ", ") + ")" + c.tail }
	}
	return map[string]form{
		// texts
		"concat": same("duck_concat"), "chr": same("unichr"), "left": leftOf, "right": template(2, "CASE WHEN ($2) < 0 THEN substring($1, 1 - CAST(($2) AS BIGINT)) ELSE right($1, $2) END"),
		"substring": partOf, "substr": partOf,
		"regexp_matches": matchesIn, "regexp_extract": template(2, "regexp_extract($1, $2, 0)"), "regexp_extract_all": template(2, "regexp_extract_all($1, $2, 0)"),
		"regexp_replace": replaceOnce,
		// times
		"extract": fieldOf, "date_part": partNamed, "datepart": partNamed, "dayofweek": template(1, "(dayofweek($1) - 1)"), "weekday": template(1, "(dayofweek($1) - 1)"),
		"datediff": byUnit, "date_diff": byUnit, "datesub": byUnit, "date_sub": byUnit, "date_trunc": byUnit, "datetrunc": byUnit,
	}
}

// leftOf is left, which drops from the end what a negative number says.
func leftOf(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	return c.fill("CASE WHEN ($2) < 0 THEN left($1, greatest(length($1) + ($2), 0)) ELSE left($1, $2) END")
}

// partOf is substring: from the place 0 it has a character less, and a negative length goes
// backwards.
func partOf(c call) string {
	a := c.args
	if len(a) == 1 {
		x, rest, ok := cut(a[0], "from")
		if !ok {
			return ""
		}
		from, n, limited := cut(rest, "for")
		if a = []string{x, from}; limited {
			a = append(a, n)
		}
	}
	if len(a) != 3 {
		return ""
	}
	at := "CASE WHEN (" + a[1] + ") < 0 THEN length(" + a[0] + ") + CAST((" + a[1] + ") AS BIGINT) + 1 ELSE CAST((" + a[1] + ") AS BIGINT) END"
	c.args = []string{a[0], "(" + at + ")", "CAST((" + a[2] + ") AS BIGINT)"}
	return c.fill("duck_part($1, $2 + least($3, 0), $2 + greatest($3, 0))")
}

// matchesIn is regexp_matches, true where the pattern matches somewhere.
func matchesIn(c call) string {
	if len(c.args) != 2 && len(c.args) != 3 {
		return ""
	}
	return "(regexp_count(" + strings.Join(c.args, ", ") + ") > 0)" + c.tail
}

var backReference = regexp.MustCompile(`\\(\d)`)

// replaceOnce is regexp_replace: it replaces the first match without the flag g, and \1 in
// the replacement is a group.
func replaceOnce(c call) string {
	if len(c.args) != 3 && len(c.args) != 4 {
		return ""
	}
	if strings.HasPrefix(c.args[2], "'") {
		c.args[2] = backReference.ReplaceAllString(strings.ReplaceAll(c.args[2], "$", `\$`), "$${$1}")
	}
	if len(c.args) == 3 {
		c.args = append(c.args, "'c'")
	}
	return c.text()
}

// fieldOf is extract(field FROM time).
func fieldOf(c call) string {
	if len(c.args) != 1 {
		return ""
	}
	field, _, ok := cut(c.args[0], "from")
	if !ok {
		return ""
	}
	return wholeField(strings.Trim(field, "'\""), "extract("+c.args[0]+")")
}

// partNamed is date_part('field', time).
func partNamed(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	return wholeField(strings.Trim(c.args[0], "'"), c.text())
}

// wholeField counts the days of a week from 0, Sunday, and cuts the fraction of a second.
func wholeField(field, x string) string {
	switch strings.ToLower(field) {
	case "dow", "dayofweek", "weekday":
		return "(" + x + " - 1)"
	case "second", "seconds", "sec", "secs", "s":
		return "CAST(" + x + " AS BIGINT)"
	}
	return ""
}

var unitNames = map[string]string{"'dow'": "'day'", "'isodow'": "'day'", "'doy'": "'day'", "'julian'": "'day'", "'dayofweek'": "'day'", "'dayofyear'": "'day'",
	"'weekday'": "'day'", "'dayofmonth'": "'day'", "'yearweek'": "'week'", "'weekofyear'": "'week'", "'epoch'": "'second'", "'millenium'": "'millennium'"}

// byUnit is a function of a unit: a field of a time stands for the unit that it counts.
func byUnit(c call) string {
	if len(c.args) == 0 || unitNames[strings.ToLower(c.args[0])] == "" {
		return ""
	}
	c.args[0] = unitNames[strings.ToLower(c.args[0])]
	return c.text()
}

// seriesAsList makes generate_series of an expression an array where it would make rows.
func seriesAsList(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+1 < len(toks); i++ {
		if toks[i].is("generate_series") && toks[i+1].text == "(" && !afterFrom(toks, i) {
			if end := closing(toks, i+1); end < len(toks) {
				e.replace(toks[i].start, toks[i].start, "coalesce(")
				e.replace(toks[end].end, toks[end].end, ", NULL)")
			}
		}
	}
	return e.done()
}

var blobEscape = regexp.MustCompile(`\\x([0-9a-fA-F]{2})`)

// blobs writes literals of BLOB, whose bytes may be \xFF, in hexadecimal: '…'::BLOB,
// CAST('…' AS BLOB) and BLOB '…'.
func blobs(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		if t.kind != text || !strings.HasPrefix(t.text, "'") {
			continue
		}
		next := func(k int, w string) bool { return i+k < len(toks) && toks[i+k].is(w) }
		cast := next(1, "::") && (next(2, "blob") || next(2, "bytea")) || next(1, "as") && next(2, "blob")
		typed := i > 0 && toks[i-1].is("blob")
		switch {
		case typed:
			e.replace(toks[i-1].start, t.end, hexLiteral(t.text))
		case cast:
			e.replace(t.start, t.end, hexLiteral(t.text))
		}
	}
	return e.done()
}

func hexLiteral(quoted string) string {
	var out strings.Builder
	s := strings.ReplaceAll(quoted[1:len(quoted)-1], "''", "'")
	for len(s) > 0 {
		if m := blobEscape.FindStringSubmatch(s); m != nil && strings.HasPrefix(s, m[0]) {
			out.WriteString(m[1])
			s = s[len(m[0]):]
			continue
		}
		const digits = "0123456789abcdef"
		out.WriteByte(digits[s[0]>>4])
		out.WriteByte(digits[s[0]&15])
		s = s[1:]
	}
	return "X'" + out.String() + "'"
}
