// Package trigger runs a query trigger by trigger: it plans what to read, runs the
// graph, makes the result durable, publishes it and commits. The order of these
// steps is the product's promise; journal.go states it. It knows sources, sinks,
// graphs and the bytes of checkpoints, but no SQL and no catalog. Open this file
// first, then step.go, journal.go and recover.go.
package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/build"
	"github.com/sqlstream/sqlstream/storage/checkpoint"
)

// Config is a query ready to run. The engine has opened everything in it; Close
// closes it.
type Config struct {
	ID, RunID, Name string
	Graph           *build.Graph
	Inputs          []*Input
	Outputs         []*Output
	Journal         *Journal // nil = no checkpoint
	MemoryLimit     int64    // bytes of state and pending output; 0 = none
	Clock           clock.Clock
	Log             *slog.Logger
	// Late and Bad keep refused rows; nil = they are only counted.
	Late func(operator string, b *vec.Batch, rows []int32) error
	Bad  func(source.BadRow)
	// Published is told of each batch after its sinks have it: refused rows of a batch that
	// did not get there are not kept.
	Published func() error
	// At is called between the steps of a batch, from the query's goroutine; an error ends
	// the query there. For tests that decide what happens meanwhile.
	At func(p Point, batch int64, j *Journal) error
}

// Input is a source that the query reads, and the scans of it.
type Input struct {
	Name   string // of the relation; its log is sources/<name>
	Source source.Source
	Scans  []*build.Scan
	Limits source.Limits
	// Transient: log entries are the rows themselves, of use only while their batch may be
	// run again.
	Transient bool

	end      json.RawMessage // offset after the last range
	upTo     source.Snapshot // AVAILABLE NOW
	arrived  int64           // µs: when it last delivered, or the query began
	finished bool            // a finite input that has been read
	drifts   int             // differences of schemas that were told
}

// Output is a sink that the query feeds.
type Output struct {
	Name string // of the sink, for messages
	Sink sink.Sink
	View *build.View
	// Concurrent: the sink takes rows from several goroutines.
	Concurrent bool
	Marks      bool // the sink remembers the last batch that it holds
	Adopt      bool // it may belong to another query, whose numbers do not count
}

// Query is a running query. Its methods are called from one goroutine.
type Query struct {
	Config
	next     int64 // number of the next batch
	batch    sink.Batch
	now      int64 // time of the last trigger, µs
	shown    int64 // the watermark that progress shows
	begun    bool
	looked   time.Time       // when the last Step began, whether it found anything or not
	given    []int64         // rows that the sinks were given in this trigger, by output
	took     []time.Duration // that they took to publish, by output
	redo     *planned        // a batch whose range is logged and whose result is not
	triggers int64
	busy     time.Duration // all triggers together
	// failed is the error of the trigger that ended the query.
	failed error
}

// Open makes a query from its parts and recovers what an earlier run left: state,
// positions, and a batch that was under way.
func Open(ctx context.Context, c Config) (*Query, error) {
	if c.Journal == nil != c.Graph.Unlogged() && !c.Graph.Query.Finite { // a finite query ends before its state is needed again
		return nil, errors.New("trigger: operators are logged where there is a checkpoint, and only there")
	}
	q := &Query{Config: c, shown: noWatermark}
	if c.Journal == nil {
		return q, q.checkSinks(ctx, checkpoint.NoBatch, true)
	}
	return q, q.recover(ctx)
}

// Next is the number of the next batch.
func (q *Query) Next() int64 { return q.next }

// Totals are how many triggers have run since Open, and how long they took.
func (q *Query) Totals() (triggers int64, busy time.Duration) { return q.triggers, q.busy }

// Watermark is the event time that the query has reached, noWatermark before the
// first row: the minimum over its sources.
func (q *Query) Watermark() (us int64, ok bool) { return q.shown, q.shown != noWatermark }

// Close closes sources, sinks and checkpoint; the first error is returned.
func (q *Query) Close() error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, in := range q.Inputs {
		keep(in.Source.Close())
	}
	for _, o := range q.Outputs {
		keep(o.Sink.Close())
	}
	keep(q.Graph.Close())
	if q.Journal != nil {
		keep(q.Journal.close())
	}
	return first
}

// Snapshot fixes what is there now as the end of the query's input: AVAILABLE NOW.
func (q *Query) Snapshot(ctx context.Context) error {
	for _, in := range q.Inputs {
		s, err := in.Source.Snapshot(ctx)
		if err != nil {
			return in.wrap(err)
		}
		in.upTo = s
	}
	return nil
}

// Unlimited lets the query take all that is there in one micro-batch: ONCE.
func (q *Query) Unlimited() {
	for _, in := range q.Inputs {
		in.Limits = source.Limits{}
	}
}

// Rest makes the commits so far durable: when there is nothing to do.
func (q *Query) Rest() error {
	if q.Journal == nil {
		return nil
	}
	return q.Journal.sync()
}

// Err is why no trigger will run any more, nil while they do.
func (q *Query) Err() error { return q.failed }

// Ended reports that no input will ever give rows again.
func (q *Query) Ended() bool {
	for _, in := range q.Inputs {
		if !in.finished && !in.Source.Finished() {
			return false
		}
	}
	return true
}
