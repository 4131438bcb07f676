package avro

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/compress"
	"github.com/sqlstream/sqlstream/exec/format/lines"
	"github.com/sqlstream/sqlstream/exec/types"
)

// An object container: the magic, a map of metadata (the schema and the codec among
// them), a marker of 16 bytes; then blocks of the number of rows, the size of the data,
// the data, and the marker again.

const (
	magic      = "Obj\x01"
	markerSize = 16
	maxHeader  = 16 << 20
	maxBlock   = 1 << 30
)

// container reads blocks one after the other.
type container struct {
	name   string
	src    io.ReadCloser
	buf    *bufio.Reader
	pos    int64 // of the next byte
	size   int64 // of the file; −1 = not known
	schema string
	codec  *codec
	marker [markerSize]byte
	data   []byte // of a block, as it is stored
}

// openContainer reads the header of a file.
func openContainer(f format.File) (*container, error) {
	c := &container{name: f.Name, size: f.Size}
	var err error
	if c.src, err = compress.Open(f); err != nil {
		return nil, err
	}
	if compressed(f) {
		c.size = -1
	}
	c.buf = bufio.NewReaderSize(c.src, 128<<10)
	if err := c.header(); err != nil {
		c.src.Close()
		return nil, c.wrap(err)
	}
	return c, nil
}

func compressed(f format.File) bool {
	_, ok := format.CompressionOf(f.Name)
	return ok
}

func (c *container) wrap(err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("it ends before it should")
	}
	return &format.FileError{File: c.name, Err: err}
}

func (c *container) header() error {
	var start [len(magic)]byte
	if err := c.read(start[:]); err != nil || string(start[:]) != magic {
		return errors.New("not an Avro object container: it does not begin with Obj and 1")
	}
	meta, err := c.metadata()
	if err != nil {
		return err
	}
	if c.schema = string(meta["avro.schema"]); c.schema == "" {
		return errors.New("the header has no schema")
	}
	if c.codec, err = codecNamed(string(meta["avro.codec"])); err != nil {
		return err
	}
	return c.read(c.marker[:])
}

// metadata reads the map of the header.
func (c *container) metadata() (map[string][]byte, error) {
	out := map[string][]byte{}
	for {
		n, err := c.varint()
		if err != nil || n == 0 {
			return out, err
		}
		if n < 0 {
			n = -n
			if _, err := c.varint(); err != nil {
				return nil, err
			}
		}
		for ; n > 0; n-- {
			key, err := c.text()
			if err != nil {
				return nil, err
			}
			if out[string(key)], err = c.text(); err != nil {
				return nil, err
			}
		}
	}
}

func (c *container) text() ([]byte, error) {
	n, err := c.varint()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > maxHeader || c.pos > maxHeader {
		return nil, errors.New("the header is damaged")
	}
	out := make([]byte, n)
	return out, c.read(out)
}

func (c *container) read(into []byte) error {
	n, err := io.ReadFull(c.buf, into)
	c.pos += int64(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return err
}

func (c *container) varint() (int64, error) {
	v, err := binary.ReadVarint(counting{c})
	return v, err
}

// counting counts the bytes that are read one by one.
type counting struct{ c *container }

func (r counting) ReadByte() (byte, error) {
	b, err := r.c.buf.ReadByte()
	if err == nil {
		r.c.pos++
	}
	return b, err
}

// seek goes to the first block that begins at off or behind, before end; false if there
// is none.
func (c *container) seek(f format.File, off, end int64) (bool, error) {
	if off <= c.pos {
		return c.pos < end, nil
	}
	from := off - markerSize
	c.buf.Reset(io.NewSectionReader(f.R, from, f.Size-from))
	c.pos = from
	for c.pos < end {
		window, err := c.buf.Peek(64 << 10)
		if i := bytes.Index(window, c.marker[:]); i >= 0 {
			n, _ := c.buf.Discard(i + markerSize)
			c.pos += int64(n)
			return c.pos < end, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		n, _ := c.buf.Discard(len(window) - markerSize + 1)
		c.pos += int64(n)
	}
	return false, nil
}

// next reads the next block's number of rows and its data, which is valid until the next
// call; io.EOF at the end of the file.
func (c *container) next() (count int64, data []byte, err error) {
	at := c.pos
	if count, err = c.varint(); err != nil {
		if errors.Is(err, io.EOF) && c.pos == at {
			return 0, nil, io.EOF
		}
		return 0, nil, c.damaged(at, err)
	}
	size, err := c.varint()
	switch {
	case err != nil:
		return 0, nil, c.damaged(at, err)
	case count < 0 || size < 0 || size > maxBlock || c.size >= 0 && size > c.size-c.pos:
		return 0, nil, c.damaged(at, fmt.Errorf("it claims %d rows in %d bytes", count, size))
	}
	if c.data, err = c.take(c.data[:0], int(size)); err != nil {
		return 0, nil, c.damaged(at, err)
	}
	var marker [markerSize]byte
	if err = c.read(marker[:]); err == nil && marker != c.marker {
		err = errors.New("it does not end with the marker of the file")
	}
	if err != nil {
		return 0, nil, c.damaged(at, err)
	}
	return count, c.data, nil
}

// take reads n bytes; memory grows with what is there, not with what is claimed.
func (c *container) take(into []byte, n int) ([]byte, error) {
	for len(into) < n {
		step := min(n-len(into), max(1<<20, len(into)))
		at := len(into)
		into = append(into, make([]byte, step)...)
		if err := c.read(into[at:]); err != nil {
			return into, err
		}
	}
	return into, nil
}

func (c *container) damaged(at int64, err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("the file ends within it")
	}
	return &format.FileError{File: c.name, Err: fmt.Errorf("block at byte %d: %w", at, err)}
}

// Sections implements format.Reader: parts of a file, of which each has the blocks that
// begin in it.
func (r *reader) Sections(_ context.Context, f format.File) ([]format.Section, error) {
	return lines.Sections(f, false), nil
}

// infer finds the columns of a file.
func infer(_ context.Context, f format.File, c format.Config) ([]types.Column, error) {
	s, err := given(c.Options)
	if err != nil || s != nil {
		return columnsOf(s, err)
	}
	return containerColumns(f, false)
}

var _ format.Described = (*reader)(nil)

// Describe implements format.Described.
func (r *reader) Describe(_ context.Context, f format.File) ([]types.Column, error) {
	return containerColumns(f, true)
}

// containerColumns are the columns of a file; those of a type that no column can have are an
// error, or NULL.
func containerColumns(f format.File, lenient bool) ([]types.Column, error) {
	file, err := openContainer(f)
	if err != nil {
		return nil, err
	}
	defer file.src.Close()
	s, _, err := parse(file.schema, nil)
	if err != nil {
		return nil, file.wrap(fmt.Errorf("its schema: %w", err))
	}
	var out []types.Column
	for _, x := range s.rowFields() {
		t, err := x.typ.sqlType(nil)
		if err != nil && !lenient {
			return nil, file.wrap(fmt.Errorf("field %q: %w", x.name, err))
		}
		out = append(out, types.Column{Name: x.name, Type: t})
	}
	return out, nil
}
