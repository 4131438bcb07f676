package repl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Pager gives results that are longer or wider than the screen to a pager, and prints
// the others.
type Pager struct {
	Command       string // a shell command; "" = never
	Width, Height func() int
	Out           io.Writer
}

// PagerCommand is the pager of the user: PAGER, else less where there is one.
func PagerCommand() string {
	if p, ok := os.LookupEnv("PAGER"); ok {
		return p
	}
	if path, err := exec.LookPath("less"); err == nil {
		return path + " -SRFX"
	}
	return ""
}

// Writer returns a writer of one result; Close ends it, and waits for the reader.
func (p *Pager) Writer() io.WriteCloser {
	if p.Command == "" {
		return direct{p.Out}
	}
	return &paged{p: p}
}

// direct is a writer without a pager.
type direct struct{ io.Writer }

// Close implements io.Closer.
func (direct) Close() error { return nil }

// paged is one result: it is held back until it overflows the screen or ends.
type paged struct {
	p    *Pager
	held bytes.Buffer
	pipe io.WriteCloser // to the pager, once it runs
	cmd  *exec.Cmd
	left bool // the user has left the pager
}

// Write implements io.Writer. What comes after the user has left is an errLeft.
func (w *paged) Write(b []byte) (int, error) {
	switch {
	case w.left:
		return 0, errLeft
	case w.pipe != nil:
		return w.pass(b)
	}
	w.held.Write(b)
	if !w.overflows() {
		return len(b), nil
	}
	if err := w.start(); err != nil {
		return 0, err
	}
	_, err := w.pass(w.held.Bytes())
	return len(b), err
}

// errLeft says that nobody reads the result any more.
var errLeft = errors.New("the pager was left")

func (w *paged) pass(b []byte) (int, error) {
	n, err := w.pipe.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		w.left, err = true, errLeft
	}
	return n, err
}

// overflows reports whether what is held does not fit on the screen.
func (w *paged) overflows() bool {
	if bytes.Count(w.held.Bytes(), []byte("\n")) >= w.p.Height() {
		return true
	}
	first, _, _ := strings.Cut(w.held.String(), "\n")
	return utf8.RuneCountInString(first) > w.p.Width()
}

func (w *paged) start() error {
	w.cmd = exec.Command("sh", "-c", w.p.Command)
	w.cmd.Stdout, w.cmd.Stderr = w.p.Out, os.Stderr
	pipe, err := w.cmd.StdinPipe()
	if err != nil {
		return err
	}
	w.pipe = pipe
	return w.cmd.Start()
}

// Close implements io.Closer.
func (w *paged) Close() error {
	if w.pipe == nil {
		_, err := w.p.Out.Write(w.held.Bytes())
		return err
	}
	err := w.pipe.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	var exit *exec.ExitError
	if e := w.cmd.Wait(); e != nil && !errors.As(e, &exit) {
		err = errors.Join(err, e)
	}
	return err
}
