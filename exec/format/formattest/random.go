package formattest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Kinds bounds what RandomType chooses.
type Kinds struct {
	Depth      int  // of nested types; 0 = scalars only
	StringKeys bool // maps have STRING keys only
}

// RandomType is any type a file may hold.
func RandomType(r *rand.Rand, k Kinds) types.Type {
	scalars := []types.Type{
		types.Of(types.Bool), types.Of(types.Int8), types.Of(types.Int16), types.Of(types.Int32), types.Of(types.Int64), types.Of(types.Float32), types.Of(types.Float64),
		types.DecimalOf(9, 2), types.DecimalOf(18, 6), types.DecimalOf(19, 0), types.DecimalOf(38, 10), types.Of(types.String), types.Of(types.String), types.Of(types.Bytes),
		types.Of(types.Date), types.Of(types.Timestamp), types.Of(types.TimestampNTZ),
		types.Of(types.Time), types.Of(types.UUID), types.Of(types.JSON),
	}
	n := len(scalars)
	if k.Depth > 0 {
		n += 6
	}
	inner := k
	inner.Depth--
	switch i := r.IntN(n); {
	case i < len(scalars):
		return scalars[i]
	case i < len(scalars)+2:
		return types.ArrayOf(RandomType(r, inner))
	case i < len(scalars)+4:
		key := types.Of(types.String)
		if !k.StringKeys {
			key = RandomType(r, Kinds{})
		}
		return types.MapOf(key, RandomType(r, inner))
	}
	var fields []types.Field
	for i := range 1 + r.IntN(3) {
		fields = append(fields, types.Field{Name: fmt.Sprint("f", i), Type: RandomType(r, inner)})
	}
	return types.StructOf(fields...)
}

// Values says which values AppendRandom makes.
type Values struct {
	// Text makes a STRING or the bytes of BYTES; nil = runs of a letter.
	Text func(r *rand.Rand) string
	// Years keeps dates and timestamps within the years that text can hold.
	Years bool
}

// AppendRandom appends a value; with nulls, possibly NULL.
func (v Values) AppendRandom(r *rand.Rand, b *vec.Builder, t types.Type, nulls bool) {
	if nulls && r.IntN(4) == 0 {
		b.AppendNull()
		return
	}
	switch t.Kind {
	case types.Bool:
		b.AppendBool(r.IntN(2) == 1)
	case types.Float32:
		b.AppendFloat(float64(math.Float32frombits(r.Uint32() &^ (1 << 30))))
	case types.Float64:
		b.AppendFloat([]float64{r.NormFloat64(), float64(r.IntN(100)), math.Inf(1), math.NaN(), r.Float64() * 1e30, r.Float64() * 1e-30}[r.IntN(6)])
	case types.Decimal:
		x := types.Int128From(r.Int64N(int64(math.Pow10(min(int(t.Prec), 18)))) - r.Int64N(1000))
		if t.Prec == 38 {
			x.Hi = int64(r.Uint64()) >> 4
		}
		b.AppendInt128(x)
	case types.String, types.Bytes:
		if v.Text != nil {
			b.AppendString(v.Text(r))
		} else {
			b.AppendString(strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(20)))
		}
	case types.UUID:
		id := make([]byte, 16)
		for i := range id {
			id[i] = byte(r.Uint32())
		}
		b.AppendBytes(id)
	case types.JSON:
		docs := []string{"true", "-1.5", `"a,\"b\n"`, "[]", `[1,"x",null]`, `{"a":{"b":[true]},"c,":"é"}`}
		b.AppendString(docs[r.IntN(len(docs))])
	case types.Array, types.Map, types.Struct:
		v.appendNested(r, b, t)
	default:
		b.AppendInt(v.integer(r, t.Kind))
	}
}

func (v Values) integer(r *rand.Rand, k types.Kind) int64 {
	x := int64(r.Uint64()) >> r.IntN(64)
	switch k {
	case types.Int8:
		return int64(int8(x))
	case types.Int16:
		return int64(int16(x))
	case types.Date:
		if v.Years {
			return r.Int64N(100_000) - 50_000
		}
		return int64(int32(x))
	case types.Int32:
		return int64(int32(x))
	case types.Time:
		return r.Int64N(types.MicrosPerDay)
	case types.Timestamp, types.TimestampNTZ:
		if v.Years {
			return r.Int64N(4e15) - 2e15
		}
	}
	return x
}

func (v Values) appendNested(r *rand.Rand, b *vec.Builder, t types.Type) {
	switch t.Kind {
	case types.Array:
		for range r.IntN(4) {
			v.AppendRandom(r, b.Child(0), *t.Elem, true)
		}
		b.EndList()
	case types.Map:
		for i := range r.IntN(4) {
			if t.Key.Kind == types.String {
				b.Child(0).AppendString(fmt.Sprint("k\"", i)) // keys of a row differ
			} else {
				v.AppendRandom(r, b.Child(0), *t.Key, false)
			}
			v.AppendRandom(r, b.Child(1), *t.Elem, true)
		}
		b.EndList()
	case types.Struct:
		for i, f := range t.Fields {
			v.AppendRandom(r, b.Child(i), f.Type, true)
		}
		b.EndStruct()
	}
}

// Vector is flat, constant or a dictionary.
func (v Values) Vector(r *rand.Rand, t types.Type, n int, nulls bool) *vec.Vector {
	b := vec.NewBuilder(t)
	kind := r.IntN(4)
	rows := n
	switch kind {
	case 0:
		rows = 1
	case 1:
		rows = 1 + r.IntN(10)
	}
	for range rows {
		v.AppendRandom(r, b, t, nulls && kind != 1)
	}
	out := b.Take()
	switch kind {
	case 0:
		out.Const, out.N = true, n
	case 1:
		d := &vec.Vector{Type: t, N: n, Dict: out}
		for range n {
			d.Codes = append(d.Codes, uint32(r.IntN(rows)))
		}
		if nulls {
			d.Valid = vec.AllValid(n)
			vec.BitClear(d.Valid, r.IntN(n))
		}
		return d
	}
	return out
}

// Batch is a batch of random vectors, with a selection half of the time.
func (v Values) Batch(r *rand.Rand, cols []types.Column) *vec.Batch {
	b := &vec.Batch{N: 1 + r.IntN(50)}
	for _, c := range cols {
		b.Cols = append(b.Cols, v.Vector(r, c.Type, b.N, r.IntN(2) == 0))
	}
	if r.IntN(2) == 0 {
		b.Sel = []int32{}
		for i := range b.N {
			if r.IntN(2) == 0 {
				b.Sel = append(b.Sel, int32(i))
			}
		}
	}
	return b
}
