package diag

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Source is a named text that diagnostics point into.
type Source struct {
	Name string // file name, or "" for text typed by the user
	Text string
}

// Position converts a byte offset into line and column, both from 1; the column
// counts characters, not bytes. Offsets outside the text are clamped.
func (s *Source) Position(offset int) (line, column int) {
	offset = s.clamp(offset)
	before := s.Text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// Slice returns the text of a span.
func (s *Source) Slice(span Span) string {
	start := s.clamp(span.Start)
	return s.Text[start:max(start, s.clamp(span.End))]
}

// Render shows a diagnostic as
//
//	file:line:col: error SQL1010: message
//	  line | source text
//	       |        ^^^^
//	hint: ...
func (s *Source) Render(d *Diagnostic) string {
	var b strings.Builder
	line, column := s.Position(d.Span.Start)
	if s.Name != "" {
		b.WriteString(s.Name + ":")
	}
	fmt.Fprintf(&b, "%d:%d: %s %s: %s\n", line, column, d.Severity, d.Code, d.Message)
	s.renderLine(&b, line, d.Span)
	if d.Hint != "" {
		b.WriteString("hint: " + d.Hint + "\n")
	}
	return b.String()
}

// RenderAll renders a list, one after another.
func (s *Source) RenderAll(list []*Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		b.WriteString(s.Render(d))
	}
	return b.String()
}

func (s *Source) renderLine(b *strings.Builder, line int, span Span) {
	start := s.clamp(span.Start)
	lineStart := strings.LastIndexByte(s.Text[:start], '\n') + 1
	lineEnd := len(s.Text)
	if i := strings.IndexByte(s.Text[start:], '\n'); i >= 0 {
		lineEnd = start + i
	}
	text := strings.TrimRight(s.Text[lineStart:lineEnd], "\r")
	head, text := window(text, start-lineStart)
	number := strconv.Itoa(line)
	fmt.Fprintf(b, "  %s | %s\n", number, text)
	stop := min(max(s.clamp(span.End), start), lineStart+head+len(text))
	width := max(1, columns(s.Text[start:max(start, stop)]))
	pad := blanks(s.Text[lineStart+head : max(start, lineStart+head)])
	fmt.Fprintf(b, "  %s | %s%s\n", blanks(number), pad, strings.Repeat("^", width))
}

// Lines longer than this are cut around the caret.
const maxLine = 200

// window cuts a long line around offset at; head is where the piece starts.
func window(text string, at int) (head int, piece string) {
	if len(text) <= maxLine {
		return 0, text
	}
	head = max(0, at-maxLine/2)
	tail := min(len(text), head+maxLine)
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return head, text[head:tail]
}

func (s *Source) clamp(offset int) int { return max(0, min(offset, len(s.Text))) }

// blanks gives white space as wide as the text, keeping its tabs.
func blanks(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		for range runeWidth(r) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

// runeWidth counts terminal cells: two for East Asian wide characters, none for
// combining marks. A coarse table is enough for a caret.
func runeWidth(r rune) int {
	switch {
	case r >= 0x300 && r <= 0x36f, r == 0x200d, r == 0xfeff:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
