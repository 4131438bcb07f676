package repl

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

type chunks struct {
	io.Reader
	closed bool
}

func (c *chunks) Close() error { c.closed = true; return nil }

func filtered(t *testing.T, r io.Reader) string {
	t.Helper()
	f := newPasteFilter(&chunks{Reader: r})
	out, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestPasteFilter(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb":                                   "a\tb",        // a tab that was typed completes
		pasteBegin + "a\tb\rc" + pasteEnd + "\t": "a    b\rc\t", // one that was pasted does not
		"\x1b[A\x1b[24~x\x1b":                    "\x1b[A\x1b[24~x\x1b",
		pasteBegin + "\x1b[31m" + pasteEnd:       "\x1b[31m",
		pasteBegin + "日本\t":                      "日本    ",
		"":                                       "",
	} {
		if got := filtered(t, strings.NewReader(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// A mark that comes in two pieces is still a mark, if more than the escape has come.
func TestPasteMarksAreCut(t *testing.T) {
	text := pasteBegin + "x\ty" + pasteEnd + "\t"
	for cut := 2; cut < len(text); cut++ {
		if strings.HasSuffix(text[:cut], "\x1b") {
			continue
		}
		got := filtered(t, io.MultiReader(strings.NewReader(text[:cut]), strings.NewReader(text[cut:])))
		if got != "x    y\t" {
			t.Errorf("cut at %d: %q", cut, got)
		}
	}
}

// A lone escape is the key: it must not wait for what is typed next.
func TestEscapeKeyDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	f := newPasteFilter(r)
	go w.Write([]byte("\x1b")) //nolint:errcheck // the pipe is closed below
	buf := make([]byte, 8)
	n, err := f.Read(buf)
	if err != nil || !bytes.Equal(buf[:n], []byte("\x1b")) {
		t.Errorf("got %q, %v", buf[:n], err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
