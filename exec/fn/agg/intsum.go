package agg

import (
	"encoding/binary"
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// sum128 is the exact sum of 64-bit integers with weights: 2⁶³ rows do not overflow it.
type sum128 struct {
	lo uint64
	hi int64
	n  int64 // rows that are not NULL
}

func (s *sum128) add(x int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, uint64(x), 0)
	s.hi += x>>63 + int64(carry)
	s.n++
}

func (s *sum128) addTimes(x, w int64) {
	p := types.MulInt64(x, w)
	s.merge(sum128{lo: p.Lo, hi: p.Hi, n: w})
}

func (s *sum128) merge(o sum128) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.hi += o.hi + int64(carry)
	s.n += o.n
}

func (s *sum128) value() types.Int128 { return types.Int128{Hi: s.hi, Lo: s.lo} }

func (s *sum128) wide() sum192 {
	return sum192{lo: s.lo, mid: uint64(s.hi), hi: s.hi >> 63, n: s.n}
}

// intSums sums PhysInt64 arguments. State: varint rows, then 16 bytes.
type intSums struct {
	cells[sum128]
}

// Add implements fn.Accumulator.
func (a *intSums) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	if plain(rows, v) {
		xs := v.I64[:len(rows.Groups)]
		for i, g := range rows.Groups {
			a.at[g].add(xs[i])
		}
		return nil
	}
	each(rows, v, func(g uint32, r int, w int64) { a.at[g].addTimes(v.Int(r), w) })
	return nil
}

func (a *intSums) merge(src *intSums, from, into []uint32) {
	for i, f := range from {
		a.at[into[i]].merge(src.at[f])
	}
}

// AppendState implements fn.Accumulator.
func (a *intSums) AppendState(dst []byte, group uint32) []byte {
	s := &a.at[group]
	dst = binary.AppendVarint(dst, s.n)
	if s.hi == int64(s.lo)>>63 { // fits in 64 bits
		return binary.AppendVarint(append(dst, 0), int64(s.lo))
	}
	dst = binary.BigEndian.AppendUint64(append(dst, 1), uint64(s.hi))
	return binary.BigEndian.AppendUint64(dst, s.lo)
}

// LoadState implements fn.Accumulator.
func (a *intSums) LoadState(src []byte, group uint32) ([]byte, error) {
	s := &a.at[group]
	n, src, err := cutVarint(src)
	if err != nil || len(src) == 0 {
		return nil, errState
	}
	s.n = n
	if src[0] == 0 {
		x, rest, err := cutVarint(src[1:])
		s.lo, s.hi = uint64(x), x>>63
		return rest, err
	}
	if len(src) < 17 {
		return nil, errState
	}
	s.hi = int64(binary.BigEndian.Uint64(src[1:]))
	s.lo = binary.BigEndian.Uint64(src[9:])
	return src[17:], nil
}

// sum192 is the exact sum of 128-bit integers with weights.
type sum192 struct {
	lo, mid uint64
	hi      int64
	n       int64
}

func (s *sum192) addTimes(x types.Int128, w int64) {
	// x·w = lo(x)·w + hi(x)·w·2⁶⁴, with lo(x) taken as unsigned.
	h, l := bits.Mul64(x.Lo, uint64(w))
	low := int64(h) - w>>63&int64(x.Lo)
	p := types.MulInt64(x.Hi, w)
	mid, carry := bits.Add64(uint64(low), p.Lo, 0)
	s.merge(sum192{lo: l, mid: mid, hi: low>>63 + p.Hi + int64(carry), n: w})
}

func (s *sum192) merge(o sum192) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.mid, carry = bits.Add64(s.mid, o.mid, carry)
	s.hi += o.hi + int64(carry)
	s.n += o.n
}

// value is the sum if it fits in 128 bits.
func (s *sum192) value() (types.Int128, bool) {
	return types.Int128{Hi: int64(s.mid), Lo: s.lo}, s.hi == int64(s.mid)>>63
}

// wideSums sums PhysInt128 arguments. State: varint rows, then 24 bytes.
type wideSums struct {
	cells[sum192]
}

// Add implements fn.Accumulator.
func (a *wideSums) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		f, i := v.At(r)
		a.at[g].addTimes(f.I128[i], w)
	})
	return nil
}

func (a *wideSums) merge(src *wideSums, from, into []uint32) {
	for i, f := range from {
		a.at[into[i]].merge(src.at[f])
	}
}

// AppendState implements fn.Accumulator.
func (a *wideSums) AppendState(dst []byte, group uint32) []byte {
	s := &a.at[group]
	dst = binary.AppendVarint(dst, s.n)
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.hi))
	dst = binary.BigEndian.AppendUint64(dst, s.mid)
	return binary.BigEndian.AppendUint64(dst, s.lo)
}

// LoadState implements fn.Accumulator.
func (a *wideSums) LoadState(src []byte, group uint32) ([]byte, error) {
	s := &a.at[group]
	n, src, err := cutVarint(src)
	if err != nil || len(src) < 24 {
		return nil, errState
	}
	s.n = n
	s.hi = int64(binary.BigEndian.Uint64(src))
	s.mid, s.lo = binary.BigEndian.Uint64(src[8:]), binary.BigEndian.Uint64(src[16:])
	return src[24:], nil
}

// appendDecimal appends the unscaled value x, which is out of range unless ok, to out.
func appendDecimal(name string, x types.Int128, ok bool, out *vec.Builder) error {
	if t := out.Type(); !ok || !types.FitsPrecision(x, int(t.Prec)) {
		return &fn.DataError{Func: name, Row: -1, Msg: "the result does not fit in " + t.String()}
	}
	out.AppendInt128(x)
	return nil
}
