package lower

import (
	"strings"
	"testing"
)

// A text in two parts is shortened to what the whole is shortened to.
func TestBeginning(t *testing.T) {
	for _, n := range []int{0, 10, longestText - 2, longestText, 3 * longestText} {
		begin := beginning{text: strings.Repeat("a", n)}
		for _, end := range []string{"", ".x", ".sum(y)", strings.Repeat("z", longestText)} {
			if got, want := begin.with(end), shorten(begin.text+end); got != want {
				t.Errorf("%d and %d characters: %q, want %q", n, len(end), got, want)
			}
		}
	}
}
