package agg

import (
	"errors"
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// HistogramNumeric is histogram_numeric(x, n).
var HistogramNumeric = fn.Aggregate{
	Name: "histogram_numeric", Group: "Aggregate", Syntax: []string{"histogram_numeric(x, n)"},
	Doc: "An array of at most n structs of x, the middle of a bin, and y, how many values are in it, ascending; NULL without values. The bins " +
		"come from the ordered values: of the two neighbours that are closest, the lower ones first, one bin is made until there are n, so that the " +
		"order of rows does not matter; n is a constant of at least 2. A result costs the number of different values.",
	Examples: []fn.Example{
		{SQL: "histogram_numeric(x, 3) FROM (VALUES (1), (3), (3), (10), (20), (NULL)) AS t(x)", Want: `[{"x":2,"y":3.0},{"x":10,"y":1.0},{"x":20,"y":1.0}]`},
		{SQL: "histogram_numeric(x, 3) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 2, 2); err != nil {
			return fn.AggImpl{}, err
		}
		if err := wantNumber(args[0].Type, 1); err != nil {
			return fn.AggImpl{}, err
		}
		n, err := constCount(args[1], 2)
		if err == nil && n < 2 {
			err = errors.New("needs at least 2 bins")
		}
		t := known(args[0].Type, double)
		middle := t
		if t.Kind == types.Decimal {
			middle = double
		}
		bin := types.StructOf(types.Field{Name: "x", Type: middle}, types.Field{Name: "y", Type: double})
		return fn.AggImpl{Args: []types.Type{double, args[1].Type}, Result: types.ArrayOf(bin), New: func(bool) fn.Accumulator {
			return &bagResult{t: double, append: func(a *bagResult, g uint32, out *vec.Builder) error { return a.appendMiddles(g, int(n), out) }}
		}}, err
	},
}

// bin is a bin with its middle, and its neighbours in a list that only ever loses bins.
type bin struct {
	x, y float64
}

func (a *bagResult) appendMiddles(g uint32, n int, out *vec.Builder) error {
	list, err := a.values(g)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		out.AppendNull()
		return nil
	}
	bins := make([]bin, 0, n+1)
	for _, c := range list { // as if they came in order, one after the other
		bins = append(bins, bin{c.x, float64(c.n)})
		if len(bins) > n {
			bins = joinClosest(bins)
		}
	}
	x, y := out.Child(0).Child(0), out.Child(0).Child(1)
	for _, b := range bins {
		if x.Type().IsInteger() {
			x.AppendInt(int64(b.x))
		} else {
			x.AppendFloat(b.x)
		}
		y.AppendFloat(b.y)
		out.Child(0).EndStruct()
	}
	out.EndList()
	return nil
}

// joinClosest makes one bin of the two neighbours that are closest.
func joinClosest(bins []bin) []bin {
	at, least := 0, math.Inf(1)
	for i := range len(bins) - 1 {
		if d := bins[i+1].x - bins[i].x; d < least {
			at, least = i, d
		}
	}
	a, b := bins[at], bins[at+1]
	bins[at] = bin{(a.x*a.y + b.x*b.y) / (a.y + b.y), a.y + b.y}
	return slices.Delete(bins, at+1, at+2)
}
