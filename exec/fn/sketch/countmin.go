package sketch

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// CountMin is the shape of Spark's count-min sketch: rows of counters, each with a hash
// function of its own. It holds no counters: who owns them counts.
type CountMin struct {
	Depth, Width int
	hashes       []int64
}

const maxCounters = 1 << 24

// NewCountMin makes the shape for a relative error, a confidence and a seed.
func NewCountMin(eps, confidence float64, seed int64) (*CountMin, error) {
	if !(eps > 0) || !(confidence > 0 && confidence < 1) {
		return nil, errors.New("needs an error above 0, and a confidence between 0 and 1")
	}
	width, depth := math.Ceil(2/eps), math.Ceil(-math.Log1p(-confidence)/math.Ln2)
	if width*depth > maxCounters {
		return nil, errors.New("needs a greater error or less confidence: there would be more than 16 million counters")
	}
	c := &CountMin{Depth: int(depth), Width: int(width)}
	rnd := javaRandom(seed)
	for range c.Depth {
		c.hashes = append(c.hashes, int64(rnd.next(math.MaxInt32)))
	}
	return c, nil
}

// Int calls add with the counter of a whole number in each row.
func (c *CountMin) Int(x int64, add func(counter int)) {
	for row, a := range c.hashes {
		h := a * x
		h += h >> 32
		add(row*c.Width + int(int32(h&math.MaxInt32))%c.Width)
	}
}

// Bytes calls add with the counter of a text in each row.
func (c *CountMin) Bytes(b []byte, add func(counter int)) {
	h1 := sparkHash(b, 0)
	h2 := sparkHash(b, uint32(h1))
	for row := range int32(c.Depth) {
		at := (h1 + row*h2) % int32(c.Width)
		if at < 0 {
			at = -at
		}
		add(int(row)*c.Width + int(at))
	}
}

// Append writes the sketch with its counters, as Spark serializes it.
func (c *CountMin) Append(dst []byte, total int64, counters []int64) []byte {
	dst = binary.BigEndian.AppendUint32(dst, 1)
	dst = binary.BigEndian.AppendUint64(dst, uint64(total))
	dst = binary.BigEndian.AppendUint32(dst, uint32(c.Depth))
	dst = binary.BigEndian.AppendUint32(dst, uint32(c.Width))
	for _, h := range c.hashes {
		dst = binary.BigEndian.AppendUint64(dst, uint64(h))
	}
	for _, n := range counters {
		dst = binary.BigEndian.AppendUint64(dst, uint64(n))
	}
	return dst
}

// random is java.util.Random.
type random uint64

const randomMask = 1<<48 - 1

func javaRandom(seed int64) *random {
	r := random((uint64(seed) ^ 0x5deece66d) & randomMask)
	return &r
}

// next is nextInt(bound), of a bound that is no power of two.
func (r *random) next(bound int32) int32 {
	for {
		*r = (*r*0x5deece66d + 0xb) & randomMask
		b := int32(uint64(*r) >> 17)
		if v := b % bound; b-v+(bound-1) >= 0 {
			return v
		}
	}
}

// sparkHash is Spark's MurmurHash3 of 32 bits, which mixes each byte of the tail alone.
func sparkHash(data []byte, seed uint32) int32 {
	h := seed
	mix := func(k uint32) {
		h ^= bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	n := len(data)
	for ; len(data) >= 4; data = data[4:] {
		mix(binary.LittleEndian.Uint32(data))
	}
	for _, b := range data {
		mix(uint32(int32(int8(b))))
	}
	h ^= uint32(n)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return int32(h ^ h>>16)
}
