package state

import (
	"encoding/binary"
)

// A run file is
//
//	header | blocks | ranges | index | footer
//
// with a checksum behind every block, the ranges, the index and the footer.
const (
	runMagic     = "SSRN"
	runEndMagic  = "SSRF"
	runHeaderLen = 8
	runFooterLen = 64
	crcLen       = 4
)

// runFooter ends a run file.
type runFooter struct {
	rangeOff, rangeLen int64 // without checksum
	indexOff, indexLen int64
	entries            int64
	lo, hi             int64
}

func (f runFooter) encode() []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, runFooterLen)
	for _, v := range []int64{f.rangeOff, f.rangeLen, f.indexOff, f.indexLen, f.entries, f.lo, f.hi} {
		b = le.AppendUint64(b, uint64(v))
	}
	b = le.AppendUint32(b, checksum(0, b))
	return append(b, runEndMagic...)
}

func decodeRunFooter(b []byte) (f runFooter, ok bool) {
	if len(b) != runFooterLen || string(b[60:]) != runEndMagic {
		return f, false
	}
	le := binary.LittleEndian
	for i, v := range []*int64{&f.rangeOff, &f.rangeLen, &f.indexOff, &f.indexLen, &f.entries, &f.lo, &f.hi} {
		*v = int64(le.Uint64(b[8*i:]))
	}
	return f, le.Uint32(b[56:]) == checksum(0, b[:56])
}

// blockRef is an entry of a run's index.
type blockRef struct {
	first    []byte // the first key
	off, len int64  // without checksum
}

func appendBlockRef(b []byte, ref blockRef) []byte {
	b = binary.AppendUvarint(b, uint64(len(ref.first)))
	b = append(b, ref.first...)
	b = binary.AppendUvarint(b, uint64(ref.off))
	return binary.AppendUvarint(b, uint64(ref.len))
}

func parseIndex(data []byte) ([]blockRef, error) {
	var index []blockRef
	for len(data) > 0 {
		first, rest, err := takeBytes(data)
		if err != nil {
			return nil, err
		}
		off, n := binary.Uvarint(rest)
		if n <= 0 {
			return nil, errMalformed
		}
		size, m := binary.Uvarint(rest[n:])
		if m <= 0 {
			return nil, errMalformed
		}
		index = append(index, blockRef{first: first, off: int64(off), len: int64(size)})
		data = rest[n+m:]
	}
	return index, nil
}

// appendRunEntry writes a key as the difference to the key before it in the
// same block.
func appendRunEntry(b, before, key, value []byte, deleted bool) []byte {
	shared := sharedPrefix(before, key)
	b = binary.AppendUvarint(b, uint64(shared))
	rest := key[shared:]
	if deleted {
		b = binary.AppendUvarint(b, uint64(len(rest))<<1|1)
		return append(b, rest...)
	}
	b = binary.AppendUvarint(b, uint64(len(rest))<<1)
	b = append(b, rest...)
	b = binary.AppendUvarint(b, uint64(len(value)))
	return append(b, value...)
}

func sharedPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// blockCursor reads the entries of a block. Key and value are valid until
// the next call; the key is put together in a buffer of its own.
type blockCursor struct {
	data       []byte
	key, value []byte
	deleted    bool
	err        error
}

func (c *blockCursor) next() bool {
	if len(c.data) == 0 {
		return false
	}
	shared, n := binary.Uvarint(c.data)
	if n <= 0 || shared > uint64(len(c.key)) {
		c.err = errMalformed
		return false
	}
	size, m := binary.Uvarint(c.data[n:])
	if m <= 0 || size>>1 > uint64(len(c.data)-n-m) {
		c.err = errMalformed
		return false
	}
	rest := c.data[n+m:]
	c.key = append(c.key[:shared], rest[:size>>1]...)
	c.data, c.value, c.deleted = rest[size>>1:], nil, size&1 == 1
	if c.deleted {
		return true
	}
	c.value, c.data, c.err = takeBytes(c.data)
	return c.err == nil
}
