package state

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
)

// Options of a Store. The zero value is right for a query.
type Options struct {
	// Epoch of this run, above that of every earlier one; 0 takes the next.
	Epoch uint64
	// ReadOnly opens the state of a running or stopped query for Load; it
	// changes no file and takes no notice of a torn last record.
	ReadOnly bool
	// Background starts a goroutine that merges when NeedsCompact says so.
	// Without it, the caller calls Compact.
	Background bool
	// Retain is how many of the last batches stay readable; 100 by default,
	// at least 2.
	Retain int
	// RetainBytes bounds the log that Retain keeps, by default by 256 MiB or
	// the size of the runs, whichever is more: recovery reads the log.
	RetainBytes int64
	// FlushBytes is the size of mergeable log from which a merge is due, if
	// it is also a quarter of the runs; 64 MiB by default.
	FlushBytes int64
	// FlushEvery makes a merge due after that time in any case, by Clock; 10
	// minutes by default, never without a Clock.
	FlushEvery time.Duration
	Clock      clock.Clock
	// SegmentBytes is the size at which a log file ends; 64 MiB by default.
	SegmentBytes int64
	// GrowBytes is the step in which a log file is preallocated; 1 MiB.
	GrowBytes int64
	// MergeBytes bounds the log that one merge step holds in memory; 64 MiB.
	MergeBytes int64
	// BlockBytes is the size of a block in a run; 32 KiB.
	BlockBytes int
}

const (
	defaultRetain = 100
	minRetain     = 2
)

func (o Options) withDefaults() Options {
	if o.Retain == 0 {
		o.Retain = defaultRetain
	}
	o.Retain = max(o.Retain, minRetain)
	setDefault(&o.RetainBytes, 256<<20)
	setDefault(&o.FlushBytes, 64<<20)
	setDefault(&o.FlushEvery, 10*time.Minute)
	setDefault(&o.SegmentBytes, 64<<20)
	setDefault(&o.GrowBytes, 1<<20)
	setDefault(&o.MergeBytes, 64<<20)
	setDefault(&o.BlockBytes, 32<<10)
	return o
}

func setDefault[T int | int64 | time.Duration](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}
