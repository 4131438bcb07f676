package output

import (
	"strconv"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// vertical writes each value on a line of its own, after the name of its column.
type vertical struct {
	cols  []types.Column
	o     *Options
	null  []byte
	width int
	n     int64
}

func newVertical(cols []types.Column, o *Options) *vertical {
	v := &vertical{cols: cols, o: o, null: []byte(o.null("NULL"))}
	for _, c := range cols {
		v.width = max(v.width, utf8.RuneCountInString(c.Name))
	}
	return v
}

func (v *vertical) head(dst []byte) []byte { return dst }

func (v *vertical) row(dst []byte, cols []*vec.Vector, row int) []byte {
	v.n++
	dst = append(dst, "-[ row "...)
	dst = append(strconv.AppendInt(dst, v.n, 10), " ]-\n"...)
	for i, c := range cols {
		name := v.cols[i].Name
		dst = append(dst, name...)
		for range v.width - utf8.RuneCountInString(name) {
			dst = append(dst, ' ')
		}
		dst = append(dst, " | "...)
		if c.IsNull(row) {
			dst = append(dst, v.null...)
		} else {
			dst = vec.AppendText(dst, c, row, v.o.Zone)
		}
		dst = append(dst, '\n')
	}
	return dst
}

func (v *vertical) foot(dst []byte) []byte { return dst }
