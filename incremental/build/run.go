package build

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Trigger is what one turn of the loop gives a graph.
type Trigger struct {
	BatchID int64
	Now     int64 // µs
	Inputs  []Input
	// Emit takes the rows of an output (its number in Query.Outputs), and keeps nothing. It
	// is not called by two goroutines at the same time, unless Concurrent.
	Emit       func(output int, b *vec.Batch) error
	Concurrent []bool // by output; nil = none
	// Late and Bad receive refused and undecodable rows; nil = nobody keeps them.
	Late func(operator string, b *vec.Batch, rows []int32) error
	Bad  func(source.BadRow)
}

// Input is a range to read: the splits for one scan.
type Input struct {
	Scan   *Scan
	Splits []source.Split
	// Last says that a finite input ends with these splits.
	Last bool
}

// Ledger says what became of the rows of one scan. Input is the sum of the others
// but Partial, which counts rows that some of their windows refused.
type Ledger struct {
	Input, Contributed, Late, Filtered, Bad, Partial int64
}

// Add sums two ledgers.
func (l *Ledger) Add(o Ledger) {
	l.Input += o.Input
	l.Contributed += o.Contributed
	l.Late += o.Late
	l.Filtered += o.Filtered
	l.Bad += o.Bad
	l.Partial += o.Partial
}

// Outcome is what a trigger did.
type Outcome struct {
	Ledgers []Ledger // by scan
	Output  []int64  // rows emitted, by output
	Errors  int64    // values that could not be computed (eval_error = 'null')
	Times   Times    // of the rows of all scans with a watermark
}

// Times sums up the event times of rows, µs. NULLs are left out.
type Times struct {
	Count, Min, Max int64
	base, sum       int64 // the mean is base + sum / Count
	unsummed        bool  // some were not read: there is no mean
}

// Mean is the mean of the times, if all were read; Count is not 0.
func (t Times) Mean() (us int64, ok bool) { return t.base + t.sum/t.Count, !t.unsummed }

// Add takes in the times of others.
func (t *Times) Add(o Times) {
	if o.Count == 0 {
		return
	}
	if t.Count == 0 {
		*t = o
		return
	}
	t.Min, t.Max = min(t.Min, o.Min), max(t.Max, o.Max)
	t.sum += o.sum + (o.base-t.base)*o.Count
	t.Count += o.Count
	t.unsummed = t.unsummed || o.unsummed
}

func (t *Times) add(us int64) {
	if t.Count == 0 {
		t.Min, t.Max, t.base = us, us, us
	}
	t.Min, t.Max = min(t.Min, us), max(t.Max, us)
	t.sum += us - t.base
	t.Count++
}

// run is one trigger under way.
type run struct {
	t       Trigger
	mu      sync.Mutex      // held during Emit
	ctx     context.Context // of the trigger
	seat    *seat
	emitted []int64
}

func (r *run) output(i int, b *vec.Batch) error {
	atomic.AddInt64(&r.emitted[i], int64(b.Rows()))
	if !r.t.concurrent(i) {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	return r.t.Emit(i, b)
}

// Run takes one trigger through the graph: all input, then Flush and Advance of
// every stateful operator, children first. After an error the graph is unusable.
func (g *Graph) Run(ctx context.Context, t Trigger) (*Outcome, error) {
	s, err := g.env.Pool.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer s.leave()
	r := &run{ctx: ctx, t: t, seat: s, emitted: make([]int64, len(g.outputs))}
	for _, w := range g.workers {
		w.begin(r)
	}
	for _, l := range g.lookups {
		l.During(ctx)
	}
	out := &Outcome{Ledgers: make([]Ledger, len(g.Scans)), Output: r.emitted}
	if err := g.constants(); err != nil {
		return nil, err
	}
	for _, in := range t.Inputs {
		in.Scan.node.renew()
		led, err := g.scan(ctx, in, r, &out.Times)
		if err != nil {
			return nil, err
		}
		out.Ledgers[g.IndexOf(in.Scan)].Add(led)
	}
	for _, l := range out.Ledgers {
		g.workers[0].trigger.HasInput = g.workers[0].trigger.HasInput || l.Input > 0
	}
	if err := g.settle(ctx, t); err != nil {
		return nil, err
	}
	for _, w := range g.workers {
		out.Errors += w.ctx.Errors
	}
	return out, nil
}

// renew tells those who read a table again that it begins anew.
func (n *node) renew() {
	for _, e := range n.up {
		if r, ok := e.to.op.(stateful.Renewer); ok {
			r.Renew()
		}
	}
}

func (w *worker) begin(r *run) {
	w.run = r
	w.ctx.Now, w.ctx.Errors = r.t.Now, 0
	w.trigger = stateful.Trigger{BatchID: r.t.BatchID, Ctx: w.ctx, Late: r.t.Late}
}

// IndexOf is the place of a scan in Scans and in Outcome.Ledgers.
func (g *Graph) IndexOf(s *Scan) int {
	for i, o := range g.Scans {
		if o == s {
			return i
		}
	}
	panic("build: scan of another graph")
}

// Resume continues after a restart: operators and scans hold what was restored. begun
// says that a trigger has run, so that constant rows are not due again.
func (g *Graph) Resume(now int64, begun bool) error {
	g.first = !begun
	return g.Refront(now)
}

// StartsWithRows reports whether the first trigger has output of its own: constant
// rows, or the row of a global aggregate.
func (g *Graph) StartsWithRows() bool {
	if !g.first {
		return false
	}
	for _, n := range g.nodes {
		switch p := n.plan.(type) {
		case *physical.Values:
			return true
		case *physical.Aggregate:
			if p.Global {
				return true
			}
		case *physical.Scan:
			if p.Finite {
				return true
			}
		}
	}
	return false
}

// constants delivers the rows of Values nodes in the first trigger.
func (g *Graph) constants() error {
	if !g.first {
		return nil
	}
	g.first = false
	w := g.workers[0]
	for _, n := range g.nodes {
		v, ok := n.plan.(*physical.Values)
		if !ok {
			continue
		}
		b, err := valuesBatch(w.ctx, v)
		if err != nil {
			return err
		}
		if err := w.deliver(n, b); err != nil {
			return err
		}
	}
	return nil
}

func valuesBatch(c *fn.Ctx, v *physical.Values) (*vec.Batch, error) {
	cols := v.Props().Columns
	b := &vec.Batch{N: len(v.Rows), Cols: make([]*vec.Vector, len(cols))}
	one := &vec.Batch{N: 1}
	for i, col := range cols {
		out := vec.NewBuilder(col.Type)
		for _, row := range v.Rows {
			x, err := row[i].Eval(c, one)
			if err != nil {
				return nil, expr.Blame(err, row[i], one)
			}
			out.AppendFrom(x, 0)
		}
		b.Cols[i] = out.Take()
	}
	return b, nil
}

// settle flushes and advances the stateful operators in order, with the frontiers
// after this trigger's rows.
func (g *Graph) settle(ctx context.Context, t Trigger) error {
	w := g.workers[0]
	g.lend(ctx, w.run.seat)
	for _, s := range g.Scans {
		s.follow()
		s.front()
	}
	for _, n := range g.nodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.run.seat.beat()
		if err := g.settleNode(w, n, &t); err != nil {
			return err
		}
	}
	return nil
}

// settleNode derives the frontiers of a node, and flushes and advances its operator: in
// the other order where the operator has a say in them.
func (g *Graph) settleNode(w *worker, n *node, t *Trigger) error {
	own := n.derivesOwn()
	if !own {
		if err := g.derive(n, t.Now); err != nil {
			return err
		}
	}
	if n.op == nil {
		return nil
	}
	g.opens(n, t)
	if err := w.close(n); err != nil {
		return blame(n, err)
	}
	if own {
		return g.derive(n, t.Now)
	}
	return nil
}

func (w *worker) close(n *node) error {
	defer w.watch.to(w.watch.to(n.index))
	if err := n.op.Flush(&w.trigger, w.emits[n.index]); err != nil {
		return err
	}
	n.advanced = n.boundNow()
	return n.op.Advance(&w.trigger, n.advanceBy(), w.emits[n.index])
}

// advanceBy lists the frontiers that the operator's bound is looked up in: those of
// its input edges, or of its own output edge where the plan says so.
func (n *node) advanceBy() [][]int64 {
	if n.boundOut {
		return [][]int64{n.fronts}
	}
	in := make([][]int64, len(n.kids))
	join := n.isJoin()
	for i, k := range n.kids {
		in[i] = k.fronts
		if join { // it also follows the ends of its inputs
			in[i] = append(slices.Clone(k.fronts), k.end())
		}
	}
	return in
}

// scan reads the splits of an input with as many workers as it is worth.
func (g *Graph) scan(ctx context.Context, in Input, r *run, times *Times) (Ledger, error) {
	workers := g.workers
	if len(in.Splits) < len(workers) {
		workers = workers[:max(1, len(in.Splits))]
	}
	helpers := r.seat.help(len(workers) - 1)
	defer r.seat.dismiss(helpers)
	workers = workers[:1+helpers]
	var q *turns
	if len(workers) > 1 {
		q = newTurns(in.Scan, &r.t, g.env.Held)
	}
	parts := make([]*reader, len(workers))
	for i, w := range workers {
		parts[i] = newReader(w, in.Scan, r, q)
	}
	if err := readAll(ctx, in.Splits, parts); err != nil {
		return Ledger{}, source.Named(in.Scan.Plan.Relation.Name, err)
	}
	var led Ledger
	if q != nil {
		led = q.ledger
	}
	for _, p := range parts {
		led.Add(p.ledger)
		times.Add(p.times)
		in.Scan.moved(p)
	}
	if in.Last {
		in.Scan.Ended = true
	}
	r.refused(parts)
	return led, nil
}

// refused tells of the bad rows, in the order of the splits.
func (r *run) refused(parts []*reader) {
	var all []badRow
	for _, p := range parts {
		all = append(all, p.bad...)
	}
	slices.SortStableFunc(all, func(a, b badRow) int { return cmp.Compare(a.split, b.split) })
	for _, b := range all {
		r.t.Bad(b.row)
	}
}

// readAll shares the splits among the readers: each takes one when it is free. The first reader works on the calling goroutine.
func readAll(ctx context.Context, splits []source.Split, parts []*reader) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if q := parts[0].turns; q != nil {
		defer context.AfterFunc(ctx, q.wake)()
	}
	d := newDealer(len(splits), len(parts), parts[0].turns != nil)
	work := func(reader int) {
		p := parts[reader]
		for i := d.next(reader); i >= 0 && ctx.Err() == nil; i = d.next(reader) {
			if err := guarded(func() error { return p.read(ctx, splits[i], int64(i)) }); err != nil {
				cancel(err)
			}
		}
	}
	var wg sync.WaitGroup
	for i := range parts[1:] {
		wg.Go(func() { work(i + 1) })
	}
	work(0)
	wg.Wait()
	return context.Cause(ctx)
}
