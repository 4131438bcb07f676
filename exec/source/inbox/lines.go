package inbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
)

// Lines cuts a stream of text into parcels of whole lines.
type Lines struct {
	From    string       // for positions
	Longest int          // bytes of a line; a longer one is a bad row
	Header  bool         // the first line goes before each parcel
	Now     func() int64 // µs
	// Put takes a parcel, and waits for room.
	Put func(context.Context, *Parcel) error

	head []byte
	line int64 // lines so far
}

// readBytes is how much is asked of a stream at once.
const readBytes = 64 << 10

// Read takes a stream to its end, and returns why it ended, nil = that was all. A last
// line without an end counts then; one that an error cut off does not.
func (l *Lines) Read(ctx context.Context, r io.Reader) error {
	buf, n := make([]byte, readBytes), 0
	skipping := false // the rest of a line that is too long
	for {
		if n == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		m, err := r.Read(buf[n:])
		n += m
		if skipping {
			end := bytes.IndexByte(buf[:n], '\n')
			skipping = end < 0
			n = copy(buf, buf[cmp.Or(end+1, n):n])
		}
		end := bytes.LastIndexByte(buf[:n], '\n') + 1
		if e := l.give(ctx, bytes.Clone(buf[:end])); e != nil {
			return e
		}
		n = copy(buf, buf[end:n])
		if n > l.Longest {
			if e := l.tooLong(ctx, buf[:n]); e != nil {
				return e
			}
			n, skipping = 0, true
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			if n == 0 {
				return nil
			}
			return l.give(ctx, append(bytes.Clone(buf[:n]), '\n'))
		default:
			return err
		}
	}
}

// give sends whole lines on.
func (l *Lines) give(ctx context.Context, data []byte) error {
	if l.Header && l.head == nil && len(data) > 0 {
		n := bytes.IndexByte(data, '\n') + 1
		l.head, data = data[:n:n], data[n:]
		l.line++
	}
	for len(data) > 0 {
		n, long := l.upToLong(data)
		if n > 0 {
			p := &Parcel{Head: l.head, Data: data[:n:n], Rows: int64(bytes.Count(data[:n], []byte{'\n'})), Line: l.line + 1, From: l.From, At: l.Now()}
			l.line += p.Rows
			if err := l.Put(ctx, p); err != nil {
				return err
			}
			data = data[n:]
		}
		if !long {
			continue
		}
		end := bytes.IndexByte(data, '\n')
		if err := l.tooLong(ctx, data[:end]); err != nil {
			return err
		}
		data = data[end+1:]
	}
	return nil
}

// upToLong is where the lines end that come before the first one that is too long.
func (l *Lines) upToLong(data []byte) (n int, long bool) {
	if len(data) <= l.Longest {
		return len(data), false
	}
	for n < len(data) {
		end := bytes.IndexByte(data[n:], '\n')
		if end > l.Longest {
			return n, true
		}
		n += end + 1
	}
	return n, false
}

// tooLong sends the beginning of a line on as a bad row.
func (l *Lines) tooLong(ctx context.Context, begin []byte) error {
	l.line++
	begin = append([]byte(nil), begin[:min(len(begin), 1024)]...)
	return l.Put(ctx, &Parcel{Data: begin, Rows: 1, Line: l.line, From: l.From, At: l.Now(),
		Bad: fmt.Sprintf("the line is longer than %d bytes (option max_line_bytes)", l.Longest)})
}
