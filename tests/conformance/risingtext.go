package conformance

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// risingForms are respellings of the suite that look at tokens.
var risingForms = []func(string) string{flatUnnest, withoutWindowTime, byteaLiterals, secondsAlone, partsFromOne, nameSeries(true), withoutPublic, callsOf(risingOperators, true), withRoots, rowFields, risingWholes}

// byteaLiterals writes literals of BYTEA, '…'::bytea, in hexadecimal.
func byteaLiterals(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		if hex, ok := typedBytea(toks, i); ok {
			e.replace(toks[i-1].start, t.end, hex)
			continue
		}
		if t.kind != text || i+2 >= len(toks) || toks[i+1].text != "::" || !toks[i+2].is("bytea") {
			continue
		}
		if hex, ok := byteaText(t.text); ok {
			e.replace(t.start, t.end, hex)
		}
	}
	return e.done()
}

// typedBytea is the literal at i if BYTEA stands before it.
func typedBytea(toks []token, i int) (string, bool) {
	if i == 0 || toks[i].kind != text || !toks[i-1].is("bytea") {
		return "", false
	}
	return byteaText(toks[i].text)
}

// byteaText is a literal as BYTEA reads it: \x and digits in pairs, or characters with \\ and \123.
func byteaText(quoted string) (string, bool) {
	if quoted[0] != '\'' {
		return "", false
	}
	s := strings.ReplaceAll(quoted[1:len(quoted)-1], "''", "'")
	if digits, ok := strings.CutPrefix(s, `\x`); ok {
		digits = strings.Join(strings.Fields(digits), "")
		if strings.Trim(digits, "0123456789abcdefABCDEF") != "" || len(digits)%2 != 0 {
			return "raise_error('not BYTEA')", true
		}
		return "X'" + digits + "'", true
	}
	if !strings.Contains(s, `\`) {
		return "", false
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				c, i = byte(n), i+3
			}
		}
		if c == '\\' && i+1 < len(s) && s[i+1] == '\\' {
			i++
		}
		out.WriteString(strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:]))
	}
	return "X'" + out.String() + "'", true
}

// byteaIn writes the literals of BYTEA columns in the values of INSERT.
func (w *world) byteaIn(t *table, columns []string, body string) string {
	if w.d.flavor != postgresText {
		return body
	}
	toks := tokens(body)
	e := edits{sql: body}
	eachInserted(toks, func(col, i int) {
		if x := toks[i]; x.kind == text && (i+1 >= len(toks) || toks[i+1].text != "::") && t.typeOf(columns, col).Kind == types.Bytes {
			if hex, ok := byteaText(x.text); ok {
				e.replace(x.start, x.end, hex)
			}
		}
	})
	return e.done()
}

// typeOf is the type of the i-th column of an INSERT.
func (t *table) typeOf(columns []string, i int) types.Type {
	for k, c := range t.relation.Columns {
		if columns == nil && k == i || i < len(columns) && strings.EqualFold(columns[i], c.Name) {
			return c.Type
		}
	}
	return types.Type{}
}

var (
	unitWordAny = regexp.MustCompile(`(?i)^(years?|quarters?|mons?|months?|weeks?|days?|hours?|minutes?|mins?|seconds?|secs?|milliseconds?|microseconds?)$`)
	bareNumber  = regexp.MustCompile(`^'\s*[+-]?\d+(\.\d+)?\s*'$`)
	bareEnd     = regexp.MustCompile(`([a-z] [+-]?\d+)\s*'$`)
)

// secondsAlone writes the unit of an interval that has none: seconds.
func secondsAlone(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		if t.kind != text {
			continue
		}
		literal := i > 0 && toks[i-1].is("interval") && (i+1 == len(toks) || !unitWordAny.MatchString(toks[i+1].text))
		if !literal && !(i+2 < len(toks) && toks[i+1].text == "::" && toks[i+2].is("interval")) {
			continue
		}
		if bareNumber.MatchString(t.text) {
			e.replace(t.end-1, t.end, " seconds'")
		} else if bareEnd.MatchString(t.text) {
			e.replace(t.start, t.end, bareEnd.ReplaceAllString(t.text, "$1 seconds'"))
		}
	}
	return e.done()
}

// partsFromOne spells subscripts before the first element, which count from the end here: an
// element is not there, a part begins with the first one.
func partsFromOne(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 1; i < len(toks); i++ {
		if toks[i].text != "[" || toks[i-1].text == "(" || toks[i-1].text == "," || toks[i-1].is("array") || toks[i-1].text == "[" {
			continue
		}
		end := closing(toks, i)
		parts := [2][]token{toks[i+1 : end]}
		colon := -1
		for k := i + 1; k < end; k++ {
			if toks[k].text == ":" && toks[k].depth == toks[i].depth+1 {
				colon = k
				parts = [2][]token{toks[i+1 : k], toks[k+1 : end]}
			}
		}
		for n, p := range parts {
			v, err := strconv.ParseInt(strings.Join(strings.Fields(span(sql, p)), ""), 10, 64)
			if err != nil || v > 0 {
				continue
			}
			with := map[bool]string{true: "2147483647", false: []string{"1", "0"}[n]}[colon < 0]
			e.replace(p[0].start, p[len(p)-1].end, with)
		}
	}
	return e.done()
}

// withoutPublic leaves out the schema public, which all tables are in.
func withoutPublic(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].is("public") && toks[i+1].text == "." && (i == 0 || toks[i-1].text != ".") && !hasWords(toks, toks[i+2].text, "as", "(") {
			e.replace(toks[i].start, toks[i+1].end, "")
		}
	}
	return e.done()
}
