package metrics

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// all gives a value of every metric.
type all struct{}

func (all) Collect(e *Emitter) {
	for _, d := range Defs() {
		labels := make([]string, len(d.Labels))
		for i := range labels {
			labels[i] = "a \"quote\", a \\ and\na line"
		}
		if d.Kind != HistogramKind {
			e.Value(d.Name, 1.5, labels...)
			continue
		}
		h := NewHistogram([]float64{.1, 1})
		for _, v := range []float64{.05, .1, .5, 7} {
			h.Observe(v)
		}
		e.Histogram(d.Name, h, labels...)
	}
}

// Names and help keep the conventions; tests/services lets promtool say so too.
func TestConventions(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Defs() {
		if seen[d.Name] || !strings.HasSuffix(d.Help, ".") || !regexp.MustCompile(`^(sqlstream|process|go)_[a-z0-9_]*$`).MatchString(d.Name) {
			t.Errorf("%+v", d)
		}
		if (d.Kind == Counter) != strings.HasSuffix(d.Name, "_total") || d.Kind == HistogramKind && !strings.HasSuffix(d.Name, "_seconds") {
			t.Errorf("%s: %s", d.Kind, d.Name)
		}
		for _, unit := range []string{"_ms", "_milliseconds", "_us", "_kb", "_count", "_sum", "_bucket"} {
			if strings.HasSuffix(d.Name, unit) {
				t.Errorf("%s ends in %s", d.Name, unit)
			}
		}
		seen[d.Name] = true
	}
	if n := len(NewRegistry(all{}).Gather()); n != len(Defs()) {
		t.Errorf("%d of %d metrics", n, len(Defs()))
	}
}

func TestText(t *testing.T) {
	h := NewHistogram([]float64{.1, 1})
	h.Observe(.1)
	h.Observe(5)
	got := string(Text([]Family{
		{Def{"a_total", Counter, []string{"x"}, "A line\nand \\."}, []Sample{{Labels: []string{"é\"\n\\\xff"}, Value: 12345678901}}},
		{Def{"b_seconds", HistogramKind, nil, "B."}, []Sample{{Histogram: h}}},
		{Def{"c", Gauge, nil, "C."}, []Sample{{Value: -.25}}},
	}))
	want := `# HELP a_total A line\nand \\.
# TYPE a_total counter
a_total{x="é\"\n\\�"} 12345678901
# HELP b_seconds B.
# TYPE b_seconds histogram
b_seconds_bucket{le="0.1"} 1
b_seconds_bucket{le="1"} 1
b_seconds_bucket{le="+Inf"} 2
b_seconds_sum 5.1
b_seconds_count 2
# HELP c C.
# TYPE c gauge
c -0.25
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// world is an engine whose queries are counted, and a clock that stands.
type world struct {
	t     *testing.T
	e     *engine.Engine
	clock *clock.Fake
	r     *Registry
	sub   *engine.Subscription
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, clock: clock.NewFake(time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC))}
	var err error
	if w.e, err = engine.Open(engine.Options{Dir: t.TempDir(), Workers: 1, Clock: w.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.e.Close() }) //nolint:errcheck // the test is over
	q := NewQueries(w.e, w.clock)
	w.sub = w.e.Listen(q)
	w.r = NewRegistry(q)
	return w
}

func (w *world) run(sql string) {
	w.t.Helper()
	if err := w.e.Exec(w.t.Context(), diag.Source{Text: sql}, func(*engine.Result) error { return nil }); err != nil {
		w.t.Fatal(err)
	}
}

// settled waits until the counters have heard of everything.
func (w *world) settled() {
	w.sub.Close()
	<-w.sub.Done()
}

// has checks lines of the page.
func (w *world) has(lines ...string) {
	w.t.Helper()
	page := string(Text(w.r.Gather()))
	for _, l := range lines {
		if !strings.Contains(page, l+"\n") {
			w.t.Errorf("no line %s in\n%s", l, page)
		}
	}
}

const script = `CREATE SOURCE c (who STRING, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL '10' MINUTE);
CREATE SINK out (who STRING, start TIMESTAMP, n BIGINT) WITH (connector = 'file', format = 'json', path = 'out');
INSERT INTO out SELECT who, window.start AS start, count(*) AS n FROM c WHERE who <> 'x' GROUP BY who, window(at, '10 minutes') TRIGGER MANUAL;
INSERT INTO c VALUES ('ana', '2024-01-01 09:05:00'), ('bo', '2024-01-01 11:35:00'), ('x', '2024-01-01 11:31:00');
RUN TRIGGER;
INSERT INTO c VALUES ('ana', '2024-01-01 09:06:00');
RUN TRIGGER;`

// Every number of a progress record has its metric.
func TestQueries(t *testing.T) {
	w := newWorld(t)
	w.run(script)
	q := w.e.Query("out")
	w.run("STOP QUERY out; START QUERY out")
	w.settled()
	op := ""
	for _, o := range q.LastProgress().Operators {
		op = `query="out",operator="` + o.Operator + `",operator_id="` + o.ID + `"`
	}
	w.has(`sqlstream_queries{status="running"} 1`,
		`sqlstream_query_status{query="out",status="running"} 1`,
		`sqlstream_query_restarts_total{query="out"} 1`,
		`sqlstream_query_start_time_seconds{query="out"} 1704110400`,
		`sqlstream_input_rows_total{query="out"} 4`,
		`sqlstream_rows_total{query="out",fate="contributed"} 2`,
		`sqlstream_rows_total{query="out",fate="filtered"} 1`,
		`sqlstream_rows_total{query="out",fate="late"} 1`,
		`sqlstream_rows_total{query="out",fate="bad"} 0`,
		`sqlstream_batches_total{query="out"} 2`,
		`sqlstream_last_batch_id{query="out"} 1`,
		`sqlstream_watermark_timestamp_seconds{query="out"} 1704108300`,
		`sqlstream_watermark_lag_seconds{query="out"} 2100`,
		`sqlstream_event_time_timestamp_seconds{query="out",stat="max"} 1704099960`,
		`sqlstream_trigger_duration_seconds_count{query="out"} 2`,
		`sqlstream_trigger_phase_duration_seconds_count{query="out",phase="publish"} 2`,
		`sqlstream_source_rows_total{query="out",source="c"} 4`,
		`sqlstream_source_idle{query="out",source="c"} 0`,
		`sqlstream_state_rows{`+op+`} 1`,
		`sqlstream_operator_late_rows_total{`+op+`} 1`,
		`sqlstream_sink_rows_total{query="out",sink="out"} 1`,
		`sqlstream_sink_publish_duration_seconds_count{query="out",sink="out"} 2`)
	page := string(Text(w.r.Gather()))
	if !regexp.MustCompile(`sqlstream_checkpoint_size_bytes\{query="out"\} [1-9]`).MatchString(page) {
		t.Error("no size of the checkpoint")
	}
}

// Counters of queries that are gone go too.
func TestForgottenQueries(t *testing.T) {
	w := newWorld(t)
	q := NewQueries(w.e, w.clock)
	q.of("gone").starts = 3
	if page := Text(NewRegistry(q).Gather()); strings.Contains(string(page), "gone") || len(q.byName) != 0 {
		t.Errorf("%s", page)
	}
}

func TestProcess(t *testing.T) {
	page := string(Text(NewRegistry(Process{Version: "1", Started: time.Unix(5, 0)}).Gather()))
	for _, m := range []string{"process_start_time_seconds 5\n", "go_goroutines ", "process_resident_memory_bytes ", "process_cpu_seconds_total "} {
		if !strings.Contains(page, m) {
			t.Errorf("no %s in\n%s", m, page)
		}
	}
}
