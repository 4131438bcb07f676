package random

import (
	"math"
	"math/rand/v2"

	"github.com/sqlstream/sqlstream/incremental/reference"
)

// history draws the triggers. Event time moves on by stride a trigger, with a disorder
// around it. If rows must not be late, the delay of the watermark is at least the
// greatest distance between two rows in the wrong order, and deletions take rows that
// the watermark has not passed.
func (c *Case) history(r *rand.Rand) {
	stride := []int64{0, 10, 25, 60}[r.IntN(4)]
	disorder := []int64{0, 5, 10, 30}[r.IntN(4)]
	patient := r.IntN(3) == 0 // so that everything can be deleted at the end
	for i := range c.Sources {
		s := &c.Sources[i]
		s.Delay = 2*disorder + int64(r.IntN(2))*10
		if c.Late {
			s.Delay = disorder / 2
		}
		if s.Keyed || patient && !c.Late { // a row of any age may be replaced
			s.Delay = 100_000
		}
	}
	nulls := r.IntN(5) < 3
	h := make([]*feed, len(c.Sources))
	for i, s := range c.Sources {
		h[i] = &feed{r: r, src: s, late: c.Late, nulls: nulls, mark: math.MinInt64}
	}
	for n := range 1 + r.IntN(6) {
		st := Step{Cut: []int{1, 2, 100}[r.IntN(3)], Restart: r.IntN(4) == 0}
		base := c.Start + int64(n)*stride*minute
		for _, f := range h {
			st.Changes = append(st.Changes, f.trigger(base, disorder))
		}
		c.Steps = append(c.Steps, st)
	}
}

// feed draws the changes of one source.
type feed struct {
	r     *rand.Rand
	src   Source
	late  bool
	nulls bool // some times are NULL
	live  [][]any
	mark  int64 // watermark so far
}

func (f *feed) trigger(base, disorder int64) []reference.Change {
	if f.r.IntN(6) == 0 {
		return nil
	}
	var out []reference.Change
	for range f.r.IntN(10) {
		out = append(out, f.change(base, disorder))
		if f.r.IntN(6) == 0 && out[len(out)-1].Weight > 0 { // a duplicate
			out = append(out, out[len(out)-1])
			f.live = append(f.live, out[len(out)-1].Values)
		}
	}
	for _, c := range out {
		if t, ok := c.Values[timeColumn].(int64); ok {
			f.mark = max(f.mark, t-f.src.Delay*minute)
		}
	}
	return out
}

// timeColumn is the place of ts among sourceColumns.
const timeColumn = 6

func (f *feed) change(base, disorder int64) reference.Change {
	if f.src.Changelog && f.r.IntN(10) < 5 {
		if i := f.victim(); i >= 0 {
			row := f.live[i]
			f.live = append(f.live[:i:i], f.live[i+1:]...)
			return reference.Change{Values: row, Weight: -1}
		}
	}
	var row []any
	for _, c := range sourceColumns() {
		row = append(row, drawValue(f.r, c.kind))
	}
	row[timeColumn] = f.time(base, disorder)
	if f.src.Keyed && row[0] == nil {
		row[0] = int64(0)
	}
	if f.src.Changelog {
		f.live = append(f.live, row)
	}
	return reference.Change{Values: row, Weight: 1}
}

// time is near base, often on a boundary, NULL in one of six.
func (f *feed) time(base, disorder int64) any {
	if f.nulls && f.r.IntN(6) == 0 {
		return nil
	}
	off := []int64{0, 0, 5, 10, -5, -10, disorder, -disorder}[f.r.IntN(8)]
	off = max(min(off, disorder), -disorder)
	t := base + off*minute
	if f.r.IntN(8) == 0 && off > -disorder {
		t-- // the last moment before the boundary
	}
	return t
}

// victim chooses a row to delete, −1 if there is none that is on time.
func (f *feed) victim() int {
	for range 4 {
		if len(f.live) == 0 {
			return -1
		}
		i := f.r.IntN(len(f.live))
		if t, ok := f.live[i][timeColumn].(int64); f.late || !ok || t >= f.mark {
			return i
		}
	}
	return -1
}
