package op

import (
	"time"

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
// plus multiples of slide, all in µs; infinity has a window of its own, and rows with a NULL
// time come to nothing. typ is the type of the start.
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
		if h.typ.Kind.Infinite(t) != 0 {
			h.x.rows, h.starts = append(h.x.rows, int32(row)), append(h.starts, t)
			return
		}
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

// windows appends what tells a window to each row, once for each window that holds it.
type windows struct {
	time  int
	of    func(zone *time.Location, t int64, dst []int64) []int64
	local bool
	x     expansion
	found []int64
	typ   types.Type
}

// NewWindows returns the operator for windows that of lists: one value each. Rows with a
// NULL time come to nothing. typ is the type of the time; of clock readings there is no
// zone.
func NewWindows(col int, of func(zone *time.Location, t int64, dst []int64) []int64, typ types.Type) Op {
	return &windows{time: col, of: of, typ: typ, local: typ.Kind == types.Timestamp}
}

// Process implements Op.
func (w *windows) Process(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	w.x.reset()
	w.found = w.found[:0]
	zone := c.Zone
	if !w.local || zone == time.UTC {
		zone = nil
	}
	ts := b.Cols[w.time]
	eachRow(b, func(_, row int) {
		if ts.IsNull(row) {
			return
		}
		n := len(w.found)
		w.found = w.of(zone, ts.Int(row), w.found)
		for range len(w.found) - n {
			w.x.rows = append(w.x.rows, int32(row))
		}
	})
	return w.x.emit(b, func(from, to int, cols []*vec.Vector) []*vec.Vector {
		return append(cols, vec.FromInts(w.typ, w.found[from:to]))
	}, emit)
}
