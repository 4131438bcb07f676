package agg

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// CollectUnion is collect_union(x).
var CollectUnion = fn.Aggregate{
	Name: "collect_union", Group: "Aggregate", Syntax: []string{"collect_union(array)"},
	Doc: "An array of the different elements of all arrays that are not NULL, ascending; empty if there are none.",
	Examples: []fn.Example{
		{SQL: "collect_union(x) FROM (VALUES (array(2, 1)), (array(3, NULL, 1)), (NULL)) AS t(x)", Want: "[1,2,3]"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		t := args[0].Type
		if t.Kind == types.Null {
			t = types.ArrayOf(t)
		}
		if t.Kind != types.Array {
			return fn.AggImpl{}, fmt.Errorf("needs an ARRAY, got %s", t)
		}
		return fn.AggImpl{Args: []types.Type{t}, Result: t,
			New: func(bool) fn.Accumulator { return &bagResult{t: *t.Elem, keys: elementKeys, append: appendSet} }}, nil
	},
}

// elementKeys makes an entry of each element that is not NULL.
func elementKeys(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
	if args[0].IsNull(r) {
		return nil
	}
	f, i := args[0].At(r)
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		if !f.Child[0].IsNull(e) {
			put(vec.AppendKey(key[:0], f.Child[0], e), 1)
		}
	}
	return nil
}

// VectorSums lists vector_sum and vector_avg.
func VectorSums() []fn.Aggregate {
	return []fn.Aggregate{
		vectorSum("vector_sum", "The sums", "[4.0,6.0]", func(sum float64, _ int64) float64 { return sum }),
		vectorSum("vector_avg", "The means", "[2.0,3.0]", func(sum float64, n int64) float64 { return sum / float64(n) }),
	}
}

func vectorSum(name, what, want string, value func(sum float64, n int64) float64) fn.Aggregate {
	return fn.Aggregate{
		Name: name, Group: "Aggregate", Syntax: []string{name + "(array)"},
		Doc: what + ", place by place, of arrays of FLOAT of one length, as FLOAT; arrays that are NULL or have a NULL do not count, and without others it is " +
			"NULL. A result costs the number of different arrays.",
		Examples: []fn.Example{
			{SQL: name + "(x) FROM (VALUES (array(float(1), float(2))), (array(float(3), float(4))), (NULL)) AS t(x)", Want: want},
		},
		Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
			t := types.ArrayOf(types.Of(types.Float32))
			if err := wantArgs(args, 1, 1); err != nil {
				return fn.AggImpl{}, err
			}
			if !types.CanCoerce(args[0].Type, t) {
				return fn.AggImpl{}, fmt.Errorf("needs an ARRAY<FLOAT>, got %s", args[0].Type)
			}
			return fn.AggImpl{Args: []types.Type{t}, Result: t, New: func(bool) fn.Accumulator {
				return &bagResult{t: t, keys: wholeKey, append: func(a *bagResult, g uint32, out *vec.Builder) error { return a.appendVector(name, g, out, value) }}
			}}, nil
		},
	}
}

// wholeKey is the array if it has no NULL.
func wholeKey(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
	if args[0].IsNull(r) {
		return nil
	}
	f, i := args[0].At(r)
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		if f.Child[0].IsNull(e) {
			return nil
		}
	}
	put(vec.AppendKey(key, args[0], r), 1)
	return nil
}

func (a *bagResult) appendVector(name string, g uint32, out *vec.Builder, value func(sum float64, n int64) float64) (failed error) {
	var sums []float64
	rows := int64(0)
	one := vec.NewBuilder(a.t)
	a.walk(g, func(key []byte, w int64) bool {
		one.Reset()
		if failed = appendKeyed(one, a.t, key); failed != nil {
			return false
		}
		v := one.Finish()
		if rows == 0 {
			sums = make([]float64, v.Off[1])
		}
		if n := int(v.Off[1]); n != len(sums) {
			failed = &fn.DataError{Func: name, Row: -1, Msg: fmt.Sprintf("the arrays have %d and %d elements", len(sums), n)}
			return false
		}
		for i := range sums {
			sums[i] += float64(w) * v.Child[0].F64[i]
		}
		rows += w
		return true
	})
	if failed != nil {
		return failed
	}
	if rows == 0 {
		out.AppendNull()
		return nil
	}
	for _, s := range sums {
		out.Child(0).AppendFloat(float64(float32(value(s, rows))))
	}
	out.EndList()
	return nil
}
