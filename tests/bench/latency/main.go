// Command latency measures how long a small trigger takes: files of 100 rows appear one
// at a time, a windowed count with a durable checkpoint takes each in a trigger of its
// own. Beside it stands a flush of 4 KiB on the same disk, measured between the triggers.
// It also times the program from its start to the first row of a small file.
//
//	go run ./tests/bench/latency [-n 300] [-dir DIR]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func main() {
	n := flag.Int("n", 300, "triggers")
	dir := flag.String("dir", "", "where files and checkpoint go; a temporary directory by default")
	flag.Parse()
	if err := run(*n, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

func run(n int, dir string) error {
	dir, err := os.MkdirTemp(dir, "latency-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	triggers, flushes, err := triggers(n, dir)
	if err != nil {
		return err
	}
	fmt.Printf("trigger of 100 rows, durable: p50 %v p99 %v (n %d)\n", quantile(triggers, 50), quantile(triggers, 99), n)
	fmt.Printf("append and fsync of 4 KiB:    p50 %v p99 %v\n", quantile(flushes, 50), quantile(flushes, 99))
	fmt.Printf("p50 above one flush: %v\n", quantile(triggers, 50)-quantile(flushes, 50))
	return startUp(dir)
}

func quantile(ds []time.Duration, p int) time.Duration {
	s := slices.Clone(ds)
	slices.Sort(s)
	return s[min(len(s)-1, len(s)*p/100)]
}

const job = `
CREATE SOURCE clicks (who STRING, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' MINUTE)
  WITH (connector = 'file', path = 'in', format = 'json');
CREATE SINK counts WITH (connector = 'null');
INSERT INTO counts SELECT window.start AS start, who, count(*) AS n FROM clicks GROUP BY window(at, '1 minute'), who
EMIT UPDATE TRIGGER MANUAL WITH (checkpoint = 'checkpoint');
`

func triggers(n int, dir string) (took, flushes []time.Duration, err error) {
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o755); err != nil {
		return nil, nil, err
	}
	e, err := engine.Open(engine.Options{Dir: dir, Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	defer e.Close()
	ctx := context.Background()
	if err := e.Exec(ctx, diag.Source{Name: "job", Text: job}, func(*engine.Result) error { return nil }); err != nil {
		return nil, nil, err
	}
	q := e.Query("counts")
	f, err := os.Create(filepath.Join(dir, "flush"))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	for i := range n + 10 {
		if err := drop(dir, i); err != nil {
			return nil, nil, err
		}
		start := time.Now()
		if _, err := q.RunTrigger(ctx); err != nil {
			return nil, nil, err
		}
		mid := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return nil, nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, nil, err
		}
		if i >= 10 { // the first ones warm up
			took, flushes = append(took, mid.Sub(start)), append(flushes, time.Since(mid))
		}
	}
	return took, flushes, nil
}

// drop lets file i appear with 100 rows.
func drop(dir string, i int) error {
	var b strings.Builder
	for k := range 100 {
		at := time.Date(2026, 1, 1, 0, 0, i, k*1000, time.UTC).Format("2006-01-02T15:04:05.000000Z")
		fmt.Fprintf(&b, "{\"who\":\"user%d\",\"at\":\"%s\"}\n", k%20, at)
	}
	tmp := filepath.Join(dir, "next")
	if err := os.WriteFile(tmp, []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, "in", fmt.Sprintf("%06d.json", i)))
}

// startUp times the program from its start to the first row of a small file.
func startUp(dir string) error {
	binary := filepath.Join(dir, "sqlstream")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/sqlstream").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	path := filepath.Join(dir, "small.sql")
	sql := "CREATE SOURCE c (who STRING, at TIMESTAMP) WITH (connector = 'file', path = 'in/000000.json', format = 'json');\nSELECT * FROM c TRIGGER AVAILABLE NOW;\n"
	if err := os.WriteFile(path, []byte(sql), 0o644); err != nil {
		return err
	}
	var all []time.Duration
	for range 20 {
		d, err := firstRow(binary, path)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	fmt.Printf("program start to first row:   p50 %v p90 %v\n", quantile(all, 50), quantile(all, 90))
	return nil
}

func firstRow(binary, path string) (time.Duration, error) {
	cmd := exec.Command(binary, "-f", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var first time.Duration
	buf := make([]byte, 4096)
	text := ""
	for {
		n, err := out.Read(buf)
		text += string(buf[:n])
		if first == 0 && strings.Contains(text, "user") {
			first = time.Since(start)
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		return 0, err
	}
	if first == 0 {
		return 0, fmt.Errorf("no row was printed: %s", text)
	}
	return first, nil
}
