package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// The heap may grow more than usual before its first collection, and as usual after it; a
// collection that is off stays off.
func TestHugePagesLeaveTheCollector(t *testing.T) {
	before := debug.SetGCPercent(150)
	defer debug.SetGCPercent(before)
	useHugePages(0)
	if got := early(150); got <= 150 {
		t.Errorf("a heap that holds next to nothing is collected at %d %%", got)
	}
	percent := 0
	for range 10_000 { // the collector's clean-up runs beside this
		runtime.GC()
		if percent = debug.SetGCPercent(150); percent == 150 {
			break
		}
		debug.SetGCPercent(percent)
		runtime.Gosched()
	}
	if percent != 150 {
		t.Errorf("after a collection %d %% are left, want 150", percent)
	}
	if got := early(-1); got != -1 {
		t.Errorf("a collector that is off is set to %d %%", got)
	}
}
