package scalar

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// What is appended does not depend on what stands before it, though it may be written into the
// same buffer, and bytes that are no text stay what they are.
func TestNormalFormsBehindOthers(t *testing.T) {
	for _, s := range []string{"", "abc", "e\u0301", "\u0301", "é", "한글", "a\xffb", "ﬁ" + strings.Repeat("\u0301", 50)} {
		for name, form := range forms {
			want := string(form.Bytes([]byte(s)))
			dst := append(make([]byte, 0, 64), 'e')
			if got := string(append(dst, formed(dst, []byte(s), form)...)); got != "e"+want {
				t.Errorf("%s of %q behind e: got %q, want %q", name, s, got, "e"+want)
			}
		}
	}
	for s, want := range map[string]string{"": "", "Ünïcödé": "Unicode", "\u0301": "", "한글": "한글", "øł": "øł", "a\xffb": "a\xffb", "e\u0301e": "ee"} {
		dst := append(make([]byte, 0, 64), 'e')
		if got := string(appendPlain(dst, []byte(s))); got != "e"+want {
			t.Errorf("strip_accents of %q: got %q, want %q", s, got, want)
		}
		if !norm.NFC.IsNormalString(want) {
			t.Errorf("%q is not in NFC", want)
		}
	}
}
