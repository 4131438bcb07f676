// Package lines owns the cutting of text files: into sections that begin at line
// starts, and of sections into blocks of whole lines in one reused, padded buffer. It
// knows no format: whether a newline may stand inside a row is its caller's business.
// Open this file first.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/compress"
)

// Pad is the number of bytes after a block that may be read.
const Pad = 64

// MaxLine bounds a line (or a quoted record, or a whole file read at once): beyond it
// the file is probably not what it should be, and memory would be at stake.
const MaxLine = 1 << 30

const (
	sectionBytes = 16 << 20
	firstBlock   = 256 << 10
	minBlock     = 32 << 10
)

// Sections cuts a file into byte ranges; whole = true makes it one. Compressed files
// cannot be cut.
func Sections(f format.File, whole bool) []format.Section {
	if f.Size == 0 {
		return nil
	}
	if _, compressed := format.CompressionOf(f.Name); compressed || whole {
		return []format.Section{{End: f.Size, Rows: -1, Bytes: f.Size}}
	}
	n := max(1, (f.Size+sectionBytes/2)/sectionBytes)
	out := make([]format.Section, 0, n)
	for i := range n {
		s := format.Section{Off: f.Size * i / n, End: f.Size * (i + 1) / n, Rows: -1}
		s.Bytes = s.End - s.Off
		out = append(out, s)
	}
	return out
}

// Reader gives the lines that begin in a section, in blocks.
type Reader struct {
	file format.File
	src  io.ReadCloser
	// pos is the file position of buf[n]; end is where lines may still begin.
	pos, end int64
	buf      []byte // content up to n, then room
	n        int    // bytes of content
	next     int    // where the next block begins: what lies before was given out
	given    int    // size of the last block
	eof      bool
	last     bool // the last block of the section was given out
	base     int64
}

// Open begins to read a section. buf is memory to use, or nil; see Buffer.
func Open(f format.File, s format.Section, buf []byte) (*Reader, error) {
	r := &Reader{file: f, pos: s.Off, end: s.End, buf: buf[:cap(buf)]}
	if _, compressed := format.CompressionOf(f.Name); compressed {
		src, err := compress.Open(f)
		if err != nil {
			return nil, err
		}
		r.src, r.end = src, 1<<62
		return r, r.skipBOM()
	}
	if s.Off > 0 {
		r.pos--
	}
	r.src = io.NopCloser(io.NewSectionReader(f.R, r.pos, f.Size-r.pos))
	if s.Off > 0 {
		return r, r.skipFirstLine()
	}
	return r, r.skipBOM()
}

// Close frees what Open took. Blocks may still be used.
func (r *Reader) Close() error { return r.src.Close() }

// Buffer is the reader's memory, to be given to another Open when no block of this one
// is used any more.
func (r *Reader) Buffer() []byte { return r.buf }

func (r *Reader) skipBOM() error {
	for r.n < 3 && !r.eof {
		if err := r.read(r.firstRead()); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(r.buf[:r.n], []byte("\xef\xbb\xbf")) {
		r.next = 3
	}
	return nil
}

// firstRead is how much to read at first: of a small file all, and no more memory than
// that takes.
func (r *Reader) firstRead() int {
	return int(min(minBlock, max(r.file.Size, 1)+1))
}

// skipFirstLine drops what belongs to the section before: all up to the first newline
// at or after the byte before the section.
func (r *Reader) skipFirstLine() error {
	for {
		if i := bytes.IndexByte(r.buf[:r.n], '\n'); i >= 0 {
			r.next = i + 1
			return nil
		}
		r.n = 0
		if r.eof {
			return nil
		}
		if err := r.read(minBlock); err != nil {
			return err
		}
	}
}

// read appends up to want bytes to the buffer.
func (r *Reader) read(want int) error {
	if r.n+want+Pad > len(r.buf) {
		r.grow(r.n + want + Pad)
	}
	for stop := r.n + want; r.n < stop; {
		n, err := r.src.Read(r.buf[r.n:stop])
		r.n += n
		r.pos += int64(n)
		if errors.Is(err, io.EOF) {
			r.eof = true
			return nil
		}
		if err != nil {
			return &format.FileError{File: r.file.Name, Err: fmt.Errorf("read at byte %d: %w", r.pos, err)}
		}
	}
	return nil
}

func (r *Reader) grow(n int) {
	if n <= len(r.buf) {
		return
	}
	bigger := make([]byte, max(n, len(r.buf)*3/2))
	copy(bigger, r.buf[:r.n])
	r.buf = bigger
}

// Next returns the next block of whole lines of about want bytes, each line ended by a
// newline (the file's last line too), with Pad readable bytes after it; io.EOF at the
// end of the section. The block is valid, and may be written, until the next call.
func (r *Reader) Next(want int) ([]byte, error) {
	if r.last {
		return nil, io.EOF
	}
	want = max(want, minBlock)
	r.base = r.pos - int64(r.n-r.next)
	r.n = copy(r.buf, r.buf[r.next:r.n])
	r.next = 0
	for {
		if cut, ok := r.cut(want); ok {
			return r.block(cut)
		}
		if r.n > MaxLine {
			return nil, &format.FileError{File: r.file.Name, Err: fmt.Errorf("line at byte %d is longer than %d bytes", r.base, MaxLine)}
		}
		if err := r.read(max(want-r.n, minBlock)); err != nil {
			return nil, err
		}
	}
}

// cut finds the end of the block in what has been read; false = more must be read.
func (r *Reader) cut(want int) (int, bool) {
	if owned := r.end - 1 - r.base; owned < int64(r.n) {
		// The section ends in the buffer: with the first newline at its last byte or later.
		from := int(max(owned, 0))
		if r.base >= r.end {
			r.last = true
			return 0, true
		}
		if i := bytes.IndexByte(r.buf[from:r.n], '\n'); i >= 0 {
			r.last = true
			return from + i + 1, true
		}
		return r.n, r.eof
	}
	if r.eof {
		return r.n, true
	}
	if r.n < want {
		return 0, false
	}
	i := bytes.LastIndexByte(r.buf[:r.n], '\n')
	return i + 1, i >= 0
}

// block gives out buf[:cut], with the bytes behind it saved from the padding.
func (r *Reader) block(cut int) ([]byte, error) {
	if r.eof && cut == r.n {
		r.last = true
		if cut > 0 && r.buf[cut-1] != '\n' {
			r.buf[cut] = '\n'
			r.n++
			r.pos++
			cut++
		}
	}
	if cut == 0 {
		r.last = true
		return nil, io.EOF
	}
	r.next, r.given = cut, cut
	return r.buf[:cut], nil
}

// Base is the position of the block in the (uncompressed) file.
func (r *Reader) Base() int64 { return r.base }

// Whole reads the rest of the section as one block; nil if it is empty.
func (r *Reader) Whole() ([]byte, error) {
	r.base = r.pos - int64(r.n-r.next)
	for !r.eof {
		if r.n > MaxLine {
			return nil, &format.FileError{File: r.file.Name, Err: fmt.Errorf("longer than %d bytes, too long to be read as one value", MaxLine)}
		}
		if err := r.read(max(firstBlock, r.n)); err != nil {
			return nil, err
		}
	}
	r.last = true
	if r.n == r.next {
		return nil, nil
	}
	r.grow(r.n + 1 + Pad)
	r.buf[r.n] = '\n'
	return r.buf[r.next : r.n+1], nil
}

// LinesBefore counts the newlines between two positions of a file that is not
// compressed: what a message needs to name a line of a later section.
func LinesBefore(f format.File, from, to int64) (int64, error) {
	buf, lines := make([]byte, 256<<10), int64(0)
	for from < to {
		n, err := f.R.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		from += int64(n)
		if err != nil && from < to {
			return lines, err
		}
	}
	return lines, nil
}

// Unread gives back the block from position p on: it begins the next block, which must
// be asked for larger than the rest. False at the end of the section, where no more
// follows. It is for records over several lines.
func (r *Reader) Unread(p int) bool {
	if r.last {
		return false
	}
	r.next -= r.given - p
	return true
}
