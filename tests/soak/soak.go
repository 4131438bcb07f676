// Package soak kills the real program, kill -9, again and again over files of the real
// file system, and compares what it leaves with the batch answer every time: at each
// step of the protocol (with a binary of the build tag mutants, which takes the step
// from the environment), and at random moments with the plain binary.
//
//	go test ./tests/soak                           a short version, in CI
//	go test ./tests/soak -kills 200 -timeout 1h -v the long one
//
// input.go makes the input and the answer, output.go reads what the sinks hold,
// soak_test.go kills. Open soak_test.go first.
package soak

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build makes the program, plain or with the tag mutants.
func Build(dir, name string, tags string) (string, error) {
	out := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-tags", tags, "-o", out, "./cmd/sqlstream")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return out, nil
}
