package conformance

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// divideIEEE gives / of two numbers the meaning it has in DuckDB: a DOUBLE, infinite by zero.
// The other divisions are NULL by zero.
func divideIEEE(r *fn.Registry) {
	slash, _ := r.Scalar("/")
	other := slash.Resolve
	slash.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 2 && args[0].Type.IsNumeric() && args[1].Type.IsNumeric() {
			return fn.Impl{Args: []types.Type{types.Of(types.Float64), types.Of(types.Float64)}, Result: types.Of(types.Float64), Eval: quotients}, nil
		}
		return other(args)
	}
	for _, name := range []string{"div", "%"} {
		f, _ := r.Scalar(name)
		with := f.Resolve
		f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
			impl, err := with(args)
			eval := impl.Eval
			impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				lenient := *c
				lenient.NullOnError = true
				return eval(&lenient, args, rows)
			}
			return impl, err
		}
	}
}

func quotients(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := &vec.Vector{Type: types.Of(types.Float64), N: rows.N, F64: make([]float64, rows.N)}
	for i := range rows.Len() {
		r := rows.At(i)
		out.F64[r] = args[0].Float(r) / args[1].Float(r)
	}
	return out, nil
}
