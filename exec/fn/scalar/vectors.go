package scalar

import (
	"fmt"
	"math"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// vectors are functions of arrays of numbers as points in space: DuckDB's compute in
// DOUBLE and refuse NULLs, Spark's take and give FLOAT and are NULL with a NULL in them.
func vectors() []*fn.Scalar {
	all := []*fn.Scalar{
		measure("list_distance", []string{"array_distance"}, "Is the Euclidean distance of two arrays of numbers of the same length.", "list_distance(array(1.0, 2.0), array(4.0, 6.0))", "5.0", distance),
		measure("list_inner_product", []string{"list_dot_product", "array_inner_product", "array_dot_product"}, "Is the inner product of two arrays of numbers of the same length.", "list_inner_product(array(1.0, 2.0), array(3.0, 4.0))", "11.0", innerProduct),
		measure("list_negative_inner_product", []string{"list_negative_dot_product", "array_negative_inner_product", "array_negative_dot_product"}, "Is the negative inner product of two arrays of numbers.", "list_negative_inner_product(array(1.0, 2.0), array(3.0, 4.0))", "-11.0", func(x, y []float64) float64 { return -innerProduct(x, y) }),
		measure("list_cosine_similarity", []string{"array_cosine_similarity"}, "Is the cosine of the angle between two arrays of numbers; NaN if one is all zeros, NULL if they are empty.", "list_cosine_similarity(array(3.0, 4.0), array(3.0, 4.0))", "1.0", cosine),
		measure("list_cosine_distance", []string{"array_cosine_distance"}, "Is 1 less the cosine of the angle between two arrays of numbers.", "list_cosine_distance(array(3.0, 4.0), array(-4.0, 3.0))", "1.0", func(x, y []float64) float64 { return 1 - cosine(x, y) }),
		{
			Name: "array_cross_product", Group: "Arrays", Syntax: []string{"array_cross_product(a, b)"}, Doc: "Is the cross product of two arrays of three numbers.",
			Examples: []fn.Example{{SQL: "array_cross_product(array(1.0, 2.0, 3.0), array(4.0, 5.0, 6.0))", Want: "[-3.0,6.0,-3.0]"}, {SQL: "array_cross_product(NULL, array(1.0))", Want: "NULL"}},
			Resolve:  fixed(types.ArrayOf(double), tryBuilt(types.ArrayOf(double), crossProduct), types.ArrayOf(double), types.ArrayOf(double)),
		},
	}
	return append(all, sparkVectors()...)
}

func sparkVectors() []*fn.Scalar {
	floats := types.ArrayOf(float)
	norm := func(name, doc string, result types.Type, example, want string, eval fn.Kernel) *fn.Scalar {
		return &fn.Scalar{
			Name: name, Group: "Arrays", Syntax: []string{name + "(array [, degree])"}, Doc: doc,
			Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
			Resolve:  optional(1, result, eval, floats, float),
		}
	}
	return []*fn.Scalar{
		floatMeasure("vector_inner_product", "Is the inner product of two arrays of FLOAT, as FLOAT; NULL with a NULL in them.", "vector_inner_product(array(float(1), float(2)), array(float(3), float(4)))", "11.0", innerProduct),
		floatMeasure("vector_l2_distance", "Is the Euclidean distance of two arrays of FLOAT, as FLOAT; NULL with a NULL in them.", "vector_l2_distance(array(float(1), float(2)), array(float(4), float(6)))", "5.0", distance),
		floatMeasure("vector_cosine_similarity", "Is the cosine of the angle between two arrays of FLOAT, as FLOAT; NULL with a NULL in them or if one is all zeros.", "vector_cosine_similarity(array(float(3), float(4)), array(float(3), float(4)))", "1.0", cosine),
		norm("vector_norm", "Is the length of an array of FLOAT: of degree 1, 2 (without a degree) or infinity; NULL with a NULL in it.", float, "vector_norm(array(float(3), float(4)), float(1))", "7.0",
			tryBuilt(float, func(b *vec.Builder, args []*vec.Vector, r int) error {
				n, ok, err := normOf("vector_norm", args, r)
				if err != nil || ok {
					if err == nil {
						b.AppendFloat(float64(float32(n)))
					}
					return err
				}
				b.AppendNull()
				return nil
			})),
		norm("vector_normalize", "Brings an array of FLOAT to the length 1 of a degree; NULL with a NULL in it or if the length is 0.", floats, "vector_normalize(array(float(3), float(4)), float(1))", "[0.42857143,0.5714286]",
			tryBuilt(floats, normalized)),
	}
}

// numbersIn are the elements of an array of numbers; ok false if one is NULL.
func numbersIn(v *vec.Vector, r int) (xs []float64, ok bool) {
	f, from, to := list(v, r)
	xs = make([]float64, 0, to-from)
	for e := from; e < to; e++ {
		if f.Child[0].IsNull(e) {
			return nil, false
		}
		xs = append(xs, f.Child[0].Float(e))
	}
	return xs, true
}

// pairOf are two arrays of numbers of the same length.
func pairOf(name string, args []*vec.Vector, r int) (x, y []float64, ok bool, err error) {
	x, okX := numbersIn(args[0], r)
	y, okY := numbersIn(args[1], r)
	if okX && okY && len(x) != len(y) {
		err = &fn.DataError{Func: name, Row: r, Msg: fmt.Sprintf("the arrays have %d and %d elements", len(x), len(y))}
	}
	return x, y, okX && okY, err
}

func measure(name string, aliases []string, doc, example, want string, f func(x, y []float64) float64) *fn.Scalar {
	eval := tryBuilt(double, func(b *vec.Builder, args []*vec.Vector, r int) error {
		x, y, ok, err := pairOf(name, args, r)
		if err == nil && !ok {
			err = &fn.DataError{Func: name, Row: r, Msg: "an array has a NULL"}
		}
		switch {
		case err != nil:
		case len(x) == 0 && strings.Contains(name, "cosine"):
			b.AppendNull()
		default:
			b.AppendFloat(f(x, y))
		}
		return err
	})
	return &fn.Scalar{
		Name: name, Aliases: aliases, Group: "Arrays", Syntax: []string{name + "(a, b)"}, Doc: doc + " A NULL among the numbers is an error.",
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, array(1.0))", Want: "NULL"}},
		Resolve:  measured(eval),
	}
}

// measured is the DOUBLE of two arrays of numbers; of two of FLOAT it is one itself.
func measured(eval fn.Kernel) resolver {
	doubles := fixed(double, eval, types.ArrayOf(double), types.ArrayOf(double))
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := doubles(args)
		floats := types.ArrayOf(float)
		if err != nil || !args[0].Type.Equal(floats) || !args[1].Type.Equal(floats) {
			return impl, err
		}
		impl.Result = float
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			v, err := eval(c, args, rows)
			if err != nil {
				return nil, err
			}
			return cast.Kernel(double, float, false)(c, []*vec.Vector{v}, rows)
		}
		return impl, nil
	}
}

func floatMeasure(name, doc, example, want string, f func(x, y []float64) float64) *fn.Scalar {
	eval := tryBuilt(float, func(b *vec.Builder, args []*vec.Vector, r int) error {
		x, y, ok, err := pairOf(name, args, r)
		if err != nil {
			return err
		}
		if ok {
			if v := f(x, y); v == v {
				b.AppendFloat(float64(float32(v)))
				return nil
			}
		}
		b.AppendNull()
		return nil
	})
	return &fn.Scalar{
		Name: name, Group: "Arrays", Syntax: []string{name + "(a, b)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, array(float(1)))", Want: "NULL"}},
		Resolve:  fixed(float, eval, types.ArrayOf(float), types.ArrayOf(float)),
	}
}

func innerProduct(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func distance(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Sqrt(sum)
}

// cosine is NaN where a vector is all zeros.
func cosine(x, y []float64) float64 {
	return max(-1, min(1, innerProduct(x, y)/(math.Sqrt(innerProduct(x, x))*math.Sqrt(innerProduct(y, y)))))
}

func crossProduct(b *vec.Builder, args []*vec.Vector, r int) error {
	x, y, ok, err := pairOf("array_cross_product", args, r)
	switch {
	case err != nil:
		return err
	case !ok:
		return &fn.DataError{Func: "array_cross_product", Row: r, Msg: "an array has a NULL"}
	case len(x) != 3:
		return &fn.DataError{Func: "array_cross_product", Row: r, Msg: fmt.Sprintf("the arrays have %d elements, not 3", len(x))}
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		b.Child(0).AppendFloat(x[j]*y[k] - x[k]*y[j])
	}
	b.EndList()
	return nil
}

// normOf is the length of a vector by its degree; ok false if it has a NULL.
func normOf(name string, args []*vec.Vector, r int) (n float64, ok bool, err error) {
	x, ok := numbersIn(args[0], r)
	if !ok {
		return 0, false, nil
	}
	degree := 2.0
	if len(args) > 1 {
		degree = args[1].Float(r)
	}
	switch {
	case degree == 2:
		return math.Sqrt(innerProduct(x, x)), true, nil
	case degree != 1 && !math.IsInf(degree, 1):
		return 0, false, &fn.DataError{Func: name, Value: fmt.Sprint(degree), Row: r, Msg: "the degree is not 1, 2 or infinity"}
	}
	for _, v := range x {
		if degree == 1 {
			n += math.Abs(v)
		} else {
			n = max(n, math.Abs(v))
		}
	}
	return n, true, nil
}

func normalized(b *vec.Builder, args []*vec.Vector, r int) error {
	n, ok, err := normOf("vector_normalize", args, r)
	if err != nil {
		return err
	}
	if !ok || n == 0 {
		b.AppendNull()
		return nil
	}
	x, _ := numbersIn(args[0], r)
	for _, v := range x {
		b.Child(0).AppendFloat(float64(float32(v / n)))
	}
	b.EndList()
	return nil
}
