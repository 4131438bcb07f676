// Package vectest owns random vectors for property tests: every type and layout, with
// NULLs, NaN, signed zero, empty and odd text. Only tests import it. It has one file.
package vectest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Rand is a generator that gives the same numbers for the same seed.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x5eed)) }

// Scalars has one type of every kind without elements, and of both decimal layouts.
func Scalars() []types.Type {
	out := []types.Type{types.DecimalOf(10, 2), types.DecimalOf(38, 9)}
	for k := types.Null; k <= types.JSON; k++ {
		if k != types.Decimal {
			out = append(out, types.Of(k))
		}
	}
	return out
}

// Type is a random type, nested at most depth levels.
func Type(r *rand.Rand, depth int) types.Type {
	s := Scalars()
	if depth == 0 || r.IntN(3) > 0 {
		return s[r.IntN(len(s))]
	}
	switch r.IntN(3) {
	case 0:
		return types.ArrayOf(Type(r, depth-1))
	case 1:
		return types.MapOf(s[r.IntN(len(s))], Type(r, depth-1))
	}
	var fields []types.Field
	for i := range 1 + r.IntN(3) {
		fields = append(fields, types.Field{Name: string(rune('a' + i)), Type: Type(r, depth-1)})
	}
	return types.StructOf(fields...)
}

// Types are n random types.
func Types(r *rand.Rand, n, depth int) []types.Type {
	out := make([]types.Type, n)
	for i := range out {
		out[i] = Type(r, depth)
	}
	return out
}

var texts = []string{"", "a", "ab", "b", "\x00", "\x01", "a\x00", "a\x00b", "a\x01", "\x01\x01\x02", "é", "a longer text, over eight bytes",
	"12345678", "1234567\x00", "1234567\x018", "\xff\xfe"}

var (
	uuids     = []string{strings.Repeat("\x00", 16), strings.Repeat("\xff", 16), "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"}
	documents = []string{"null", "1", "1.5", `"a"`, `""`, "[]", `[1,"x",null]`, "{}", `{"a":{"b":[true]},"c":"é"}`}
)

// Value is a random value as vec.FromAny takes it; small pools make equal ones common.
func Value(r *rand.Rand, t types.Type) any {
	if r.IntN(6) == 0 || t.Kind == types.Null {
		return nil
	}
	switch t.Phys() {
	case types.PhysBool:
		return r.IntN(2) == 0
	case types.PhysInt64:
		return integer(r, t)
	case types.PhysFloat64:
		pool := []float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(0x7ff8000000000123), math.Inf(1), math.Inf(-1), 1, -1, 1.5, 0.1, 1e300, -5e-324}
		return pool[r.IntN(len(pool))]
	case types.PhysInt128:
		pool := []int64{0, 0, -1, 1, math.MaxInt64, math.MinInt64}
		return types.Int128{Hi: pool[r.IntN(len(pool))], Lo: uint64(pool[r.IntN(len(pool))])}
	case types.PhysInterval:
		return types.IntervalValue{Months: int32(r.IntN(3) - 1), Days: int32(r.IntN(61) - 30), Micros: int64(r.IntN(3)-1) * types.MicrosPerDay}
	case types.PhysString:
		s := texts[r.IntN(len(texts))]
		switch t.Kind {
		case types.Bytes:
			return []byte(s)
		case types.UUID:
			return uuids[r.IntN(len(uuids))]
		case types.JSON:
			return documents[r.IntN(len(documents))]
		}
		return s
	}
	return nested(r, t)
}

func integer(r *rand.Rand, t types.Type) int64 {
	switch t.Kind {
	case types.Int8, types.Int16, types.Int32, types.Date:
		return int64(r.IntN(9) - 4)
	case types.Time:
		pool := []int64{0, 1, 999_999, 3_600_000_000, types.MicrosPerDay - 1}
		return pool[r.IntN(len(pool))]
	}
	pool := []int64{0, 1, -1, 127, 255, 256, -256, -257, 1 << 40, math.MaxInt64, math.MinInt64}
	return pool[r.IntN(len(pool))]
}

func nested(r *rand.Rand, t types.Type) any {
	if t.Kind == types.Struct {
		out := make([]any, len(t.Fields))
		for i, f := range t.Fields {
			out[i] = Value(r, f.Type)
		}
		return out
	}
	n := r.IntN(4)
	if t.Kind == types.Array {
		out := make([]any, n)
		for i := range out {
			out[i] = Value(r, *t.Elem)
		}
		return out
	}
	out := make([][2]any, n)
	for i := range out {
		out[i] = [2]any{Value(r, *t.Key), Value(r, *t.Elem)}
	}
	return out
}

// Vector is a random vector of n rows: flat, constant or a dictionary, of which the
// entries and the rows may be NULL.
func Vector(r *rand.Rand, t types.Type, n int) *vec.Vector {
	switch r.IntN(5) {
	case 0:
		return vec.NewConst(t, Value(r, t), n)
	case 1, 2:
		if t.Kind != types.Null {
			return dictionary(r, t, n)
		}
	}
	return flat(r, t, n)
}

func flat(r *rand.Rand, t types.Type, n int) *vec.Vector {
	vals := make([]any, n)
	for i := range vals {
		vals[i] = Value(r, t)
	}
	if r.IntN(3) == 0 { // without NULLs
		for i := range vals {
			for vals[i] == nil && t.Kind != types.Null {
				vals[i] = Value(r, t)
			}
		}
	}
	return vec.FromAny(t, vals...)
}

func dictionary(r *rand.Rand, t types.Type, n int) *vec.Vector {
	d := flat(r, t, 1+r.IntN(6))
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = uint32(r.IntN(d.N))
	}
	var valid []uint64
	if r.IntN(2) == 0 {
		valid = vec.AllValid(n)
		for i := range n {
			if r.IntN(4) == 0 {
				vec.BitClear(valid, i)
			}
		}
	}
	if r.IntN(2) == 0 {
		d.PrecomputeHashes()
	}
	return vec.NewDict(d, codes, valid)
}

// Sel is a random selection of n rows, nil now and then.
func Sel(r *rand.Rand, n int) []int32 {
	if r.IntN(3) == 0 {
		return nil
	}
	out := []int32{}
	for i := range n {
		if r.IntN(3) > 0 {
			out = append(out, int32(i))
		}
	}
	return out
}

// Batch is a random batch of n rows, with a selection and weights now and then.
func Batch(r *rand.Rand, ts []types.Type, n int) *vec.Batch {
	b := &vec.Batch{N: n, Sel: Sel(r, n)}
	for _, t := range ts {
		b.Cols = append(b.Cols, Vector(r, t, n))
	}
	if r.IntN(2) == 0 {
		b.W = make([]int64, n)
		for i := range b.W {
			b.W[i] = int64(r.IntN(7) - 3)
		}
	}
	return b
}

// Canon is text that is the same exactly for values that are one group: the naive
// model of grouping equality.
func Canon(x any) string {
	switch x := x.(type) {
	case nil:
		return "NULL"
	case float64:
		if x == 0 {
			return "f0"
		}
		return fmt.Sprintf("f%v", x)
	case string, []byte:
		return fmt.Sprintf("%q", x)
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = Canon(e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case [][2]any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = Canon(e[0]) + ":" + Canon(e[1])
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprintf("%v", x)
}

// CanonRow is Canon of all columns at row.
func CanonRow(cols []*vec.Vector, row int) string {
	parts := make([]any, len(cols))
	for i, c := range cols {
		parts[i] = vec.ToAny(c, row)
	}
	return Canon(parts)
}
