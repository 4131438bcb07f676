package format

import (
	"strings"
	"testing"
)

// A bad row stands in the message as text, or as bytes where a terminal could not show it
// or would obey it.
func TestRowsInMessages(t *testing.T) {
	for raw, want := range map[string]string{
		"":                              "at: why",
		"{\"k\":\t\"é\"}":               "at: why; the row is {\"k\":\t\"é\"}",
		"\x00\x00\x00\x00\x01a":         "at: why; the row is X'000000000161'",
		"\xff\xfe":                      "at: why; the row is X'FFFE'",
		"red \x1b[31m":                  `at: why; the row is "red \x1b[31m"`,
		strings.Repeat("x", 119) + "éz": "at: why; the row begins " + strings.Repeat("x", 119) + " …",
	} {
		if got := (&RowError{BadRow{Position: "at", Reason: "why", Raw: []byte(raw)}}).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
