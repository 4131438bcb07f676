package stdin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/source/inbox"
)

// peekBytes is about how much of the input is looked at to guess its format and columns.
const peekBytes = 64 << 10

// Input is a stream that is read once, on behalf of one source at a time. It is safe for
// concurrent use. A read that is under way when the source is closed goes on: nobody can
// call it back, and what it brings is for the next source.
type Input struct {
	mu      sync.Mutex
	reader  io.Reader
	begun   bool
	pending []byte // read, and given to nobody
	err     error  // of the last read: io.EOF, or worse
	changed chan struct{}
	box     *inbox.Box // of the lines, for all sources one after the other; nil = none yet
	reading string     // the source that takes them now
}

// NewInput returns an input that reads r when it is first asked to.
func NewInput(r io.Reader) *Input { return &Input{reader: r, changed: make(chan struct{})} }

// Use makes r the stream to read. It is for programs and tests that have another one
// than the process, before anything is read.
func (in *Input) Use(r io.Reader) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.reader = r
}

// fetch reads ahead in a goroutine of its own, up to peekBytes.
func (in *Input) fetch() {
	if in.begun {
		return
	}
	in.begun = true
	go func() {
		for buf := make([]byte, peekBytes); ; {
			n, err := in.reader.Read(buf)
			in.mu.Lock()
			in.pending = append(in.pending, buf[:n]...)
			if err != nil {
				in.err = err
			}
			in.notify()
			for err == nil && len(in.pending) >= peekBytes {
				c := in.changed
				in.mu.Unlock()
				<-c
				in.mu.Lock()
			}
			in.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
}

func (in *Input) notify() {
	close(in.changed)
	in.changed = make(chan struct{})
}

// Peek waits for the first line and returns what has come by then: whole lines, unless
// the first one is longer than what is looked at. Nothing of it is taken.
func (in *Input) Peek(ctx context.Context) ([]byte, error) {
	in.mu.Lock()
	in.fetch()
	for {
		end := bytes.LastIndexByte(in.pending, '\n') + 1
		if in.err != nil || end == 0 && len(in.pending) >= peekBytes {
			end = len(in.pending)
		}
		if end > 0 || in.err != nil {
			out, err := bytes.Clone(in.pending[:end]), in.err
			in.mu.Unlock()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return out, err
		}
		c := in.changed
		in.mu.Unlock()
		select {
		case <-c:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		in.mu.Lock()
	}
}

// Read takes what has come, and waits for it: in is an io.Reader of its own stream.
func (in *Input) Read(p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.pending) == 0 {
		if in.err != nil {
			return 0, in.err
		}
		c := in.changed
		in.mu.Unlock()
		<-c
		in.mu.Lock()
	}
	n := copy(p, in.pending)
	in.pending = in.pending[n:]
	in.notify()
	return n, nil
}

// lend gives the lines of the input to a source, until release. The first one says how
// they are cut.
func (in *Input) lend(name string, size int64, l *inbox.Lines) (*inbox.Box, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.reading != "" {
		return nil, fmt.Errorf("standard input is being read by source %q: it can be read once; let one query read it, or bring the queries together in a statement set", in.reading)
	}
	in.reading = name
	if in.box != nil {
		return in.box, nil
	}
	in.box = inbox.NewBox(size, 0)
	l.Put = in.box.Put
	in.fetch()
	go func() {
		err := l.Read(context.Background(), in)
		if err != nil {
			err = fmt.Errorf("standard input: %w", err)
		}
		in.box.End(err)
	}()
	return in.box, nil
}

// release takes the input back from its source.
func (in *Input) release() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.reading = ""
}

// file is text in memory as a file.
func file(text []byte) format.File {
	return format.File{Name: "stdin", R: bytes.NewReader(text), Size: int64(len(text))}
}
