package goldentest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// cell is one field of a table in a test file.
type cell struct {
	text   string
	quoted bool // written in quotes: text even if it looks like NULL
}

func (c cell) isNull() bool { return !c.quoted && c.text == "NULL" }

// splitRow cuts a line at its bars. Quoted cells may hold bars; ” is a quote.
func splitRow(line string) ([]cell, error) {
	var out []cell
	for rest := line; ; {
		rest = strings.TrimLeft(rest, " \t")
		if strings.HasPrefix(rest, "'") {
			text, tail, err := unquote(rest)
			if err != nil {
				return nil, err
			}
			out = append(out, cell{text, true})
			tail = strings.TrimLeft(tail, " \t")
			if tail == "" {
				return out, nil
			}
			if tail[0] != '|' {
				return nil, fmt.Errorf("text after the quoted cell '%s': expected a bar", text)
			}
			rest = tail[1:]
			continue
		}
		text, tail, more := strings.Cut(rest, "|")
		out = append(out, cell{strings.TrimSpace(text), false})
		if !more {
			return out, nil
		}
		rest = tail
	}
}

func unquote(s string) (text, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return b.String(), s[i+1:], nil
	}
	return "", "", fmt.Errorf("a quoted cell is never closed: %s", s)
}

// quoteCell writes text as a cell; names are the sources of the file, which would be
// taken for the start of a section.
func quoteCell(s string, lone bool, names []string) string {
	plain := s != "" && s != "NULL" && s != rule && !strings.ContainsAny(s, "|\n\r") && s[0] != '\'' &&
		s[0] != '#' && strings.TrimSpace(s) == s && !(lone && slices.Contains(names, s))
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// layout aligns rows of cells under a header, without trailing blanks.
func layout(rows [][]string) []string {
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	out := make([]string, len(rows))
	for k, r := range rows {
		var b strings.Builder
		for i, c := range r {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(c)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)))
			}
		}
		out[k] = b.String()
	}
	return out
}

// sameTable compares expected lines with got ones, cell by cell: widths are free.
func sameTable(want, got []string) bool {
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		a, errA := splitRow(want[i])
		b, errB := splitRow(got[i])
		if errA != nil || errB != nil || !slices.Equal(a, b) {
			return false
		}
	}
	return true
}
