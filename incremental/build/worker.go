package build

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
)

// worker carries rows through the graph: its own instances of stateless operators,
// its own steppers where operators are parallel, its own evaluation context.
type worker struct {
	g        *Graph
	ctx      *fn.Ctx
	trigger  stateful.Trigger
	stages   []stage                  // by node, nil = none
	emits    []func(*vec.Batch) error // by node: what takes the node's output
	steppers []stateful.Stepper       // by node
	run      *run
	seq      int64 // arrival number of the first row of the scan batch at work
	lane     *lane // where rows wait that go to takers in order; nil = they need not wait
	watch    stopwatch
}

func (g *Graph) newWorker(i int) *worker {
	w := &worker{g: g, ctx: g.env.NewCtx(), stages: make([]stage, len(g.nodes)),
		emits: make([]func(*vec.Batch) error, len(g.nodes)), steppers: make([]stateful.Stepper, len(g.nodes)),
		watch: newStopwatch(g.env.Clock, len(g.nodes))}
	for _, n := range g.nodes {
		w.equip(n, i)
	}
	return w
}

func (w *worker) equip(n *node, i int) {
	w.emits[n.index] = func(b *vec.Batch) error { return w.deliver(n, b) }
	if n.stage != nil {
		w.stages[n.index] = n.stage()
	}
	if n.op == nil {
		return
	}
	w.steppers[n.index] = n.op
	if p, ok := n.op.(stateful.Parallel); ok {
		w.steppers[n.index] = p.Local(i)
	}
}

// deliver hands the output of a node to all its consumers, unless the trigger has been
// cancelled: a few input rows may join to rows without end.
func (w *worker) deliver(n *node, b *vec.Batch) error {
	if err := w.run.ctx.Err(); err != nil {
		return err
	}
	if b.Rows() == 0 {
		return nil
	}
	w.watch.nodes[n.index].Rows += int64(b.Rows())
	if n.out >= 0 {
		return w.output(n, b)
	}
	for _, e := range n.up {
		if err := w.enter(e, b); err != nil {
			return err
		}
	}
	return nil
}

// output gives rows to an output: at once, or when it is their turn.
func (w *worker) output(n *node, b *vec.Batch) error {
	if w.waits() && !w.run.t.concurrent(n.out) {
		w.lane.hold(parcel{to: n, out: true, seq: w.seq}, b)
		return nil
	}
	b.MarkAll(vec.Contributed)
	return w.run.output(n.out, b)
}

func (w *worker) waits() bool { return w.lane != nil && !w.lane.direct }

func (w *worker) enter(e edge, b *vec.Batch) error {
	n := e.to
	switch {
	case n.op != nil:
		if n.ordered && w.waits() {
			w.lane.hold(parcel{to: n, port: e.port, seq: w.seq}, b)
			return nil
		}
		return w.hand(n, e.port, b)
	case w.stages[n.index] != nil:
		defer w.watch.to(w.watch.to(n.index))
		return w.stages[n.index].Process(w.ctx, b, w.emits[n.index])
	}
	defer w.watch.to(w.watch.to(n.index))
	return w.deliver(n, b)
}

// take gives a parcel to its taker.
func (w *worker) take(p parcel) error {
	if p.out {
		return w.output(p.to, p.b)
	}
	return w.hand(p.to, p.port, p.b)
}

// hand gives rows to an operator.
func (w *worker) hand(n *node, port int, b *vec.Batch) error {
	defer w.watch.to(w.watch.to(n.index))
	if err := w.steppers[n.index].Step(&w.trigger, port, w.seq, b, w.emits[n.index]); err != nil {
		return blame(n, err)
	}
	return nil
}
