package json

import (
	"bytes"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/format/scan"
)

// Shape prediction. Most lines repeat the keys of the line before, in its order and
// with its white space. So the scanner keeps, for each text that stood between two
// values (`,"price":`), what it means, and which texts followed it lately. After a
// value it compares the next bytes with the predicted text, a word or two, and is at
// the next value. A miss goes the general way, which learns the new text. Unions of
// several event types and optional fields branch in this graph where they differ.

const (
	ways    = 4    // successors remembered for each key
	maxKeys = 1024 // texts remembered in all: maps with arbitrary keys must not fill memory
)

// key is a text between two values, with what it announces.
type key struct {
	gap    []byte
	w0, m0 uint64 // first 8 bytes and their mask
	w1, m1 uint64
	size   int
	field  *field // nil = not needed
	next   [ways]*key
}

func newKey(gap []byte, f *field) *key {
	k := &key{gap: bytes.Clone(gap), size: len(gap), field: f}
	k.w0, k.m0 = word(k.gap)
	if len(gap) > 8 {
		k.w1, k.m1 = word(k.gap[8:])
	}
	return k
}

func word(b []byte) (w, mask uint64) {
	for i := range min(len(b), 8) {
		w |= uint64(b[i]) << (8 * i)
		mask |= 0xff << (8 * i)
	}
	return w, mask
}

// at reports whether the text stands at base+p. A word beyond the first is only read
// where the one before is equal, so never far behind the end of a block.
func (k *key) at(base unsafe.Pointer, p int) bool {
	return (scan.Load(base, p)^k.w0)&k.m0 == 0 &&
		(k.size <= 8 || (scan.Load(base, p+8)^k.w1)&k.m1 == 0 && (k.size <= 16 || k.restAt(base, p)))
}

func (k *key) restAt(base unsafe.Pointer, p int) bool {
	for i := 16; i < k.size; i += 8 {
		w, m := word(k.gap[i:])
		if (scan.Load(base, p+i)^w)&m != 0 {
			return false
		}
	}
	return true
}

// follows makes k the first successor of a key.
func (k *key) follows(prev *key) {
	i := 0
	for i < ways-1 && prev.next[i] != nil && prev.next[i] != k {
		i++
	}
	copy(prev.next[1:i+1], prev.next[:i])
	prev.next[0] = k
}
