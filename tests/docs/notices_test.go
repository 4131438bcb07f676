package docs

import (
	"os"
	"strings"
	"testing"
)

// TestNotices: the notices name every module that is linked, in its version, with its
// licence, and none asks more of what links it than such a notice.
func TestNotices(t *testing.T) {
	text, err := Notices()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "see the text") {
		t.Error("a licence is not known: look at the text, and name it in kindOf")
	}
	path := Root + "/THIRD_PARTY_NOTICES.md"
	have, err := os.ReadFile(path)
	switch {
	case string(have) == text:
	case *update:
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	case err != nil:
		t.Errorf("%v: run go test ./tests/docs -update", err)
	default:
		t.Errorf("%s is not what is linked: run go test ./tests/docs -update\nfirst difference: %s", path, firstDifference(string(have), text))
	}
}
