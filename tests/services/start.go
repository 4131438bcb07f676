//go:build services

package services

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Start starts a service, unless it runs, and gives what its script says about it. env
// are further variables for the script: for a copy of one's own, SERVICES_DATA and a port.
func Start(t testing.TB, name string, env ...string) map[string]string {
	t.Helper()
	return script(t, name, "start", env)
}

// Stop stops a service: a copy of one's own.
func Stop(t testing.TB, name string, env ...string) {
	t.Helper()
	script(t, name, "stop", env)
}

func script(t testing.TB, name, action string, env []string) map[string]string {
	t.Helper()
	dir := os.Getenv("SQLSTREAM_SERVICES_DIR")
	if dir == "" {
		dir = "../../../shared/services"
	}
	cmd := exec.Command(filepath.Join(dir, name+".sh"), action)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s.sh %s: %v\n%s", name, action, err, stderr.String())
	}
	vars := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), "="); ok {
			vars[k] = v
		}
	}
	return vars
}
