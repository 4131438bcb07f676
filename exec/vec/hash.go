package vec

import (
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Hashes decide which virtual node owns a key, and virtual nodes are persisted: the
// functions of this file must never give another value for the same key. Values
// that are equal by grouping (Equal) have equal hashes.

const (
	mix1 = 0xa0761d6478bd642f
	mix2 = 0xe7037ed1a0b428db
	seed = 0x9e3779b97f4a7c15
)

// The hashes of NULL, and of a STRUCT before its fields are combined with it.
const (
	HashNull   = 0x8ebc6af09c88c6e3
	HashStruct = seed
)

func mum(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// HashInt is the hash of a PhysInt64 value before it is combined.
func HashInt(x int64) uint64 { return mum(uint64(x)^mix1, mix2) }

// HashFloat is the hash of a PhysFloat64 value before it is combined.
func HashFloat(x float64) uint64 { return HashInt(int64(FloatBits(x))) }

// FloatBits are the bits of x, the same for all values that SQL holds equal: −0.0 is
// 0.0, and there is one NaN.
func FloatBits(x float64) uint64 {
	if x == 0 {
		return 0
	}
	if x != x {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(x)
}

// HashInt128 is the hash of a PhysInt128 value before it is combined.
func HashInt128(x types.Int128) uint64 { return CombineHash(HashInt(int64(x.Lo)), uint64(x.Hi)) }

// HashInterval is the hash of an INTERVAL before it is combined.
func HashInterval(x types.IntervalValue) uint64 {
	return CombineHash(HashInt(int64(x.Months)<<32|int64(uint32(x.Days))), uint64(x.Micros))
}

// HashBytes is the hash of a PhysString value before it is combined.
func HashBytes(b []byte) uint64 { return xxh3.Hash(b) }

// CombineHash adds the hash of a further column or field to that of a row or STRUCT.
func CombineHash(h, x uint64) uint64 { return mum(h^seed, x^mix2) }

// VNode is the virtual node, one of 256, that owns a hash.
func VNode(h uint64) uint8 { return uint8(h >> 56) }

// Hash returns the hash of each row of cols that counts, reusing dst: dst[i] belongs
// to the i-th row of sel (nil = all n rows). Without columns every hash is the same.
func Hash(cols []*Vector, n int, sel []int32, dst []uint64) []uint64 {
	if sel != nil {
		n = len(sel)
	}
	dst = grow(dst, n)
	if len(cols) == 0 {
		for i := range dst {
			dst[i] = HashNull
		}
		return dst
	}
	cols[0].hashTo(sel, 0, dst)
	for _, c := range cols[1:] {
		c.combineTo(sel, dst)
	}
	return dst
}

// combineTo adds a further column, a block at a time.
func (v *Vector) combineTo(sel []int32, dst []uint64) {
	var block [256]uint64
	for from := 0; from < len(dst); from += len(block) {
		part := dst[from:min(from+len(block), len(dst))]
		tmp := block[:len(part)]
		if sel == nil {
			v.hashTo(nil, from, tmp)
		} else {
			v.hashTo(sel[from:from+len(part)], 0, tmp)
		}
		for i, x := range tmp {
			part[i] = CombineHash(part[i], x)
		}
	}
}

// HashRow is the hash of one row, equal to what Hash gives for it.
func HashRow(cols []*Vector, row int) uint64 {
	if len(cols) == 0 {
		return HashNull
	}
	h := cols[0].hashAt(row)
	for _, c := range cols[1:] {
		h = CombineHash(h, c.hashAt(row))
	}
	return h
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// PrecomputeHashes stores the hash of every entry of a dictionary, before it is
// shared, so that no batch computes them again.
func (v *Vector) PrecomputeHashes() {
	v.hashes = make([]uint64, v.N)
	v.hashTo(nil, 0, v.hashes)
}

// hashTo hashes rows into dst: those that sel lists, or len(dst) rows beginning with
// the row from.
func (v *Vector) hashTo(sel []int32, from int, dst []uint64) {
	switch {
	case len(dst) == 0:
	case v.Const:
		h := v.hashAt(0)
		for i := range dst {
			dst[i] = h
		}
	case v.Dict != nil:
		v.hashDict(sel, from, dst)
	default:
		v.hashFlat(sel, from, dst)
	}
}

// hashDict hashes each entry once if there are fewer entries than rows.
func (v *Vector) hashDict(sel []int32, from int, dst []uint64) {
	entries := v.Dict.hashes
	if entries == nil && v.Dict.N <= len(dst) {
		entries = make([]uint64, v.Dict.N)
		v.Dict.hashTo(nil, 0, entries)
	}
	for i := range dst {
		r := rowOf(sel, from, i)
		switch {
		case !BitGet(v.Valid, r):
			dst[i] = HashNull
		case entries != nil:
			dst[i] = entries[v.Codes[r]]
		default:
			dst[i] = v.Dict.hashAt(int(v.Codes[r]))
		}
	}
}

func (v *Vector) hashFlat(sel []int32, from int, dst []uint64) {
	switch v.Type.Phys() {
	case types.PhysInt64:
		hashInts(v.I64, sel, from, dst)
	case types.PhysFloat64:
		for i := range dst {
			dst[i] = HashFloat(v.F64[rowOf(sel, from, i)])
		}
	case types.PhysString:
		v.hashText(sel, from, dst)
		return
	default:
		for i := range dst {
			dst[i] = v.hashAt(rowOf(sel, from, i))
		}
		return
	}
	if v.Valid == nil {
		return
	}
	for i := range dst {
		if !BitGet(v.Valid, rowOf(sel, from, i)) {
			dst[i] = HashNull
		}
	}
}

func hashInts(src []int64, sel []int32, from int, dst []uint64) {
	if sel == nil {
		src = src[from : from+len(dst)]
		for i := range dst {
			dst[i] = HashInt(src[i])
		}
		return
	}
	sel = sel[:len(dst)]
	for i := range dst {
		dst[i] = HashInt(src[sel[i]])
	}
}

func (v *Vector) hashText(sel []int32, from int, dst []uint64) {
	for i := range dst {
		row := rowOf(sel, from, i)
		if !BitGet(v.Valid, row) {
			dst[i] = HashNull
			continue
		}
		r := v.Str[row]
		dst[i] = xxh3.Hash(v.Buf[r.Off : r.Off+r.Len])
	}
}

// rowOf is the i-th row that sel lists, or from + i.
func rowOf(sel []int32, from, i int) int {
	if sel == nil {
		return from + i
	}
	return int(sel[i])
}

func at(sel []int32, i int) int { return rowOf(sel, 0, i) }

// hashAt hashes the value of one row.
func (v *Vector) hashAt(row int) uint64 {
	if v.IsNull(row) {
		return HashNull
	}
	f, i := v.At(row)
	switch f.Type.Phys() {
	case types.PhysBool:
		return HashInt(int64(f.Bool[i] & 1))
	case types.PhysInt64:
		return HashInt(f.I64[i])
	case types.PhysFloat64:
		return HashFloat(f.F64[i])
	case types.PhysInt128:
		return HashInt128(f.I128[i])
	case types.PhysInterval:
		return HashInterval(f.Iv[i])
	case types.PhysString:
		return xxh3.Hash(f.Bytes(i))
	case types.PhysStruct:
		h := uint64(HashStruct)
		for _, c := range f.Child {
			h = CombineHash(h, c.hashAt(i))
		}
		return h
	}
	return f.hashList(i)
}

// hashList hashes elements in order; the entries of a MAP have none.
func (v *Vector) hashList(i int) uint64 {
	from, to := int(v.Off[i]), int(v.Off[i+1])
	h := HashInt(int64(to - from))
	for e := from; e < to; e++ {
		x := v.Child[0].hashAt(e)
		if v.Type.Kind == types.Map {
			h += CombineHash(x, v.Child[1].hashAt(e))
			continue
		}
		h = CombineHash(h, x)
	}
	return h
}
