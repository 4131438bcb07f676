package main

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

//go:embed queries/*.sql
var queryFiles embed.FS

// cost is what a run of a process took.
type cost struct {
	cpu, wall, peakMiB float64
}

// script writes the SQL file of a query over a data set, with what stands before and
// after the query, and returns its path.
func script(dir, data, format, query, into, after string) (string, error) {
	text, err := queryFiles.ReadFile("queries/" + query + ".sql")
	if err != nil {
		return "", fmt.Errorf("there is no query %s", query)
	}
	sql := fmt.Sprintf(`CREATE SOURCE bid (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  date_time TIMESTAMP, extra STRING, WATERMARK FOR date_time AS date_time - INTERVAL '4' SECOND)
  WITH (connector = 'file', path = '%[1]s/%[2]s/bid', format = '%[2]s');
CREATE SOURCE auction (id BIGINT, item_name STRING, description STRING, initial_bid BIGINT, reserve BIGINT,
  date_time TIMESTAMP, expires TIMESTAMP, seller BIGINT, category BIGINT, extra STRING,
  WATERMARK FOR date_time AS date_time - INTERVAL '4' SECOND)
  WITH (connector = 'file', path = '%[1]s/%[2]s/auction', format = '%[2]s');
CREATE SOURCE person (id BIGINT, name STRING, email_address STRING, credit_card STRING, city STRING, state STRING,
  date_time TIMESTAMP, extra STRING, WATERMARK FOR date_time AS date_time - INTERVAL '4' SECOND)
  WITH (connector = 'file', path = '%[1]s/%[2]s/person', format = '%[2]s');
CREATE SOURCE ads (user_id STRING, page_id STRING, ad_id STRING, ad_type STRING, event_type STRING, event_time BIGINT,
  ip_address STRING, et AS timestamp_millis(event_time), WATERMARK FOR et AS et - INTERVAL '4' SECOND)
  WITH (connector = 'file', path = '%[1]s/%[2]s/ads', format = '%[2]s');
CREATE TABLE campaigns (ad_id STRING, campaign_id STRING)
  WITH (connector = 'file', path = '%[1]s/%[2]s/campaigns', format = '%[2]s');
%[3]s
%[4]s
%[5]s
`, data, format, into, strings.TrimSpace(string(text)), after)
	path := filepath.Join(dir, query+"-"+format+".sql")
	return path, os.WriteFile(path, []byte(sql), 0o644)
}

// mode is how a query's result is published: the mode its first line names, else update.
func mode(query string) string {
	text, _ := queryFiles.ReadFile("queries/" + query + ".sql")
	first, _, _ := strings.Cut(string(text), "\n")
	if name, ok := strings.CutPrefix(first, "-- mode: "); ok {
		return name
	}
	return "update"
}

// dataOf is the directory of the data that a query reads.
func (c *config) dataOf(query, set string) string {
	kind := "nx" + set
	if query == "ysb" {
		kind = "ysb" + strings.TrimPrefix(set, "2m")
	}
	return filepath.Join(c.home, "data", kind)
}

// measure runs a query several times and takes the medians.
func (c *config) measure(dir, q, f string, workers int) (cost, error) {
	path, err := script(dir, c.dataOf(q, "2m"), f, q, "CREATE SINK result WITH (connector = 'null', digest = true);\nINSERT INTO result",
		"EMIT "+mode(q)+" TRIGGER AVAILABLE NOW;")
	if err != nil {
		return cost{}, err
	}
	return c.medians("-f", path, "--workers", fmt.Sprint(workers))
}

// startUp is what the program takes for nothing.
func (c *config) startUp(dir string) (cost, error) {
	path := filepath.Join(dir, "nothing.sql")
	if err := os.WriteFile(path, []byte("SELECT 1;\n"), 0o644); err != nil {
		return cost{}, err
	}
	return c.medians("-f", path)
}

func (c *config) medians(args ...string) (cost, error) {
	var all []cost
	for range c.runs {
		one, err := c.process(args...)
		if err != nil {
			return cost{}, err
		}
		all = append(all, one)
	}
	return cost{median(all, func(c cost) float64 { return c.cpu }), median(all, func(c cost) float64 { return c.wall }),
		median(all, func(c cost) float64 { return c.peakMiB })}, nil
}

func median(all []cost, of func(cost) float64) float64 {
	var xs []float64
	for _, c := range all {
		xs = append(xs, of(c))
	}
	slices.Sort(xs)
	return xs[len(xs)/2]
}

// process runs the product and measures it, start-up included.
func (c *config) process(args ...string) (cost, error) {
	cmd := exec.Command(c.binary, args...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	wall := time.Since(start).Seconds()
	if err != nil {
		return cost{}, fmt.Errorf("%w\n%s", err, out)
	}
	st := cmd.ProcessState
	return cost{(st.UserTime() + st.SystemTime()).Seconds(), wall, peak(st)}, nil
}

func peak(st *os.ProcessState) float64 {
	if u, ok := st.SysUsage().(*syscall.Rusage); ok {
		return float64(u.Maxrss) / 1024
	}
	return 0
}

// checkAll compares the result of each query over the small data with the expected
// one, in every format.
func (c *config) checkAll(dir string) error {
	for _, f := range c.formats {
		for _, q := range c.queries {
			if err := c.checkOne(dir, q, f); err != nil {
				return fmt.Errorf("check %s %s: %w", q, f, err)
			}
			fmt.Printf("%s %s: result is right\n", q, f)
		}
	}
	return nil
}

func (c *config) checkOne(dir, q, f string) error {
	dir, err := os.MkdirTemp(dir, "check-") // a checkpoint of its own
	if err != nil {
		return err
	}
	path, err := script(dir, c.dataOf(q, "100k"), f, q, "CREATE MATERIALIZED VIEW result AS",
		"TRIGGER AVAILABLE NOW;\nAWAIT QUERY result;\nSELECT * FROM result;")
	if err != nil {
		return err
	}
	got := filepath.Join(dir, q+".csv")
	out, err := os.Create(got)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(c.binary, "-f", path, "--output", "csv")
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	return c.compare(q, got)
}
