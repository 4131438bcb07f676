package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// diary is a listener that writes down what it is told.
type diary struct {
	mu    sync.Mutex
	lines []string
	told  chan struct{} // a message for each line
}

func newDiary() *diary { return &diary{told: make(chan struct{}, 1000)} }

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
	d.told <- struct{}{}
}

func (d *diary) QueryStarted(q *engine.Query) { d.add("%s started", q.Name) }
func (d *diary) QueryProgress(q *engine.Query, p *trigger.Progress) {
	d.add("%s batch %d rows %d", q.Name, p.BatchID, p.InputRows)
}
func (d *diary) QueryIdle(q *engine.Query) { d.add("%s idle", q.Name) }
func (d *diary) QueryTerminated(q *engine.Query, err error) {
	d.add("%s ended: %v", q.Name, err)
}

// has waits until the diary has a line.
func (d *diary) has(t testing.TB, line string) {
	t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for {
		d.mu.Lock()
		all := strings.Join(d.lines, "\n")
		d.mu.Unlock()
		if strings.Contains(all+"\n", line+"\n") {
			return
		}
		select {
		case <-d.told:
		case <-limit.C:
			t.Fatalf("no line %q in\n%s", line, all)
		}
	}
}

func (d *diary) count(line string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, l := range d.lines {
		if l == line {
			n++
		}
	}
	return n
}

func TestListenerIsToldInOrder(t *testing.T) {
	d := newDiary()
	w := newWorld(t, func(o *engine.Options) { o.Listener = d })
	w.must(objects + "INSERT INTO plain VALUES ('a', 1), ('b', 2); INSERT INTO mem SELECT k FROM plain")
	d.has(t, "mem idle")
	w.asleep()
	w.must("INSERT INTO plain VALUES ('c', 3)")
	w.clock.Advance(time.Second)
	d.has(t, "mem batch 1 rows 1")
	w.must("STOP QUERY mem")
	want := "mem started\nmem batch 0 rows 2\nmem idle\nmem batch 1 rows 1"
	if got := strings.Join(d.lines, "\n"); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "mem ended: <nil>") {
		t.Errorf("the listener was told\n%s", got)
	}
}

// EVERY runs at once and then every interval; a missed one runs as soon as it can.
func TestEvery(t *testing.T) {
	d := newDiary()
	w := newWorld(t, func(o *engine.Options) { o.Listener = d })
	w.must(objects + "INSERT INTO plain VALUES ('a', 1); INSERT INTO mem SELECT k FROM plain TRIGGER EVERY '1 minute'")
	d.has(t, "mem batch 0 rows 1")
	w.must("INSERT INTO plain VALUES ('b', 1)")
	w.asleep()
	w.clock.Advance(59 * time.Second)
	if d.count("mem batch 1 rows 1") != 0 {
		t.Error("the second trigger ran before its time")
	}
	w.clock.Advance(time.Second)
	d.has(t, "mem batch 1 rows 1")
	w.asleep()
	w.must("INSERT INTO plain VALUES ('c', 1)")
	w.clock.Advance(10 * time.Minute)
	d.has(t, "mem batch 2 rows 1")
	w.asleep() // one trigger for all that were missed
	w.must("INSERT INTO plain VALUES ('d', 1)")
	w.clock.Advance(time.Minute)
	d.has(t, "mem batch 3 rows 1")
	w.gives("SELECT k FROM mem ORDER BY k", "a", "b", "c", "d")
}

func TestPauseHoldsAQuery(t *testing.T) {
	d := newDiary()
	w := newWorld(t, func(o *engine.Options) { o.Listener = d })
	w.must(objects + "CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n FROM plain GROUP BY k; INSERT INTO plain VALUES ('a', 1)")
	w.asleep()
	w.clock.Advance(time.Second)
	d.has(t, "v batch 0 rows 1")
	w.asleep()
	w.must("PAUSE QUERY v; INSERT INTO plain VALUES ('a', 2)")
	w.clock.Advance(time.Minute)
	w.gives("SELECT k, n FROM v", "a 1") // read while it is paused
	w.gives("SHOW QUERIES", fmt.Sprintf("v %s %s paused 0 ", w.query("v").ID, w.query("v").RunID()))
	w.must("RESUME QUERY v")
	d.has(t, "v batch 1 rows 1")
	w.gives("SELECT k, n FROM v", "a 2")
	w.must("PAUSE QUERY v; STOP QUERY v")
	w.gives("SELECT k, n FROM v", "a 2") // and after its end
}

// A query that was ended in the middle of a trigger does not show half of it: nobody has
// read the view before, so its rows are not held for readers.
func TestKilledViewIsNotRead(t *testing.T) {
	var w *world
	w = newWorld(t, func(o *engine.Options) {
		o.Storage.At = func(p trigger.Point, batch int64, _ *trigger.Journal) error {
			if p == trigger.Begun && batch == 1 {
				go w.Kill()
				<-w.query("witness").Done()
			}
			return nil
		}
	})
	w.must(objects + `INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL WITH (name = 'witness');
		CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n FROM plain GROUP BY k TRIGGER MANUAL;
		INSERT INTO plain VALUES ('a', 1); RUN TRIGGER FOR v; INSERT INTO plain VALUES ('a', 2)`)
	w.fails("RUN TRIGGER FOR v", "context canceled")
	w.fails("SELECT n FROM v", `materialized view "v"`, "was ended in the middle of a trigger: START QUERY v recovers its state")
	w.opt.Storage.At = nil
	w.restart()
	w.must(objects + `CREATE MATERIALIZED VIEW v AS SELECT k, count(*) AS n FROM plain GROUP BY k TRIGGER MANUAL; RUN TRIGGER FOR v`)
	w.gives("SELECT n FROM v", "2")
}

func TestOnceAndAvailableNow(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.write(fmt.Sprintf("/in/%d.json", i), fmt.Sprintf("{\"x\": %d}\n", i))
	}
	w.must(`CREATE SOURCE f (x INT) WITH (connector = 'file', path = 'in', format = 'json', max_files_per_trigger = 2);
		CREATE SINK mem WITH (connector = 'memory'); CREATE SINK mem2 WITH (connector = 'memory');
		INSERT INTO mem SELECT x FROM f TRIGGER AVAILABLE NOW; INSERT INTO mem2 SELECT x FROM f TRIGGER ONCE; AWAIT ALL`)
	w.gives("SELECT sum(x) AS s FROM mem", "10")
	w.gives("SELECT sum(x) AS s FROM mem2", "10")
	if a, b := len(w.query("mem").RecentProgress()), len(w.query("mem2").RecentProgress()); a != 3 || b != 1 {
		t.Errorf("AVAILABLE NOW took %d triggers, want 3; ONCE %d, want 1", a, b)
	}
}

func TestRequestsAfterTheEnd(t *testing.T) {
	w := newWorld(t)
	w.must(objects + "INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; STOP QUERY mem")
	q := w.query("mem")
	if _, err := q.RunTrigger(context.Background()); !errors.Is(err, engine.ErrStopped) {
		t.Errorf("RunTrigger after the end: %v", err)
	}
	if err := q.Stop(); err != nil {
		t.Errorf("Stop after the end: %v", err)
	}
	q.Pause()
	q.Resume()
	q.Kill()
	if err := q.Await(context.Background()); err != nil || q.Status() != engine.Finished {
		t.Errorf("Await after the end: %v, status %s", err, q.Status())
	}
}

// A caller that gives up does not disturb the query.
func TestCallersMayGiveUp(t *testing.T) {
	w := newWorld(t)
	w.must(objects + "INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; INSERT INTO plain VALUES ('a', 1)")
	q := w.query("mem")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 20 {
		if p, err := q.RunTrigger(ctx); err != nil && (p != nil || !errors.Is(err, context.Canceled)) {
			t.Fatalf("%v %v", p, err)
		}
	}
	if err := q.Await(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Await: %v", err)
	}
	w.must("INSERT INTO plain VALUES ('b', 1); RUN TRIGGER")
	w.gives("SELECT k FROM mem ORDER BY k", "a", "b")
}

// A query that fails ends alone, and says why to whoever asks.
func TestFailure(t *testing.T) {
	w := newWorld(t)
	w.must(objects + `INSERT INTO mem SELECT CAST(k AS INT) AS n FROM plain TRIGGER MANUAL;
		INSERT INTO mem2 SELECT k FROM plain TRIGGER MANUAL; INSERT INTO plain VALUES ('x', 1)`)
	w.fails("RUN TRIGGER FOR mem", "not an INT")
	q := w.query("mem")
	<-q.Done()
	for what, err := range map[string]error{"Err": q.Err(), "Stop": q.Stop(), "Await": q.Await(context.Background())} {
		if err == nil || !strings.Contains(err.Error(), `query "mem"`) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if q.Status() != engine.Failed {
		t.Errorf("status %s", q.Status())
	}
	w.gives("RUN TRIGGER FOR mem2", "1 triggers ran")
	w.fails("AWAIT ALL", `query "mem"`)
	if w.query("mem2").Status() != engine.Finished {
		t.Error("AWAIT ALL leaves the others running after a failure")
	}
}

// broken is a sink with an operation that panics.
type broken struct{ in string }

func (b broken) check(what string) {
	if b.in == what {
		panic("a broken invariant in " + what)
	}
}
func (b broken) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }
func (b broken) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	return nil, rows(func(*vec.Batch) error { b.check("emit"); return nil })
}
func (b broken) Publish(context.Context, sink.Batch, []byte) error { b.check("publish"); return nil }
func (b broken) Discard(context.Context, sink.Batch) error         { return nil }
func (b broken) Description() string                               { return "broken" }
func (b broken) Close() error                                      { return nil }

// A broken invariant fails its query and no other.
func TestPanicsFailTheQuery(t *testing.T) {
	for _, in := range []string{"emit", "publish"} {
		w := newWorld(t)
		w.must(objects + "INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; INSERT INTO plain VALUES ('a', 1)")
		q, err := w.Start(context.Background(), diag.Source{Text: "SELECT k FROM plain"}, engine.StartOptions{Manual: true, Sink: broken{in}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.RunTrigger(context.Background()); err == nil || !strings.Contains(err.Error(), "a broken invariant in "+in) {
			t.Errorf("%s: %v", in, err)
		}
		if <-q.Done(); q.Status() != engine.Failed {
			t.Errorf("%s: status %s", in, q.Status())
		}
		w.gives("RUN TRIGGER FOR mem", "1 triggers ran")
	}
}

// Many queries over one source, read and stopped from many goroutines.
func TestManyQueries(t *testing.T) {
	const n = 12
	w := newWorld(t)
	w.must(objects)
	for i := range n {
		w.must(fmt.Sprintf("CREATE MATERIALIZED VIEW v%d AS SELECT k, count(*) AS n FROM plain WHERE v %% %d = 0 GROUP BY k TRIGGER MANUAL", i, i+1))
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			for range 5 {
				if _, err := w.query(fmt.Sprint("v", i)).RunTrigger(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 10 {
		w.must(fmt.Sprintf("INSERT INTO plain VALUES ('a', %d)", i))
	}
	wg.Wait()
	w.must("RUN TRIGGER")
	for i := range n {
		w.gives(fmt.Sprintf("SELECT n FROM v%d", i), fmt.Sprint((9)/(i+1)+1))
	}
	for _, q := range w.Queries() {
		wg.Go(func() {
			if err := q.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(w.Active()) > 0 {
		t.Error("some queries still run")
	}
}

// A SELECT on a view sees whole triggers only, and any number of readers may ask.
func TestViewsAreReadAtTriggerBoundaries(t *testing.T) {
	w := newWorld(t)
	w.must(objects + "CREATE MATERIALIZED VIEW v AS SELECT k, sum(v) AS s FROM plain GROUP BY k TRIGGER MANUAL; INSERT INTO plain VALUES ('a', 0), ('b', 0); RUN TRIGGER")
	q := w.query("v")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(stop)
		for i := range 30 {
			b := vec.NewBatch(vec.FromStrings([]string{"a", "b"}), vec.FromAny(w.columnType("plain", "v"), i, -i))
			if err := w.Append("plain", b); err != nil {
				t.Error(err)
			}
			if _, err := q.RunTrigger(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
	for reading := true; reading; {
		select {
		case <-stop:
			reading = false
		default:
		}
		w.gives("SELECT sum(s) AS s FROM v", "0")
	}
	wg.Wait()
	if err := q.Stop(); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		wg.Go(func() {
			for range 10 {
				w.gives("SELECT count(*) AS n, sum(s) AS s FROM v", "2 0")
			}
		})
	}
	wg.Wait()
}

// A failure names the operator that it comes from, and once: not those above it, which
// only passed rows down.
func TestAFailureNamesItsOperatorOnce(t *testing.T) {
	w := newWorld(t)
	w.must(objects)
	_, err := w.run(`SELECT sum(m) FROM (SELECT k, max(v) AS m FROM (VALUES
		('a', 9223372036854775807), ('b', 9223372036854775807)) AS t(k, v) GROUP BY k)`)
	if err == nil || strings.Count(err.Error(), "Aggregate ") != 1 || !strings.Contains(err.Error(), "sum: the result does not fit") {
		t.Errorf("got %v", err)
	}
}

// hasty is a listener that panics.
type hasty struct{ *diary }

func (hasty) QueryTerminated(*engine.Query, error) { panic("in the listener") }

func TestListenersThatPanic(t *testing.T) {
	w := newWorld(t, func(o *engine.Options) { o.Listener = hasty{newDiary()} })
	w.must(objects + "INSERT INTO mem SELECT k FROM plain TRIGGER MANUAL; STOP QUERY mem")
}

func TestShowRunning(t *testing.T) {
	w := newWorld(t)
	w.must(objects + `CREATE SOURCE more (k STRING, at TIMESTAMP, WATERMARK FOR at AS at) WITH (connector = 'memory');
		CREATE MATERIALIZED VIEW v AS SELECT window.start AS s, count(*) AS n FROM (SELECT at FROM ev UNION ALL SELECT at FROM more) AS u
			GROUP BY window(at, '10 seconds') TRIGGER MANUAL;
		INSERT INTO ev VALUES ('a', 1, '2024-01-01 12:00:30'); INSERT INTO more VALUES ('b', '2024-01-01 12:00:15'); RUN TRIGGER`)
	w.gives("SHOW WATERMARKS FOR v", "v ev 2024-01-01T12:00:20.000Z false false", "v more 2024-01-01T12:00:15.000Z false true")
	w.gives("SHOW PROGRESS", "v 0 2024-01-01T12:00:00.000Z 0 2 2 0 0 0 0 2024-01-01T12:00:15.000Z")
	state := w.must("SHOW STATE FOR v")
	if len(state) != 2 || !strings.HasPrefix(state[0], "v Aggregate ") || !strings.HasPrefix(state[1], "v Output ") {
		t.Errorf("state: %v", state)
	}
	w.fails("SHOW PROGRESS FOR w", "SQL4101")
}
