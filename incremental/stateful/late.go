package stateful

import (
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// lateFilter refuses the rows of an input that are below the frontier of the trigger
// before: it marks, counts and reports them.
type lateFilter struct {
	name string // of the operator
	col  int    // that carries the frontier, −1 = nothing is late
	sel  []int32
	lost []int32
	n    int64
}

// onTime selects the rows that are not late, nil for all. NULL is never late.
func (f *lateFilter) onTime(t *Trigger, b *vec.Batch, bound int64) ([]int32, error) {
	if f.col < 0 || bound == NoFrontier {
		b.MarkAll(vec.Contributed)
		return b.Sel, nil
	}
	v := b.Cols[f.col]
	f.sel, f.lost = growZero(f.sel, b.N)[:0], f.lost[:0]
	for i := range b.Rows() {
		r := b.Row(i)
		if !v.IsNull(r) && late(v.Int(r), bound) {
			f.lost = append(f.lost, int32(r))
			b.Mark(r, vec.Late)
			continue
		}
		f.sel = append(f.sel, int32(r))
		b.Mark(r, vec.Contributed)
	}
	f.n += int64(len(f.lost))
	if len(f.lost) > 0 && t.Late != nil {
		return f.sel, t.Late(f.name, b, f.lost)
	}
	return f.sel, nil
}

// taken is the number of late rows since the last call.
func (f *lateFilter) taken() int64 {
	n := f.n
	f.n = 0
	return n
}

// late tells whether a value lies below a bound. A row at the bound is on time.
func late(x, bound int64) bool {
	if mutant.On("rows at the watermark are late") {
		return x <= bound
	}
	return x < bound
}
