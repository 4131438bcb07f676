package agg

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// resolveBins is histogram(x, bounds) of numbers: whole ones stay what they are, others
// are taken as DOUBLE. As in DuckDB the last bin, of the greatest value of the type, holds
// what is above all bounds.
func resolveBins(args []fn.Arg) (fn.AggImpl, error) {
	c := args[1].Const
	if args[1].Type.Kind != types.Array || c == nil || c.IsNull(0) {
		return fn.AggImpl{}, errors.New("needs a constant array of bounds as argument 2")
	}
	t, ok := types.CommonType(args[0].Type, *args[1].Type.Elem)
	if !ok || !t.IsNumeric() {
		return fn.AggImpl{}, fmt.Errorf("needs numbers and bounds, got %s and %s", args[0].Type, args[1].Type.Elem)
	}
	if !t.IsInteger() {
		t = double
	}
	bounds := []string{topBound(t)}
	f, i := c.At(0)
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		x, err := constNumber(fn.Arg{Type: *args[1].Type.Elem, Const: vec.ConstOf(f.Child[0], e, 1)}, 2)
		if err != nil {
			return fn.AggImpl{}, errors.New("needs bounds that are not NULL")
		}
		if t.IsInteger() {
			bounds = append(bounds, string(vec.AppendIntKey(nil, f.Child[0].Int(e))))
			continue
		}
		bounds = append(bounds, string(vec.AppendKey(nil, vec.FromFloats([]float64{x}), 0)))
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	impl := fn.AggImpl{Args: []types.Type{t, args[1].Type}, Result: types.MapOf(t, bigint)}
	impl.New = func(bool) fn.Accumulator {
		return &bagResult{t: t, keys: binKey(bounds), append: func(a *bagResult, g uint32, out *vec.Builder) error {
			return a.appendBins(g, bounds, out)
		}}
	}
	return impl, nil
}

// topBound is the greatest value of a type.
func topBound(t types.Type) string {
	if t.IsFloat() {
		return string(vec.AppendKey(nil, vec.FromFloats([]float64{math.Inf(1)}), 0))
	}
	bits := map[types.Kind]uint{types.Int8: 7, types.Int16: 15, types.Int32: 31}[t.Kind]
	if bits == 0 {
		bits = 63
	}
	return string(vec.AppendIntKey(nil, int64(1<<bits-1)))
}

// binKey is the bound of the bin of a value.
func binKey(bounds []string) func([]byte, []*vec.Vector, int, func([]byte, int64)) error {
	return func(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
		if args[0].IsNull(r) {
			return nil
		}
		key = vec.AppendKey(key, args[0], r)
		at, _ := slices.BinarySearchFunc(bounds, key, func(b string, k []byte) int { return strings.Compare(b, string(k)) })
		if at < len(bounds) {
			put(append(key[:0], bounds[at]...), 1)
		}
		return nil
	}
}

// appendBins appends every bound with its number, the last one only if it has values.
func (a *bagResult) appendBins(g uint32, bounds []string, out *vec.Builder) error {
	for i, b := range bounds {
		at := a.find(g, prefixOf([]byte(b)), []byte(b))
		n := int64(0)
		if at != 0 {
			n = a.nodes[at-1].weight
		}
		if i == len(bounds)-1 && n <= 0 {
			break
		}
		if err := appendKeyed(out.Child(0), a.t, []byte(b)); err != nil {
			return err
		}
		out.Child(1).AppendInt(n)
	}
	out.EndList()
	return nil
}

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
