package conformance

import (
	"math"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// divideIEEE gives / of two numbers the meaning it has in DuckDB: a DOUBLE, infinite by zero.
// The other divisions are NULL by zero, and where a setting is strict all are.
func divideIEEE(r *fn.Registry, strict func() bool) {
	slash, _ := r.Scalar("/")
	other := slash.Resolve
	slash.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 2 && args[0].Type.IsNumeric() && args[1].Type.IsNumeric() {
			return fn.Impl{Args: []types.Type{types.Of(types.Float64), types.Of(types.Float64)}, Result: types.Of(types.Float64), Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				if strict() {
					return nullByZero(c, quotients, types.Of(types.Float64), args, rows, true)
				}
				return quotients(c, args, rows)
			}}, nil
		}
		impl, err := other(args)
		if err == nil && args[0].Type.Kind == types.Interval {
			eval := impl.Eval
			impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				return nullByZero(c, eval, impl.Result, args, rows, strict())
			}
		}
		return impl, err
	}
	for _, name := range []string{"div", "%"} {
		f, _ := r.Scalar(name)
		with := f.Resolve
		f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
			impl, err := with(args)
			if err != nil {
				return impl, err
			}
			eval := impl.Eval
			impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				return nullByZero(c, eval, impl.Result, args, rows, strict())
			}
			return impl, nil
		}
	}
}

// nullByZero computes the rows whose second argument is not zero. The others are NULL, and,
// unless that is strict, NaN for the rest of real numbers.
func nullByZero(c *fn.Ctx, eval fn.Kernel, t types.Type, args []*vec.Vector, rows fn.Rows, strict bool) (*vec.Vector, error) {
	var some []int32
	zero := map[int]bool{}
	for i := range rows.Len() {
		if r := rows.At(i); strings.Trim(vec.RowString(args[1], r, nil), "-0.") == "" {
			zero[r] = true
		} else {
			some = append(some, int32(r))
		}
	}
	if len(zero) == 0 {
		return eval(c, args, rows)
	}
	v := vec.Nulls(t, rows.N)
	if len(some) > 0 {
		var err error
		if v, err = eval(c, args, fn.Rows{N: rows.N, Sel: some}); err != nil {
			return nil, err
		}
	}
	out := vec.NewBuilder(t)
	for r := range rows.N {
		switch {
		case !zero[r]:
			out.AppendFrom(v, r)
		case t.IsFloat() && !strict:
			out.AppendFloat(math.NaN())
		default:
			out.AppendNull()
		}
	}
	return out.Finish(), nil
}

func quotients(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := &vec.Vector{Type: types.Of(types.Float64), N: rows.N, F64: make([]float64, rows.N)}
	for i := range rows.Len() {
		r := rows.At(i)
		out.F64[r] = args[0].Float(r) / args[1].Float(r)
	}
	return out, nil
}
