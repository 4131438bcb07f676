package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	meta "github.com/parquet-go/parquet-go/format"

	"github.com/sqlstream/sqlstream/exec/format/compress"
)

// A page says how much memory it takes once it is unpacked: in its header, and again in
// the compressed bytes. A flipped bit there may ask for gigabytes, and the library
// believes it. So the pages of a column chunk are checked against the footer before
// they are read.

// checkEnds looks at the first and last bytes of a file: they say that it is Parquet,
// whole, and how long the footer is.
func checkEnds(r io.ReaderAt, size int64) error {
	const magic = "PAR1"
	var head [4]byte
	var tail [8]byte
	if size < int64(len(head)+len(tail)) {
		return fmt.Errorf("not a Parquet file: only %d bytes long", size)
	}
	if n, err := r.ReadAt(head[:], 0); n < len(head) {
		return fmt.Errorf("read: %w", err)
	}
	if n, err := r.ReadAt(tail[:], size-int64(len(tail))); n < len(tail) {
		return fmt.Errorf("read: %w", err)
	}
	footer := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(head[:]) == "PARE" || string(tail[4:]) == "PARE":
		return errors.New("encrypted Parquet files are not supported")
	case string(head[:]) != magic:
		return errors.New("not a Parquet file: it does not begin with PAR1")
	case string(tail[4:]) != magic:
		return errors.New("not a whole Parquet file: it does not end with PAR1; was it cut, or is it still being written?")
	case footer > size-int64(len(head)+len(tail)):
		return fmt.Errorf("damaged Parquet file: a footer of %d bytes in a file of %d", footer, size)
	}
	return nil
}

const (
	headerBytes = 512      // as a rule; statistics may make a header longer
	harmless    = 16 << 20 // a page that may be unpacked whatever the footer says
)

// checkPages walks the pages of a chunk. It returns where the sizes to be hidden from
// the library are: see hide.
func checkPages(r io.ReaderAt, size int64, m *meta.ColumnMetaData) ([]patch, error) {
	at := m.DataPageOffset
	if m.DictionaryPageOffset > 0 && m.DictionaryPageOffset < at {
		at = m.DictionaryPageOffset
	}
	end := min(at+m.TotalCompressedSize+headerBytes, size) // old writers left a page header out
	var patches []patch
	for left := m.NumValues; left > 0; {
		h, n, err := pageHeader(r, at, end)
		if err != nil {
			return nil, err
		}
		if m.Codec == meta.Lz4Raw {
			patches = append(patches, uncompressedSize(r, at))
		}
		at += n
		values := valuesOf(h)
		switch {
		case h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > end-at:
			return nil, errors.New("a page goes beyond its column chunk")
		case h.UncompressedPageSize < 0 || int64(h.UncompressedPageSize) > max(m.TotalUncompressedSize, harmless):
			return nil, fmt.Errorf("a page of %d bytes in a column chunk of %d", h.UncompressedPageSize, m.TotalUncompressedSize)
		case values < 0 || h.Type != meta.DictionaryPage && values > left:
			return nil, fmt.Errorf("a page with %d values in a column chunk of %d", values, m.NumValues)
		}
		if err := checkBody(r, at, h, m.Codec); err != nil {
			return nil, err
		}
		at += int64(h.CompressedPageSize)
		if h.Type != meta.DictionaryPage {
			left -= values
		}
	}
	return patches, nil
}

func valuesOf(h *meta.PageHeader) int64 {
	switch h.Type {
	case meta.DataPage:
		return int64(h.DataPageHeader.V.NumValues)
	case meta.DataPageV2:
		return int64(h.DataPageHeaderV2.V.NumValues)
	}
	return int64(h.DictionaryPageHeader.V.NumValues)
}

// pageHeader reads the header at a position, and returns its size.
func pageHeader(r io.ReaderAt, at, end int64) (*meta.PageHeader, int64, error) {
	for size := int64(headerBytes); ; size *= 16 {
		buf := make([]byte, max(0, min(size, end-at)))
		if n, err := r.ReadAt(buf, at); n < len(buf) {
			return nil, 0, fmt.Errorf("page header at byte %d: %w", at, err)
		}
		var protocol thrift.CompactProtocol
		src := protocol.NewReaderFromBytes(buf)
		h := new(meta.PageHeader)
		err := thrift.NewDecoder(src).Decode(h)
		if err == nil {
			return h, int64(src.BytesRead()), nil
		}
		if size >= end-at {
			return nil, 0, fmt.Errorf("page header at byte %d: %w", at, err)
		}
	}
}

// checkBody makes sure that the compressed bytes at a position do not unpack to more
// than the header says. What stands in front of them in a page of version 2 is not
// compressed.
func checkBody(r io.ReaderAt, at int64, h *meta.PageHeader, codec meta.CompressionCodec) error {
	packed, unpacked := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if h.Type == meta.DataPageV2 {
		v2 := &h.DataPageHeaderV2.V
		levels := int64(v2.DefinitionLevelsByteLength) + int64(v2.RepetitionLevelsByteLength)
		if v2.DefinitionLevelsByteLength < 0 || v2.RepetitionLevelsByteLength < 0 || levels > packed || levels > unpacked {
			return errors.New("levels longer than their page")
		}
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return nil
		}
		at, packed, unpacked = at+levels, packed-levels, unpacked-levels
	}
	var fits func(buf []byte, size int64) bool
	look := min(packed, compress.Beginning)
	switch codec {
	case meta.Snappy:
		fits = compress.SnappyFits
	case meta.Zstd:
		fits = compress.ZstdFits
	case meta.Lz4Raw:
		// The library tries ever larger memory on damaged bytes: so all of them are checked.
		fits, look = compress.LZ4Fits, packed
	default:
		return nil
	}
	buf := make([]byte, look)
	if n, err := r.ReadAt(buf, at); n < len(buf) {
		return fmt.Errorf("page at byte %d: %w", at, err)
	}
	if packed > 0 && !fits(buf, unpacked) {
		return fmt.Errorf("page at byte %d is damaged, or unpacks to more than the %d bytes of its header", at, unpacked)
	}
	return nil
}

// patch is a number in a page header to be read as zero: n bytes of a varint.
type patch struct {
	at int64
	n  int
}

// hidden reads the file with some sizes in page headers as zero. parquet-go v0.32
// loses what it has unpacked from LZ4_RAW where that is exactly as large as the header
// says and did not fit its first guess; it does right where it is larger.
type hidden struct {
	io.ReaderAt
	patches []patch
}

func (h *hidden) ReadAt(p []byte, off int64) (int, error) {
	n, err := h.ReaderAt.ReadAt(p, off)
	for _, x := range h.patches {
		for i := range x.n {
			if k := x.at + int64(i) - off; k >= 0 && k < int64(n) {
				p[k] = 0x80 // a varint with more to come …
				if i == x.n-1 {
					p[k] = 0 // … that is zero in the end
				}
			}
		}
	}
	return n, err
}

// uncompressedSize finds the size in the page header at a position: its second field,
// after the page type. A header in another order is left alone.
func uncompressedSize(r io.ReaderAt, at int64) patch {
	var b [16]byte
	n, _ := r.ReadAt(b[:], at)
	const field = 0x15 // the next field, an i32
	if n < 4 || b[0] != field || b[1]&0x80 != 0 || b[2] != field {
		return patch{}
	}
	_, k := binary.Uvarint(b[3:n])
	return patch{at + 3, max(k, 0)}
}
