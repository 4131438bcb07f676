package vec

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Nulls returns n NULLs of type t, as a constant.
func Nulls(t types.Type, n int) *Vector {
	b := NewBuilder(t)
	b.AppendNull()
	v := b.Take()
	v.Const, v.N = true, n
	return v
}

// NewConst returns a constant of n rows. value is as FromAny takes it.
func NewConst(t types.Type, value any, n int) *Vector {
	v := FromAny(t, value)
	v.Const, v.N = true, n
	return v
}

// ConstOf returns a constant of n rows with the value of v at row, sharing v's text.
func ConstOf(v *Vector, row, n int) *Vector {
	if v.Const {
		out := *v
		out.N = n
		return &out
	}
	out := Gather(v, []int32{int32(row)})
	out.Const, out.N = true, n
	return out
}

// WithType returns v under another type of the same physical layout (BIGINT as
// TIMESTAMP, STRING as BYTES), sharing its storage.
func (v *Vector) WithType(t types.Type) *Vector {
	if v.Type.Phys() != t.Phys() {
		panic(fmt.Sprintf("vec: %s cannot stand for %s", v.Type, t))
	}
	out := *v
	out.Type = t
	if v.Dict != nil {
		out.Dict = v.Dict.WithType(t)
	}
	return &out
}

// FromInts returns a vector of a PhysInt64 type over vals, without copying.
func FromInts(t types.Type, vals []int64) *Vector { return &Vector{Type: t, N: len(vals), I64: vals} }

// FromFloats returns a vector of DOUBLE over vals, without copying.
func FromFloats(vals []float64) *Vector {
	return &Vector{Type: types.Of(types.Float64), N: len(vals), F64: vals}
}

// FromBools returns a vector of BOOLEAN over vals (0 or 1), without copying.
func FromBools(vals []uint8) *Vector {
	return &Vector{Type: types.Of(types.Bool), N: len(vals), Bool: vals}
}

// FromStrings returns a vector of STRING.
func FromStrings(vals []string) *Vector {
	b := NewBuilder(types.Of(types.String))
	for _, s := range vals {
		b.AppendString(s)
	}
	return b.Take()
}

// NewDict returns a vector of dict[codes[i]], without copying. dict must be flat and
// is immutable from now on. valid may be nil.
func NewDict(dict *Vector, codes []uint32, valid []uint64) *Vector {
	return &Vector{Type: dict.Type, N: len(codes), Valid: valid, Dict: dict, Codes: codes}
}

// FromAny returns a flat vector of values: nil for NULL; bool; any Go integer or
// types.Int128 for whole numbers, times (µs, days) and decimals (unscaled); float64;
// string or []byte; types.IntervalValue; []any for ARRAY and STRUCT; [][2]any for
// MAP. A value of another kind is a programming error.
func FromAny(t types.Type, vals ...any) *Vector {
	b := NewBuilder(t)
	for _, x := range vals {
		b.AppendAny(x)
	}
	return b.Take()
}

// AppendAny appends a value as FromAny takes it.
func (b *Builder) AppendAny(x any) {
	switch x := x.(type) {
	case nil:
		b.AppendNull()
	case bool:
		b.AppendBool(x)
	case string:
		b.AppendString(x)
	case []byte:
		b.AppendBytes(x)
	case types.IntervalValue:
		b.AppendInterval(x)
	case []any:
		b.appendMany(x)
	case [][2]any:
		for _, kv := range x {
			b.Child(0).AppendAny(kv[0])
			b.Child(1).AppendAny(kv[1])
		}
		b.EndList()
	default:
		b.appendNumber(x)
	}
}

func (b *Builder) appendMany(xs []any) {
	if b.phys == types.PhysStruct {
		for i, x := range xs {
			b.Child(i).AppendAny(x)
		}
		b.EndStruct()
		return
	}
	for _, x := range xs {
		b.Child(0).AppendAny(x)
	}
	b.EndList()
}

func (b *Builder) appendNumber(x any) {
	var i int64
	switch x := x.(type) {
	case int:
		i = int64(x)
	case int32:
		i = int64(x)
	case int64:
		i = x
	case types.Int128:
		b.AppendInt128(x)
		return
	case float64:
		b.AppendFloat(x)
		return
	default:
		panic(fmt.Sprintf("vec: %T is no value of %s", x, b.v.Type))
	}
	switch b.phys {
	case types.PhysFloat64:
		b.AppendFloat(float64(i))
	case types.PhysInt128:
		b.AppendInt128(types.Int128From(i))
	default:
		b.AppendInt(i)
	}
}

// ToAny returns the value of a row as FromAny takes it: int64 for every PhysInt64
// type, string for STRING and []byte for BYTES. Grouping equality is not identity
// here: NaN and −0.0 come out as they are.
func ToAny(v *Vector, row int) any {
	if v.IsNull(row) {
		return nil
	}
	f, i := v.At(row)
	switch v.Type.Phys() {
	case types.PhysBool:
		return f.Bool[i] != 0
	case types.PhysInt64:
		return f.I64[i]
	case types.PhysFloat64:
		return f.F64[i]
	case types.PhysInt128:
		return f.I128[i]
	case types.PhysInterval:
		return f.Iv[i]
	case types.PhysString:
		if v.Type.Kind == types.Bytes {
			return append([]byte{}, v.Bytes(row)...)
		}
		return string(v.Bytes(row))
	}
	return nestedToAny(f, i)
}

func nestedToAny(f *Vector, i int) any {
	if f.Type.Kind == types.Struct {
		out := make([]any, len(f.Child))
		for k, c := range f.Child {
			out[k] = ToAny(c, i)
		}
		return out
	}
	from, to := int(f.Off[i]), int(f.Off[i+1])
	if f.Type.Kind == types.Array {
		out := make([]any, 0, to-from)
		for e := from; e < to; e++ {
			out = append(out, ToAny(f.Child[0], e))
		}
		return out
	}
	out := make([][2]any, 0, to-from)
	for e := from; e < to; e++ {
		out = append(out, [2]any{ToAny(f.Child[0], e), ToAny(f.Child[1], e)})
	}
	return out
}
