package scalar

import (
	"strings"
	"testing"
)

// TestGraphemes cuts texts whose clusters are between bars.
func TestGraphemes(t *testing.T) {
	for _, s := range []string{
		"a|b|c", "é|a", "e\u0301|a\u0308\u0301|b", "\r\n|a|\n|\r|b", "🦆|a", "🤦🏼\u200d♂️|b", "👨\u200d👩\u200d👧|👧", "🇩🇪|🇫🇷|🇩", "a\u200d|🦆",
		"각|각|한|국", "\u1100\u1161\u11a8|\u1100", "นำ|a", "कि|a", "\u0600a|b", "\u200b|a", "©\ufe0f|x", "\U0001F600\U0001F3FD|a", "\xff|a",
	} {
		var got []string
		for rest := []byte(strings.ReplaceAll(s, "|", "")); len(rest) > 0; {
			n := clusterLen(rest)
			got = append(got, string(rest[:n]))
			rest = rest[n:]
		}
		if j := strings.Join(got, "|"); j != s {
			t.Errorf("%q is cut as %q", s, j)
		}
	}
}
