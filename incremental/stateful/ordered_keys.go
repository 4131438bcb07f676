package stateful

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// sortKeys hold the order key of each row: the first eight bytes of what
// vec.AppendSortKey writes for its columns as a number, and the rest, if there is one, in
// an arena. Keys are prefix-free, so that bytes that are not there compare as zeros.
type sortKeys struct {
	head  []uint64
	tail  []uint64 // place<<tailBits | length in arena; nil until a key has more than eight bytes
	arena []byte
	waste int
}

const (
	headBytes = 8
	tailBits  = 24
	tailMask  = 1<<tailBits - 1
)

// keyHead are the first eight bytes of a key as a number.
func keyHead(key []byte) uint64 {
	if len(key) >= headBytes {
		return binary.BigEndian.Uint64(key)
	}
	var pad [headBytes]byte
	copy(pad[:], key)
	return binary.BigEndian.Uint64(pad[:])
}

func keyTail(key []byte) []byte { return key[min(len(key), headBytes):] }

func (k *sortKeys) grow(n int) {
	k.head = growZero(k.head, n)
	if k.tail != nil {
		k.tail = growZero(k.tail, n)
	}
}

func (k *sortKeys) set(row uint32, key []byte) {
	k.head[row] = keyHead(key)
	rest := keyTail(key)
	if len(rest) == 0 {
		if k.tail != nil {
			k.tail[row] = 0
		}
		return
	}
	if len(rest) > tailMask {
		panic(invariant.Limit("a key of an order is longer than 16 MiB"))
	}
	if k.tail == nil {
		k.tail = make([]uint64, len(k.head), cap(k.head))
	}
	k.tail[row] = uint64(len(k.arena))<<tailBits | uint64(len(rest))
	k.arena = append(k.arena, rest...)
}

func (k *sortKeys) rest(row uint32) []byte {
	if k.tail == nil {
		return nil
	}
	at, n := k.tail[row]>>tailBits, k.tail[row]&tailMask
	return k.arena[at : at+n]
}

// drop forgets the key of a row.
func (k *sortKeys) drop(row uint32) {
	if k.tail == nil {
		return
	}
	k.waste += int(k.tail[row] & tailMask)
	k.tail[row] = 0
	if k.waste > 1<<16 && k.waste > len(k.arena)/2 {
		k.compact()
	}
}

func (k *sortKeys) compact() {
	arena := make([]byte, 0, len(k.arena)-k.waste+len(k.arena)/8)
	for row, t := range k.tail {
		if n := t & tailMask; n > 0 {
			k.tail[row] = uint64(len(arena))<<tailBits | n
			arena = append(arena, k.arena[t>>tailBits:t>>tailBits+n]...)
		}
	}
	k.arena, k.waste = arena, 0
}

// compare orders two rows by their order columns alone.
func (k *sortKeys) compare(a, b uint32) int {
	if c := cmp.Compare(k.head[a], k.head[b]); c != 0 || k.tail == nil {
		return c
	}
	return bytes.Compare(k.rest(a), k.rest(b))
}

// compareKey orders a row and an order key.
func (k *sortKeys) compareKey(row uint32, head uint64, tail []byte) int {
	if c := cmp.Compare(k.head[row], head); c != 0 || k.tail == nil && len(tail) == 0 {
		return c
	}
	return bytes.Compare(k.rest(row), tail)
}

func (k *sortKeys) bytes() int64 { return int64(8*(cap(k.head)+cap(k.tail)) + cap(k.arena)) }

// appendOrderKey appends the order key of a row of a batch.
func appendOrderKey(dst []byte, cols []*vec.Vector, row int, order []OrderColumn) []byte {
	for _, o := range order {
		dst = vec.AppendSortKey(dst, cols[o.Col], row, o.Order)
	}
	return dst
}
