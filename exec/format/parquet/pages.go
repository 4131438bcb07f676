package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	meta "github.com/parquet-go/parquet-go/format"

	"github.com/sqlstream/sqlstream/exec/types"
)

// pageBytes is about the size of a page before compression.
const pageBytes = 1 << 20

// chunk collects the column chunk of one leaf: values of the current page in their
// final encoding, and finished pages, compressed.
type chunk struct {
	spec  *leafSpec
	codec compress.Codec

	// The current page.
	plain []byte  // PLAIN values; of booleans one byte each
	codes []int32 // dictionary codes, while dict is in use
	def   []byte
	rep   []byte
	count int // entries: values, NULLs and empty lists
	nulls int

	dict *dictionary // nil: this leaf has none

	// The finished pages.
	pages  []byte
	chunk  meta.ColumnMetaData
	coded  bool // a page used the dictionary
	stats  stats
	packed []byte
	body   []byte
}

func newChunk(spec *leafSpec, codec compress.Codec) *chunk {
	c := &chunk{spec: spec, codec: codec}
	if spec.kind == meta.ByteArray {
		c.dict = newDictionary()
	}
	return c
}

// size is about what the chunk adds to the file, and to memory.
func (c *chunk) size() int64 {
	n := len(c.pages) + len(c.plain) + 2*len(c.codes)
	if c.dict != nil {
		n += len(c.dict.plain)
	}
	return int64(n)
}

// filled says that the page is large enough.
func (c *chunk) filled() bool {
	return len(c.plain) >= pageBytes || 4*len(c.codes) >= pageBytes || c.count >= 1<<18
}

// endPage encodes and compresses the current page.
func (c *chunk) endPage() error {
	if c.count == 0 {
		return nil
	}
	if c.dict != nil && c.dict.inUse && c.dict.wasteful(len(c.codes)) {
		c.giveUpDictionary()
	}
	body, encoding, err := c.encode()
	if err != nil {
		return err
	}
	header := meta.PageHeader{Type: meta.DataPage, DataPageHeader: thrift.New(meta.DataPageHeader{
		NumValues: int32(c.count), Encoding: encoding, DefinitionLevelEncoding: meta.RLE, RepetitionLevelEncoding: meta.RLE,
	})}
	if err := c.write(&header, body); err != nil {
		return err
	}
	c.chunk.NumValues += int64(c.count)
	c.stats.nulls += int64(c.nulls)
	c.plain, c.codes, c.def, c.rep, c.count, c.nulls = c.plain[:0], c.codes[:0], c.def[:0], c.rep[:0], 0, 0
	return nil
}

// giveUpDictionary turns the codes of the current page into plain values. Pages
// before it keep their codes.
func (c *chunk) giveUpDictionary() {
	for _, code := range c.codes {
		c.plain = append(c.plain, c.dict.entry(code)...)
	}
	c.codes = c.codes[:0]
	c.dict.inUse = false
}

// encode puts levels and values of a page together.
func (c *chunk) encode() ([]byte, meta.Encoding, error) {
	body := c.body[:0]
	var err error
	if c.spec.maxRep > 0 {
		if body, err = appendLevels(body, c.rep, c.spec.maxRep); err != nil {
			return nil, 0, err
		}
	}
	switch {
	case c.spec.maxDef == 0:
	case c.nulls == 0 && c.spec.maxRep == 0:
		body = appendRun(body, c.count, c.spec.maxDef)
	default:
		if body, err = appendLevels(body, c.def, c.spec.maxDef); err != nil {
			return nil, 0, err
		}
	}
	encoding := meta.Plain
	switch {
	case c.dict != nil && c.dict.inUse:
		encoding = meta.RLEDictionary
		c.coded = true
		c.packed, err = (&rle.DictionaryEncoding{}).EncodeInt32(c.packed[:0], c.codes)
		body = append(body, c.packed...)
	case c.spec.kind == meta.Boolean:
		body = packBits(body, c.plain)
	default:
		body = append(body, c.plain...)
	}
	c.body = body
	return body, encoding, err
}

// appendLevels appends levels as a hybrid of runs and packed bits, with their length.
func appendLevels(dst, levels []byte, most byte) ([]byte, error) {
	width := 0
	for most>>width != 0 {
		width++
	}
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	enc := rle.Encoding{BitWidth: width}
	packed, err := enc.EncodeLevels(nil, levels)
	dst = append(dst, packed...)
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst, err
}

// appendRun is appendLevels for n equal levels.
func appendRun(dst []byte, n int, level byte) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.AppendUvarint(dst, uint64(n)<<1)
	dst = append(dst, level)
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

func packBits(dst, bools []byte) []byte {
	for i := 0; i < len(bools); i += 8 {
		var b byte
		for k, x := range bools[i:min(i+8, len(bools))] {
			b |= x & 1 << k
		}
		dst = append(dst, b)
	}
	return dst
}

// write appends a page to the chunk.
func (c *chunk) write(header *meta.PageHeader, body []byte) error {
	packed, err := c.codec.Encode(c.packed[:0], body)
	if err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	c.packed = packed
	if len(body) > math.MaxInt32 {
		return fmt.Errorf("a page of %d bytes is beyond what Parquet can hold", len(body))
	}
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(body)), int32(len(packed))
	head, err := thrift.Marshal(&thrift.CompactProtocol{}, header)
	if err != nil {
		return fmt.Errorf("page header: %w", err)
	}
	c.pages = append(append(c.pages, head...), packed...)
	c.chunk.TotalUncompressedSize += int64(len(head) + len(body))
	return nil
}

// end ends the chunk and returns its pieces in file order: dictionary page, data
// pages. Offsets in the metadata are set by the file, which knows them.
func (c *chunk) end() (dict, pages []byte, err error) {
	if err := c.endPage(); err != nil {
		return nil, nil, err
	}
	pages = c.pages
	if c.coded {
		c.pages = nil
		header := meta.PageHeader{Type: meta.DictionaryPage, DictionaryPageHeader: thrift.New(meta.DictionaryPageHeader{
			NumValues: int32(c.dict.len()), Encoding: meta.Plain,
		})}
		if err := c.write(&header, c.dict.plain); err != nil {
			return nil, nil, err
		}
		dict = c.pages
	}
	return dict, pages, nil
}

// metadata completes the chunk's entry in the footer.
func (c *chunk) metadata(offset, dictBytes, pageBytes int64) meta.ColumnChunk {
	m := c.chunk
	m.Type, m.PathInSchema, m.Codec = c.spec.kind, c.spec.path, c.codec.CompressionCodec()
	m.Encoding = []meta.Encoding{meta.Plain, meta.RLE}
	m.DataPageOffset = offset + dictBytes
	if c.coded {
		m.Encoding = append(m.Encoding, meta.RLEDictionary)
		m.DictionaryPageOffset = offset
	}
	m.TotalCompressedSize = dictBytes + pageBytes
	m.Statistics = c.stats.encode(c.spec)
	return meta.ColumnChunk{FileOffset: offset, MetaData: m}
}

// reset begins the next row group.
func (c *chunk) reset() {
	c.pages, c.chunk, c.coded, c.stats = nil, meta.ColumnMetaData{}, false, stats{}
	if c.dict != nil {
		c.dict.reset()
	}
}

// stats are the smallest and greatest value of a chunk, of integers and times.
type stats struct {
	min, max int64
	any      bool
	nulls    int64
}

func (s *stats) add(lo, hi int64) {
	if !s.any {
		s.min, s.max, s.any = lo, hi, true
		return
	}
	s.min, s.max = min(s.min, lo), max(s.max, hi)
}

func (s *stats) encode(spec *leafSpec) meta.Statistics {
	m := meta.Statistics{NullCount: s.nulls}
	if !s.any || spec.typ.Phys() != types.PhysInt64 {
		return m
	}
	size := 8
	if spec.kind == meta.Int32 {
		size = 4
	}
	m.MinValue = binary.LittleEndian.AppendUint64(nil, uint64(s.min))[:size]
	m.MaxValue = binary.LittleEndian.AppendUint64(nil, uint64(s.max))[:size]
	return m
}
