package output

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// markdown is a table for documents.
type markdown struct {
	cols []types.Column
	o    *Options
	null []byte
	cell []byte
}

func newMarkdown(cols []types.Column, o *Options) *markdown {
	return &markdown{cols: cols, o: o, null: []byte(o.null("NULL"))}
}

func (m *markdown) head(dst []byte) []byte {
	for _, c := range m.cols {
		dst = appendCell(append(dst, "| "...), []byte(c.Name))
		dst = append(dst, ' ')
	}
	dst = append(dst, "|\n"...)
	for _, c := range m.cols {
		if c.Type.IsNumeric() {
			dst = append(dst, "|--:"...)
		} else {
			dst = append(dst, "|---"...)
		}
	}
	return append(dst, "|\n"...)
}

func (m *markdown) row(dst []byte, cols []*vec.Vector, row int) []byte {
	for _, c := range cols {
		dst = append(dst, "| "...)
		if c.IsNull(row) {
			dst = append(dst, m.null...)
		} else {
			m.cell = vec.AppendText(m.cell[:0], c, row, m.o.Zone)
			dst = appendCell(dst, m.cell)
		}
		dst = append(dst, ' ')
	}
	return append(dst, "|\n"...)
}

func (m *markdown) foot(dst []byte) []byte { return dst }

// appendCell appends text that stays in its cell.
func appendCell(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '|':
			dst = append(dst, `\|`...)
		case '\n':
			dst = append(dst, "<br>"...)
		case '\r':
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
