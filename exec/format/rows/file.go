package rows

import (
	"io"

	"github.com/sqlstream/sqlstream/exec/format/compress"
)

// File is the end of a text file's writer: rows are appended to Buf and go through
// compression to the file.
type File struct {
	Buf []byte

	counted *counter
	packer  io.WriteCloser
}

// flushBytes is when Buf is passed on.
const flushBytes = 64 << 10

// counter counts what reaches the file.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// NewFile begins a file on w.
func NewFile(w io.Writer, codec string) (*File, error) {
	f := &File{counted: &counter{w: w}}
	var err error
	f.packer, err = compress.NewWriter(codec, f.counted)
	return f, err
}

// EndRow passes on what is in Buf, if that is enough.
func (f *File) EndRow() error {
	if len(f.Buf) < flushBytes {
		return nil
	}
	return f.flush()
}

func (f *File) flush() error {
	_, err := f.packer.Write(f.Buf)
	f.Buf = f.Buf[:0]
	return err
}

// Bytes is the size of the file so far; what compression still holds is not in it.
func (f *File) Bytes() int64 { return f.counted.n + int64(len(f.Buf)) }

// Close writes what is left.
func (f *File) Close() error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.packer.Close()
}
