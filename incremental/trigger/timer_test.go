package trigger

import (
	"context"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/source"
)

// A trigger without rows runs when a timer changes something, and then once.
func TestIdleInputsFreeTheOthers(t *testing.T) {
	s := newStage(t, `SELECT window.start AS w, count(*) AS n FROM (SELECT ts FROM ev UNION ALL SELECT ts FROM quiet) AS u GROUP BY window(ts, '10 seconds') EMIT APPEND`)
	s.start()
	s.sources["ev"].give(5, "a")
	s.sources["ev"].give(35, "a")
	s.sources["quiet"].give(1, "q")
	p := s.step()
	if *p.Watermark != 1_000_000 || s.sinks[0].got[0] != "" {
		t.Errorf("watermark %d, output %v", *p.Watermark, s.sinks[0].got)
	}
	s.clock.Advance(59 * time.Second)
	if s.step() != nil {
		t.Error("a trigger ran before the input is idle")
	}
	s.sources["ev"].give(36, "a")
	s.step()
	s.clock.Advance(time.Second)
	if p = s.step(); p == nil || p.InputRows != 0 || *p.Watermark != 36_000_000 {
		t.Fatalf("the idle input holds the others back: %+v", p)
	}
	if got := s.sinks[0].got[2]; got != "1970-01-01 00:00:00|2" {
		t.Errorf("output %s", got)
	}
	for _, src := range p.Sources {
		if src.Idle != (src.Name == "quiet") {
			t.Errorf("source %s idle: %v", src.Name, src.Idle)
		}
	}
	s.clock.Advance(time.Hour)
	if s.step() != nil {
		t.Error("a second trigger ran for the same timer")
	}
	s.stop()
	s.start() // who is idle is in the checkpoint
	if s.step() != nil {
		t.Error("a trigger ran after the restart")
	}
	s.sources["quiet"].give(50, "q")
	if p = s.step(); *p.Watermark != 36_000_000 || p.Sources[1].Idle {
		t.Errorf("after it woke: watermark %d, idle %v", *p.Watermark, p.Sources[1].Idle)
	}
}

// Where no other input waits, an idle one changes nothing.
func TestIdleAloneIsNoReason(t *testing.T) {
	s := newStage(t, `SELECT k FROM quiet`)
	s.start()
	s.sources["quiet"].give(1, "q")
	s.step()
	s.clock.Advance(time.Hour)
	if p := s.step(); p != nil {
		t.Errorf("batch %d ran for nothing", p.BatchID)
	}
}

// Windows over the trigger's time are closed by a timer; the time is that of offsets/N.
func TestTimeDrivenWindows(t *testing.T) {
	s := newStage(t, `SELECT window.start AS w, count(*) AS n FROM ev GROUP BY window(now(), '1 minute') EMIT APPEND`)
	s.start()
	s.sources["ev"].give(1, "a")
	s.step() // at 16:40
	s.clock.Advance(19 * time.Second)
	if s.step() != nil {
		t.Error("a trigger ran before the window has ended")
	}
	s.clock.Advance(time.Second)
	if p := s.step(); p == nil || s.sinks[0].got[1] != "1970-01-01 00:16:00|1" {
		t.Errorf("the window is not closed: %v", s.sinks[0].got)
	}
	s.clock.Advance(time.Hour)
	if s.step() != nil {
		t.Error("a trigger ran with nothing to close")
	}
}

// Trigger times never go back, whatever the clock does.
func TestClockThatJumpsBack(t *testing.T) {
	s := newStage(t, `SELECT k, now() AS at FROM ev`)
	s.start()
	s.sources["ev"].give(1, "a")
	s.step()
	s.clock.Advance(-time.Hour)
	s.sources["ev"].give(1, "b")
	if p := s.step(); p.Timestamp != "1970-01-01T00:16:40.000Z" {
		t.Errorf("the second trigger is at %s", p.Timestamp)
	}
	s.stop()
	s.start()
	s.sources["ev"].give(1, "c")
	if p := s.step(); p.Timestamp != "1970-01-01T00:16:40.000Z" {
		t.Errorf("after the restart a trigger is at %s", p.Timestamp)
	}
}

// A table in a continuous query is read once, to its end, in the first trigger, and not
// again after a restart.
func TestFiniteInputs(t *testing.T) {
	s := newStage(t, `SELECT k FROM ev UNION ALL SELECT k FROM fixed`)
	s.sources["fixed"].give(1, "t")
	s.start()
	s.step()
	s.did("fixed reads 0-1; sink1 stages 0; sink1 publishes 0; fixed committed 1")
	if s.step() != nil || s.q.Ended() {
		t.Error("a query over a stream has ended")
	}
	s.stop()
	s.start()
	s.took()
	s.sources["fixed"].give(2, "never read")
	s.sources["ev"].give(2, "a")
	s.step()
	s.did("ev reads 0-1; sink1 stages 1; sink1 publishes 1; ev committed 1")
}

// A query over tables runs once, empty tables included, and ends all windows.
func TestFiniteQueries(t *testing.T) {
	s := newStage(t, `INSERT INTO one SELECT count(*) AS n FROM fixed`)
	s.without = true
	s.start()
	if p := s.step(); p == nil || s.sinks[0].got[0] != "0" || !s.q.Ended() {
		t.Errorf("%+v %v", p, s.sinks[0].got)
	}
	if s.step() != nil {
		t.Error("it ran twice")
	}
}

// AVAILABLE NOW ends at what was there, ONCE takes it in one batch.
func TestSnapshots(t *testing.T) {
	s := newStage(t, `SELECT k FROM ev`)
	s.start()
	s.q.Inputs[0].Limits = source.Limits{Rows: 2}
	src := s.sources["ev"]
	for _, k := range []string{"a", "b", "c"} {
		src.give(1, k)
	}
	if err := s.q.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	src.give(1, "later")
	for range 2 {
		if p := s.step(); string(p.Sources[0].LatestOffset) != "null" {
			t.Errorf("latest offset %s, but limits may have left something", p.Sources[0].LatestOffset)
		}
	}
	if s.step() != nil || len(s.sinks[0].got) != 2 || s.sinks[0].got[1] != "c" {
		t.Errorf("output %v", s.sinks[0].got)
	}
	s.stop()
	s.start()
	s.q.Inputs[0].Limits = source.Limits{Rows: 1}
	src.give(1, "last")
	s.q.Unlimited()
	if p := s.step(); p.InputRows != 2 || string(p.Sources[0].LatestOffset) != "5" || string(p.Sources[0].StartOffset) != "3" {
		t.Errorf("progress %+v", p)
	}
}

// Rates: rows by the time since the query looked before, and by the time that it worked.
func TestProgress(t *testing.T) {
	s := newStage(t, counts)
	s.start()
	src := s.sources["ev"]
	src.give(10, "a")
	src.give(30, "b")
	if p := s.step(); p.InputRate != 0 || p.ProcessedRate != 0 {
		t.Errorf("rates of the first trigger: %v %v", p.InputRate, p.ProcessedRate)
	}
	s.clock.Advance(7 * time.Second)
	s.step()
	s.clock.Advance(4 * time.Second)
	for range 10 {
		src.give(40, "a")
	}
	s.q.At = func(p Point, _ int64, _ *Journal) error {
		if p == Computed {
			s.clock.Advance(2 * time.Second)
		}
		return nil
	}
	p := s.step()
	if p.InputRate != 2.5 || p.ProcessedRate != 5 || p.Sources[0].InputRate != 2.5 || p.BatchDuration != 2000 || p.DurationMs["triggerExecution"] != 2000 {
		t.Errorf("rates %v %v, duration %d %v", p.InputRate, p.ProcessedRate, p.BatchDuration, p.DurationMs)
	}
	if e := p.EventTime; e.Max != "1970-01-01T00:00:40.000Z" || e.Watermark != e.Max || e.Avg != e.Min {
		t.Errorf("event time %+v", e)
	}
	if p.BatchID != 1 || *p.Name != "q" || p.ID != "id" || p.RunID != "run" || !p.Rows.Balanced() || p.Operators[0].Total != 2 || p.Operators[0].Updated != 1 {
		t.Errorf("progress %+v", p)
	}
}
