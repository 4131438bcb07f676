package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func TestGroupLimit(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"none":        {map[string]string{}, 0},
		"v2":          {map[string]string{"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "1073741824\n"}, 1 << 30},
		"v2 no limit": {map[string]string{"/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		"v2 parent": {map[string]string{"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
			"/sys/fs/cgroup/a/memory.max": "500\n", "/sys/fs/cgroup/memory.max": "700"}, 500},
		"v1": {map[string]string{"/proc/self/cgroup": "4:cpu,memory:/x\n1:name=systemd:/x\n", "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "4096"}, 4096},
		"v1 no limit": {map[string]string{"/proc/self/cgroup": "4:memory:/x\n",
			"/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712"}, 0},
	} {
		got := groupLimit(func(path string) ([]byte, error) {
			if text, ok := c.files[path]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		})
		if got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestStatuses(t *testing.T) {
	sql := diag.NewError(nil, diag.Errorf(diag.Unexpected, diag.Span{}, "x"))
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, exitDone},
		{errors.New("x"), exitFailed},
		{sql, exitUsage},
		{fmt.Errorf("in a script: %w", sql), exitUsage},
		{&engine.UnreachableError{What: "source", Err: errors.New("x")}, exitUnreachable},
		{&engine.UnreachableError{What: "source", Err: sql}, exitUsage}, // a wrong option
		{fmt.Errorf("q: %w", t.Context().Err()), exitFailed},
	} {
		if got := statusOf(c.err); got != c.want {
			t.Errorf("%v: status %d, want %d", c.err, got, c.want)
		}
	}
}

// BenchmarkFirstRow is the time from the start of the process to the first row of a
// small file, in a script. The test binary starts like the program.
func BenchmarkFirstRow(b *testing.B) {
	dir := b.TempDir()
	script := filepath.Join(dir, "q.sql")
	for path, text := range map[string]string{script: "SELECT * FROM 'in.json';", filepath.Join(dir, "in.json"): strings.Repeat("{\"a\": 1, \"b\": \"x\"}\n", 100)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		cmd := exec.Command("sqlstream", "-f", script)
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
