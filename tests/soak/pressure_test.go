//go:build linux

package soak

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

var pressure = flag.Duration("pressure", 8*time.Second, "how long a slow sink stands under a fast source")

const (
	budgetMiB     = 512
	rowsPerSecond = 200_000
)

// TestBackPressure: a sink that takes a second for a batch slows its query down, so that each
// batch takes what has come meanwhile, and the process stays within its budget.
func TestBackPressure(t *testing.T) {
	binary, err := Build(t.TempDir(), "sqlstream", "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const script = `SET memory_limit = '512 MiB';
CREATE SOURCE fast WITH (connector = 'rate', rows_per_second = 200000);
CREATE SINK slow WITH (connector = 'exec', shell = true, run = 'batch', command = 'cat > /dev/null; sleep 1');
INSERT INTO slow SELECT value, timestamp, value % 7 AS k FROM fast WITH (checkpoint = 'ck')`
	if err := os.WriteFile(filepath.Join(dir, "q.sql"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "--progress", "json", "-f", "q.sql")
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	quarters := resident(cmd.Process.Pid)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	rows, batches := taken(t, out.Bytes())
	most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	t.Logf("%d rows in %d batches in %s, at most %d MiB; by quarters of the time %v", rows, batches, *pressure, most, quarters)
	if most > budgetMiB {
		t.Errorf("the process had %d MiB, more than %d", most, budgetMiB)
	}
	if least := int64(pressure.Seconds()*0.6) * rowsPerSecond; rows < least || batches > int64(pressure.Seconds())+1 {
		t.Errorf("%d rows in %d batches, want at least %d, in batches of a second or more\n%.2000s", rows, batches, least, out.String())
	}
}

// resident is how many MiB the process had at most, by quarters of the time.
func resident(pid int) (most [4]int64) {
	tick := time.NewTicker(*pressure / 400)
	defer tick.Stop()
	for i := range 400 {
		<-tick.C
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if f := bytes.Fields(text); len(f) > 1 {
			pages, _ := strconv.ParseInt(string(f[1]), 10, 64)
			most[i/100] = max(most[i/100], pages*int64(os.Getpagesize())>>20)
		}
	}
	return most
}

// taken counts the rows and batches of progress records.
func taken(t *testing.T, out []byte) (rows, batches int64) {
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var p struct{ NumInputRows int64 }
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		rows, batches = rows+p.NumInputRows, batches+1
	}
	return rows, batches
}
