package op

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// UnnestConfig describes an Unnest.
type UnnestConfig struct {
	Gen        fn.GenImpl
	Args       []expr.Node // with the types of Gen.Args
	Outer      bool        // keep a row for which nothing is generated, with NULLs
	Ordinality bool        // append a last BIGINT column that counts from 1
}

// unnest appends the columns of a generator to each row, once per generated row.
type unnest struct {
	UnnestConfig
	x    expansion
	args []*vec.Vector
	from []int32 // row of the generated columns, −1 = NULLs
	ord  []int64
}

// NewUnnest returns the operator.
func NewUnnest(c UnnestConfig) Op { return &unnest{UnnestConfig: c} }

// Process implements Op.
func (u *unnest) Process(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error {
	m := c.Mark()
	defer c.Release(m)
	u.args = u.args[:0]
	for _, a := range u.Args {
		v, err := a.Eval(c, b)
		if err != nil {
			return expr.Blame(err, a, b)
		}
		u.args = append(u.args, v)
	}
	made, err := u.made(c, fn.Rows{N: b.N, Sel: b.Sel})
	if err != nil {
		return err
	}
	u.pair(b, made.Ends)
	return u.x.emit(b, func(from, to int, cols []*vec.Vector) []*vec.Vector {
		return u.generated(made.Cols, from, to, cols)
	}, emit)
}

// made makes the rows of a batch. A row for which they cannot be computed makes none, and is
// counted, if the query wants it so.
func (u *unnest) made(c *fn.Ctx, rows fn.Rows) (fn.Generated, error) {
	made, err := u.Gen.Eval(c, u.args, rows)
	if data := (*fn.DataError)(nil); err == nil || !c.NullOnError || !errors.As(err, &data) {
		return made, err
	}
	out := vec.NewBuilders(columnTypes(u.Gen.Columns))
	ends := make([]uint32, rows.Len())
	for i := range ends {
		one, err := u.Gen.Eval(c, u.args, fn.Rows{N: rows.N, Sel: []int32{int32(rows.At(i))}})
		n := uint32(0)
		switch data := (*fn.DataError)(nil); {
		case err == nil:
			n = one.Ends[0]
		case errors.As(err, &data):
			c.Errors++
		default:
			return fn.Generated{}, err
		}
		for k, b := range out {
			for r := range n {
				b.AppendFrom(one.Cols[k], int(r))
			}
		}
		if ends[i] = n; i > 0 {
			ends[i] += ends[i-1]
		}
	}
	made = fn.Generated{Ends: ends}
	for _, b := range out {
		made.Cols = append(made.Cols, b.Take())
	}
	return made, nil
}

func columnTypes(cols []types.Column) []types.Type {
	out := make([]types.Type, len(cols))
	for i, c := range cols {
		out[i] = c.Type
	}
	return out
}

// pair lists, for every output row, its input row and its generated row.
func (u *unnest) pair(b *vec.Batch, ends []uint32) {
	u.x.reset()
	u.from, u.ord = u.from[:0], u.ord[:0]
	add := func(row int, gen int32, n int64) {
		u.x.rows = append(u.x.rows, int32(row))
		u.from = append(u.from, gen)
		u.ord = append(u.ord, n)
	}
	start := uint32(0)
	eachRow(b, func(i, row int) {
		for k := start; k < ends[i]; k++ {
			add(row, int32(k), int64(k-start)+1)
		}
		if ends[i] == start && u.Outer {
			add(row, -1, 0)
		}
		start = ends[i]
	})
}

func (u *unnest) generated(made []*vec.Vector, from, to int, cols []*vec.Vector) []*vec.Vector {
	for i, v := range made {
		out := vec.NewBuilder(u.Gen.Columns[i].Type)
		for _, r := range u.from[from:to] {
			if r < 0 {
				out.AppendNull()
			} else {
				out.AppendFrom(v, int(r))
			}
		}
		cols = append(cols, out.Finish())
	}
	if !u.Ordinality {
		return cols
	}
	out := vec.NewBuilder(types.Of(types.Int64))
	for i := from; i < to; i++ {
		if u.from[i] < 0 {
			out.AppendNull()
		} else {
			out.AppendInt(u.ord[i])
		}
	}
	return append(cols, out.Finish())
}
