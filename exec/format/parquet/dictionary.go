package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// dictionary gives codes to the texts of a chunk, as long as that makes it smaller.
type dictionary struct {
	inUse  bool
	plain  []byte   // the entries, PLAIN encoded: what the dictionary page holds
	starts []uint32 // of the entries
	slots  []uint64 // open addressing: tag in the high half, code + 1 in the low one
	seed   maphash.Seed
	// from is the vector dictionary that was seen last, known what its entries are here,
	// code + 1.
	from  *vec.Vector
	known []int32
}

// maxDictionary bounds a dictionary: beyond it readers lose what the codes won.
const maxDictionary = 1 << 20

func newDictionary() *dictionary {
	return &dictionary{inUse: true, slots: make([]uint64, 1024), seed: maphash.MakeSeed()}
}

func (d *dictionary) reset() {
	d.inUse, d.plain, d.starts, d.from = true, d.plain[:0], d.starts[:0], nil
	clear(d.slots)
}

func (d *dictionary) len() int { return len(d.starts) }

// entry is a text in PLAIN encoding.
func (d *dictionary) entry(code int32) []byte {
	at := d.starts[code]
	n := binary.LittleEndian.Uint32(d.plain[at:])
	return d.plain[at : at+4+n]
}

// wasteful says that a page with n values had better be plain.
func (d *dictionary) wasteful(n int) bool {
	return len(d.plain) > maxDictionary || d.len() > 1000 && d.len() > n/2
}

// code returns the code of a text, a new one if it was not seen before.
func (d *dictionary) code(text []byte) int32 {
	h := maphash.Bytes(d.seed, text)
	mask := uint64(len(d.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := d.slots[i]
		if s == 0 {
			return d.insert(i, h, text)
		}
		if s>>32 == h>>32 {
			if code := int32(uint32(s)) - 1; bytes.Equal(d.entry(code)[4:], text) {
				return code
			}
		}
	}
}

func (d *dictionary) insert(slot, h uint64, text []byte) int32 {
	code := int32(len(d.starts))
	d.starts = append(d.starts, uint32(len(d.plain)))
	d.plain = binary.LittleEndian.AppendUint32(d.plain, uint32(len(text)))
	d.plain = append(d.plain, text...)
	d.slots[slot] = h>>32<<32 | uint64(code+1)
	if 2*len(d.starts) > len(d.slots) {
		d.grow()
	}
	return code
}

func (d *dictionary) grow() {
	d.slots = make([]uint64, 2*len(d.slots))
	mask := uint64(len(d.slots) - 1)
	for code := range d.starts {
		h := maphash.Bytes(d.seed, d.entry(int32(code))[4:])
		i := h & mask
		for d.slots[i] != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = h>>32<<32 | uint64(code+1)
	}
}

// codeOf is code for an entry of a vector dictionary, looked up once for each.
func (d *dictionary) codeOf(dict *vec.Vector, entry uint32) int32 {
	if d.from != dict {
		d.from = dict
		d.known = sized(d.known, dict.N)
		clear(d.known)
	}
	if k := d.known[entry]; k > 0 {
		return k - 1
	}
	r := dict.Str[entry]
	code := d.code(dict.Buf[r.Off : r.Off+r.Len])
	d.known[entry] = code + 1
	return code
}
