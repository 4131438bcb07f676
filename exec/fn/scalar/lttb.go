package scalar

import (
	"errors"
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func downsamplings() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "lttb", Group: "Arrays", Syntax: []string{"lttb(points, n)"},
		Doc: "Picks n points of a line for a chart so that it keeps its shape (largest triangle, three buckets): points is an array of structs of x, a number or time, and y, a number, in the order of x. " +
			"The first and the last point stay; points with a NULL are left out. Of rows it is lttb(list(struct(x, y) ORDER BY x), n).",
		Examples: []fn.Example{
			{SQL: "lttb(array(named_struct('x', 1, 'y', 1), named_struct('x', 2, 'y', 9), named_struct('x', 3, 'y', 2), named_struct('x', 4, 'y', 2)), 3)", Want: `[{"x":1,"y":1},{"x":2,"y":9},{"x":4,"y":2}]`},
			{SQL: "lttb(NULL, 3)", Want: "NULL"},
		},
		Resolve: resolveLTTB,
	}}
}

func resolveLTTB(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 3 {
		return fn.Impl{}, errors.New("takes an array of points: write lttb(list(struct(x, y) ORDER BY x), n)")
	}
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	if t.Kind == types.Null {
		return fixed(null, first, null, bigint)(args)
	}
	if t.Kind != types.Array || t.Elem.Kind != types.Struct || len(t.Elem.Fields) != 2 {
		return fn.Impl{}, mismatch(args, 0, "ARRAY of structs of two fields")
	}
	x, y := t.Elem.Fields[0].Type, t.Elem.Fields[1].Type
	if !x.IsNumeric() && !x.IsTime() || !y.IsNumeric() {
		return fn.Impl{}, fmt.Errorf("needs a number or time and a number as the fields of a point, got %s and %s", x, y)
	}
	if !types.CanCoerce(args[1].Type, bigint) {
		return fn.Impl{}, mismatch(args, 1, "BIGINT")
	}
	return fn.Impl{Args: []types.Type{t, bigint}, Result: t, Eval: tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		n := args[1].Int(r)
		if n < 2 {
			return &fn.DataError{Func: "lttb", Value: fmt.Sprint(n), Row: r, Msg: "picks at least 2 points"}
		}
		f, from, to := list(args[0], r)
		line := pointsOf(f.Child[0], from, to)
		for _, i := range line.pick(n) {
			b.Child(0).AppendFrom(f.Child[0], i)
		}
		b.EndList()
		return nil
	})}, nil
}

// polyline is a line of points, with the places where they come from. Times count from the
// first one, so that no digits are lost.
type polyline struct {
	x, y []float64
	at   []int
}

func pointsOf(points *vec.Vector, from, to int) polyline {
	var l polyline
	x, y := points.Child[0], points.Child[1]
	origin := int64(0)
	for i := from; i < to; i++ {
		if points.IsNull(i) || x.IsNull(i) || y.IsNull(i) {
			continue
		}
		if x.Type.IsTime() {
			if len(l.at) == 0 {
				origin = x.Int(i)
			}
			l.x = append(l.x, float64(x.Int(i)-origin))
		} else {
			l.x = append(l.x, numberAt(x, i))
		}
		l.y = append(l.y, numberAt(y, i))
		l.at = append(l.at, i)
	}
	return l
}

// pick finds the places of n points: the ends, and of each bucket between them the point
// that makes the largest triangle with the one before and the middle of the next bucket.
func (l polyline) pick(n int64) []int {
	have := len(l.at)
	if int64(have) <= n {
		return l.at
	}
	out := append(make([]int, 0, n), l.at[0])
	width, last := float64(have-2)/float64(n-2), 0
	bucket := func(i int64) int { return min(int(math.Floor(float64(i)*width))+1, have-1) }
	for i := range n - 2 {
		from := bucket(i)
		to := max(bucket(i+1), from+1)
		next := max(bucket(i+2), to+1)
		if i == n-3 {
			next = have
		}
		mx, my := mean(l.x[to:next]), mean(l.y[to:next])
		best, area := from, -1.0
		for k := from; k < to; k++ {
			if a := math.Abs((l.x[last]-mx)*(l.y[k]-l.y[last]) - (l.x[last]-l.x[k])*(my-l.y[last])); a > area {
				best, area = k, a
			}
		}
		last = best
		out = append(out, l.at[best])
	}
	return append(out, l.at[have-1])
}

// numberAt is a number of any type as a float.
func numberAt(v *vec.Vector, i int) float64 {
	switch {
	case v.Type.IsFloat():
		return v.Float(i)
	case v.Type.Kind == types.Decimal:
		return cast.DecimalAt(v, i).Float64() / types.Pow10(int(v.Type.Scale)).Float64()
	}
	return float64(v.Int(i))
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}
