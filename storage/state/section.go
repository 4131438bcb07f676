package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// A section is
//
//	uvarint length of the ranges | ranges | entries
//
// and applies its range deletes first, then its entries, whatever the order
// they were written in: a key that is put lives, even inside a range that
// the same batch deletes. Values are absolute, so replay is idempotent.

// SectionWriter collects the changes of one operator in one batch. It reuses
// its buffers: after a few batches it allocates nothing.
type SectionWriter struct {
	op       string
	entries  []byte // behind a first byte 0, the length of no ranges
	ranges   []byte
	lastKey  []byte // of entries, in place
	unsorted bool
	count    int
	refs     []entryRef
	out      []byte
}

type entryRef struct {
	key        []byte
	start, end int
}

// Reset begins a section for op. What Finish returned before is overwritten.
func (w *SectionWriter) Reset(op string) {
	w.op = op
	w.entries = append(w.entries[:0], 0)
	w.ranges = w.ranges[:0]
	w.lastKey = nil
	w.unsorted = false
	w.count = 0
}

// Put sets key to value. Ascending keys are cheapest; otherwise Finish sorts.
// A key written twice has its last value. Both slices are copied.
func (w *SectionWriter) Put(key, value []byte) {
	w.key(key, 0)
	w.entries = binary.AppendUvarint(w.entries, uint64(len(value)))
	w.entries = append(w.entries, value...)
}

// Delete removes key.
func (w *SectionWriter) Delete(key []byte) { w.key(key, 1) }

func (w *SectionWriter) key(key []byte, deleted uint64) {
	if w.count > 0 && bytes.Compare(w.lastKey, key) >= 0 {
		w.unsorted = true
	}
	w.entries = binary.AppendUvarint(w.entries, uint64(len(key))<<1|deleted)
	w.entries = append(w.entries, key...)
	w.lastKey = w.entries[len(w.entries)-len(key):]
	w.count++
}

// DeleteRange removes every key in [start, end) that the section does not
// put; a nil end means to the last key.
func (w *SectionWriter) DeleteRange(start, end []byte) {
	w.ranges = appendRange(w.ranges, start, end)
}

// DeleteAll removes the operator's whole earlier state.
func (w *SectionWriter) DeleteAll() { w.DeleteRange(nil, nil) }

// Len returns the number of puts and deletes so far.
func (w *SectionWriter) Len() int { return w.count }

// Empty reports whether the section changes nothing; such a section need not
// be appended.
func (w *SectionWriter) Empty() bool { return w.count == 0 && len(w.ranges) == 0 }

// Size returns the bytes collected so far.
func (w *SectionWriter) Size() int { return len(w.entries) + len(w.ranges) }

// Finish returns the section, valid until the next Reset.
func (w *SectionWriter) Finish() Section {
	if !w.unsorted && len(w.ranges) == 0 {
		return Section{Op: w.op, Changes: w.entries}
	}
	w.out = binary.AppendUvarint(w.out[:0], uint64(len(w.ranges)))
	w.out = append(w.out, w.ranges...)
	if w.unsorted {
		w.appendSorted()
	} else {
		w.out = append(w.out, w.entries[1:]...)
	}
	return Section{Op: w.op, Changes: w.out}
}

func (w *SectionWriter) appendSorted() {
	w.refs = w.refs[:0]
	c := cursor{data: w.entries[1:]}
	for start := 0; c.next(); start = c.pos {
		w.refs = append(w.refs, entryRef{key: c.key, start: 1 + start, end: 1 + c.pos})
	}
	slices.SortStableFunc(w.refs, func(a, b entryRef) int { return bytes.Compare(a.key, b.key) })
	for i, ref := range w.refs {
		if i+1 < len(w.refs) && bytes.Equal(ref.key, w.refs[i+1].key) {
			continue // a later one of the same key follows
		}
		w.out = append(w.out, w.entries[ref.start:ref.end]...)
	}
}

// keyRange is [start, end), or [start, infinity) when open is set.
type keyRange struct {
	start, end []byte
	open       bool
}

func appendRange(buf, start, end []byte) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(start)))
	buf = append(buf, start...)
	if end == nil {
		return binary.AppendUvarint(buf, 0)
	}
	buf = binary.AppendUvarint(buf, uint64(len(end))+1)
	return append(buf, end...)
}

var errMalformed = errors.New("malformed entry")

// splitSection separates the ranges from the entries of a section.
func splitSection(changes []byte) (ranges []keyRange, entries []byte, err error) {
	head, entries, err := takeBytes(changes)
	if err != nil {
		return nil, nil, err
	}
	ranges, err = parseRanges(head)
	return ranges, entries, err
}

func parseRanges(data []byte) ([]keyRange, error) {
	var ranges []keyRange
	for len(data) > 0 {
		var r keyRange
		var err error
		if r.start, data, err = takeBytes(data); err != nil {
			return nil, err
		}
		n, used := binary.Uvarint(data)
		if used <= 0 {
			return nil, errMalformed
		}
		data = data[used:]
		if n == 0 {
			r.open = true
			ranges = append(ranges, r)
			continue
		}
		if n-1 > uint64(len(data)) {
			return nil, errMalformed
		}
		r.end, data = data[:n-1], data[n-1:]
		ranges = append(ranges, r)
	}
	return ranges, nil
}

// takeBytes reads a length and as many bytes.
func takeBytes(data []byte) (head, rest []byte, err error) {
	n, used := binary.Uvarint(data)
	if used <= 0 || n > uint64(len(data)-used) {
		return nil, nil, errMalformed
	}
	data = data[used:]
	return data[:n], data[n:], nil
}

// cursor reads the entries of a section.
type cursor struct {
	data       []byte
	pos        int
	key, value []byte
	deleted    bool
	err        error
}

func (c *cursor) next() bool {
	data := c.data[c.pos:]
	if len(data) == 0 {
		return false
	}
	n, used := binary.Uvarint(data)
	if used <= 0 || n>>1 > uint64(len(data)-used) {
		c.err = errMalformed
		return false
	}
	c.deleted = n&1 == 1
	end := used + int(n>>1)
	c.key, c.value = data[used:end], nil
	if !c.deleted {
		value, rest, err := takeBytes(data[end:])
		if err != nil {
			c.err = err
			return false
		}
		c.value, end = value, len(data)-len(rest)
	}
	c.pos += end
	return true
}
