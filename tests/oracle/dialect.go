package oracle

import (
	"fmt"
	"regexp"
	"strings"
)

// dialect turns Spark's SQL into ours. These are all the differences of spelling that
// a case may have; each is one that our messages or reference tell a Spark user:
//
//   - "text" is a string in Spark, a name here: it becomes 'text'.
//   - \n, \' and \uXXXX in a string are escapes in Spark, text here: they become what
//     they mean; r'…' is taken as written; two strings side by side are joined.
//   - AS select: a reserved word as an alias is quoted here.
//   - a ^ b is refused here because systems disagree on it: it becomes xor(a, b).
//   - a >>> b becomes shiftrightunsigned(a, b).
//   - dropDuplicates and its kin are calls on a data frame in Spark: table functions here.
//
// The zero value does only that; the fields are used by deviations that rewrite what
// was refused.
type dialect struct {
	fromZero bool // D11: a[0] becomes get(a, 0)
}

// piece is a part of SQL text: a string literal, or something else.
type piece struct {
	text   string // a string's value, or the text as it is
	string bool
}

// query rewrites a query.
func (d dialect) query(sql string) string {
	var b strings.Builder
	for _, p := range joined(pieces(sql)) {
		if p.string {
			b.WriteString("'" + strings.ReplaceAll(p.text, "'", "''") + "'")
			continue
		}
		b.WriteString(d.outside(p.text))
	}
	return b.String()
}

// pieces cuts text at its strings.
func pieces(sql string) []piece {
	var out []piece
	from := 0
	for i := 0; i < len(sql); {
		c := sql[i]
		raw := (c == 'r' || c == 'R') && i+1 < len(sql) && (sql[i+1] == '\'' || sql[i+1] == '"') && !wordBefore(sql, i)
		switch {
		case c == '`':
			i = skipQuoted(sql, i)
		case c == '\'' || c == '"' || raw:
			if hexBefore(sql, i) {
				i = skipQuoted(sql, i)
				continue
			}
			start := i
			if raw {
				i++
			}
			var text string
			text, i = literal(sql, i, raw)
			out = append(out, piece{text: sql[from:start]}, piece{text: text, string: true})
			from = i
		default:
			i++
		}
	}
	return append(out, piece{text: sql[from:]})
}

func wordBefore(sql string, i int) bool {
	return i > 0 && (sql[i-1] == '_' || sql[i-1] >= 'a' && sql[i-1] <= 'z' || sql[i-1] >= 'A' && sql[i-1] <= 'Z' || sql[i-1] >= '0' && sql[i-1] <= '9')
}

// hexBefore reports X'…', which is taken as it is.
func hexBefore(sql string, i int) bool {
	return i > 0 && (sql[i-1] == 'X' || sql[i-1] == 'x') && !wordBefore(sql, i-1)
}

func skipQuoted(sql string, i int) int {
	q := sql[i]
	for i++; i < len(sql); i++ {
		if sql[i] == q {
			return i + 1
		}
	}
	return i
}

// literal reads a Spark string from its quote on.
func literal(sql string, i int, raw bool) (string, int) {
	q := sql[i]
	var b strings.Builder
	for i++; i < len(sql); i++ {
		switch c := sql[i]; {
		case c == q && i+1 < len(sql) && sql[i+1] == q && !raw:
			b.WriteByte(q)
			i++
		case c == q:
			return b.String(), i + 1
		case c == '\\' && !raw && i+1 < len(sql):
			i++
			b.WriteString(escape(sql[i]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), i
}

func escape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '0':
		return "\x00"
	case '%', '_':
		return "\\" + string(c)
	}
	return string(c)
}

// joined puts strings side by side into one.
func joined(list []piece) []piece {
	var out []piece
	for _, p := range list {
		n := len(out)
		if p.string && n > 1 && !out[n-1].string && strings.TrimSpace(out[n-1].text) == "" && out[n-2].string {
			out = out[:n-1]
			out[n-2].text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}

var (
	reservedAlias = regexp.MustCompile(`(?i)\bAS\s+(select|from|where|group|order|having|join|union|table)\b`)
	shift         = regexp.MustCompile(`(\w+)\s*>>>\s*(\w+)`)
	caret         = regexp.MustCompile(`(\w+)\s*\^\s*(\w+)`)
	indexed       = regexp.MustCompile(`\b(\w+)\[(\d+)\]`)
)

func (d dialect) outside(text string) string {
	text = reservedAlias.ReplaceAllString(text, "AS `$1`")
	text = shift.ReplaceAllString(text, "shiftrightunsigned($1, $2)")
	text = caret.ReplaceAllString(text, "xor($1, $2)")
	if d.fromZero {
		text = indexed.ReplaceAllString(text, "get($1, $2)")
	}
	return text
}

// name quotes a name.
func name(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

// quote writes a string.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// define is the statement that declares a source or a static table.
func (s *Source) define(options string) string {
	var parts []string
	for _, c := range s.Schema {
		parts = append(parts, name(c[0])+" "+c[1])
	}
	kind := "SOURCE"
	if s.Static {
		kind = "TABLE"
	} else if s.Watermark != nil {
		parts = append(parts, fmt.Sprintf("WATERMARK %s DELAY %s", name(s.Watermark.Column), quote(s.Watermark.Delay)))
	}
	return fmt.Sprintf("CREATE %s %s (%s)%s", kind, name(s.Name), strings.Join(parts, ", "), options)
}

// define is the statement that makes the view of a step.
func (s *Step) define(d dialect) (string, error) {
	q := ""
	switch s.API {
	case "":
		q = d.query(s.SQL)
	case "withWatermark":
		q = fmt.Sprintf("SELECT * FROM %s WATERMARK %s DELAY %s", name(s.From), name(s.Column), quote(s.Delay))
	case "dropDuplicates", "dropDuplicatesWithinWatermark":
		fn := map[string]string{"dropDuplicates": "drop_duplicates", "dropDuplicatesWithinWatermark": "drop_duplicates_within_watermark"}[s.API]
		cols := make([]string, len(s.Cols))
		for i, c := range s.Cols {
			cols[i] = name(c)
		}
		descriptor := ""
		if len(cols) > 0 {
			descriptor = ", DESCRIPTOR(" + strings.Join(cols, ", ") + ")"
		}
		q = fmt.Sprintf("SELECT * FROM %s(TABLE %s%s)", fn, name(s.From), descriptor)
	case "limit":
		q = fmt.Sprintf("SELECT * FROM %s LIMIT %d", name(s.From), s.N)
	default:
		return "", fmt.Errorf("step %q: unknown api %q", s.View, s.API)
	}
	return fmt.Sprintf("CREATE VIEW %s AS %s", name(s.View), q), nil
}

// selectItems cuts the select list of a query at its commas.
func selectItems(sql string) []string {
	from := strings.Index(strings.ToUpper(sql), "SELECT ")
	if from < 0 {
		return nil
	}
	var out []string
	depth, start := 0, from+len("SELECT ")
	for i := start; i < len(sql); i++ {
		switch c := sql[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out, start = append(out, sql[start:i]), i+1
		case depth == 0 && strings.HasPrefix(strings.ToUpper(sql[i:]), " FROM "):
			return append(out, sql[start:i])
		}
	}
	return append(out, sql[start:])
}
