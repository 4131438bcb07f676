package op

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// hop appends the start of a window to each row, once for each window that holds it.
type hop struct {
	time                int
	size, slide, offset int64
	x                   expansion
	starts              []int64
	typ                 types.Type
}

// NewHop returns the operator. Windows are [start, start + size), starts are offset
// plus multiples of slide, all in µs; rows with a NULL time come to nothing. typ is
// the type of the start.
func NewHop(time int, size, slide, offset int64, typ types.Type) Op {
	return &hop{time: time, size: size, slide: slide, offset: offset, typ: typ}
}

// Process implements Op.
func (h *hop) Process(_ *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	h.x.reset()
	h.starts = h.starts[:0]
	ts := b.Cols[h.time]
	eachRow(b, func(_, row int) {
		if ts.IsNull(row) {
			return
		}
		t := ts.Int(row)
		last := types.FloorDiv(t-h.offset, h.slide)*h.slide + h.offset
		for s := first(last, t, h.size, h.slide); s <= last; s += h.slide {
			h.x.rows = append(h.x.rows, int32(row))
			h.starts = append(h.starts, s)
		}
	})
	return h.x.emit(b, func(from, to int, cols []*vec.Vector) []*vec.Vector {
		return append(cols, vec.FromInts(h.typ, h.starts[from:to]))
	}, emit)
}

// first is the start of the earliest window that holds t; there is none if it lies
// behind last (windows with gaps).
func first(last, t, size, slide int64) int64 {
	return last - types.FloorDiv(last+size-t-1, slide)*slide
}
