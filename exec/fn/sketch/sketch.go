// Package sketch owns the bytes and the arithmetic of sketches that SQL functions make and
// read: HyperLogLog as Apache DataSketches (and so Spark) writes it, and Spark's count-min
// sketch. It knows neither vectors nor SQL. Open this file first, then hll.go.
package sketch

import (
	"encoding/binary"
	"math/bits"
)

// seed is that of all sketches of DataSketches.
const seed = 9001

// Hash128 is MurmurHash3 of 128 bits.
func Hash128(data []byte) (h1, h2 uint64) {
	h1, h2 = seed, seed
	n := len(data)
	for ; len(data) >= 16; data = data[16:] {
		h1 ^= mix1(binary.LittleEndian.Uint64(data))
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= mix2(binary.LittleEndian.Uint64(data[8:]))
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var tail [16]byte
	if copy(tail[:], data); len(data) > 8 {
		h2 ^= mix2(binary.LittleEndian.Uint64(tail[8:]))
	}
	if len(data) > 0 {
		h1 ^= mix1(binary.LittleEndian.Uint64(tail[:]))
	}
	h1, h2 = h1^uint64(n), h2^uint64(n)
	h1 += h2
	h2 += h1
	h1, h2 = final(h1), final(h2)
	h1 += h2
	return h1, h2 + h1
}

const (
	c1 = 0x87c37b91114253d5
	c2 = 0x4cf5ad432745937f
)

func mix1(k uint64) uint64 { return bits.RotateLeft64(k*c1, 31) * c2 }
func mix2(k uint64) uint64 { return bits.RotateLeft64(k*c2, 33) * c1 }

func final(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
