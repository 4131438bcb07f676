package conformance

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// duckComparisons gives comparisons the meaning of DuckDB where it depends on types: NULL
// inside a nested value is the greatest, a BOOLEAN beside a number is 0 or 1, and + joins
// lists. Each is the comparison of the product, of other values.
func duckComparisons(r *fn.Registry) {
	for _, name := range []string{"=", "<>", "<", "<=", ">", ">="} {
		f, _ := r.Scalar(name)
		with := f.Resolve
		f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
			if len(args) == 2 && args[0].Type.Kind == types.Bool && args[1].Type.IsNumeric() {
				return asNumber(with, args, 0)
			}
			if len(args) == 2 && args[1].Type.Kind == types.Bool && args[0].Type.IsNumeric() {
				return asNumber(with, args, 1)
			}
			impl, err := with(args)
			if err != nil || !impl.Args[0].IsNested() || impl.Args[0].Kind == types.Map || f.Name == "=" || f.Name == "<>" {
				return impl, err
			}
			return nullsGreatest(with, impl.Args[0])
		}
	}
	plus, _ := r.Scalar("+")
	other := plus.Resolve
	plus.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 2 && args[0].Type.Kind == types.Array && args[1].Type.Kind == types.Array {
			join, _ := r.Scalar("array_concat")
			return join.Resolve(args)
		}
		return other(args)
	}
}

// asNumber resolves a function of two values with the BOOLEAN at i, or the list of them, as numbers.
func asNumber(resolve func([]fn.Arg) (fn.Impl, error), args []fn.Arg, i int) (fn.Impl, error) {
	t := args[1-i].Type
	impl, err := resolve([]fn.Arg{{Type: t}, {Type: t}})
	if err != nil {
		return impl, err
	}
	eval, from := impl.Eval, args[i].Type
	impl.Args = []types.Type{args[0].Type, args[1].Type}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		number, err := cast.Kernel(from, t, false)(c, args[i:i+1], rows)
		if err != nil {
			return nil, err
		}
		both := []*vec.Vector{args[0], args[1]}
		both[i] = number
		return eval(c, both, rows)
	}
	return impl, nil
}

// nullsGreatest compares nested values in which each element has in front of it whether it is
// NULL: so the NULLs come last.
func nullsGreatest(resolve func([]fn.Arg) (fn.Impl, error), t types.Type) (fn.Impl, error) {
	marked := markedType(t)
	impl, err := resolve([]fn.Arg{{Type: marked}, {Type: marked}})
	if err != nil {
		return impl, err
	}
	eval := impl.Eval
	impl.Args = []types.Type{t, t}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return eval(c, []*vec.Vector{markedNulls(args[0]), markedNulls(args[1])}, rows)
	}
	return impl, nil
}

func markedType(t types.Type) types.Type {
	mark := types.Field{Name: "is_null", Type: types.Of(types.Bool)}
	switch t.Kind {
	case types.Array:
		return types.ArrayOf(types.StructOf(mark, types.Field{Name: "value", Type: markedType(*t.Elem)}))
	case types.Struct:
		var fields []types.Field
		for _, f := range t.Fields {
			fields = append(fields, types.Field{Name: "no_" + f.Name, Type: mark.Type}, types.Field{Name: f.Name, Type: markedType(f.Type)})
		}
		return types.StructOf(fields...)
	}
	return t
}

func markedNulls(v *vec.Vector) *vec.Vector {
	if v.Type.Kind != types.Array && v.Type.Kind != types.Struct {
		return v
	}
	out := *vec.Flatten(v)
	out.Type = markedType(v.Type)
	var kids []*vec.Vector
	for _, c := range out.Child {
		c = vec.Flatten(c)
		marks := make([]uint8, c.N)
		for i := range marks {
			if c.IsNull(i) {
				marks[i] = 1
			}
		}
		kids = append(kids, vec.FromBools(marks), markedNulls(c))
	}
	out.Child = kids
	if v.Type.Kind == types.Array {
		out.Child = []*vec.Vector{{Type: *out.Type.Elem, N: kids[0].N, Child: kids}}
	}
	return &out
}
