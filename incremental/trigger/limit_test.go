package trigger

import (
	"fmt"
	"strings"
	"testing"
)

// A trigger after which the state is larger than it may be publishes nothing, and says who
// holds it; with more room the same batch goes through.
func TestMemoryLimit(t *testing.T) {
	s := newStage(t, `SELECT k, count(*) AS n FROM ev GROUP BY k EMIT UPDATE`)
	s.limit = 64 << 10
	s.start()
	s.sources["ev"].give(1, "small")
	s.step()
	for i := range 5000 {
		s.sources["ev"].give(2, fmt.Sprint("a key that takes some bytes ", i))
	}
	_, err := s.q.Step(t.Context())
	if err == nil || !strings.Contains(err.Error(), "more than memory_limit = '64 KiB' allows; Aggregate ") {
		t.Fatalf("error %v", err)
	}
	if len(s.sinks[0].got) != 1 {
		t.Errorf("the sink was given %d batches", len(s.sinks[0].got))
	}
	s.kill()
	s.limit = 64 << 20
	s.start()
	if p := s.step(); p.BatchID != 1 || p.InputRows != 5000 {
		t.Errorf("batch %d took %d rows", p.BatchID, p.InputRows)
	}
}
