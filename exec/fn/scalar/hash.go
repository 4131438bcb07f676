package scalar

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file has the hashes whose values are those of Spark, so that keys that were
// made there find their rows here: Murmur3 (hash) and xxHash64, both from seed 42
// through the arguments one after the other, NULLs left out.

// hasher mixes one value into a hash.
type hasher interface {
	int32(x uint32, seed uint64) uint64
	int64(x uint64, seed uint64) uint64
	bytes(b []byte, seed uint64) uint64
}

const hashSeed = 42

func hashes() []*fn.Scalar {
	return []*fn.Scalar{
		hashing("hash", integer, "Is the 32-bit Murmur3 hash of its arguments, as in Spark; NULLs are left out.", "hash('Spark', array(123), 2)", "-1321691492", murmur3{}),
		hashing("xxhash64", bigint, "Is the 64-bit xxHash of its arguments, as in Spark; NULLs are left out.", "xxhash64('Spark', array(123), 2)", "5602566077635097486", xxhash{}),
	}
}

func hashing(name string, t types.Type, doc, example, want string, h hasher) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Hash", Nulls: fn.Custom, Syntax: []string{name + "(a, b, ...)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL)", Want: "42"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			for i, a := range args {
				if a.Body != nil {
					return fn.Impl{}, mismatch(args, i, "value")
				}
				if hasMap(a.Type) {
					return fn.Impl{}, fmt.Errorf("does not take a MAP, whose entries have no order: argument %d may be array_sort(map_entries(m))", i+1)
				}
			}
			eval := ints(t, func(args []*vec.Vector, r int) int64 {
				sum := uint64(hashSeed)
				for _, a := range args {
					sum = hashValue(h, a, r, sum)
				}
				if t.Kind == types.Int32 {
					return int64(int32(sum))
				}
				return int64(sum)
			})
			return fn.Impl{Args: argTypes(args), Result: t, Eval: eval, Safe: true}, arity(args, 1, -1)
		},
	}
}

func hasMap(t types.Type) bool {
	switch t.Kind {
	case types.Map:
		return true
	case types.Array:
		return hasMap(*t.Elem)
	case types.Struct:
		for _, f := range t.Fields {
			if hasMap(f.Type) {
				return true
			}
		}
	}
	return false
}

func hashValue(h hasher, v *vec.Vector, r int, seed uint64) uint64 {
	if v.IsNull(r) {
		return seed
	}
	f, i := v.At(r)
	switch f.Type.Kind {
	case types.Bool:
		return h.int32(uint32(f.Bool[i]), seed)
	case types.Int8, types.Int16, types.Int32, types.Date:
		return h.int32(uint32(f.I64[i]), seed)
	case types.Float32:
		return h.int32(math.Float32bits(float32(plainFloat(f.F64[i]))), seed)
	case types.Float64:
		return h.int64(math.Float64bits(plainFloat(f.F64[i])), seed)
	case types.Decimal:
		return hashDecimal(h, f, i, seed)
	case types.Time:
		return h.int64(uint64(f.I64[i]*1000), seed) // Spark's are of ns
	case types.Interval:
		return hashInterval(h, f.Iv[i], seed)
	case types.Array:
		for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
			seed = hashValue(h, f.Child[0], e, seed)
		}
		return seed
	case types.Struct:
		for _, child := range f.Child {
			seed = hashValue(h, child, i, seed)
		}
		return seed
	}
	switch f.Type.Phys() {
	case types.PhysString:
		return h.bytes(f.Bytes(i), seed)
	case types.PhysInt128:
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], uint64(f.I128[i].Hi))
		binary.BigEndian.PutUint64(b[8:], f.I128[i].Lo)
		return h.bytes(b[:], seed)
	}
	return h.int64(uint64(f.I64[i]), seed)
}

// plainFloat makes one value of all NaNs, and one of both zeros.
func plainFloat(x float64) float64 {
	switch {
	case x != x:
		return math.Float64frombits(0x7ff8000000000000) // as Java writes it
	case x == 0:
		return 0
	}
	return x
}

// hashDecimal hashes the digits: a long where they fit one by the type, else the
// shortest bytes in two's complement.
func hashDecimal(h hasher, v *vec.Vector, i int, seed uint64) uint64 {
	x := cast.DecimalAt(v, i)
	if v.Type.Prec <= 18 {
		return h.int64(x.Lo, seed)
	}
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(x.Hi))
	binary.BigEndian.PutUint64(b[8:], x.Lo)
	from := 0
	for from < 15 && (b[from] == 0 && b[from+1] < 0x80 || b[from] == 0xff && b[from+1] >= 0x80) {
		from++
	}
	return h.bytes(b[from:], seed)
}

// hashInterval follows Spark's three types of intervals: of months, of time, of both.
func hashInterval(h hasher, x types.IntervalValue, seed uint64) uint64 {
	switch {
	case x.Months == 0:
		return h.int64(uint64(int64(x.Days)*types.MicrosPerDay+x.Micros), seed)
	case x.Days == 0 && x.Micros == 0:
		return h.int32(uint32(x.Months), seed)
	}
	return h.int32(uint32(x.Months), h.int32(uint32(x.Days), h.int64(uint64(x.Micros), seed)))
}

// murmur3 is the 32-bit variant for x86, except that Spark mixes the last bytes of a
// text one by one, as signed numbers.
type murmur3 struct{}

func (murmur3) mix(h, k uint32) uint32 {
	k = bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593
	return bits.RotateLeft32(h^k, 13)*5 + 0xe6546b64
}

func (murmur3) end(h, n uint32) uint64 {
	h ^= n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return uint64(h ^ h>>16)
}

func (m murmur3) int32(x uint32, seed uint64) uint64 { return m.end(m.mix(uint32(seed), x), 4) }

func (m murmur3) int64(x, seed uint64) uint64 {
	return m.end(m.mix(m.mix(uint32(seed), uint32(x)), uint32(x>>32)), 8)
}

func (m murmur3) bytes(b []byte, seed uint64) uint64 {
	h, n := uint32(seed), uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		h = m.mix(h, binary.LittleEndian.Uint32(b))
	}
	for _, ch := range b {
		h = m.mix(h, uint32(int32(int8(ch))))
	}
	return m.end(h, n)
}

// xxhash is XXH64.
type xxhash struct{}

const (
	xxPrime1 uint64 = 0x9e3779b185ebca87
	xxPrime2 uint64 = 0xc2b2ae3d27d4eb4f
	xxPrime3 uint64 = 0x165667b19e3779f9
	xxPrime4 uint64 = 0x85ebca77c2b2ae63
	xxPrime5 uint64 = 0x27d4eb2f165667c5
)

func (xxhash) round(acc, x uint64) uint64 { return bits.RotateLeft64(acc+x*xxPrime2, 31) * xxPrime1 }

func (xxhash) end(h uint64) uint64 {
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	return h ^ h>>32
}

func (x xxhash) eight(h, v uint64) uint64 {
	return bits.RotateLeft64(h^x.round(0, v), 27)*xxPrime1 + xxPrime4
}

func (x xxhash) four(h uint64, v uint32) uint64 {
	return bits.RotateLeft64(h^uint64(v)*xxPrime1, 23)*xxPrime2 + xxPrime3
}

func (x xxhash) int32(v uint32, seed uint64) uint64 { return x.end(x.four(seed+xxPrime5+4, v)) }

func (x xxhash) int64(v, seed uint64) uint64 { return x.end(x.eight(seed+xxPrime5+8, v)) }

func (x xxhash) bytes(b []byte, seed uint64) uint64 {
	n, h := len(b), seed+xxPrime5
	if n >= 32 {
		h, b = x.stripes(b, seed)
	}
	h += uint64(n)
	for ; len(b) >= 8; b = b[8:] {
		h = x.eight(h, binary.LittleEndian.Uint64(b))
	}
	if len(b) >= 4 {
		h, b = x.four(h, binary.LittleEndian.Uint32(b)), b[4:]
	}
	for _, ch := range b {
		h = bits.RotateLeft64(h^uint64(ch)*xxPrime5, 11) * xxPrime1
	}
	return x.end(h)
}

// stripes takes 32 bytes at a time and returns what is left.
func (x xxhash) stripes(b []byte, seed uint64) (uint64, []byte) {
	acc := [4]uint64{seed + xxPrime1 + xxPrime2, seed + xxPrime2, seed, seed - xxPrime1}
	for ; len(b) >= 32; b = b[32:] {
		for i := range acc {
			acc[i] = x.round(acc[i], binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	h := bits.RotateLeft64(acc[0], 1) + bits.RotateLeft64(acc[1], 7) + bits.RotateLeft64(acc[2], 12) + bits.RotateLeft64(acc[3], 18)
	for _, a := range acc {
		h = (h^x.round(0, a))*xxPrime1 + xxPrime4
	}
	return h, b
}
