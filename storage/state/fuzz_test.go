package state

import (
	"bytes"
	"testing"
)

// The readers meet damaged bytes only behind a checksum, but must not trust
// that: any input is read to its end or refused.
func FuzzReaders(f *testing.F) {
	var w SectionWriter
	w.Reset("op")
	w.Put([]byte("b"), []byte("1"))
	w.Put([]byte("a"), nil)
	w.Delete([]byte("c"))
	w.DeleteRange([]byte("d"), []byte("e"))
	w.DeleteAll()
	f.Add(w.Finish().Changes)
	f.Add(appendRunEntry(appendRunEntry(nil, nil, []byte("key 1"), []byte("v"), false), []byte("key 1"), []byte("key 2"), nil, true))
	f.Add(appendBlockRef(nil, blockRef{first: []byte("k"), off: 8, len: 100}))
	f.Add(appendPart(appendPart(nil, partMeta, "", 3), partChanges, "op", 9))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, entries, err := splitSection(data); err == nil {
			for c := (cursor{data: entries}); c.next(); {
				_ = append(c.key, c.value...)
			}
		}
		for c := (blockCursor{data: data}); c.next(); {
			_ = append(c.key, c.value...)
		}
		_, _ = parseIndex(data)
		_, _ = decodeRunFooter(data)
		_, _ = decodeSegmentHeader(data)
		if h, ok := decodeRecordHeader(data); ok {
			_, _ = parseDirectory(data[recordHeaderLen:], h, 0, map[string]string{})
		}
		h := recordHeader{bodyLen: int64(len(data)) + 12, dirLen: uint32(len(data)), parts: 2}
		_, _ = parseDirectory(data, h, 0, map[string]string{})
	})
}

func TestSectionWriterSortsAndKeepsTheLast(t *testing.T) {
	var w SectionWriter
	for round := range 3 { // buffers are used again
		w.Reset("op")
		if !w.Empty() {
			t.Fatal("a new section is not empty")
		}
		w.Put([]byte("b"), []byte{byte(round)})
		w.Put([]byte("a"), []byte("first"))
		w.Delete([]byte("c"))
		w.Put([]byte("a"), []byte("last"))
		w.DeleteRange([]byte("x"), nil)
		ranges, entries, err := splitSection(w.Finish().Changes)
		must(t, err)
		if len(ranges) != 1 || !ranges[0].open || string(ranges[0].start) != "x" {
			t.Fatalf("ranges %v", ranges)
		}
		var got []byte
		c := cursor{data: entries}
		for c.next() {
			got = append(append(append(got, c.key...), c.value...), ' ')
		}
		if want := append([]byte("alast b"), byte(round), ' ', 'c', ' '); !bytes.Equal(got, want) || c.err != nil {
			t.Fatalf("entries %q, want %q", got, want)
		}
	}
}
