// Package source owns the contract between a streaming input and the trigger loop.
// Small sources live below it (file/, rate/, memory/); exec/builtin lists them. It
// knows formats and vectors, but neither plans nor checkpoints: a source returns
// the bytes of its log entries, the trigger loop writes them. Open this file first.
package source

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Connector is a kind of source, and describes itself.
type Connector struct {
	Name    string
	Aliases []string
	Doc     string
	Options []option.Spec
	// Replayable says that a range can be read again after a crash.
	Replayable bool
	// Recovery is a sentence on what becomes of its rows after a crash, for the table of
	// fault tolerance; "" = what Replayable says.
	Recovery string
	// Weights says that rows may come with weights: changelog = true is accepted. A
	// connector with formats leaves it to them (format.Changes).
	Weights bool
	// Tombstones says that rows of a source with a PRIMARY KEY may be deletions: of a row of
	// which only the key is told, with weight −1.
	Tombstones bool
	// Changes says that rows always come with weights, without being asked.
	Changes bool
	// Lookup says that what it opens for a table implements Lookup.
	Lookup bool
	// Refresh says that a table can be read again when it has changed (Config.Refresh).
	Refresh bool
	// Metadata are the columns that METADATA may name; one of several types stands there
	// several times.
	Metadata []types.Column
	// Columns are what a source without declared columns has, if it has no format or the
	// format raw; nil = they must be declared or inferred.
	Columns []types.Column
	// Infer finds the columns of the data that is there; nil = not possible.
	Infer func(ctx context.Context, c Config) ([]types.Column, error)
	Open  func(ctx context.Context, c Config) (Source, error)
}

// Column is a declared column of a source.
type Column struct {
	types.Column
	Metadata  string // the connector's metadata column that fills it; "" = from the data
	Partition bool   // filled from key=value in the path
}

// OnError says what happens to a row that cannot be decoded.
type OnError uint8

// The policies.
const (
	Fail OnError = iota
	Skip
	Divert // to the table named by bad_rows
)

// Config is what a source is opened with. The planner has resolved names, types and
// secrets; unknown options have been refused.
type Config struct {
	Name    string // of the source, for messages
	Columns []Column
	Options []option.Value
	// Changes is set when rows come with weights; Key is the PRIMARY KEY then, as indexes
	// of Columns, nil = none.
	Changes bool
	Key     []int
	OnError OnError
	Zone    *time.Location
	Dir     string // what relative paths are relative to
	FS      vfs.FS
	Clock   clock.Clock
	// Refresh is set for a table that is read again, whole, when it has changed: each range
	// is all of it. It is looked at again after so many µs; 0 = in each trigger.
	Refresh *int64
	// Finite is set when a table or batch query reads the source once.
	Finite bool
	// Replay is set when a later process may have to read a range again: rows that are
	// in memory alone go into the range's entries.
	Replay bool
}

// Limits bound one micro-batch; 0 = no limit.
type Limits struct {
	Rows, Files, Bytes int64
}

// Range is what one micro-batch takes from a source.
type Range struct {
	// Offset is the position after the range: one JSON value, kept in offsets/N.
	Offset json.RawMessage
	// Entries are lines for sources/<name>/N (files taken …), each one JSON value.
	Entries []json.RawMessage
}

// Source is an open input. The trigger loop calls it from one goroutine, except for
// the splits of a range, which may be read at the same time.
type Source interface {
	// Restore replays an earlier micro-batch: called once for each one that the source
	// log holds (or for the compacted entries), oldest first, before Plan.
	Restore(r Range) error
	// Plan chooses the next range within the limits; false when there is nothing new.
	// upTo is what Snapshot returned, or nil: AVAILABLE NOW stops there.
	Plan(ctx context.Context, l Limits, upTo Snapshot) (Range, bool, error)
	// Snapshot fixes what is there now, for AVAILABLE NOW.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Splits cuts a planned or logged range into units that can be read independently;
	// their order is the arrival order of rows. A range that cannot be read exactly as
	// it was planned (a file vanished, grew, was cut) is an error that names what.
	Splits(ctx context.Context, r Range) ([]Split, error)
	// Committed is called after commits/N is written (archive or delete files).
	Committed(ctx context.Context, r Range) error
	// Finished reports that no row will ever come again.
	Finished() bool
	// Description is shown in progress and EXPLAIN: "FileSource[in/*.json]".
	Description() string
	Close() error
}

// Snapshot is a source's own picture of what was there at a moment.
type Snapshot any

// Split is an independent unit of a range: a file, a byte range, row groups.
type Split interface {
	// Read decodes the split and gives its rows to emit in batches of about
	// vec.BatchSize. Batches carry the columns of rd.Need, in that order, and belong to
	// the split: emit must not keep them.
	Read(ctx context.Context, rd Reading, emit func(*vec.Batch) error) error
	// Rows is the number of rows if it is known without reading, else −1.
	Rows() int64
}

// Reading says what a reader of a split needs and where bad rows go.
type Reading struct {
	Need []int // indexes into Config.Columns, ascending
	// Ranges are conditions that all needed rows fulfil: what is known not to may be left
	// out unread. Skipped is told of the rows then.
	Ranges  []Bounds
	Skipped func(rows int64)
	// Extent asks for the range of a column; nil = for none.
	Extent *Extent
	// Bad receives each row that could not be decoded under Skip and Divert, and must
	// copy what it keeps. It may be called by several goroutines.
	Bad func(BadRow)
}

// Bounds is a condition on a column whose values are PhysInt64: between Min and Max, and not
// NULL.
type Bounds struct {
	Col      int // index into Config.Columns
	Min, Max int64
}

// Extent asks for the least and the greatest value of a needed column of PhysInt64, over
// all rows, those that Ranges leave out included.
type Extent struct {
	At int // place in Reading.Need
	// Unread says that nothing else of the column is wanted: where its range is known without
	// reading, its values may be left out. They are NULL then.
	Unread bool
	// Known is told of rows, or values, that are left out. Where the range is not known, none are.
	// It may be called by several goroutines, one per Read.
	Known func(least, greatest, count int64)
}

// BadRow is an input row that could not be decoded.
type BadRow struct {
	Source   string
	Position string // "in/a.json:17" (line, byte or offset)
	Reason   string
	Raw      []byte
}
