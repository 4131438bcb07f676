// Command bench times whole queries of the product as processes, checks their results,
// and puts them beside DuckDB in the same run (beside Spark and Flink with a flag). It
// needs the benchmark kit: data, peers and expected results. docs/development.md says
// how to run it. Open this file first, then measure.go and peers.go.
//
//	go run ./tests/bench -kit ../shared/bench [-queries q0,ysb] [-formats json,parquet]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// config is what the flags say.
type config struct {
	kit, home, binary string
	queries, formats  []string
	runs              int
	check             bool
	spark, flink      bool
}

func main() {
	var c config
	var queries, formats string
	flag.StringVar(&c.kit, "kit", "../shared/bench", "directory of the benchmark kit")
	flag.StringVar(&c.home, "home", defaultHome(), "what the kit's setup.sh made: data and peers")
	flag.StringVar(&queries, "queries", "ysb,q0,q1,q2,q3,q4,q5,q6,q7,q8,q9,q11,q12,q14,q15,q16,q17,q18,q19,q20,q21,q22", "queries to run")
	flag.StringVar(&formats, "formats", "json,parquet", "formats of the input")
	flag.IntVar(&c.runs, "runs", 3, "runs of each; the median counts")
	flag.BoolVar(&c.check, "check", true, "compare results on the small data with the expected ones first")
	flag.BoolVar(&c.spark, "spark", false, "run Spark too")
	flag.BoolVar(&c.flink, "flink", false, "run Flink too")
	flag.Parse()
	c.queries, c.formats = strings.Split(queries, ","), strings.Split(formats, ",")
	if err := c.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func defaultHome() string {
	if h := os.Getenv("BENCH_HOME"); h != "" {
		return h
	}
	h, _ := os.UserCacheDir()
	return filepath.Join(h, "sqlstream-bench")
}

func (c *config) run() error {
	kit, err := filepath.Abs(c.kit) // the peers run in it
	if err != nil {
		return err
	}
	c.kit = kit
	dir, err := os.MkdirTemp("", "sqlstream-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c.binary = filepath.Join(dir, "sqlstream")
	build := exec.Command("go", "build", "-o", c.binary, "./cmd/sqlstream")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	if c.check {
		if err := c.checkAll(dir); err != nil {
			return err
		}
	}
	return c.timeAll(dir)
}

// timeAll prints a line for each query and format.
func (c *config) timeAll(dir string) error {
	start, err := c.startUp(dir)
	if err != nil {
		return err
	}
	fmt.Printf("start-up of the program: %.3f cpu s, %.3f s. The ratio leaves it out, as DuckDB's time leaves out its own.\n", start.cpu, start.wall)
	fmt.Println("2 work.: wall time with two workers by that with one, of the whole process and of the query alone.")
	fmt.Printf("%-5s %-8s %10s %10s %10s %10s %10s %8s %8s %8s %8s\n", "query", "format", "k ev/cpu-s", "k ev/s", "cpu s", "wall s", "peak MiB",
		"2 work.", "alone", "DuckDB", "ratio")
	for _, f := range c.formats {
		for _, q := range c.queries {
			if err := c.timeOne(dir, q, f, start); err != nil {
				return fmt.Errorf("%s %s: %w", q, f, err)
			}
		}
	}
	return nil
}

func (c *config) timeOne(dir, q, f string, start cost) error {
	one, err := c.measure(dir, q, f, 1)
	if err != nil {
		return err
	}
	two, err := c.measure(dir, q, f, 2)
	if err != nil {
		return err
	}
	duck, err := c.duckdb(q, f)
	if err != nil {
		return err
	}
	rows := inputRows(q)
	fmt.Printf("%-5s %-8s %10.0f %10.0f %10.3f %10.3f %10.0f %8.2f %8.2f %8.3f %8.2f\n", q, f, rows/one.cpu/1000, rows/one.wall/1000,
		one.cpu, one.wall, one.peakMiB, two.wall/one.wall, (two.wall-start.wall)/(one.wall-start.wall), duck, duck/(one.cpu-start.cpu))
	return c.others(q, f, one.cpu-start.cpu)
}

// inputRows is the number of events that a query reads of the 2M set.
func inputRows(q string) float64 {
	switch q {
	case "ysb":
		return 2_000_000
	case "q3", "q8":
		return 160_000
	case "q4", "q6", "q9", "q20":
		return 1_960_000
	}
	return 1_840_000
}
