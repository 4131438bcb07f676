package repl

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func pager(command string) (*Pager, *buffer) {
	out := &buffer{}
	return &Pager{Command: command, Width: func() int { return 10 }, Height: func() int { return 3 }, Out: out}, out
}

func page(t *testing.T, p *Pager, lines ...string) {
	t.Helper()
	w := p.Writer()
	for _, l := range lines {
		if _, err := io.WriteString(w, l+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Only what overflows the screen goes through the pager, whole.
func TestPager(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"a", "b"}, "a\nb\n"},
		{[]string{"a", "b", "c", "d"}, "[a]\n[b]\n[c]\n[d]\n"},
		{[]string{"wider than that", "b"}, "[wider than that]\n[b]\n"},
		{nil, ""},
	} {
		p, out := pager("sed 's/.*/[&]/'")
		page(t, p, c.lines...)
		if out.String() != c.want {
			t.Errorf("%q: got %q, want %q", c.lines, out, c.want)
		}
	}
	p, out := pager("")
	page(t, p, "a", "b", "c", "d")
	if out.String() != "a\nb\nc\nd\n" {
		t.Errorf("without a pager: %q", out)
	}
}

// Who leaves the pager early ends the result, without an error.
func TestPagerIsLeft(t *testing.T) {
	p, out := pager("head -n 1")
	w := p.Writer()
	var err error
	for i := 0; i < 1_000_000 && err == nil; i++ {
		_, err = fmt.Fprintf(w, "line %d\n", i)
	}
	if !errors.Is(err, errLeft) {
		t.Errorf("got %v", err)
	}
	if _, err := io.WriteString(w, "more"); !errors.Is(err, errLeft) {
		t.Errorf("got %v", err)
	}
	if err := w.Close(); err != nil || out.String() != "line 0\n" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestResultsThroughThePager(t *testing.T) {
	s := newSession(t, "SELECT generate_series FROM generate_series(1, 100000) WHERE generate_series > 0;", "SELECT 1 AS a;")
	s.Pager, _ = pager("head -n 1")
	out := &buffer{}
	s.Pager.Out = out
	s.run(t)
	if s.errs.String() != "" || !strings.HasSuffix(out.String(), "{\"a\":1}\n") {
		t.Errorf("got %q, errors %q", out, s.errs)
	}
}

func TestPagerCommand(t *testing.T) {
	t.Setenv("PAGER", "mine -x")
	if got := PagerCommand(); got != "mine -x" {
		t.Errorf("got %q", got)
	}
}
