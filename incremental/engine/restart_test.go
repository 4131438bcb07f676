package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
)

// failsAt is an engine whose query in "dir" fails so many times when its second batch has
// reached a point.
func failsAt(t *testing.T, d *diary, at trigger.Point, times int64, with func()) (*world, *atomic.Int64) {
	t.Helper()
	left := new(atomic.Int64)
	left.Store(times)
	w := newWorld(t, func(o *engine.Options) {
		o.Listener = d
		o.Storage.At = func(p trigger.Point, batch int64, j *trigger.Journal) error {
			if j != nil && p == at && batch == 1 && left.Add(-1) >= 0 {
				if with != nil {
					with()
				}
				return errors.New("the network is gone")
			}
			return nil
		}
	})
	return w, left
}

// becomes waits until a query has a status, and moves the clock meanwhile.
func (w *world) becomes(name string, want engine.Status) {
	w.t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for w.query(name).Status() != want {
		select {
		case <-limit.C:
			w.t.Fatalf("query %s is %s (%v), not %s", name, w.query(name).Status(), w.query(name).Err(), want)
		default:
			w.clock.Advance(100 * time.Millisecond)
		}
	}
}

// A query that fails at any step is started again, on its checkpoint, with another run id
// and the same id, and its result is what it would have been.
func TestRestartOnFailure(t *testing.T) {
	for _, at := range trigger.Points()[2:] {
		t.Run(string(at), func(t *testing.T) {
			d := newDiary()
			w, _ := failsAt(t, d, at, 2, nil)
			w.must(objects + "INSERT INTO plain VALUES ('a', 1); INSERT INTO dir SELECT k, v FROM plain WITH (restart = 'on_failure', restart_delay = '10 s')")
			d.has(t, "dir batch 0 rows 1")
			q := w.query("dir")
			id, run := q.ID, q.RunID()
			w.must("INSERT INTO plain VALUES ('b', 2)")
			w.becomes("dir", engine.Restarting)
			if err := q.Err(); err == nil || !strings.Contains(err.Error(), "the network is gone") {
				t.Errorf("the reason is %v", err)
			}
			w.becomes("dir", engine.Running)
			w.must("INSERT INTO plain VALUES ('c', 3)")
			w.settled("dir", "SELECT k, v FROM 'out' ORDER BY k", "a 1", "b 2", "c 3")
			if q.ID != id || q.RunID() == run {
				t.Errorf("id %s, was %s; run id %s, was %s", q.ID, id, q.RunID(), run)
			}
			w.must("STOP QUERY dir")
			w.gives("SELECT k, v FROM 'out' ORDER BY k", "a 1", "b 2", "c 3")
		})
	}
}

// settled moves the clock until a SELECT gives rows.
func (w *world) settled(query, sql string, want ...string) {
	w.t.Helper()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for {
		got, err := w.run(sql)
		if err == nil && strings.Join(got, "\n") == strings.Join(want, "\n") {
			return
		}
		select {
		case <-limit.C:
			w.t.Fatalf("%s is %s (%v) and gives %q, want %q", query, w.query(query).Status(), w.query(query).Err(), got, want)
		default:
			w.clock.Advance(100 * time.Millisecond)
		}
	}
}

// After so many attempts in a row the query has failed; a panic is a failure as others.
func TestRestartGivesUp(t *testing.T) {
	w, left := failsAt(t, newDiary(), trigger.Computed, 100, func() { panic("a bug") })
	w.must(objects + "INSERT INTO plain VALUES ('a', 1); INSERT INTO dir SELECT k FROM plain WITH (restart = 'on_failure', restart_attempts = 3, restart_delay = '1 s'); " +
		"INSERT INTO mem SELECT k FROM plain")
	w.settled("dir", "SELECT k FROM 'out'", "a")
	w.must("INSERT INTO plain VALUES ('b', 1)")
	w.becomes("dir", engine.Failed)
	if n := 100 - left.Load(); n != 4 {
		t.Errorf("it ran %d times, want 4", n)
	}
	w.settled("mem", "SELECT k FROM mem ORDER BY k", "a", "b") // the other one is left alone
	if s := w.query("mem").Status(); s != engine.Running {
		t.Error(s)
	}
	left.Store(0)
	w.must("START QUERY dir")
	w.settled("dir", "SELECT k FROM 'out' ORDER BY k", "a", "b")
}

// What another attempt would meet again ends the query at once.
func TestPermanentErrorsAreNotTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.must(objects + "INSERT INTO plain VALUES ('a', 0); INSERT INTO dir SELECT 1 / v AS x FROM plain WITH (restart = 'always')")
	w.becomes("dir", engine.Failed)
	if err := w.query("dir").Err(); err == nil || !strings.Contains(err.Error(), "zero") {
		t.Error(err)
	}
}

func TestRestartAlways(t *testing.T) {
	d := newDiary()
	w := newWorld(t, func(o *engine.Options) { o.Listener = d })
	w.must(objects + "INSERT INTO plain VALUES ('a', 1); INSERT INTO dir SELECT k FROM plain TRIGGER AVAILABLE NOW WITH (restart = 'always', restart_delay = '1 m')")
	d.has(t, "dir batch 0 rows 1")
	w.asleep()
	w.must("INSERT INTO plain VALUES ('b', 1)")
	w.clock.Advance(time.Minute)
	d.has(t, "dir batch 1 rows 1")
	w.asleep()
	if _, err := w.run("RUN TRIGGER FOR dir"); err == nil {
		t.Error("RUN TRIGGER of a query without MANUAL was taken")
	}
	w.must("STOP QUERY dir")
	if s := w.query("dir").Status(); s != engine.Finished {
		t.Errorf("%s, %v", s, w.query("dir").Err())
	}
}

// STOP ends a query that waits to be started again.
func TestStopWhileRestarting(t *testing.T) {
	w, _ := failsAt(t, newDiary(), trigger.Planned, 100, nil)
	w.must(objects + "INSERT INTO plain VALUES ('a', 1); INSERT INTO dir SELECT k FROM plain WITH (restart = 'on_failure', restart_delay = '1 h')")
	w.settled("dir", "SELECT k FROM 'out'", "a")
	w.must("INSERT INTO plain VALUES ('b', 1)")
	w.becomes("dir", engine.Restarting)
	w.fails("STOP QUERY dir", "the network is gone")
	w.fails("INSERT INTO dir SELECT k FROM plain WITH (restart = 'maybe')", "restart")
}

// Many queries at once: each has its own name, can be found by id too, and is controlled
// alone; waiting for one, any and all of them ends when it must.
func TestManyQueriesAtOnce(t *testing.T) {
	const n = 200
	w := newWorld(t)
	script := objects + "CREATE TABLE t (k STRING, n BIGINT);"
	for i := range n {
		script += fmt.Sprintf("CREATE MATERIALIZED VIEW v%d AS SELECT k, count(*) + %d AS n FROM plain GROUP BY k TRIGGER MANUAL;", i, i)
	}
	w.must(script + "INSERT INTO plain VALUES ('a', 1), ('b', 2), ('a', 3)")
	w.gives("RUN TRIGGER", fmt.Sprintf("%d triggers ran", n))
	for i := 0; i < n; i += 37 {
		w.gives(fmt.Sprintf("SELECT k, n FROM v%d ORDER BY k", i), fmt.Sprintf("a %d", 2+i), fmt.Sprintf("b %d", 1+i))
	}
	w.fails("INSERT INTO mem SELECT k FROM plain WITH (name = 'v7')", `a query named "v7" is running`)
	id := w.query("v7").ID
	w.gives(fmt.Sprintf(`PAUSE QUERY "%s"`, id), "query v7 is paused")
	w.must("INSERT INTO plain VALUES ('c', 1)")
	w.fails("RUN TRIGGER FOR v7", "is paused")
	w.gives("RESUME QUERY v7; RUN TRIGGER FOR v7", "query v7 is running", "1 triggers ran")
	w.gives("AWAIT QUERY v8 TIMEOUT '1 ms'", "query v8 is still running")
	w.gives("AWAIT ANY TIMEOUT '1 ms'", "no query has ended")
	w.gives("AWAIT ALL TIMEOUT '1 ms'", "queries are still running")
	w.gives("STOP QUERY v9; AWAIT QUERY v9", "query v9 is finished", "query v9 is finished")
	if got := len(w.must("SHOW QUERIES")); got != n || len(w.Active()) != n-1 {
		t.Errorf("%d queries, %d active", got, len(w.Active()))
	}
	before := w.query("v9")
	w.gives("START QUERY v9; RUN TRIGGER FOR v9; SELECT k, n FROM v9 ORDER BY k", "query v9 started", "1 triggers ran", "a 11", "b 10", "c 10")
	if now := w.query("v9"); now.ID != before.ID || now.RunID() == before.RunID() {
		t.Errorf("id %s and %s, run id %s and %s", before.ID, now.ID, before.RunID(), now.RunID())
	}
}
