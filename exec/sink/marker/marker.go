// Package marker owns the rule of a marker that a sink keeps beside the rows, in the
// same transaction: who owns the output, in which epoch, and which batch it holds. A sink
// reads its record, asks Next, and writes rows and the new record together or not at all.
// It knows no database. Open this file first.
package marker

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/sink"
)

// Record is what an output remembers of its writer.
type Record struct {
	QueryID string `json:"queryId"`
	Query   string `json:"query"`
	Epoch   int64  `json:"epoch"`
	Batch   int64  `json:"batch"` // the last one it holds; −1 = none yet
	Digest  string `json:"digest"`
}

// Rule applies the record of one output. With Config.Once the record is of one batch: it
// has a place of its own, beside that of who owns the output, and is removed afterwards;
// it only tells whether a batch is there whose writer did not hear so.
type Rule struct {
	Config sink.Config
	Where  string // the output, in messages: `table shop.orders`
}

// Marker is what the record says to the trigger loop; have = nil: there is none.
func (r Rule) Marker(have *Record) (sink.Marker, error) {
	switch {
	case have == nil:
		return sink.Marker{ID: -1}, nil
	case have.QueryID == r.Config.QueryID:
		return sink.Marker{OK: have.Batch >= 0, ID: have.Batch, Digest: have.Digest}, nil
	case r.Config.Adopt:
		return sink.Marker{ID: -1}, nil
	}
	return sink.Marker{}, r.foreign(have)
}

func (r Rule) foreign(have *Record) error {
	return fmt.Errorf("%s belongs to query %q (id %s), which has written batch %d; give this query another one, or set adopt_sink = true to take it over",
		r.Where, have.Query, have.QueryID, have.Batch)
}

// Claim is the record after a new run of the query has begun, whose next batch is b: from
// then on older runs are refused. nil = it is there already.
func (r Rule) Claim(have *Record, b sink.Batch) (*Record, error) {
	switch {
	case have == nil || have.QueryID != r.Config.QueryID:
		if have != nil && !r.Config.Adopt {
			return nil, r.foreign(have)
		}
		return r.record(b.Epoch, b.ID-1, ""), nil
	case have.Epoch > b.Epoch:
		return nil, r.fenced(have, b)
	case have.Epoch == b.Epoch:
		return nil, nil
	}
	return r.record(b.Epoch, have.Batch, have.Digest), nil
}

func (r Rule) fenced(have *Record, b sink.Batch) error {
	return sink.Fenced("%s was taken over by a newer run of the query (epoch %d, this is %d)", r.Where, have.Epoch, b.Epoch)
}

func (r Rule) record(epoch, batch int64, digest string) *Record {
	return &Record{QueryID: r.Config.QueryID, Query: r.Config.Query, Epoch: epoch, Batch: batch, Digest: digest}
}

// Next is the record to write together with the rows of a batch; nil = the output holds
// that batch already. An error: the batch must not be written.
func (r Rule) Next(have *Record, b sink.Batch, payload []byte) (*Record, error) {
	next := r.record(b.Epoch, b.ID, sink.Digest(payload))
	switch {
	case mutant.On("a sink does not look at its marker"):
		return next, nil
	case have == nil:
		return r.first(next)
	case have.QueryID != r.Config.QueryID && !r.Config.Adopt:
		return nil, r.foreign(have)
	case have.QueryID != r.Config.QueryID:
		return next, nil
	case have.Epoch > b.Epoch && !mutant.On("a sink does not fence older writers"):
		return nil, r.fenced(have, b)
	case have.Batch == b.ID && have.Digest == next.Digest:
		return r.again(have, b)
	case have.Batch == b.ID-1, r.Config.Adopt:
		return next, nil
	case have.Batch == b.ID:
		return nil, fmt.Errorf("%s has another batch %d than this one: an older checkpoint was restored; "+
			"use the checkpoint that wrote it, or set adopt_sink = true to go on after its last batch", r.Where, b.ID)
	}
	return nil, fmt.Errorf("%s holds batch %d, which batch %d cannot follow; use the checkpoint that wrote it, or set adopt_sink = true to go on with this batch",
		r.Where, have.Batch, b.ID)
}

// first decides where the output knows nothing: right for the first batch only.
func (r Rule) first(next *Record) (*Record, error) {
	if next.Batch > 0 && !r.Config.Adopt && !r.Config.Once {
		return nil, fmt.Errorf("%s has no record of batch %d, which batch %d must follow: it was emptied, or is another one; "+
			"restore it, or set adopt_sink = true to go on with this batch", r.Where, next.Batch-1, next.Batch)
	}
	return next, nil
}

// again: the batch is there. An epoch that is newer than its writer's is still noted by
// Claim, when the run begins.
func (r Rule) again(have *Record, b sink.Batch) (*Record, error) {
	if have.Epoch == b.Epoch || !mutant.On("a batch that is there is written again after a restart") {
		return nil, nil
	}
	return r.record(b.Epoch, b.ID, have.Digest), nil
}
