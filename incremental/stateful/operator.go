// Package stateful owns the operators that keep state between triggers: aggregate,
// distinct, dedup, joins, Close, Materialize. Each is configured with a plain
// struct (incremental/build fills it from the physical plan), takes deltas, emits
// net changes and logs its state as key/value bytes. It knows no SQL, no plan and
// no files. Open this file first; every operator's file begins with a card that
// says what is kept, how it answers to +1 and −1, and when state is dropped.
package stateful

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// NoFrontier is the value of a frontier that promises nothing yet.
const NoFrontier = math.MinInt64

// EndOfInput is the frontier of an input that is finished: nothing comes after it.
const EndOfInput = math.MaxInt64

// Emit hands a batch downstream. The receiver keeps nothing of it.
type Emit func(*vec.Batch) error

// Trigger is one turn of the loop, as an operator sees it.
type Trigger struct {
	BatchID int64
	Ctx     *fn.Ctx // of the goroutine that calls; Ctx.Now is the trigger's time
	// HasInput says, from Flush on, that the trigger had rows of some source.
	HasInput bool
	// Late is told of rows that an operator refused, before they are dropped; nil when
	// nobody keeps them. Counting is done by vec.Batch.Mark.
	Late func(operator string, b *vec.Batch, rows []int32) error
	// Workers are lent to Flush and Advance; nil = there is the caller alone.
	Workers Workers
	Worker  int // number of the worker that the trigger is given to, the caller being 0
	// Out takes the operator's rows from this worker while others emit too; nil = those who
	// take them want them from the caller, in a fixed order.
	Out Emit
}

// Workers are goroutines of the graph that an operator may use in Flush and Advance for
// work that is worth it: from about 8,000 groups or rows on. Operators own none.
type Workers interface {
	// Count is how many there are with the caller, at least 1.
	Count() int
	// Share calls work once for each i below n, in this order, on workers that are free, and
	// returns when all are done. t is the trigger as the worker has it: its Ctx and its
	// number are not used by others meanwhile. After an error nothing more is begun; the
	// error is that of the least i. A panic is an error. work does not share.
	Share(n int, work func(t *Trigger, i int) error) error
}

// Stepper takes a part of a trigger's input. An operator is a Stepper itself; those
// that implement Parallel give more of them, one a worker.
type Stepper interface {
	// Step takes a batch of the delta that enters at port. seq is the arrival number
	// of the batch's row 0 and ascends over the trigger's input of one scan. Rows that
	// are taken are marked vec.Contributed, refused ones vec.Late. The batch is
	// not kept.
	Step(t *Trigger, port int, seq int64, b *vec.Batch, out Emit) error
}

// Operator keeps state. In each trigger it gets Step any number of times (port 0
// completes before port 1), then Flush once, then Advance once; children are flushed
// and advanced before their parents. All calls but Parallel's come from one
// goroutine. An operator owns no goroutines.
type Operator interface {
	Stepper
	// Flush emits the net change of the keys that this trigger touched: at most one
	// retraction and one insertion a key.
	Flush(t *Trigger, out Emit) error
	// Advance moves the bounds to the input frontiers after this trigger (fronts[port]
	// is aligned with the frontiers that the plan lists for that edge), emits what
	// has become final, and forgets what nothing can touch any more. Frontiers never
	// retreat; the bound is part of the state.
	Advance(t *Trigger, fronts [][]int64, out Emit) error
	// LogState writes what changed since the last call, as absolute values; the
	// state log sorts it.
	LogState(log Log) error
	// Load restores one logged entry into a fresh operator.
	Load(key, value []byte) error
	// Stats tells the size of the state and the work of the last trigger.
	Stats() Stats
}

// Parallel is an Operator whose input does not have to arrive in order: workers
// step through steppers of their own at the same time, and Flush brings together
// what these hold.
type Parallel interface {
	Operator
	// Local returns the stepper of a worker. It is reused in later triggers.
	Local(worker int) Stepper
}

// Passing is a Parallel operator whose steppers emit: what is behind it takes rows while
// the input is read, from several workers.
type Passing interface {
	Parallel
	// Passes does nothing.
	Passes()
}

// Log takes the changed entries of an operator's state. Keys order the entries; the
// operator chooses them so that what is dropped together is a range.
type Log interface {
	Put(key, value []byte)
	Delete(key []byte)
	DeleteRange(from, to []byte) // from ≤ key < to
}

// Stats describes an operator in progress records and EXPLAIN ANALYZE.
type Stats struct {
	Keys    int64 // entries held now
	Bytes   int64 // memory held now
	Updated int64 // entries changed by the last trigger
	Removed int64 // entries dropped by the last trigger
	Late    int64 // rows (or row × window pairs, for panes) refused by the last trigger
}
