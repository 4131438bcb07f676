package op

import (
	"github.com/sqlstream/sqlstream/exec/vec"
)

// expansion repeats input rows: output row i comes from input row rows[i].
type expansion struct {
	rows    []int32
	weights []int64
	origin  []int32
	cols    []*vec.Vector
	out     vec.Batch
}

func (x *expansion) reset() { x.rows = x.rows[:0] }

// emit hands on the repeated rows of b with extra columns, in batches of about
// vec.BatchSize. extra gives the extra columns for output rows from to to.
func (x *expansion) emit(b *vec.Batch, extra func(from, to int, cols []*vec.Vector) []*vec.Vector, emit func(*vec.Batch) error) error {
	for from := 0; from < len(x.rows); {
		to := min(from+vec.BatchSize, len(x.rows))
		x.fill(b, x.rows[from:to])
		x.out.Cols = extra(from, to, x.cols)
		if err := emit(&x.out); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (x *expansion) fill(b *vec.Batch, rows []int32) {
	x.cols = x.cols[:0]
	for _, c := range b.Cols {
		x.cols = append(x.cols, vec.Gather(c, rows))
	}
	x.out = vec.Batch{N: len(rows), Fates: b.Fates}
	if b.W != nil {
		x.weights = x.weights[:0]
		for _, r := range rows {
			x.weights = append(x.weights, b.W[r])
		}
		x.out.W = x.weights
	}
	if b.Fates == nil {
		return
	}
	x.origin = x.origin[:0]
	for _, r := range rows {
		if b.Origin != nil {
			r = b.Origin[r]
		}
		x.origin = append(x.origin, r)
	}
	x.out.Origin = x.origin
}

// eachRow calls f with every row of b that counts.
func eachRow(b *vec.Batch, f func(i, row int)) {
	if b.Sel == nil {
		for r := range b.N {
			f(r, r)
		}
		return
	}
	for i, r := range b.Sel {
		f(i, int(r))
	}
}
