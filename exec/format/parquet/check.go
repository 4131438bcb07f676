package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	meta "github.com/parquet-go/parquet-go/format"
)

// A page header says how much memory its page takes once it is unpacked. A flipped bit
// there may ask for gigabytes, and the library believes it. So the headers of a column
// chunk are checked against the footer before its pages are read.

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

const headerBytes = 512 // as a rule; statistics may make a header longer

// checkPages walks the page headers of a chunk.
func checkPages(r io.ReaderAt, m *meta.ColumnMetaData) error {
	at := m.DataPageOffset
	if m.DictionaryPageOffset > 0 && m.DictionaryPageOffset < at {
		at = m.DictionaryPageOffset
	}
	end := at + m.TotalCompressedSize
	for left := m.NumValues; left > 0; {
		h, n, err := pageHeader(r, at, end)
		if err != nil {
			return err
		}
		at += n + int64(h.CompressedPageSize)
		values := valuesOf(h)
		switch {
		case h.CompressedPageSize < 0 || at > end:
			return errors.New("a page goes beyond its column chunk")
		case h.UncompressedPageSize < 0 || int64(h.UncompressedPageSize) > m.TotalUncompressedSize:
			return fmt.Errorf("a page of %d bytes in a column chunk of %d", h.UncompressedPageSize, m.TotalUncompressedSize)
		case values < 0 || h.Type != meta.DictionaryPage && values > left || values > m.NumValues:
			return fmt.Errorf("a page with %d values in a column chunk of %d", values, m.NumValues)
		}
		if h.Type != meta.DictionaryPage {
			left -= values
		}
	}
	return nil
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
