package conformance

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// unicodeLiteral is U&'…' or U&"…", with the character that begins its escapes.
var unicodeLiteral = regexp.MustCompile(`(?i)\bU&('(?:[^']|'')*'|"(?:[^"]|"")*")(?:\s+UESCAPE\s+'(.)')?`)

// unicodeTexts writes literals and names with escapes of characters by their characters.
func unicodeTexts(sql string) string {
	return unicodeLiteral.ReplaceAllStringFunc(sql, func(lit string) string {
		m := unicodeLiteral.FindStringSubmatch(lit)
		mark := m[2]
		if mark == "" {
			mark = `\`
		}
		return fromEscapes(m[1], mark)
	})
}

// fromEscapes reads \XXXX, \+XXXXXX and the doubled mark.
func fromEscapes(s, mark string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		rest := s[i:]
		if !strings.HasPrefix(rest, mark) {
			out.WriteByte(s[i])
			i++
			continue
		}
		digits, skip := 4, len(mark)
		switch {
		case strings.HasPrefix(rest[len(mark):], mark):
			out.WriteString(mark)
			i += 2 * len(mark)
			continue
		case strings.HasPrefix(rest[len(mark):], "+"):
			digits, skip = 6, skip+1
		}
		n, err := strconv.ParseUint(rest[min(skip, len(rest)):min(skip+digits, len(rest))], 16, 32)
		if err != nil {
			out.WriteString(mark)
			i += len(mark)
			continue
		}
		out.WriteRune(rune(n))
		i += skip + digits
	}
	return out.String()
}

// millisIn writes whole numbers in the places of TIMESTAMP columns as times in ms.
func (t *table) millisIn(columns []string, body string) string {
	toks := tokens(body)
	e := edits{sql: body}
	eachInserted(toks, func(col, i int) {
		x := toks[i]
		if x.kind == number && columns == nil && col < len(t.relation.Columns) && t.relation.Columns[col].Type.Kind == types.Timestamp &&
			i > 0 && i+1 < len(toks) && (toks[i-1].text == "(" || toks[i-1].text == ",") && (toks[i+1].text == ")" || toks[i+1].text == ",") {
			e.replace(x.start, x.end, "timestamp_millis("+x.text+")")
		}
	})
	return e.done()
}
