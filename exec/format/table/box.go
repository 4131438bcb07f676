package table

import (
	"slices"
	"strconv"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// boxWindow is how many rows a box looks at before it fixes the widths of its columns.
const boxWindow = 1000

// Box prints rows in a frame, with the types under the names, as a shell shows a
// result. The first rows fix the widths and wait in memory; the rest passes through, a
// wider cell pushing its line out of the frame rather than losing text.
type Box struct {
	t     *Table
	types []string
	width []int // fixed when the head is printed; nil before
	n     int64
}

// NewBox returns a box without rows; null is how NULL is shown.
func NewBox(cols []types.Column, zone *time.Location, null string) *Box {
	b := &Box{t: New(cols, zone, 0)}
	b.t.null = clean(nil, []byte(null))
	for i, c := range cols {
		name := c.Type.String()
		b.types = append(b.types, name)
		b.t.width[i] = max(b.t.width[i], runewidth.StringWidth(name))
	}
	return b
}

// Add takes one row and appends to dst what can be printed by now.
func (b *Box) Add(dst []byte, cols []*vec.Vector, row int) []byte {
	b.t.Add(cols, row)
	b.n++
	if b.width != nil || b.t.Rows() >= boxWindow {
		dst = b.drain(dst)
	}
	return dst
}

// Close appends the rest: rows that waited, the frame, the number of rows.
func (b *Box) Close(dst []byte) []byte {
	dst = b.rule(b.drain(dst), "└", "┴", "┘")
	if b.n == 1 {
		return append(dst, "(1 row)\n"...)
	}
	return append(strconv.AppendInt(append(dst, '('), b.n, 10), " rows)\n"...)
}

// drain prints the rows in memory, after the head if that is still missing.
func (b *Box) drain(dst []byte) []byte {
	if b.width == nil {
		b.width = slices.Clone(b.t.width)
		dst = b.head(dst)
	}
	t, from := b.t, 0
	for k, end := range t.ends {
		i := k % len(t.names)
		dst = b.cell(dst, i, t.buf[from:end], t.widths[k], t.right[i])
		from = end
	}
	t.buf, t.ends, t.widths = t.buf[:0], t.ends[:0], t.widths[:0]
	return dst
}

func (b *Box) head(dst []byte) []byte {
	dst = b.rule(dst, "┌", "┬", "┐")
	for i, name := range b.t.names {
		dst = b.cell(dst, i, []byte(name), runewidth.StringWidth(name), b.t.right[i])
	}
	for i, name := range b.types {
		dst = b.cell(dst, i, []byte(name), runewidth.StringWidth(name), b.t.right[i])
	}
	return b.rule(dst, "├", "┼", "┤")
}

func (b *Box) rule(dst []byte, left, middle, right string) []byte {
	dst = append(dst, left...)
	for i, w := range b.width {
		if i > 0 {
			dst = append(dst, middle...)
		}
		for range w + 2 {
			dst = append(dst, "─"...)
		}
	}
	return append(append(dst, right...), '\n')
}

func (b *Box) cell(dst []byte, i int, text []byte, w int, right bool) []byte {
	dst = append(dst, "│ "...)
	if right {
		dst = pad(dst, b.width[i]-w)
	}
	dst = append(dst, text...)
	if !right {
		dst = pad(dst, b.width[i]-w)
	}
	dst = append(dst, ' ')
	if i == len(b.t.names)-1 {
		dst = append(dst, "│\n"...)
	}
	return dst
}
