package errors

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/goldentest"
)

// TestMistakes shows what users of other systems write, and what newcomers get wrong: each
// wrong statement with its message, and then what the message asks for, which runs.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("mistakes/*.test")
	if err != nil {
		t.Fatal(err)
	}
	mistakes := 0
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".test"), func(t *testing.T) {
			if err := goldentest.RunFile(context.Background(), f, false); err != nil {
				t.Error(err)
			}
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			mistakes += checkMistakes(t, string(text))
		})
	}
	if mistakes < 100 {
		t.Errorf("only %d mistakes", mistakes)
	}
}

// checkMistakes counts the refused statements: each has a hint or says in its message what
// is wrong with one word, and what is written instead follows.
func checkMistakes(t *testing.T, text string) (n int) {
	blocks := strings.Split(text, "\n\n")
	for i, b := range blocks {
		if !strings.HasPrefix(b, "error\n") {
			continue
		}
		n++
		if i+1 == len(blocks) || strings.HasPrefix(blocks[i+1], "error\n") {
			t.Errorf("nothing is run instead of\n%s", b)
		}
		if !strings.Contains(b, "error SQL") {
			t.Errorf("no code in\n%s", b)
		}
	}
	return n
}
