package build

import (
	"cmp"
	"context"
	"sync"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// heldBytes is the default of Env.Held.
const heldBytes = 64 << 20

// turns brings what several workers make of a scan into the order of its splits, for
// those who ask for it: operators that are not Parallel, and outputs that take rows from
// one goroutine. So a result does not depend on the number of workers.
//
// The worker with the lowest unfinished split has the turn: its rows go straight on. The
// others keep copies of theirs in the lane of their split; who finishes the lowest split
// hands on the lanes behind it that are finished too. A worker waits only if too much is
// held, and never the one with the turn.
type turns struct {
	operators bool // some taker is an operator, which decides on the fate of a row
	mu        sync.Mutex
	moved     sync.Cond // next or held has changed
	next      int64     // the lowest unfinished split
	lanes     map[int64]*lane
	held      int64
	budget    int64
	ledger    Ledger // of rows whose fate was decided later; of the worker with the turn
}

// lane is what a split has made before its turn. It belongs to the split's worker until
// it is done, then to the worker with the turn.
type lane struct {
	split   int64
	done    bool
	direct  bool // the split has the turn
	parcels []parcel
	bytes   int64
}

// parcel is a batch on its way to a taker, or, without a taker, the end of a batch of
// the scan.
type parcel struct {
	to    *node
	out   bool // it is of the output of to, not for its input
	port  int
	seq   int64
	b     *vec.Batch
	fates *vec.Fates
	rows  int64
}

// newTurns returns nil if nobody who takes rows of the scan asks for their order.
func newTurns(s *Scan, t *Trigger, budget int64) *turns {
	operators, outputs := s.node.takers(t)
	if !operators && !outputs {
		return nil
	}
	q := &turns{operators: operators, lanes: map[int64]*lane{}, budget: cmp.Or(budget, heldBytes)}
	q.moved.L = &q.mu
	return q
}

// takers tells what takes rows of n in their order, directly or through operators that
// pass them on.
func (n *node) takers(t *Trigger) (operators, outputs bool) {
	if _, passes := n.op.(stateful.Passing); n.op != nil && !passes {
		return n.ordered, false
	}
	if n.out >= 0 {
		return false, !t.concurrent(n.out)
	}
	for _, e := range n.up {
		ops, outs := e.to.takers(t)
		operators, outputs = operators || ops, outputs || outs
	}
	return operators, outputs
}

func (t *Trigger) concurrent(output int) bool { return t.Concurrent != nil && t.Concurrent[output] }

// isOrdered reports that an operator takes rows from one goroutine, in order.
func isOrdered(op stateful.Operator) bool {
	_, parallel := op.(stateful.Parallel)
	return !parallel
}

// byArrival reports that the result of an operator depends on which of its rows came
// first.
func (n *node) byArrival() bool {
	switch p := n.plan.(type) {
	case *physical.Dedup, *physical.Limit:
		return true
	case *physical.Aggregate:
		return p.Sessions == nil && isOrdered(n.op)
	}
	return false
}

// derived reports that every row that enters n comes out of an operator with state: in
// an order that means nothing.
func (n *node) derived() bool {
	for _, k := range n.kids {
		if k.op == nil && !k.derived() {
			return false
		}
	}
	return len(n.kids) > 0
}

// open begins a split.
func (q *turns) open(split int64) *lane {
	l := &lane{split: split}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lanes[split] = l
	return l
}

// enter is called before each batch of a split: if it has the turn, what it has made so
// far goes on, and from now on all goes straight. Otherwise it waits while too much is
// held. It must not be called inside of an operator, since it enters others.
func (q *turns) enter(ctx context.Context, w *worker, l *lane) error {
	if l.direct {
		return nil
	}
	q.mu.Lock()
	q.held += l.bytes
	l.bytes = 0
	for q.next != l.split && q.held > q.budget && ctx.Err() == nil {
		q.moved.Wait()
	}
	l.direct = q.next == l.split
	q.mu.Unlock()
	if !l.direct {
		return ctx.Err()
	}
	return q.drain(w, l)
}

// finish ends a split. If it had the turn, the turn moves on.
func (q *turns) finish(w *worker, l *lane) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	l.done = true
	q.held += l.bytes
	l.bytes = 0
	for l != nil && l.done && l.split == q.next {
		q.mu.Unlock()
		err := q.drain(w, l)
		q.mu.Lock()
		if err != nil {
			return err
		}
		delete(q.lanes, q.next)
		q.next++
		l = q.lanes[q.next]
	}
	q.moved.Broadcast()
	return nil
}

// wake lets those who wait look at their context.
func (q *turns) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.moved.Broadcast()
}

// drain hands on what a lane holds. The caller has the turn.
func (q *turns) drain(w *worker, l *lane) error {
	seq, own := w.seq, w.lane
	w.lane = nil
	defer func() { w.seq, w.lane = seq, own }()
	var freed int64
	for i, p := range l.parcels {
		l.parcels[i] = parcel{}
		if p.to == nil {
			q.ledger.count(p.fates, p.rows)
			continue
		}
		freed += size(p.b)
		w.seq = p.seq
		if err := w.take(p); err != nil {
			return err
		}
	}
	l.parcels = nil
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held -= freed
	q.moved.Broadcast()
	return nil
}

// hold keeps a copy of a batch for a taker. Rows for an output contribute from now on;
// an operator decides that when it takes them.
func (l *lane) hold(p parcel, b *vec.Batch) {
	if p.out {
		b.MarkAll(vec.Contributed)
		p.b = b.Clone()
	} else {
		p.b = copyInPlace(b)
	}
	l.parcels, l.bytes = append(l.parcels, p), l.bytes+size(p.b)
}

// end notes that a batch of the scan has been sent on: its fates are known when the
// parcels before have been taken.
func (l *lane) end(fates *vec.Fates, rows int64) {
	l.parcels = append(l.parcels, parcel{fates: fates, rows: rows})
}

// copyInPlace copies a batch with the rows that do not count, so that arrival numbers
// stay as they are.
func copyInPlace(b *vec.Batch) *vec.Batch {
	whole := *b
	whole.Sel = nil
	out := whole.Clone()
	out.Fates = b.Fates
	if b.Sel != nil {
		out.Sel = append([]int32{}, b.Sel...)
	}
	if b.Origin != nil {
		out.Origin = append([]int32{}, b.Origin...)
	}
	return out
}

// size is about the memory of a batch.
func size(b *vec.Batch) int64 {
	n := int64(8*len(b.W) + 4*len(b.Sel) + 4*len(b.Origin) + 200)
	for _, c := range b.Cols {
		n += vectorSize(c)
	}
	return n
}

func vectorSize(v *vec.Vector) int64 {
	n := int64(len(v.Bool) + 8*len(v.I64) + 8*len(v.F64) + 16*len(v.I128) + 16*len(v.Iv) + 8*len(v.Str) +
		len(v.Buf) + 4*len(v.Off) + 4*len(v.Codes) + 8*len(v.Valid) + 200)
	for _, c := range v.Child {
		n += vectorSize(c)
	}
	return n
}
