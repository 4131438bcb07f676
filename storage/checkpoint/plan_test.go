package checkpoint

import (
	"errors"
	"testing"

	"github.com/sqlstream/sqlstream/storage/fault"
)

func TestPlan(t *testing.T) {
	const no = NoBatch
	for _, c := range []struct {
		name                      string
		offsets, prepared, commit int64
		want                      Recovery
	}{
		{"new", no, no, no, Recovery{no, no, no, no, 0}},
		{"only the first offsets", 0, no, no, Recovery{no, no, no, 0, 1}},
		{"first result without offsets", no, 0, no, Recovery{0, no, no, no, 0}},
		{"first result not committed", 0, 0, no, Recovery{no, 0, no, no, 1}},
		{"all done", 7, 7, 7, Recovery{no, no, no, no, 8}},
		{"offsets without result", 7, 6, 6, Recovery{no, no, no, 7, 8}},
		{"result not committed", 7, 7, 6, Recovery{no, 7, no, no, 8}},
		{"result without offsets", 6, 7, 6, Recovery{7, no, no, no, 7}},
		{"result without offsets, commit lost", 6, 7, 5, Recovery{7, 6, no, no, 7}},
		{"overlapped batches", 7, 6, 5, Recovery{no, 6, no, 7, 8}},
		{"two commits lost", 7, 7, 5, Recovery{no, 7, 6, no, 8}},
	} {
		got, err := Plan(Survivors{Offsets: c.offsets, Prepared: c.prepared, Commit: c.commit})
		if err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestPlanRefusesWhatNoCrashLeaves(t *testing.T) {
	const no = NoBatch
	for _, c := range []struct {
		name                      string
		offsets, prepared, commit int64
		batch                     int64
	}{
		{"offsets lost", 5, 7, 5, 6},
		{"offsets lost, committed", 6, 7, 7, 7},
		{"all offsets lost", no, 7, 7, 0},
		{"result lost", 7, 6, 7, 7},
		{"results lost", 7, 4, 4, 5},
		{"all results lost", 7, no, 6, 0},
		{"commits lost", 7, 7, 2, 3},
	} {
		_, err := Plan(Survivors{Offsets: c.offsets, Prepared: c.prepared, Commit: c.commit})
		var e *fault.Error
		if !errors.Is(err, ErrMissing) || !errors.As(err, &e) || e.Batch != c.batch || e.Hint == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
