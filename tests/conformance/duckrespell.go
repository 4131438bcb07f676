package conformance

import (
	"maps"
	"regexp"
	"strings"
)

// duckCalls spell the functions of DuckDB that have another name or another meaning here.
func duckCalls() map[string]form {
	forms := map[string]form{
		"unpivot_list": renamed("array"),
		// texts
		"concat": renamed("duck_concat"), "chr": renamed("unichr"), "left": duckLeftOf,
		"regexp_matches": duckMatchesIn,
		"regexp_replace": duckReplaceOnce,
		// times
		"extract": duckFieldOf, "date_part": renamed("duck_part_of"), "datepart": renamed("duck_part_of"), "time_bucket": renamed("duck_bucket"), "dayname": template(1, "CASE WHEN isfinite($1) THEN strftime($1, '%A') END"), "monthname": template(1, "CASE WHEN isfinite($1) THEN strftime($1, '%B') END"),
		"strftime": renamed("duck_strftime"), "year": template(1, "duck_part_of('year', $1)"), "yearweek": template(1, "duck_part_of('yearweek', $1)"), "make_timestamptz": duckMakeInstant, "decade": template(1, "duck_part_of('decade', $1)"), "make_timestamp": duckMakeTimestamp, "ago": template(1, "(now() - CAST($1 AS INTERVAL))"), "get_current_time": template(0, "current_time"), "timezone": template(1, "duck_zone('timezone', $1)"),
		"timezone_hour": template(1, "duck_zone('timezone_hour', $1)"), "timezone_minute": template(1, "duck_zone('timezone_minute', $1)"), "dayofweek": template(1, "(dayofweek($1) - 1)"), "weekday": template(1, "(dayofweek($1) - 1)"),
		"datediff": duckByUnit, "date_diff": duckByUnit, "datesub": duckByUnit, "date_sub": duckByUnit, "date_trunc": duckByUnit, "datetrunc": duckByUnit,
	}
	maps.Copy(forms, duckTexts())
	maps.Copy(forms, duckReals(false))
	return forms
}

// duckLeftOf is left, which drops from the end what a negative number says.
func duckLeftOf(c call) string {
	if len(c.args) != 2 {
		return ""
	}
	return c.fill("CASE WHEN ($2) < 0 THEN left($1, greatest(length($1) + ($2), 0)) ELSE left($1, $2) END")
}

// duckMatchesIn is regexp_matches, true where the pattern matches somewhere.
func duckMatchesIn(c call) string {
	if len(c.args) != 2 && len(c.args) != 3 {
		return ""
	}
	return "(regexp_count(" + strings.Join(c.args, ", ") + ") > 0)" + c.tail
}

var duckBackReference = regexp.MustCompile(`\\(\d)`)

// duckReplaceOnce is regexp_replace: it replaces the first match without the flag g, and \1 in
// the replacement is a group.
func duckReplaceOnce(c call) string {
	if len(c.args) != 3 && len(c.args) != 4 {
		return ""
	}
	if strings.HasPrefix(c.args[2], "'") {
		c.args[2] = duckBackReference.ReplaceAllString(strings.ReplaceAll(c.args[2], "$", `\$`), "$${$1}")
	}
	if len(c.args) == 3 {
		c.args = append(c.args, "'c'")
	}
	return c.text()
}

// duckFieldOf is extract(field FROM time).
func duckFieldOf(c call) string {
	if len(c.args) != 1 {
		return ""
	}
	field, x, ok := cut(c.args[0], "from")
	if !ok {
		return ""
	}
	return "duck_part_of('" + strings.Trim(field, "'\"") + "', " + x + ")" + c.tail
}

// duckMakeTimestamp makes a wall clock, of parts or of the microseconds since 1970.
func duckMakeTimestamp(c call) string {
	if len(c.args) == 1 {
		return c.fill("(TIMESTAMP_NTZ '1970-01-01 00:00:00' + to_microseconds($1))")
	}
	c.name = "make_timestamp_ntz"
	return c.text()
}

// duckMakeInstant is make_timestamptz, to which the year before 1 is -1, and whose months go on
// into other years.
func duckMakeInstant(c call) string {
	if len(c.args) < 6 {
		return ""
	}
	y, m := "("+c.args[0]+")", "("+c.args[1]+")"
	year := "(CASE WHEN " + y + " < 0 THEN " + y + " + 1 ELSE " + y + " END)"
	c.args[0], c.args[1] = "CAST("+year+" + floor(("+m+" - 1) / 12.0) AS INT)", "(pmod("+m+" - 1, 12) + 1)"
	return c.text()
}

var duckUnitNames = map[string]string{"'dow'": "'day'", "'isodow'": "'day'", "'doy'": "'day'", "'julian'": "'day'", "'dayofweek'": "'day'", "'dayofyear'": "'day'",
	"'weekday'": "'day'", "'dayofmonth'": "'day'", "'yearweek'": "'week'", "'weekofyear'": "'week'", "'epoch'": "'second'", "'millenium'": "'millennium'"}

// duckByUnit is a function of a unit: a field of a time stands for the unit that it counts.
func duckByUnit(c call) string {
	if len(c.args) == 0 {
		return ""
	}
	if f := strings.ToLower(c.args[0]); len(c.args) == 3 && strings.Contains(strings.ToLower(c.name), "diff") && (f == "'era'" || f == "'isoyear'") {
		return c.fill("(CAST(duck_part_of(" + f + ", $3) AS BIGINT) - duck_part_of(" + f + ", $2))")
	}
	if duckUnitNames[strings.ToLower(c.args[0])] == "" {
		return ""
	}
	c.args[0] = duckUnitNames[strings.ToLower(c.args[0])]
	return c.text()
}

// duckSeriesAsList makes generate_series of an expression an array where it would make rows.
func duckSeriesAsList(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i+1 < len(toks); i++ {
		if toks[i].is("generate_series") && toks[i+1].text == "(" && !toks[i-1].is("as") && !afterFrom(toks, i) {
			if end := closing(toks, i+1); end < len(toks) {
				e.replace(toks[i].start, toks[i].start, "coalesce(")
				e.replace(toks[end].end, toks[end].end, ", NULL)")
			}
		}
	}
	return e.done()
}

var duckBlobEscape = regexp.MustCompile(`\\x([0-9a-fA-F]{2})`)

// duckBlobs writes literals of BLOB, whose bytes may be \xFF, in hexadecimal: '…'::BLOB,
// CAST('…' AS BLOB) and BLOB '…'.
func duckBlobs(sql string) string {
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
			e.replace(toks[i-1].start, t.end, duckHexLiteral(t.text))
		case cast:
			e.replace(t.start, t.end, duckHexLiteral(t.text))
		}
	}
	return e.done()
}

func duckHexLiteral(quoted string) string {
	var out strings.Builder
	s := strings.ReplaceAll(quoted[1:len(quoted)-1], "''", "'")
	for len(s) > 0 {
		if m := duckBlobEscape.FindStringSubmatch(s); m != nil && strings.HasPrefix(s, m[0]) {
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
