//go:build services

package services

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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

// Kill ends a service as kill -9 does: a copy of one's own.
func Kill(t testing.TB, name string, env ...string) {
	t.Helper()
	vars := Start(t, name, env...) // it runs: this says its number
	pid, err := strconv.Atoi(vars[strings.ToUpper(name)+"_PID"])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(pid, 0) == nil { // its port is free once it is gone
		<-time.After(10 * time.Millisecond)
	}
}

func script(t testing.TB, name, action string, env []string) map[string]string {
	t.Helper()
	dir := os.Getenv("SQLSTREAM_SERVICES_DIR")
	if dir == "" {
		dir = "../../../shared/services"
	}
	path := filepath.Join(dir, name+".sh")
	if own, err := filepath.Abs(name + ".sh"); err == nil {
		if _, err := os.Stat(own); err == nil { // a service that the others do not have
			path = own
		}
	}
	cmd := exec.Command(path, action)
	cmd.Env = append(os.Environ(), env...)
	if full, err := filepath.Abs(dir); err == nil {
		cmd.Env = append(cmd.Env, "SQLSTREAM_SERVICES_DIR="+full)
	}
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
