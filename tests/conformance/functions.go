package conformance

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// hidden adds a function that only respellings use.
func hidden(r *fn.Registry, f *fn.Scalar) {
	f.Hidden = true
	if err := r.AddScalar(f); err != nil {
		panic(err) // a name that the product has
	}
}

// unchanged gives its argument as it is.
func unchanged(t types.Type) fn.Impl {
	return fn.Impl{Args: []types.Type{t}, Result: t, Eval: func(_ *fn.Ctx, args []*vec.Vector, _ fn.Rows) (*vec.Vector, error) { return args[0], nil }}
}

// eachValue makes a kernel of a function that appends a value for a row whose first
// argument is not NULL.
func eachValue(t types.Type, put func(b *vec.Builder, args []*vec.Vector, r int)) fn.Impl {
	return fn.Impl{Result: t, Eval: func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		b := vec.NewBuilder(t)
		for i := range rows.Len() {
			r := rows.At(i)
			for b.Len() < r {
				b.AppendNull()
			}
			if args[0].IsNull(r) {
				b.AppendNull()
				continue
			}
			put(b, args, r)
		}
		for b.Len() < rows.N {
			b.AppendNull()
		}
		return b.Take(), nil
	}}
}
