package repl

import (
	"strings"
	"testing"
)

func TestPaint(t *testing.T) {
	short := strings.NewReplacer("\x1b[1;34m", "<k>", "\x1b[32m", "<s>", "\x1b[36m", "<n>", "\x1b[90m", "<c>", "\x1b[31m", "<e>", plain, "</>")
	for _, c := range []struct{ before, line, want string }{
		{"", "select a, 'ü' from t -- x", "<k>select</> a, <s>'ü'</> <k>from</> t <c>-- x</>"},
		{"", "x + 10", "x + <n>10</>"},
		{"SELECT '\n", "still' AS b", "<s>still'</> <k>AS</> b"},
		{"SELECT\n", "a", "a"},
		{"/* SELECT\n", "a */ 1", "<c>a */</> <n>1</>"},
		{"", ".output csv", ".output csv"},
		{"", "", ""},
		{"", "SELECT 'open", "<k>SELECT</> <e>'open</>"},
	} {
		p := Painter{&Completer{before: c.before}}
		got := string(p.Paint([]rune(c.line), 0))
		if short.Replace(got) != c.want {
			t.Errorf("%q: got %q, want %q", c.line, short.Replace(got), c.want)
		}
	}
}

func TestWantsColour(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if !WantsColour() {
		t.Error("no colours on a terminal")
	}
	t.Setenv("NO_COLOR", "1")
	if WantsColour() {
		t.Error("colours in spite of NO_COLOR")
	}
}
