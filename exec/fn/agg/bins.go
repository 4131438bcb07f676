package agg

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// HistogramExact is histogram_exact(x, values).
var HistogramExact = fn.Aggregate{
	Name: "histogram_exact", Group: "Aggregate", Syntax: []string{"histogram_exact(x, values)"},
	Doc: "A map from each value of a constant array to how often it occurs; the other values that are not NULL are together under the other bin (is_histogram_other_bin), if there are any.",
	Examples: []fn.Example{
		{SQL: "histogram_exact(x, array('a', 'b')) FROM (VALUES ('a'), ('c'), ('a'), (NULL)) AS t(x)", Want: `{"":1,"a":2,"b":0}`},
		{SQL: "histogram_exact(x, array(1)) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: `{"1":0}`},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 2, 2); err != nil {
			return fn.AggImpl{}, err
		}
		return resolveBins(args, true)
	},
}

// Bins are the scalar functions of the bins of histograms.
func Bins() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "is_histogram_other_bin", Group: "Maps", Syntax: []string{"is_histogram_other_bin(key)"},
		Doc: "Tells whether a key of histogram(x, bounds) or histogram_exact stands for the values that are in no bin: the greatest integer, infinity of a number or time, an empty text or array, " +
			"or a struct of such fields or NULLs.",
		Examples: []fn.Example{{SQL: "is_histogram_other_bin('')", Want: "true"}, {SQL: "is_histogram_other_bin(5)", Want: "false"}, {SQL: "is_histogram_other_bin(NULL)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if err := wantArgs(args, 1, 1); err != nil {
				return fn.Impl{}, err
			}
			boolean := types.Of(types.Bool)
			return fn.Impl{Args: []types.Type{args[0].Type}, Result: boolean, Safe: true, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				out := c.New(boolean, rows.N)
				for i := range rows.Len() {
					out.Bool[rows.At(i)] = 0
					if f, k := args[0].At(rows.At(i)); isOther(f, k) {
						out.Bool[rows.At(i)] = 1
					}
				}
				return out, nil
			}}, nil
		},
	}}
}

// isOther compares a value that is not NULL with that of appendOther.
func isOther(v *vec.Vector, i int) bool {
	switch t := v.Type; {
	case t.Kind == types.Struct:
		for _, f := range v.Child {
			if flat, k := f.At(i); !f.IsNull(i) && !isOther(flat, k) {
				return false
			}
		}
		return len(v.Child) > 0
	case t.Kind == types.Array:
		return v.Off[i] == v.Off[i+1]
	case t.Kind == types.Map || t.Kind == types.JSON || t.Kind == types.Interval || t.Kind == types.Null:
		return false
	}
	b := vec.NewBuilder(v.Type)
	appendOther(b)
	return vec.Rank(v, i, b.Take(), 0) == 0
}

// appendOther appends the key of the values in no bin.
func appendOther(b *vec.Builder) {
	switch t := b.Type(); {
	case t.IsFloat():
		b.AppendFloat(math.Inf(1))
	case t.IsInteger():
		_, top := cast.IntRange(t.Kind)
		b.AppendInt(top)
	case t.Kind == types.Decimal:
		top, _ := types.Pow10(int(t.Prec)).Sub(types.Int128From(1))
		b.AppendInt128(top)
	case t.Kind == types.Date:
		b.AppendInt(types.InfiniteDay)
	case t.Kind == types.Time:
		b.AppendInt(types.MicrosPerDay - 1)
	case t.IsTime():
		b.AppendInt(types.InfiniteMicros)
	case t.Kind == types.Bool:
		b.AppendBool(true)
	case t.Kind == types.Array:
		b.EndList()
	case t.Kind == types.Struct:
		for i := range t.Fields {
			appendOther(b.Child(i))
		}
		b.EndStruct()
	default:
		b.AppendString("")
	}
}

// bins are the keys of a histogram, ascending, and the one of values in no bin.
type bins struct {
	bounds [][]byte
	other  []byte
	exact  bool
}

// resolveBins is histogram(x, bounds), or histogram_exact. Whole numbers stay what they
// are, others are taken as DOUBLE.
func resolveBins(args []fn.Arg, exact bool) (fn.AggImpl, error) {
	c := args[1].Const
	if args[1].Type.Kind != types.Array || c == nil || c.IsNull(0) {
		return fn.AggImpl{}, errors.New("needs a constant array of bounds as argument 2")
	}
	elem := *args[1].Type.Elem
	t, ok := types.CommonType(args[0].Type, elem)
	if ok && (t.Kind == types.Null || t.IsNumeric() && !t.IsInteger()) {
		t = double
	}
	if !ok || !t.Ordered() || t.Kind == types.Interval || t.Kind == types.UUID {
		return fn.AggImpl{}, fmt.Errorf("needs values and bounds of one type with an order, got %s and %s", args[0].Type, elem)
	}
	h := bins{exact: exact}
	f, i := c.At(0)
	values := f.Child[0]
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		one := vec.Flatten(vec.ConstOf(values, e, 1))
		if one.IsNull(0) {
			return fn.AggImpl{}, errors.New("needs bounds that are not NULL")
		}
		if !elem.Equal(t) {
			var err error
			if one, err = cast.Kernel(elem, t, false)(&fn.Ctx{Zone: time.UTC}, []*vec.Vector{one}, fn.Rows{N: 1}); err != nil {
				return fn.AggImpl{}, err
			}
		}
		h.bounds = append(h.bounds, vec.AppendKey(nil, one, 0))
	}
	slices.SortFunc(h.bounds, bytes.Compare)
	h.bounds = slices.CompactFunc(h.bounds, bytes.Equal)
	b := vec.NewBuilder(t)
	appendOther(b)
	h.other = vec.AppendKey(nil, b.Take(), 0)
	impl := fn.AggImpl{Args: []types.Type{t, args[1].Type}, Result: types.MapOf(t, bigint)}
	impl.New = func(bool) fn.Accumulator {
		return &bagResult{t: t, keys: h.key, append: h.append}
	}
	return impl, nil
}

// key is the bin of a value.
func (h bins) key(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
	if args[0].IsNull(r) {
		return nil
	}
	key = vec.AppendKey(key, args[0], r)
	at, found := slices.BinarySearchFunc(h.bounds, key, bytes.Compare)
	bin := h.other
	if at < len(h.bounds) && (found || !h.exact) {
		bin = h.bounds[at]
	}
	put(append(key[:0], bin...), 1)
	return nil
}

// append appends every bound with its number, and the other bin if it has values, ascending.
func (h bins) append(a *bagResult, g uint32, out *vec.Builder) error {
	one := func(key []byte, always bool) error {
		n := int64(0)
		if at := a.find(g, prefixOf(key), key); at != 0 {
			n = a.nodes[at-1].weight
		}
		if n <= 0 && !always {
			return nil
		}
		if err := appendKeyed(out.Child(0), a.t, key); err != nil {
			return err
		}
		out.Child(1).AppendInt(n)
		return nil
	}
	listed := false
	for _, b := range h.bounds {
		if order := bytes.Compare(b, h.other); order >= 0 && !listed { // in its place, as the entries of other maps
			if listed = true; order > 0 {
				if err := one(h.other, false); err != nil {
					return err
				}
			}
		}
		if err := one(b, true); err != nil {
			return err
		}
	}
	if !listed {
		if err := one(h.other, false); err != nil {
			return err
		}
	}
	out.EndList()
	return nil
}
