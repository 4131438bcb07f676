package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
	for gogc() != 150 { // the collector's clean-up runs beside this
		runtime.GC()
		runtime.Gosched()
	}
	if got := early(-1); got != -1 {
		t.Errorf("a collector that is off is set to %d %%", got)
	}
}

// gogc reads the percentage and leaves it alone: setting it back could undo the clean-up.
func gogc() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
