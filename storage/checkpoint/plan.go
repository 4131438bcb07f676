package checkpoint

import (
	"fmt"

	"github.com/sqlstream/sqlstream/storage/fault"
)

// NoBatch stands where there is no batch.
const NoBatch = fault.NoBatch

// Survivors are the last batches that a restart finds, each NoBatch if none:
// of the offset log, the state log (PREPARED) and the commit log.
type Survivors struct {
	Offsets, Prepared, Commit int64
}

// Recovery is what a restart does before it chooses new ranges, in this
// order; NoBatch means that there is nothing of that kind to do.
type Recovery struct {
	// Discard: the state log holds this batch, but its offsets did not
	// survive, so nothing was published. Remove it from the state; its number
	// is given out again, with other boundaries.
	Discard int64
	// Republish: this batch may or may not have reached the sink. Give it the
	// logged payload again, then write its commit.
	Republish int64
	// Recommit: the batches from this one up to Republish are published, but
	// their commit files did not survive. They may be written again from the
	// logged metadata; nothing depends on them.
	Recommit int64
	// Rerun: this batch has offsets and no logged result. Run it over exactly
	// that range, with the logged watermark and trigger time.
	Rerun int64
	// Next is the first batch that chooses its own range.
	Next int64
}

// maxUncommitted is how many logged batches crashes can leave without their
// commit: offsets/N are only visible once the commits queued before them are
// durable, that of N-2 among them.
const maxUncommitted = 2

// Plan decides by the rules of the checkpoint protocol:
//
//	offsets/N is durable before N is published,
//	PREPARED(N) is durable before N is published and before offsets/N+1,
//	N is published before PREPARED(N+1), commits/N comes after that.
//
// Anything else that is found was lost by the disk, or removed by hand, and
// is an error: nothing is guessed.
func Plan(s Survivors) (Recovery, error) {
	r := Recovery{Discard: NoBatch, Republish: NoBatch, Recommit: NoBatch, Rerun: NoBatch, Next: s.Offsets + 1}
	prepared := s.Prepared
	if prepared == s.Offsets+1 {
		r.Discard = prepared
		prepared--
	}
	switch {
	case prepared > s.Offsets:
		return r, lost("offset log", s.Offsets+1, fmt.Sprintf("the state log goes on to batch %d", s.Prepared))
	case s.Commit > s.Offsets:
		return r, lost("offset log", s.Offsets+1, fmt.Sprintf("the commit log goes on to batch %d", s.Commit))
	case s.Commit > prepared:
		return r, lost("state log", prepared+1, fmt.Sprintf("the commit log goes on to batch %d", s.Commit))
	case prepared-s.Commit > maxUncommitted:
		return r, lost("commit log", s.Commit+1, fmt.Sprintf("the state log goes on to batch %d", s.Prepared))
	case prepared < s.Offsets-1:
		return r, lost("state log", prepared+1, fmt.Sprintf("the offset log goes on to batch %d", s.Offsets))
	}
	if s.Commit < prepared {
		r.Republish = prepared
	}
	if s.Commit < prepared-1 {
		r.Recommit = s.Commit + 1
	}
	if prepared < s.Offsets {
		r.Rerun = s.Offsets
	}
	return r, nil
}

func lost(log string, batch int64, why string) error {
	return &fault.Error{Kind: fault.ErrMissing, What: fmt.Sprintf("%s batch %d", log, batch), Batch: batch,
		Why:  "it is lost: " + why,
		Hint: "restore the checkpoint from a copy, or start the query with a new one; the sink may hold batches that a new one writes again"}
}
