// Package table owns the printing of rows as an aligned text table, for people. It is
// no format: nothing reads it back. Columns are as wide as what they hold, counted in
// terminal cells, so a table is complete before it is printed. Open this file first.
package table

import (
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Table collects rows.
type Table struct {
	zone     *time.Location
	truncate int
	null     []byte
	names    []string
	right    []bool // numbers stand at the right
	width    []int
	buf      []byte // all cells, one after the other
	ends     []int  // where each cell ends in buf
	widths   []int  // of each cell
}

// New returns an empty table. Cells wider than truncate are cut; 0 = never.
func New(cols []types.Column, zone *time.Location, truncate int) *Table {
	t := &Table{zone: zone, truncate: truncate, null: []byte("NULL")}
	for _, c := range cols {
		name := string(clean(nil, []byte(c.Name)))
		t.names = append(t.names, name)
		t.right = append(t.right, c.Type.IsNumeric())
		t.width = append(t.width, runewidth.StringWidth(name))
	}
	return t
}

// Rows is the number of rows so far.
func (t *Table) Rows() int {
	if len(t.names) == 0 {
		return 0
	}
	return len(t.ends) / len(t.names)
}

// Add appends one row, whose columns are those of the table.
func (t *Table) Add(cols []*vec.Vector, row int) {
	for i, c := range cols {
		from := len(t.buf)
		switch {
		case c.IsNull(row):
			t.buf = append(t.buf, t.null...)
		case c.Type.Kind == types.String:
			t.buf = clean(t.buf, c.Bytes(row))
		default:
			t.buf = clean(t.buf, vec.AppendText(nil, c, row, t.zone))
		}
		w := t.cut(from)
		t.ends, t.widths = append(t.ends, len(t.buf)), append(t.widths, w)
		t.width[i] = max(t.width[i], w)
	}
}

// cut shortens the cell that begins at from, and returns its width.
func (t *Table) cut(from int) int {
	w := 0
	for at := from; at < len(t.buf); {
		r, n := utf8.DecodeRune(t.buf[at:])
		rw := runewidth.RuneWidth(r)
		if t.truncate > 0 && w+rw > t.truncate-1 && runewidth.StringWidth(string(t.buf[at:])) > t.truncate-w {
			t.buf = append(t.buf[:at], "…"...)
			return w + 1
		}
		w, at = w+rw, at+n
	}
	return w
}

// clean appends text with line breaks and other control characters escaped: a row stays
// on its line, and data gives the terminal no orders.
func clean(dst, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == utf8.RuneError && n == 1 || unicode.IsControl(r):
			dst = append(dst, `\x`...)
			dst = append(dst, strconv.FormatUint(uint64(text[0])+0x100, 16)[1:]...)
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// Append appends the printed table: names, a rule, the rows.
func (t *Table) Append(dst []byte) []byte {
	for i, name := range t.names {
		dst = t.cell(dst, i, []byte(name), runewidth.StringWidth(name), false)
	}
	dst = append(dst, '\n')
	for i, w := range t.width {
		if i > 0 {
			dst = append(dst, '+')
		}
		for range w + 2 {
			dst = append(dst, '-')
		}
	}
	dst = append(dst, '\n')
	from := 0
	for k, end := range t.ends {
		i := k % len(t.names)
		dst = t.cell(dst, i, t.buf[from:end], t.widths[k], t.right[i])
		if i == len(t.names)-1 {
			dst = append(dst, '\n')
		}
		from = end
	}
	return dst
}

// cell appends " text " with the column's separator; nothing is filled up at the end
// of a line.
func (t *Table) cell(dst []byte, i int, text []byte, w int, right bool) []byte {
	if i > 0 {
		dst = append(dst, '|')
	}
	dst = append(dst, ' ')
	if right {
		dst = pad(dst, t.width[i]-w)
	}
	dst = append(dst, text...)
	if i == len(t.names)-1 {
		return dst
	}
	if !right {
		dst = pad(dst, t.width[i]-w)
	}
	return append(dst, ' ')
}

func pad(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
