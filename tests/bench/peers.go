package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func (c *config) python() string { return filepath.Join(c.home, "venv", "bin", "python") }

// duckdb is the CPU time of DuckDB for the same query and files, in seconds.
func (c *config) duckdb(q, f string) (float64, error) {
	cmd := exec.Command(c.python(), "duck_run.py", q, c.dataOf(q, "2m"), f, "--runs", fmt.Sprint(c.runs))
	cmd.Dir = c.kit
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("DuckDB: %w", err)
	}
	return cpuOf(out)
}

// cpuOf reads the last line of a peer's log.
func cpuOf(out []byte) (float64, error) {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var r struct {
		CPU float64 `json:"cpu"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil || r.CPU == 0 {
		return 0, fmt.Errorf("a peer printed no time: %s", lines[len(lines)-1])
	}
	return r.CPU, nil
}

// others runs Spark and Flink, warm, if asked to.
func (c *config) others(q, f string, ours float64) error {
	for _, peer := range []struct {
		name string
		on   bool
	}{{"spark", c.spark}, {"flink", c.flink}} {
		if !peer.on {
			continue
		}
		form, cpu, err := c.peer(peer.name, q, f)
		if err != nil {
			fmt.Printf("      %s: refused or failed: %v\n", peer.name, err)
			continue
		}
		fmt.Printf("      %s %s: %.3f cpu s, ratio %.1f\n", peer.name, form, cpu, cpu/ours)
	}
	return nil
}

// peer is the CPU time of a warm run of a query, in the natural form or, where the peer
// refuses that, in the kit's alternative one.
func (c *config) peer(name, q, f string) (form string, cpu float64, err error) {
	for _, form = range []string{q, q + "_alt"} {
		if _, missing := os.Stat(filepath.Join(c.kit, "queries", name, form+".sql")); missing != nil {
			continue
		}
		cmd := exec.Command(c.python(), name+"_run.py", form+","+form, c.dataOf(q, "2m"), f, "--hold")
		cmd.Dir = c.kit
		out, runErr := cmd.Output()
		if err = runErr; err == nil {
			if cpu, err = cpuOf(out); err == nil {
				return form, cpu, nil
			}
		}
	}
	return form, 0, err
}

// compare holds a CSV result against the expected one of the kit: the whole of a small
// result, the hash of a large one.
func (c *config) compare(q, got string) error {
	want := filepath.Join(c.kit, "expected", q+".csv")
	if _, err := os.Stat(want); err == nil {
		return c.tool("compare.py", q, want, got)
	}
	hash, err := c.expectedHash(q)
	if err != nil {
		return err
	}
	cmd := exec.Command(c.python(), "compare.py", "--hash", q, got)
	cmd.Dir = c.kit
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("compare.py: %w\n%s", err, out)
	}
	if !strings.Contains(string(out), hash) {
		return fmt.Errorf("the result has hash %s, expected %s", strings.TrimSpace(string(out)), hash)
	}
	return nil
}

func (c *config) tool(args ...string) error {
	cmd := exec.Command(c.python(), args...)
	cmd.Dir = c.kit
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", args[0], err, out)
	}
	return nil
}

// expectedHash looks a query up in expected/summary.csv.
func (c *config) expectedHash(q string) (string, error) {
	f, err := os.Open(filepath.Join(c.kit, "expected", "summary.csv"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return "", err
	}
	for _, r := range rows {
		if r[0] == q {
			return r[2], nil
		}
	}
	return "", fmt.Errorf("the kit expects nothing of %s", q)
}
