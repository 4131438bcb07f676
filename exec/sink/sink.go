// Package sink owns the contract between the trigger loop and an output. Small
// sinks live below it (file/, console/, memory/, null/); exec/builtin lists them.
// It knows vectors and formats, but no plans and no checkpoints. Open this file
// first.
package sink

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// Mode is how the delta of a query is shown to a sink.
type Mode uint8

// The output modes.
const (
	Append    Mode = iota // final rows, each once
	Update                // the new version of each changed key; removed keys with weight −1 where the sink can delete
	Complete              // the whole result, again
	Changelog             // old rows with weight −1, new rows with +1
)

func (m Mode) String() string { return [...]string{"append", "update", "complete", "changelog"}[m] }

// Guarantee is what a sink promises about re-published batches.
type Guarantee uint8

// The guarantees.
const (
	ExactlyOnce Guarantee = iota
	AtLeastOnce
)

// Connector is a kind of sink, and describes itself; the matrix of sinks and modes
// in the reference is generated from these values.
type Connector struct {
	Name      string
	Aliases   []string
	Doc       string
	Options   []option.Spec
	Modes     map[Mode]string // the modes it takes, with a sentence each on what they do there
	Refused   map[Mode]string // for the others: why, and the way out
	Deletes   bool            // update mode: can it remove a key?
	Guarantee Guarantee
	// Weaker is the option, and its value, that makes an exactly-once sink an at-least-once one.
	Weaker [2]string
	// Recovery is a sentence on what becomes of a batch that is published again, for the
	// table of fault tolerance; "" = what Guarantee says.
	Recovery string
	// Ephemeral sinks (console, memory) run without a checkpoint unless asked.
	Ephemeral bool
	// Concurrent sinks let several goroutines call what Stage's rows is given.
	Concurrent bool
	Open       func(ctx context.Context, c Config) (Sink, error)
}

// Promises is the guarantee that a sink with these options gives.
func (c Connector) Promises(options []option.Value) Guarantee {
	if v, ok := option.Find(options, c.Weaker[0]); ok && c.Weaker[0] != "" && strings.EqualFold(v.Text, c.Weaker[1]) {
		return AtLeastOnce
	}
	return c.Guarantee
}

// FencedError says that a later run of the query has taken the sink over, so that to try
// again is of no use.
type FencedError struct{ Err error }

func (e *FencedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *FencedError) Unwrap() error { return e.Err }

// Fenced makes a FencedError, as fmt.Errorf does.
func Fenced(format string, args ...any) error { return &FencedError{fmt.Errorf(format, args...)} }

// Config is what a sink is opened with.
type Config struct {
	Name    string // of the sink, for messages
	Query   string // name of the query
	QueryID string // survives restarts; the owner that the sink records
	Columns []types.Column
	Key     []int // unique key of the output, nil if unknown
	Mode    Mode
	Ordered bool // complete mode: rows come in ORDER BY order
	Options []option.Value
	Zone    *time.Location
	Dir     string // what relative paths are relative to
	FS      vfs.FS
	Clock   clock.Clock
	Stdout  io.Writer
	Log     *slog.Logger // nil = nothing is logged
	Adopt   bool         // adopt_sink: take over a sink that belongs to another query
	// PrimaryKey is that of the declaration of the sink, in its columns, nil = none.
	PrimaryKey []int
	// Once is set when the query has no checkpoint: no later process publishes a batch of
	// it again, so the sink need not remember whose it is.
	Once bool
}

// Batch names a micro-batch to a sink.
type Batch struct {
	ID    int64
	Epoch int64 // of the writer: a sink refuses an older one
}

// Marker is the last batch that a sink holds of a query.
type Marker struct {
	OK     bool   // false: the sink is new
	ID     int64  // last published batch
	Digest string // of its payload
}

// Sink is an open output. The trigger loop uses it from one goroutine.
//
// A batch goes through Stage → log → Publish. What Stage returns is the payload:
// bytes which, published at any later time, in another process too, give the same
// result. Large outputs are staged in files, and the payload refers to them.
type Sink interface {
	// Marker tells what the sink holds; an error if it belongs to another query
	// (naming it) and Config.Adopt is not set.
	Marker(ctx context.Context) (Marker, error)
	// Stage prepares the output of a batch where no reader sees it, durably, and returns
	// its payload. rows calls its argument with batches in order; they must not be kept.
	Stage(ctx context.Context, b Batch, rows func(func(*vec.Batch) error) error) (payload []byte, err error)
	// Publish makes a staged batch visible. It is called again with the same arguments
	// after a crash, and then does nothing that was done.
	Publish(ctx context.Context, b Batch, payload []byte) error
	// Discard removes what was staged for batches from b on and was never logged.
	Discard(ctx context.Context, b Batch) error
	// Description is shown in progress and EXPLAIN: "FileSink[out]".
	Description() string
	Close() error
}
