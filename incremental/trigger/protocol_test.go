package trigger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/state"
)

const counts = `SELECT k, count(*) AS n FROM ev GROUP BY k EMIT UPDATE`

// A batch goes through its steps in the order that journal.go states.
func TestOrderOfABatch(t *testing.T) {
	s := newStage(t, counts)
	src := s.sources["ev"]
	src.give(1, "a")
	s.start()
	s.q.At = func(p Point, _ int64, _ *Journal) error { s.note("%s", p); return nil }
	s.step()
	s.did("planned; begun; ev reads 0-1; sink1 stages 0; computed; prepared; sink1 publishes 0; published; ev committed 1; committed")
	src.give(2, "b")
	s.q.At = nil
	s.step()
	s.did("ev reads 1-2; sink1 stages 1; sink1 publishes 1; ev committed 2")
	if s.step() != nil {
		t.Error("a trigger ran without anything to do")
	}
}

// What the next step relies on is durable at each point: a power cut there leaves it.
func TestWhatIsDurable(t *testing.T) {
	for point, want := range map[Point]string{
		Planned: "false false false", Begun: "false false false", Computed: "false false false",
		Prepared: "true true false", Published: "true true false", Committed: "true true false", "rest": "true true true",
	} {
		s := newStage(t, counts)
		s.sources["ev"].give(1, "a")
		s.start()
		s.crash = fmt.Sprintf("%s:0", point)
		if _, err := s.q.Step(context.Background()); err == nil {
			err = s.q.Rest()
			if err != nil || point != "rest" {
				t.Fatalf("%s: %v", point, err)
			}
		}
		if got := s.survives(); got != want {
			t.Errorf("at %s offsets, result and commit are durable: %s, want %s", point, got, want)
		}
	}
}

// survives tells which parts of batch 0 a power cut would leave: offsets, result, commit.
// The run ends.
func (s *stage) survives() string {
	s.t.Helper()
	fs := s.fs.CrashClone(0)
	s.crash = "now"
	s.stop()
	dir, err := checkpoint.Open(fs, "/chk", checkpoint.Options{Manual: true})
	if err != nil {
		s.t.Fatal(err)
	}
	st, err := state.Open(fs, dir.StateDir(), state.Options{Epoch: dir.Epoch(), Clock: s.clock})
	if err != nil {
		s.t.Fatal(err)
	}
	last, ok := st.Last()
	out := fmt.Sprint(dir.LastOffsets() >= 0, " ", ok && last >= 0, " ", dir.LastCommit() >= 0)
	if err := errors.Join(st.Close(), dir.Close()); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// After a crash at any point the query goes on, and the sinks have each row once.
func TestCrashAtEveryPoint(t *testing.T) {
	// What the next run does before and in its first trigger. The commit of a batch may be
	// lost until the next one is durable: then the batch is published again.
	again := "ev restores 2; sink1 publishes 1; ev reads 2-3; sink1 stages 2; sink1 publishes 2; ev committed 3"
	for point, want := range map[Point]string{
		Planned:   "ev restores 1; sink1 publishes 0; ev reads 1-3; sink1 stages 1; sink1 publishes 1; ev committed 3",
		Begun:     "ev restores 1; sink1 publishes 0; ev reads 1-3; sink1 stages 1; sink1 publishes 1; ev committed 3",
		Computed:  "ev restores 1; sink1 publishes 0; ev reads 1-3; sink1 stages 1; sink1 publishes 1; ev committed 3",
		Prepared:  again,
		Published: again,
		Committed: again,
	} {
		t.Run(string(point), func(t *testing.T) {
			s := newStage(t, counts)
			src := s.sources["ev"]
			src.give(1, "a")
			s.start()
			s.step()
			src.give(2, "a")
			s.crash = fmt.Sprintf("%s:1", point)
			if _, err := s.q.Step(context.Background()); !errors.Is(err, errCrash) {
				t.Fatalf("no crash: %v", err)
			}
			s.kill()
			s.took()
			src.give(3, "b")
			s.start()
			s.step()
			s.did(want)
			all := map[string]string{}
			for _, rows := range s.sinks[0].got {
				for _, r := range strings.Split(rows, ",") {
					k, n, _ := strings.Cut(r, "|")
					all[k] = n
				}
			}
			if all["a"] != "2" || all["b"] != "1" {
				t.Errorf("the sink has %v", s.sinks[0].got)
			}
		})
	}
}

// A batch whose range is logged runs again over exactly that range, at the same time.
func TestRerunTakesTheLoggedRange(t *testing.T) {
	s := newStage(t, `SELECT k, now() AS at FROM ev`)
	src := s.sources["ev"]
	src.give(1, "a")
	s.start()
	s.crash = "computed:0"
	if _, err := s.q.Step(context.Background()); !errors.Is(err, errCrash) {
		t.Fatalf("no crash: %v", err)
	}
	if err := s.q.Journal.Dir.Sync(); err != nil { // offsets/0 gets to the disk
		t.Fatal(err)
	}
	s.kill()
	src.give(2, "b")
	s.clock.Advance(time.Hour)
	s.took()
	s.start()
	p := s.step()
	s.did("ev restores 1; ev reads 0-1; sink1 stages 0; sink1 publishes 0; ev committed 1")
	if p.Timestamp != "1970-01-01T00:16:40.000Z" || s.sinks[0].got[0] != "a|1970-01-01 00:16:40" {
		t.Errorf("the batch ran at %s and gave %v", p.Timestamp, s.sinks[0].got)
	}
	if p.Sources[0].LatestOffset = nil; string(p.Sources[0].EndOffset) != "1" {
		t.Errorf("offsets %+v", p.Sources[0])
	}
	s.step()
	if s.sinks[0].got[1] != "b|1970-01-01 01:16:40" {
		t.Errorf("the next batch gave %v", s.sinks[0].got)
	}
}

// A trigger that failed is the last one: nobody knows how far it got.
func TestFailedQueriesStayFailed(t *testing.T) {
	for _, op := range []string{"stage", "publish"} {
		s := newStage(t, counts)
		s.sources["ev"].give(1, "a")
		s.start()
		s.sinks[0].fail = op
		_, err := s.q.Step(context.Background())
		if err == nil || !strings.Contains(err.Error(), "the "+op+" failed") || !strings.Contains(err.Error(), "sink1") {
			t.Fatalf("%s: %v", op, err)
		}
		_, again := s.q.Step(context.Background())
		if again != err || s.q.Err() != err {
			t.Errorf("%s: the second trigger gave %v", op, again)
		}
	}
}

// The sinks of a statement set have the same batch; one that fails stops all, and gets
// it again.
func TestStatementSets(t *testing.T) {
	s := newStage(t, `EXECUTE STATEMENT SET BEGIN INSERT INTO one SELECT k FROM ev; INSERT INTO two SELECT k FROM ev WHERE k <> 'a'; END`)
	src := s.sources["ev"]
	src.give(1, "a")
	src.give(1, "b")
	s.start()
	p := s.step()
	s.did("ev reads 0-2; sink1 stages 0; sink2 stages 0; sink1 publishes 0; sink2 publishes 0; ev committed 2")
	if len(p.Sinks) != 2 || p.Sinks[0].OutputRows != 2 || p.Sinks[1].OutputRows != 1 || p.Rows.Contributed != 2 {
		t.Errorf("progress %+v", p)
	}
	src.give(2, "c")
	s.sinks[1].fail = "publish"
	if _, err := s.q.Step(context.Background()); err == nil {
		t.Fatal("no failure")
	}
	s.kill()
	s.took()
	s.start()
	s.did("ev restores 3; sink1 publishes 1; sink2 publishes 1")
	for i, want := range []string{"a,b;c", "b;c"} {
		if got := strings.Join(s.sinks[i].got, ";"); got != want {
			t.Errorf("sink %d has %s, want %s", i+1, got, want)
		}
	}
}

// A query without a checkpoint begins anew, and knows nothing of the sink's batches.
func TestWithoutACheckpoint(t *testing.T) {
	s := newStage(t, counts)
	s.without = true
	s.sources["ev"].give(1, "a")
	s.start()
	s.step()
	s.did("ev reads 0-1; sink1 stages 0; sink1 publishes 0; ev committed 1")
	if err := s.q.Rest(); err != nil {
		t.Error(err)
	}
	s.stop()
	if err := s.open(); err == nil || !strings.Contains(err.Error(), "it holds batch 0, but") {
		t.Errorf("the sink has a batch: %v", err)
	}
}

// The marker rule: which batches of a sink fit a checkpoint.
func TestMarkerRule(t *testing.T) {
	for _, c := range []struct {
		ok              bool
		id              int64
		least, prepared int64
		want            string // "" = it fits
	}{
		{false, 0, -1, -1, ""},            // both new
		{false, 0, -1, 0, ""},             // the first result is logged, not published
		{false, 0, 0, 0, "holds nothing"}, // … and committed
		{false, 0, 4, 5, "holds nothing"},
		{true, 5, 5, 5, ""}, // published and committed
		{true, 5, 4, 5, ""}, // published, not committed
		{true, 4, 4, 5, ""}, // not published yet
		{true, 4, 5, 5, "batches are missing"},
		{true, 3, 4, 5, "batches are missing"},
		{true, 6, 4, 5, "the checkpoint is older than the sink"},
		{true, 0, -1, -1, "the checkpoint is older than the sink"},
	} {
		err := checkMarker(c.ok, c.id, c.least, c.prepared)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A sink that is not that of the checkpoint is refused, unless it is adopted.
func TestForeignSinks(t *testing.T) {
	for name, c := range map[string]struct {
		marker sink.Marker
		want   string
	}{
		"emptied":      {sink.Marker{}, "sink1: it holds nothing, but the checkpoint is at batch 1"},
		"ahead":        {sink.Marker{OK: true, ID: 7}, "sink1: it holds batch 7, but the checkpoint is at batch 1"},
		"behind":       {sink.Marker{OK: true, ID: 0}, "sink1: it holds batch 0 only, but the checkpoint is at batch 1"},
		"other result": {sink.Marker{OK: true, ID: 1, Digest: "0123"}, "sink1: it holds another result of batch 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, counts)
			src, k := s.sources["ev"], s.sinks[0]
			s.start()
			for i := range 2 {
				src.give(i, "a")
				s.step()
			}
			s.stop() // the commit is durable
			right := k.marker
			k.marker = c.marker
			if err := s.open(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the sink is accepted: %v", err)
			}
			k.adopt = true
			s.start()
			s.took()
			src.give(3, "b")
			s.step()
			s.did("ev reads 2-3; sink1 stages 2; sink1 publishes 2; ev committed 3")
			s.stop()
			k.adopt, k.marker = false, right
			if err := s.open(); err == nil {
				t.Error("a sink that misses batch 2 is accepted")
			}
		})
	}
}
