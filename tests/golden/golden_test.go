// Package golden runs the golden test files of this directory, and the handed ones of
// SQLSTREAM_GOLDEN_DIR.
package golden

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/goldentest"
)

func TestGolden(t *testing.T) { runDir(t, ".") }

func TestHandedGolden(t *testing.T) {
	dir := os.Getenv("SQLSTREAM_GOLDEN_DIR")
	if dir == "" {
		dir = "../../../shared/golden"
	}
	runDir(t, dir)
}

func runDir(t *testing.T, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.test"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(dir, "*", "*.test"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(files, more...) {
		t.Run(filepath.Base(f), func(t *testing.T) {
			err := goldentest.RunFile(context.Background(), f, false)
			if err != nil {
				t.Error(err)
			}
		})
	}
}
