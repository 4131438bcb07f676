package trigger

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

const perTenSeconds = `SELECT window.start AS w, count(*) AS n FROM quiet GROUP BY window(ts, '10 seconds') EMIT APPEND`

// Rule W8a: the partition that lags behind holds the watermark, so its rows are on time,
// until it is idle.
func TestPartitionsHoldTheWatermark(t *testing.T) {
	for _, workers := range []int{1, 3} {
		s := newStage(t, perTenSeconds)
		s.workers = workers
		src := s.sources["quiet"]
		src.parts, src.known = true, []string{"a", "b", "silent"}
		s.start()
		src.give(55, "a")
		src.give(5, "b")
		p := s.step()
		if p.Watermark != nil {
			t.Errorf("a partition without rows does not hold the watermark: %d", *p.Watermark)
		}
		s.clock.Advance(time.Minute)
		src.give(56, "a")
		src.give(6, "b")
		if p = s.step(); p.Watermark == nil || *p.Watermark != 6_000_000 {
			t.Fatalf("the silent partition is not idle: %+v", p.Sources[0])
		}
		if p.Rows.Late != 0 {
			t.Errorf("%d rows are late", p.Rows.Late)
		}
		s.stop()
		s.start()
		src.give(58, "a")
		src.give(7, "b")
		src.give(25, "b")
		if p = s.step(); *p.Watermark != 25_000_000 || p.Rows.Late != 0 {
			t.Errorf("watermark %d, late %d", *p.Watermark, p.Rows.Late)
		}
		if got := strings.Join(s.sinks[0].got, ";"); got != ";;1970-01-01 00:00:00|3" {
			t.Errorf("output %s", got)
		}
		src.give(1, "silent") // it wakes: its rows are late, and it holds the others
		src.give(90, "a")
		if p = s.step(); *p.Watermark != 25_000_000 || p.Rows.Late != 1 {
			t.Errorf("watermark %d, late %d", *p.Watermark, p.Rows.Late)
		}
		want := "[{a 1970-01-01T00:01:30.000Z false} {b 1970-01-01T00:00:25.000Z false} {silent 1970-01-01T00:00:01.000Z false}]"
		if got := fmt.Sprint(p.Sources[0].Partitions); got != want {
			t.Errorf("partitions %s", got)
		}
		s.clock.Advance(59 * time.Second)
		src.give(100, "a")
		s.step()
		s.clock.Advance(time.Second)
		if p = s.step(); p == nil || p.InputRows != 0 || *p.Watermark != 100_000_000 {
			t.Errorf("idle partitions do not free the others: %+v", p)
		}
		s.stop()
	}
}

// Rule W8a: a trigger that reads what is there and ends waits for no first row of a
// partition; one that has had rows holds the watermark as ever.
func TestEmptyPartitionsDoNotHoldWhatEnds(t *testing.T) {
	s := newStage(t, perTenSeconds)
	src := s.sources["quiet"]
	src.parts, src.known = true, []string{"a", "b", "never"}
	s.start()
	src.give(55, "a")
	src.give(25, "b")
	if err := s.q.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := s.step(); p.Watermark == nil || *p.Watermark != 25_000_000 || !p.Sources[0].Partitions[2].Idle {
		t.Errorf("the empty partition holds: %+v", p.Sources[0])
	}
	s.stop()
	s.start()
	src.give(90, "a")
	if err := s.q.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := s.step(); *p.Watermark != 25_000_000 || p.Sources[0].Partitions[1].Idle {
		t.Errorf("a partition that has had rows does not hold: %+v", p.Sources[0])
	}
	s.stop()
	s.start()
	src.give(28, "never") // it wakes, and is late by what the others have closed alone
	if p := s.step(); p.Rows.Late != 0 || p.Sources[0].Partitions[2].Idle {
		t.Errorf("after waking: late %d, %+v", p.Rows.Late, p.Sources[0])
	}
	s.stop()
}

// A batch that is run again has the partitions, and the idle ones, of its first run.
func TestPartitionsOfABatchThatIsRunAgain(t *testing.T) {
	if err := replayPartitions(t); err != nil {
		t.Error(err)
	}
}

func replayPartitions(t *testing.T) error {
	s := newStage(t, perTenSeconds)
	src := s.sources["quiet"]
	src.parts, src.known = true, []string{"a", "b"}
	s.start()
	src.give(55, "a")
	src.give(15, "b")
	s.step()
	src.give(80, "a")
	s.crash = "computed:1"
	if _, err := s.q.Step(t.Context()); err == nil {
		return errors.New("no crash")
	}
	if err := s.q.Journal.Dir.Sync(); err != nil { // offsets/1 gets to the disk
		return err
	}
	s.kill()
	s.clock.Advance(time.Hour) // b would be idle now, and was not
	s.start()
	defer s.stop()
	p := s.step()
	if p.Watermark == nil || *p.Watermark != 15_000_000 || p.Sources[0].Partitions[1].Idle {
		return fmt.Errorf("after the restart: %+v", p.Sources[0])
	}
	return nil
}
