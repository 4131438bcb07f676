package repl

import (
	"bytes"
	"io"
)

// The codes that switch bracketed paste on and off, and those that a terminal then
// sends around what is pasted.
const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// pasteFilter takes the marks of pasted text out of what a terminal sends, and makes
// the tabs of pasted text blanks, which would else ask for completion.
type pasteFilter struct {
	r       io.ReadCloser
	in      []byte // read, not yet looked at
	out     []byte // ready
	pasting bool
	err     error
}

func newPasteFilter(r io.ReadCloser) *pasteFilter { return &pasteFilter{r: r} }

// Read implements io.Reader.
func (f *pasteFilter) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.fill()
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// fill reads once and filters what came. The beginning of a mark waits for its rest.
func (f *pasteFilter) fill() {
	var buf [1024]byte
	n, err := f.r.Read(buf[:])
	f.in, f.err = append(f.in, buf[:n]...), err
	for len(f.in) > 0 {
		i := bytes.IndexByte(f.in, 0x1b)
		if i < 0 {
			i = len(f.in)
		}
		f.emit(f.in[:i])
		f.in = f.in[i:]
		if len(f.in) > 0 && !f.mark() {
			return
		}
	}
	f.in = nil
}

// mark handles an escape at the beginning of in; false if more bytes are needed to tell
// what it is. An escape alone, the key, does not wait.
func (f *pasteFilter) mark() bool {
	switch {
	case bytes.HasPrefix(f.in, []byte(pasteBegin)):
		f.pasting, f.in = true, f.in[len(pasteBegin):]
	case bytes.HasPrefix(f.in, []byte(pasteEnd)):
		f.pasting, f.in = false, f.in[len(pasteEnd):]
	case len(f.in) > 1 && f.err == nil && (bytes.HasPrefix([]byte(pasteBegin), f.in) || bytes.HasPrefix([]byte(pasteEnd), f.in)):
		return false
	default:
		f.out, f.in = append(f.out, f.in[0]), f.in[1:]
	}
	return true
}

func (f *pasteFilter) emit(text []byte) {
	if f.pasting {
		text = bytes.ReplaceAll(text, []byte("\t"), []byte("    "))
	}
	f.out = append(f.out, text...)
}

// Close implements io.Closer.
func (f *pasteFilter) Close() error { return f.r.Close() }
