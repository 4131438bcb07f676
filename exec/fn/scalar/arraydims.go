package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// arrayDims see arrays in arrays as PostgreSQL sees its arrays, of several dimensions.
func arrayDims() []*fn.Scalar {
	group := "Arrays"
	return []*fn.Scalar{
		{
			Name: "array_ndims", Group: group, Syntax: []string{"array_ndims(array)"}, Doc: "Is how deep arrays lie in arrays: the dimensions of PostgreSQL's arrays, also of an empty one.",
			Examples: []fn.Example{{SQL: "array_ndims(array(array(1, 2), array(3)))", Want: "2"}, {SQL: "array_ndims(array(1))", Want: "1"}, {SQL: "array_ndims(CAST(NULL AS ARRAY<INT>))", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				t, err := firstArg(args, 1, 1, arrayArg)
				n := depthOf(t)
				return fn.Impl{Args: []types.Type{t}, Result: integer, Eval: ints(integer, func([]*vec.Vector, int) int64 { return n })}, err
			},
		},
		{
			Name: "array_lower", Group: group, Syntax: []string{"array_lower(array, dimension)"}, Doc: "Is the first place in a dimension, 1; NULL if the array has no such dimension or is empty.",
			Examples: []fn.Example{{SQL: "array_lower(array(7, 8), 1)", Want: "1"}, {SQL: "array_lower(array(7, 8), 2)", Want: "NULL"}, {SQL: "array_lower(NULL, 1)", Want: "NULL"}},
			Resolve:  bound(func(int64) int64 { return 1 }),
		},
		{
			Name: "array_upper", Group: group, Syntax: []string{"array_upper(array, dimension)"}, Doc: "Is the last place in a dimension: the number of elements, of the first array there; NULL if there is none.",
			Examples: []fn.Example{{SQL: "array_upper(array(7, 8), 1)", Want: "2"}, {SQL: "array_upper(array(array(7, 8, 9), array(1)), 2)", Want: "3"}, {SQL: "array_upper(array(), 1)", Want: "NULL"}, {SQL: "array_upper(NULL, 1)", Want: "NULL"}},
			Resolve:  bound(func(n int64) int64 { return n }),
		},
	}
}

// depthOf is how many arrays lie in each other in a type.
func depthOf(t types.Type) int64 {
	n := int64(0)
	for t.Kind == types.Array {
		n, t = n+1, *t.Elem
	}
	return n
}

// bound is a function of the number of elements in a dimension.
func bound(of func(n int64) int64) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t, err := firstArg(args, 2, 2, arrayArg)
		if err == nil {
			err = matches(args[1:], []types.Type{integer})
		}
		return fn.Impl{Args: []types.Type{t, integer}, Result: integer, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out := c.New(integer, rows.N)
			each(rows, func(r int) {
				n := dimension(args[0], r, args[1].Int(r))
				if out.I64[r] = of(n); n == 0 {
					out.SetNull(r)
				}
			})
			return out, nil
		}}, err
	}
}

// dimension is the number of elements in a dimension of an array, 0 if there are none.
func dimension(v *vec.Vector, r int, dim int64) int64 {
	if dim < 1 || dim > depthOf(v.Type) {
		return 0
	}
	f, from, to := list(v, r)
	for ; dim > 1; dim-- {
		if from == to || f.Child[0].IsNull(from) {
			return 0
		}
		f, from, to = list(f.Child[0], from)
	}
	return int64(to - from)
}
