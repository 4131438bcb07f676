package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHistoryKeepsLineBreaks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "history")
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"SELECT 1\n  AS a;", `SELECT '\n\\';`, "a\rb"}
	for _, e := range append(want, "a\rb", "  ") { // repetitions and blanks are left out
		if err := h.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	again, err := OpenHistory(path)
	if err != nil || !slices.Equal(again.Entries(), want) {
		t.Errorf("got %q, %v", again.Entries(), err)
	}
	if text, _ := os.ReadFile(path); strings.Count(string(text), "\n") != len(want) {
		t.Errorf("not one line for each statement: %q", text)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
}

func TestHistoryIsShortened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var b strings.Builder
	for i := range 2*historyLimit + 1 {
		fmt.Fprintf(&b, "SELECT %d;\n", i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := OpenHistory(path)
	last := fmt.Sprintf("SELECT %d;", 2*historyLimit)
	if err != nil || len(h.Entries()) != historyLimit || h.Entries()[historyLimit-1] != last {
		t.Fatalf("%d entries, %v", len(h.Entries()), err)
	}
	if again, _ := OpenHistory(path); !slices.Equal(again.Entries(), h.Entries()) {
		t.Error("the file is not shortened")
	}
}

func TestHistoryWithoutFile(t *testing.T) {
	h, err := OpenHistory("")
	if err != nil || h.Add("SELECT 1;") != nil || len(h.Entries()) != 1 {
		t.Errorf("entries %q, %v", h.Entries(), err)
	}
	if _, err := OpenHistory(t.TempDir()); err == nil {
		t.Error("a directory is read as a history")
	}
}
