package sketch

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
)

// The sizes of HLL sketches: 2^LgK registers.
const (
	MinLgK     = 4
	MaxLgK     = 21
	DefaultLgK = 12
)

// HLL is a HyperLogLog sketch. While it has seen few values it keeps their coupons: 26 bits
// of hash as address and, above them, 1 + the leading zeros of other bits. Later it keeps
// the greatest number of zeros for each of 2^LgK registers. What it is depends on the set
// of values alone.
type HLL struct {
	LgK       int
	Coupons   []uint32 // ascending, each once; nil when there are registers
	Registers []byte   // nil while there are coupons
}

const addressBits = 26

// Coupon is that of a value's bytes: of a whole number its 8 bytes, little endian.
func Coupon(data []byte) uint32 {
	h1, h2 := Hash128(data)
	return uint32(min(bits.LeadingZeros64(h2), 62)+1)<<addressBits | uint32(h1)&(1<<addressBits-1)
}

// CouponLimit is how many different coupons a sketch keeps at most.
func CouponLimit(lgK int) int {
	if lgK < 8 {
		return 7
	}
	return 3 << (lgK - 5)
}

// Slot is the register that a coupon belongs to, and what it holds then.
func Slot(coupon uint32, lgK int) (slot int, value byte) {
	return int(coupon & (1<<lgK - 1)), byte(coupon >> addressBits)
}

// FromCoupons makes a sketch of coupons, which it keeps and sorts.
func FromCoupons(coupons []uint32, lgK int) *HLL {
	slices.Sort(coupons)
	coupons = slices.Compact(coupons)
	h := &HLL{LgK: lgK, Coupons: coupons}
	if len(coupons) > CouponLimit(lgK) {
		h.promote()
	}
	return h
}

func (h *HLL) promote() {
	h.Registers = make([]byte, 1<<h.LgK)
	for _, c := range h.Coupons {
		slot, v := Slot(c, h.LgK)
		h.Registers[slot] = max(h.Registers[slot], v)
	}
	h.Coupons = nil
}

// Union is the sketch of the values of both, with the fewer registers of the two.
func Union(a, b *HLL) *HLL {
	lgK := min(a.LgK, b.LgK)
	if a.Registers == nil && b.Registers == nil {
		return FromCoupons(append(slices.Clone(a.Coupons), b.Coupons...), lgK)
	}
	out := &HLL{LgK: lgK, Registers: make([]byte, 1<<lgK)}
	for _, h := range []*HLL{a, b} {
		for _, c := range h.Coupons {
			slot, v := Slot(c, lgK)
			out.Registers[slot] = max(out.Registers[slot], v)
		}
		for i, v := range h.Registers {
			slot := i & (1<<lgK - 1)
			out.Registers[slot] = max(out.Registers[slot], v)
		}
	}
	return out
}

// Estimate is about how many values the sketch has seen. Of coupons it is nearly exact; of
// registers its relative standard error is 1.04 / √2^LgK. Registers are estimated as Ertl
// does (arXiv 1702.01284, algorithm 6), which needs no tables.
func (h *HLL) Estimate() float64 {
	if h.Registers == nil {
		const all = 1 << addressBits
		return max(float64(len(h.Coupons)), -all*math.Log1p(-float64(len(h.Coupons))/all))
	}
	var counts [65]float64
	for _, v := range h.Registers {
		counts[min(v, 64)]++
	}
	m := float64(len(h.Registers))
	z := m * tau(1-counts[64]/m)
	for k := 63; k >= 1; k-- {
		z = (z + counts[k]) / 2
	}
	z += m * sigma(counts[0]/m)
	return m * m / (2 * math.Ln2 * z)
}

func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z := 1.0, x
	for before := -1.0; z != before; y += y {
		x *= x
		before = z
		z += x * y
	}
	return z
}

func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z := 1.0, 1-x
	for before := -1.0; z != before; {
		x = math.Sqrt(x)
		before = z
		y /= 2
		z -= (1 - x) * (1 - x) * y
	}
	return z / 3
}

// The modes, and the bits of the last byte of the preamble that say so; 2 << 2 = HLL_8.
const (
	modeList  = 0
	modeSet   = 1
	modeHLL   = 2
	hll8      = 2 << 2
	flagEmpty = 4
	flagOOO   = 16 // the estimate must come from the registers
)

// Append writes the sketch as the updatable image of DataSketches.
func (h *HLL) Append(dst []byte) []byte {
	switch {
	case h.Registers != nil:
		return h.appendRegisters(dst)
	case len(h.Coupons) < 8:
		flags := byte(0)
		if len(h.Coupons) == 0 {
			flags = flagEmpty
		}
		dst = append(dst, 2, 1, 7, byte(h.LgK), 3, flags, byte(len(h.Coupons)), hll8|modeList)
		for i := range 8 {
			c := uint32(0)
			if i < len(h.Coupons) {
				c = h.Coupons[i]
			}
			dst = binary.LittleEndian.AppendUint32(dst, c)
		}
		return dst
	}
	lgSize := 5
	for 4*len(h.Coupons) > 3<<lgSize {
		lgSize++
	}
	dst = append(dst, 3, 1, 7, byte(h.LgK), byte(lgSize), 0, 0, hll8|modeSet)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(h.Coupons)))
	for _, c := range hashed(h.Coupons, lgSize) {
		dst = binary.LittleEndian.AppendUint32(dst, c)
	}
	return dst
}

// hashed lays coupons out in a table of open addressing, as DataSketches probes it.
func hashed(coupons []uint32, lgSize int) []uint32 {
	table := make([]uint32, 1<<lgSize)
	mask := uint32(len(table) - 1)
	for _, c := range coupons {
		at, stride := c&mask, (c&(1<<addressBits-1))>>lgSize|1
		for table[at] != 0 {
			at = (at + stride) & mask
		}
		table[at] = c
	}
	return table
}

func (h *HLL) appendRegisters(dst []byte) []byte {
	var low, high float64
	zeros := uint32(0)
	for _, v := range h.Registers {
		switch {
		case v < 32:
			low += math.Ldexp(1, -int(v))
		default:
			high += math.Ldexp(1, -int(v))
		}
		if v == 0 {
			zeros++
		}
	}
	dst = append(dst, 10, 1, 7, byte(h.LgK), 0, flagOOO, 0, hll8|modeHLL)
	for _, x := range []float64{0, low, high} {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	dst = binary.LittleEndian.AppendUint32(dst, zeros)
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	return append(dst, h.Registers...)
}

var errHLL = errors.New("no HLL sketch of 8 bits a register")

// ReadHLL reads an image, updatable or compact, of a sketch of the kind HLL_8.
func ReadHLL(src []byte) (*HLL, error) {
	if len(src) < 8 || src[1] != 1 || src[2] != 7 || src[3] < MinLgK || src[3] > MaxLgK {
		return nil, errHLL
	}
	lgK, mode := int(src[3]), src[7]&3
	switch {
	case mode == modeHLL:
		if len(src) < 40+1<<lgK || src[7]&12 != hll8 {
			return nil, errHLL
		}
		return &HLL{LgK: lgK, Registers: slices.Clone(src[40 : 40+1<<lgK])}, nil
	case mode == modeList:
		return readCoupons(src[8:], int(src[6]), lgK)
	case mode == modeSet && len(src) >= 12:
		return readCoupons(src[12:], int(binary.LittleEndian.Uint32(src[8:])), lgK)
	}
	return nil, errHLL
}

// readCoupons reads as many coupons as there should be; empty places of a table are 0.
func readCoupons(src []byte, n, lgK int) (*HLL, error) {
	var out []uint32
	for ; len(src) >= 4; src = src[4:] {
		if c := binary.LittleEndian.Uint32(src); c != 0 {
			out = append(out, c)
		}
	}
	if len(out) != n || n > 1<<lgK {
		return nil, errHLL
	}
	return FromCoupons(out, lgK), nil
}
