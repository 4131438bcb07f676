package agg

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The exact sum of doubles. A finite double is an integer m·2^p with p ≥ 0 in units
// of 2⁻¹⁰⁷⁴, |m| < 2⁵³ and p ≤ 2045; call p its place. A group's sum is kept as a
// two's complement integer of 192 bits whose lowest bit has place base: numbers of
// usual size all fall in one such window, and an addition is three add-with-carry
// instructions. A sum that leaves its window moves to 35 limbs, which hold any sum
// of 2⁶³ doubles. Nothing is ever rounded before the result is asked for, so that
// the order of additions does not matter and retraction leaves exactly zero.
const (
	wideLimbs = 35
	maxShift  = 96 // places above base at which a 64-bit number may be added to a window
	headroom  = 48 // places below the first number that its window keeps
)

// exactCell is the sum of a group.
type exactCell struct {
	w    [3]uint64
	base int32 // place of bit 0 of w; meaningless while w is 0
	wide int32 // 1 + index of the limbs, 0 = in the window
}

// exactSums are exact sums of finite doubles. It is part of accumulators.
type exactSums struct {
	cells[exactCell]
	limbs []uint64 // wideLimbs for each wide sum
	free  []int32  // indexes of limbs not in use
}

// Bytes is the memory held.
func (s *exactSums) Bytes() int64 {
	return s.cells.Bytes() + int64(8*cap(s.limbs)+4*cap(s.free))
}

// Reset empties a group.
func (s *exactSums) Reset(group uint32) {
	s.narrow(&s.at[group])
	s.at[group] = exactCell{}
}

// narrow gives the limbs of a sum back.
func (s *exactSums) narrow(c *exactCell) {
	if c.wide == 0 {
		return
	}
	clear(s.wideAt(c.wide))
	s.free = append(s.free, c.wide-1)
	c.wide = 0
	if len(s.free)*wideLimbs == len(s.limbs) {
		s.limbs, s.free = nil, nil
	}
}

func (s *exactSums) wideAt(w int32) []uint64 {
	return s.limbs[int(w-1)*wideLimbs : int(w)*wideLimbs]
}

// split is |x| as mantissa and place; x is finite.
func split(x float64) (m uint64, place int32) {
	b := math.Float64bits(x)
	e := int32(b >> 52 & 0x7ff)
	m = b & (1<<52 - 1)
	if e == 0 {
		return m, 0
	}
	return m | 1<<52, e - 1
}

// add adds x, which is finite, to a group.
func (s *exactSums) add(group uint32, x float64) {
	m, place := split(x)
	s.addAt(group, m, place, math.Float64bits(x)>>63)
}

// addTimes adds x·w.
func (s *exactSums) addTimes(group uint32, x float64, w int64) {
	m, place := split(x)
	neg := math.Float64bits(x)>>63 ^ uint64(w)>>63
	n := uint64(w)
	if w < 0 {
		n = -n
	}
	hi, lo := bits.Mul64(m, n)
	s.addAt(group, lo, place, neg)
	if hi != 0 {
		s.addAt(group, hi, place+64, neg)
	}
}

// addAt adds ±m·2^place; neg is 0 or 1.
func (s *exactSums) addAt(group uint32, m uint64, place int32, neg uint64) {
	if m == 0 {
		return
	}
	c := &s.at[group]
	if c.wide == 0 && c.w[0]|c.w[1]|c.w[2] == 0 {
		c.base = max(0, place-headroom) &^ 31
	}
	shift := uint32(place - c.base)
	if shift >= maxShift || c.wide != 0 {
		s.addOutside(c, m, place, neg)
		return
	}
	lo, hi := m<<(shift&63), m>>(64-shift&63)
	mask := -neg
	var carry uint64
	if shift < 64 {
		c.w[0], carry = bits.Add64(c.w[0], lo^mask, neg)
		c.w[1], carry = bits.Add64(c.w[1], hi^mask, carry)
		c.w[2] += mask + carry
	} else {
		c.w[1], carry = bits.Add64(c.w[1], lo^mask, neg)
		c.w[2] += hi ^ mask + carry
	}
	if top := int64(c.w[2]); top>>62 != top>>63 {
		s.widen(c)
	}
}

// addOutside adds a number that the window does not take.
func (s *exactSums) addOutside(c *exactCell, m uint64, place int32, neg uint64) {
	s.widen(c)
	sum := s.wideAt(c.wide)
	addLimbs(sum, []uint64{m}, int(place), neg != 0)
	for _, x := range sum {
		if x != 0 {
			return
		}
	}
	s.narrow(c)
}

// widen moves a sum from its window to limbs.
func (s *exactSums) widen(c *exactCell) {
	if c.wide != 0 {
		return
	}
	if k := len(s.free); k > 0 {
		c.wide, s.free = s.free[k-1]+1, s.free[:k-1]
	} else {
		s.limbs = append(s.limbs, make([]uint64, wideLimbs)...)
		c.wide = int32(len(s.limbs) / wideLimbs)
	}
	var abs [3]uint64
	neg := magnitude(c.w[:], abs[:])
	addLimbs(s.wideAt(c.wide), abs[:], int(c.base), neg)
	c.w = [3]uint64{}
}

// magnitude writes |two's complement src| to dst and tells whether src is negative.
func magnitude(src, dst []uint64) bool {
	copy(dst, src)
	if int64(src[len(src)-1]) >= 0 {
		return false
	}
	carry := uint64(1)
	for i, x := range dst {
		dst[i], carry = bits.Add64(^x, 0, carry)
	}
	return true
}

// addLimbs adds ±m·2^place to the two's complement number dst.
func addLimbs(dst, m []uint64, place int, neg bool) {
	from, shift := place>>6, uint(place&63)
	mask, carry := uint64(0), uint64(0)
	if neg {
		mask, carry = ^uint64(0), 1
	}
	below := uint64(0)
	for i := from; i < len(dst); i++ {
		x := below
		if k := i - from; k < len(m) {
			x |= m[k] << shift
			below = 0
			if shift > 0 {
				below = m[k] >> (64 - shift)
			}
		} else {
			below = 0
		}
		dst[i], carry = bits.Add64(dst[i], x^mask, carry)
	}
}

// view is a group's sum as magnitude, place of bit 0, and sign. The limbs are valid
// until buf is used again.
func (s *exactSums) view(group uint32, buf *[wideLimbs]uint64) (abs []uint64, base int, neg bool) {
	c := &s.at[group]
	src, base := c.w[:], int(c.base)
	if c.wide != 0 {
		src, base = s.wideAt(c.wide), 0
	}
	abs = buf[:len(src)]
	neg = magnitude(src, abs)
	for len(abs) > 0 && abs[len(abs)-1] == 0 {
		abs = abs[:len(abs)-1]
	}
	return abs, base, neg
}

// merge adds the sum of a group of another accumulator.
func (s *exactSums) merge(group uint32, o *exactSums, from uint32) {
	d, c := &s.at[group], &o.at[from]
	if c.wide == 0 && d.wide == 0 {
		if c.w == [3]uint64{} {
			return
		}
		if d.w == [3]uint64{} {
			*d = *c
			return
		}
	}
	var buf [wideLimbs]uint64
	abs, base, neg := o.view(from, &buf)
	sign := uint64(0)
	if neg {
		sign = 1
	}
	for i, m := range abs {
		s.addAt(group, m, int32(base+64*i), sign)
	}
}

// value is the sum rounded once, to the nearest even double; ±Inf when it is out of range.
func (s *exactSums) value(group uint32) float64 {
	var buf [wideLimbs]uint64
	abs, base, neg := s.view(group, &buf)
	return roundLimbs(abs, base, neg)
}

// roundLimbs is the double nearest to ±abs·2^base, in units of 2⁻¹⁰⁷⁴. abs has no
// leading zero limb.
func roundLimbs(abs []uint64, base int, neg bool) float64 {
	sign := uint64(0)
	if neg {
		sign = 1 << 63
	}
	if len(abs) == 0 {
		return 0
	}
	length := 64*len(abs) - bits.LeadingZeros64(abs[len(abs)-1])
	low := length - 53 // bit of abs that becomes the last of the mantissa
	if base+low < 0 {  // subnormal: the last place is 2⁻¹⁰⁷⁴
		low = -base
	}
	mant := bitsFrom(abs, low) & (1<<53 - 1)
	exp := uint64(base + low)
	bitsOf := exp<<52 + mant // the hidden bit of a normal number adds one to the exponent
	if roundsUp(abs, low, mant) {
		bitsOf++
	}
	if bitsOf >= 0x7ff<<52 {
		return math.Inf(1 - 2*int(sign>>63))
	}
	return math.Float64frombits(sign | bitsOf)
}

// bitsFrom returns 64 bits of abs from bit position pos, which may be negative.
func bitsFrom(abs []uint64, pos int) uint64 {
	if pos < 0 {
		if -pos >= 64 {
			return 0
		}
		return abs[0] << uint(-pos)
	}
	i, shift := pos>>6, uint(pos&63)
	if i >= len(abs) {
		return 0
	}
	x := abs[i] >> shift
	if shift > 0 && i+1 < len(abs) {
		x |= abs[i+1] << (64 - shift)
	}
	return x
}

// roundsUp tells whether the bits of abs below low round the mantissa up.
func roundsUp(abs []uint64, low int, mant uint64) bool {
	if low <= 0 || bitsFrom(abs, low-1)&1 == 0 {
		return false
	}
	if mant&1 == 1 {
		return true
	}
	half := low - 1
	for _, x := range abs[:half>>6] {
		if x != 0 {
			return true
		}
	}
	return abs[half>>6]&(1<<uint(half&63)-1) != 0
}

// appendState writes a canonical form of the sum: sign, place of the lowest byte that
// is not 0 in bytes, the bytes from there up.
func (s *exactSums) appendState(dst []byte, group uint32) []byte {
	var buf [wideLimbs]uint64
	abs, base, neg := s.view(group, &buf)
	if len(abs) == 0 {
		return append(dst, 0)
	}
	tag := byte(1)
	if neg {
		tag = 2
	}
	low := 0
	for abs[low>>6]>>uint(low&63)&1 == 0 {
		low++
	}
	low -= (base + low) & 7 // bytes begin at places that are multiples of 8
	top := 64*len(abs) - bits.LeadingZeros64(abs[len(abs)-1])
	dst = binary.AppendUvarint(append(dst, tag), uint64(base+low)>>3)
	dst = binary.AppendUvarint(dst, uint64(top-low+7)>>3)
	for ; low < top; low += 8 {
		dst = append(dst, byte(bitsFrom(abs, low)))
	}
	return dst
}

// loadState sets the sum from what appendState wrote.
func (s *exactSums) loadState(src []byte, group uint32) ([]byte, error) {
	s.Reset(group)
	if len(src) == 0 {
		return nil, errState
	}
	tag, src := src[0], src[1:]
	if tag == 0 {
		return src, nil
	}
	place, src, err := cutUvarint(src)
	if err != nil {
		return nil, err
	}
	digits, rest, err := cutBytes(src)
	if err != nil || place+uint64(len(digits)) > 8*wideLimbs {
		return nil, errState
	}
	for i, b := range digits {
		s.addAt(group, uint64(b), int32(place)*8+int32(i)*8, uint64(tag>>1))
	}
	return rest, nil
}
