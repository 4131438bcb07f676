//go:build services

package services

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/server"
	"github.com/sqlstream/sqlstream/incremental/server/metrics"
	"github.com/sqlstream/sqlstream/parser/diag"
)

const watched = `CREATE SOURCE r (n BIGINT, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '1' SECOND);
CREATE SINK out (k BIGINT, start TIMESTAMP, n BIGINT) WITH (connector = 'file', format = 'json', path = 'out');
INSERT INTO out SELECT n % 3 AS k, window.start AS start, count(*) AS n FROM r WHERE n >= 0 GROUP BY n % 3, window(at, '1 second') TRIGGER MANUAL;
INSERT INTO r VALUES (1, TIMESTAMP '2024-01-01 09:00:00'), (2, TIMESTAMP '2024-01-01 09:00:05'), (-1, TIMESTAMP '2024-01-01 09:00:05');
RUN TRIGGER;
INSERT INTO r VALUES (1, TIMESTAMP '2024-01-01 08:00:00');
RUN TRIGGER;`

// serveMetrics serves an engine that has done something; every metric of a query has a value.
func serveMetrics(t *testing.T) (addr string, page func() []byte) {
	t.Helper()
	e, err := engine.Open(engine.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() }) //nolint:errcheck // the test is over
	q := metrics.NewQueries(e, clock.Real())
	e.Listen(q)
	r := metrics.NewRegistry(metrics.Process{Version: "test", Started: time.Now()}, q)
	if err := e.Exec(t.Context(), diag.Source{Text: watched}, func(*engine.Result) error { return nil }); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	s := server.New(server.Options{Engine: e, Metrics: r})
	go func() { done <- s.Serve(ctx, l, nil, time.Second) }()
	t.Cleanup(func() { cancel(); <-done })
	return l.Addr().String(), func() []byte { return metrics.Text(r.Gather()) }
}

// A real Prometheus takes every metric of the page, with its value.
func TestPrometheus(t *testing.T) {
	addr, page := serveMetrics(t)
	port := unusedPort(t)
	env := []string{"SERVICES_DATA=" + t.TempDir(), "PROM_PORT=" + port, "PROM_TARGET=" + addr}
	base := Start(t, "prometheus", env...)["PROM_URL"]
	t.Cleanup(func() { Stop(t, "prometheus", env...) })
	tick, end := time.NewTicker(50*time.Millisecond), time.After(30*time.Second)
	defer tick.Stop()
	for value(t, base, "count(sqlstream_http_requests_total) > bool 0") != "1" { // of the first scrape, told in the second
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("Prometheus does not scrape the page")
		}
	}
	for query, want := range map[string]string{
		`sum(sqlstream_rows_total{query="out"})`:                                            "4",
		`sqlstream_rows_total{query="out",fate="late"}`:                                     "1",
		`sqlstream_rows_total{query="out",fate="filtered"}`:                                 "1",
		`sqlstream_batches_total{query="out"}`:                                              "2",
		`sqlstream_trigger_duration_seconds_count{query="out"}`:                             "2",
		`sqlstream_trigger_duration_seconds_bucket{query="out",le="+Inf"}`:                  "2",
		`sqlstream_watermark_timestamp_seconds{query="out"}`:                                "1704099604",
		`sqlstream_sink_rows_total{query="out",sink="out"}`:                                 "1",
		`count(sqlstream_query_status{query="out"} == 1)`:                                   "1",
		`sqlstream_checkpoint_size_bytes{query="out"} > bool 0`:                             "1",
		`sqlstream_watermark_lag_seconds{query="out"} > bool 0`:                             "1",
		`process_resident_memory_bytes > bool 0`:                                            "1",
		`count(count by (phase) (sqlstream_trigger_phase_duration_seconds_count)) > bool 5`: "1",
	} {
		if got := value(t, base, query); got != want {
			t.Errorf("%s is %s, want %s", query, got, want)
		}
	}
	for line := range strings.Lines(string(page())) {
		name, isType := strings.CutPrefix(line, "# TYPE ")
		if !isType {
			continue
		}
		name, kind, _ := strings.Cut(strings.TrimSpace(name), " ")
		if kind == "histogram" {
			name += "_count"
		}
		if got := value(t, base, "count("+name+") > bool 0"); got != "1" {
			t.Errorf("Prometheus does not have %s", name)
		}
	}
	promtool(t, page())
}

func unusedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// promtool checks names, help and form, if it is there: it comes with Prometheus.
func promtool(t *testing.T, page []byte) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "check", "metrics")
	cmd.Stdin = bytes.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// value is the only value of a query, as text; "" if there is none.
func value(t *testing.T, base, query string) string {
	t.Helper()
	res, err := http.Get(base + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Data struct{ Result []struct{ Value [2]any } }
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatalf("%s: %s", query, raw)
	}
	if len(got.Data.Result) != 1 {
		return ""
	}
	return fmt.Sprint(got.Data.Result[0].Value[1])
}
