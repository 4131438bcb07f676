package parquet

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	meta "github.com/parquet-go/parquet-go/format"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Parquet is written without the library's row and value writers: they take boxed
// values or structs known at compile time. What is ours is the way from vectors to
// pages; encodings of levels and codes, compression and metadata are the library's.

func writeOptions() []option.Spec {
	return []option.Spec{
		{Name: "compression", Aliases: []string{"codec"}, Type: option.Enum, Default: "snappy",
			Values: []string{"snappy", "zstd", "gzip", "lz4_raw", "none", "uncompressed"}, Doc: "Compression of the pages."},
		{Name: "row_group_rows", Type: option.Int, Default: "262144", Min: 1, Doc: "Rows of a row group at most. A reader reads row groups in parallel."},
		{Name: "row_group_size", Type: option.Size, Default: "64 MiB", Min: 1, Doc: "Size of a row group at which the next one begins. It is held in memory while it is written."},
	}
}

// writer is format.Writer for Parquet.
type writer struct {
	schema *schema
	codec  compress.Codec
	ext    string
	rows   int64
	bytes  int64
}

func newWriter(c format.Config) (format.Writer, error) {
	s, err := newSchema(c.Columns)
	if err != nil {
		return nil, err
	}
	if len(c.Columns) == 0 {
		return nil, fmt.Errorf("a Parquet file has at least one column")
	}
	w := &writer{schema: s, rows: c.Options.Int("row_group_rows"), bytes: c.Options.Size("row_group_size")}
	switch c.Options.Enum("compression") {
	case "zstd":
		w.codec, w.ext = &zstd.Codec{Level: zstd.SpeedFastest}, ".zstd.parquet"
	case "gzip":
		w.codec, w.ext = &parquet.Gzip, ".gz.parquet"
	case "lz4_raw":
		w.codec, w.ext = &parquet.Lz4Raw, ".lz4raw.parquet"
	case "snappy":
		w.codec, w.ext = &parquet.Snappy, ".snappy.parquet"
	default:
		w.codec, w.ext = &parquet.Uncompressed, ".parquet"
	}
	return w, nil
}

// Extension implements format.Writer; the names are Spark's.
func (w *writer) Extension() string { return w.ext }

// Create implements format.Writer.
func (w *writer) Create(out io.Writer) (format.FileWriter, error) {
	f := &fileWriter{writer: w, out: out}
	for i := range w.schema.leaves {
		f.chunks = append(f.chunks, newChunk(&w.schema.leaves[i], w.codec))
	}
	return f, f.put([]byte("PAR1"))
}

// fileWriter is format.FileWriter for Parquet. The current row group is in memory.
type fileWriter struct {
	*writer
	out    io.Writer
	at     int64
	chunks []*chunk
	rows   int64 // of the current row group
	total  int64
	groups []meta.RowGroup
}

func (f *fileWriter) put(b []byte) error {
	n, err := f.out.Write(b)
	f.at += int64(n)
	return err
}

// Write implements format.FileWriter.
func (f *fileWriter) Write(b *vec.Batch) error {
	for i, root := range f.schema.roots {
		if root.leaf >= 0 {
			f.chunks[root.leaf].appendRows(b.Cols[i], b.N, b.Sel)
		} else {
			f.shredRows(root, b.Cols[i], b)
		}
	}
	f.rows += int64(b.Rows())
	for _, c := range f.chunks {
		if c.filled() {
			if err := c.endPage(); err != nil {
				return err
			}
		}
	}
	if f.rows >= f.writer.rows || f.pending() >= f.writer.bytes {
		return f.endGroup()
	}
	return nil
}

// pending is about the size of the current row group.
func (f *fileWriter) pending() int64 {
	var n int64
	for _, c := range f.chunks {
		n += c.size()
	}
	return n
}

// Bytes implements format.FileWriter.
func (f *fileWriter) Bytes() int64 { return f.at + f.pending() }

// endGroup writes the current row group.
func (f *fileWriter) endGroup() error {
	if f.rows == 0 {
		return nil
	}
	g := meta.RowGroup{NumRows: f.rows, FileOffset: f.at, Ordinal: int16(len(f.groups))}
	for _, c := range f.chunks {
		dict, pages, err := c.end()
		if err != nil {
			return err
		}
		m := c.metadata(f.at, int64(len(dict)), int64(len(pages)))
		if err := f.put(dict); err != nil {
			return err
		}
		if err := f.put(pages); err != nil {
			return err
		}
		g.Columns = append(g.Columns, m)
		g.TotalByteSize += m.MetaData.TotalUncompressedSize
		g.TotalCompressedSize += m.MetaData.TotalCompressedSize
		c.reset()
	}
	f.groups = append(f.groups, g)
	f.total += f.rows
	f.rows = 0
	return nil
}

// Close implements format.FileWriter.
func (f *fileWriter) Close() error {
	if err := f.endGroup(); err != nil {
		return err
	}
	footer := meta.FileMetaData{
		Version: 1, Schema: f.schema.elements, NumRows: f.total, RowGroups: f.groups,
		CreatedBy: "sqlstream version 1.0.0 (build 0)",
	}
	for range f.chunks {
		footer.ColumnOrders = append(footer.ColumnOrders, meta.ColumnOrder{Value: &meta.TypeDefinedOrder{}})
	}
	if footer.RowGroups == nil {
		footer.RowGroups = []meta.RowGroup{}
	}
	b, err := thrift.Marshal(&thrift.CompactProtocol{}, &footer)
	if err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	return f.put(append(b, "PAR1"...))
}

// shredRows takes the rows of a nested column apart.
func (f *fileWriter) shredRows(root *shredder, v *vec.Vector, b *vec.Batch) {
	if b.Sel == nil {
		for row := range b.N {
			f.shred(root, v, row, 0, 0)
		}
		return
	}
	for _, row := range b.Sel {
		f.shred(root, v, int(row), 0, 0)
	}
}

// shred appends a value to the leaves below s: rep is the level at which it repeats,
// def the level that what is around it has reached.
func (f *fileWriter) shred(s *shredder, v *vec.Vector, row int, rep, def byte) {
	if v.IsNull(row) {
		f.none(s, rep, def)
		return
	}
	if s.leaf >= 0 {
		c := f.chunks[s.leaf]
		c.levels(1, c.spec.maxDef)
		if c.spec.maxRep > 0 {
			c.rep = append(c.rep, rep)
		}
		c.appendValue(v, row)
		return
	}
	v, row = v.At(row)
	if s.typ.Kind == types.Struct {
		for i, k := range s.kids {
			f.shred(k, v.Child[i], row, rep, def+1)
		}
		return
	}
	from, to := int(v.Off[row]), int(v.Off[row+1])
	if from == to {
		f.none(s, rep, def+1)
		return
	}
	for i := from; i < to; i++ {
		for k, kid := range s.kids {
			f.shred(kid, v.Child[k], i, rep, def+2)
		}
		rep = s.rep
	}
}

// none appends an entry without value to every leaf below s.
func (f *fileWriter) none(s *shredder, rep, def byte) {
	if s.leaf >= 0 {
		f.chunks[s.leaf].appendNull(rep, def)
		return
	}
	for _, k := range s.kids {
		f.none(k, rep, def)
	}
}
