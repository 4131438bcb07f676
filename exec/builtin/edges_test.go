package builtin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// edgeColumn is a column of values of a type at which functions go wrong.
func edgeColumn(rnd *rand.Rand, t types.Type, rows int) *vec.Vector {
	b := vec.NewBuilder(t)
	for range rows {
		if rnd.IntN(6) == 0 {
			b.AppendNull()
			continue
		}
		appendEdge(rnd, b, t)
	}
	return b.Take()
}

func appendEdge(rnd *rand.Rand, b *vec.Builder, t types.Type) {
	switch t.Kind {
	case types.Bool:
		b.AppendBool(rnd.IntN(2) == 0)
	case types.Int8, types.Int16, types.Int32, types.Int64:
		lo, hi := cast.IntRange(t.Kind)
		b.AppendInt([]int64{0, 1, -1, 2, 3, -7, 10, 31, 63, 64, 65, lo, hi, lo + 1, hi - 1}[rnd.IntN(15)])
	case types.Float64, types.Float32:
		b.AppendFloat([]float64{0, math.Copysign(0, -1), 1, -1.5, 0.1, 1e300, -1e-300, 1e18, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32}[rnd.IntN(12)])
	case types.Decimal:
		b.AppendInt128([]types.Int128{{}, types.Int128From(1), types.Int128From(-25), types.Int128From(math.MaxInt32)}[rnd.IntN(4)])
	case types.String:
		b.AppendString([]string{"", " ", "a", "abc", "éß🦆", "Σας", "-12.5e3", "0", "%", "_", "%s %d", "%5$-,.3f", `\`, "$1", "(", "[a", "a|b", "x+", "2024-02-29", "12:00", "UTC", "http://u@h:1/p?q=%41#f", "{\"a\":[1]}", "$.a[0]", "hex", "base64", "utf-8", "day", "yyyy-MM-dd", "%Y", "\x00", "9,999.9S", "a INT", "1 day", "a,b:c", "019482e4-1441-7aad-8127-eec99573b0a0"}[rnd.IntN(36)])
	case types.Bytes:
		b.AppendBytes([][]byte{{}, {0}, {0xff}, {0xc2}, []byte("abc"), []byte("0123456789abcdef"), {0xf0, 0x9f, 0xa6, 0x86}}[rnd.IntN(7)])
	case types.Date:
		b.AppendInt([]int64{0, -1, 19782, -719162, 2932896}[rnd.IntN(5)])
	case types.Timestamp, types.TimestampNTZ:
		b.AppendInt([]int64{0, -1, 1_709_211_600_000_000, -62135596800000000, 253402300799999999}[rnd.IntN(5)])
	case types.Interval:
		b.AppendInterval([]types.IntervalValue{{}, {Months: 1}, {Days: -1}, {Micros: 1}, {Months: math.MaxInt32, Days: math.MinInt32, Micros: math.MinInt64}}[rnd.IntN(5)])
	case types.Array:
		for range rnd.IntN(4) {
			appendEdge(rnd, b.Child(0), *t.Elem)
		}
		b.EndList()
	default:
		b.AppendNull()
	}
}

var edgeTypes = []types.Type{
	types.Of(types.Null), types.Of(types.Bool), types.Of(types.Int8), types.Of(types.Int32), types.Of(types.Int64), types.Of(types.Float64), types.Of(types.Float32),
	types.DecimalOf(10, 2), types.DecimalOf(38, 18), types.Of(types.String), types.Of(types.String), types.Of(types.String), types.Of(types.Bytes),
	types.Of(types.Date), types.Of(types.Timestamp), types.Of(types.TimestampNTZ), types.Of(types.Interval),
	types.ArrayOf(types.Of(types.Int32)), types.ArrayOf(types.Of(types.String)),
}

// TestNoArgumentPanics calls every function with edge values of types that it takes:
// none may panic, take long, or give another number of rows.
func TestNoArgumentPanics(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	r, err := Functions()
	if err != nil {
		t.Fatal(err)
	}
	called := 0
	for _, f := range r.Scalars() {
		if f.Form != fn.Ordinary {
			continue
		}
		for range 80 {
			if callEdge(t, rnd, f) {
				called++
			}
		}
	}
	if called < 3000 {
		t.Errorf("only %d calls had types that fit", called)
	}
}

// callEdge makes one call; false where the types do not fit.
func callEdge(t *testing.T, rnd *rand.Rand, f *fn.Scalar) (fits bool) {
	const rows = 4
	args, vs := make([]fn.Arg, rnd.IntN(5)), []*vec.Vector{}
	for i := range args {
		v := edgeColumn(rnd, edgeTypes[rnd.IntN(len(edgeTypes))], rows)
		if rnd.IntN(2) == 0 {
			v = edgeColumn(rnd, v.Type, 1)
			args[i].Const = v
			v = vec.ConstOf(v, 0, rows)
		}
		args[i].Type = v.Type
		vs = append(vs, v)
	}
	show := f.Name
	for _, v := range vs {
		show += fmt.Sprintf(" %s %s", v.Type, vec.RowString(v, 0, time.UTC))
	}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s panics: %v", show, p)
		}
	}()
	impl, err := f.Resolve(args)
	if err != nil || impl.Eval == nil {
		return false
	}
	c := &fn.Ctx{Zone: time.UTC, NullOnError: true, Seed: 7}
	for i := range vs {
		if vs[i], err = cast.Kernel(vs[i].Type, impl.Args[i], false)(c, []*vec.Vector{vec.Flatten(vs[i])}, fn.Rows{N: rows}); err != nil {
			return false
		}
	}
	evalEdge(t, c, f, &impl, vs, rows, show)
	return true
}

func evalEdge(t *testing.T, c *fn.Ctx, f *fn.Scalar, impl *fn.Impl, vs []*vec.Vector, rows int, show string) {
	sel := fn.Rows{N: rows}
	if f.Nulls == fn.Propagate {
		for r := range rows {
			null := false
			for _, v := range vs {
				null = null || v.IsNull(r)
			}
			if !null {
				sel.Sel = append(sel.Sel, int32(r))
			}
		}
		if len(sel.Sel) == 0 {
			return
		}
	}
	start := time.Now()
	out, err := impl.Eval(c, vs, sel)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%s takes %s", show, took)
	}
	if err == nil && out.N != rows {
		t.Errorf("%s gives %d rows, not %d", show, out.N, rows)
	}
	if err == nil {
		for i := range sel.Len() {
			vec.RowString(out, sel.At(i), time.UTC)
		}
	}
}
