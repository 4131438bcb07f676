// Package scan owns the reading of scalars from text: integers, floats, decimals,
// dates and times, several bytes at a time. It is what the JSON and CSV readers have
// in common, and knows neither format. Open swar.go first, then number.go and time.go.
//
// Functions that take a base address and a position read words of 8 bytes while they
// see digits; so a token must be followed by a byte that is no digit, and that by Pad
// readable bytes. The caller guarantees it; nothing is checked.
package scan

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Pad is the number of bytes that must be readable after the content of a buffer.
const Pad = 64

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Load returns the 8 bytes at base+p, the first in the lowest bits.
func Load(base unsafe.Pointer, p int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(base, p))[:])
}

// At returns the byte at base+p.
func At(base unsafe.Pointer, p int) byte { return *(*byte)(unsafe.Add(base, p)) }

// equal marks the bytes of w that equal c. Like every mask here, only its lowest mark
// is exact: the borrow of a hit may produce false ones above it.
func equal(w uint64, c byte) uint64 {
	x := w ^ ones*uint64(c)
	return (x - ones) &^ x & highs
}

// Special marks the first byte that can end a plain JSON string: a quote, a backslash,
// a control character, or a byte beyond ASCII.
func Special(w uint64) uint64 {
	q, b := w^ones*'"', w^ones*'\\'
	return ((q-ones)&^q | (b-ones)&^b | (w - ones*0x20) | w) & highs
}

// SpecialText is Special for text that may hold bytes beyond ASCII.
func SpecialText(w uint64) uint64 {
	return equal(w, '"') | equal(w, '\\') | (w-ones*0x20)&^w&highs
}

// Delimiter marks the first byte that equals a, b or c.
func Delimiter(w uint64, a, b, c byte) uint64 {
	return equal(w, a) | equal(w, b) | equal(w, c)
}

// First is the index of the lowest mark.
func First(mask uint64) int { return bits.TrailingZeros64(mask) >> 3 }

// digits returns the value of the decimal digits with which w begins, and their number.
func digits(w uint64) (v uint64, n int) {
	d := w ^ ones*'0'
	n = First((d + ones*0x76 | d) & highs)
	d <<= uint(8-n) * 8
	d = d*10 + d>>8
	v = (d&0x000000FF000000FF*0x000F424000000064 + d>>16&0x000000FF000000FF*0x0000271000000001) >> 32
	return v, n
}

// Either marks the first byte that equals a or b.
func Either(w uint64, a, b byte) uint64 { return equal(w, a) | equal(w, b) }
