package stateful

import (
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Over
//
// State: the rows of each partition in the order of the order columns, then of the
// whole row (ordered); for frames, partial aggregates of the rows below each node of the
// tree, which are made when a frame first covers the node and dropped when a row below it
// changes. They are not logged. The values of functions are not kept.
// +1/−1: the row enters or leaves its partition. Before the changes of a trigger are
// applied, the stretches of rows whose value can depend on one of them are found
// (over_touch.go) and their values computed; after it, they are computed again.
// Emitted: the difference, at Flush, partition by partition, retractions first. A row
// whose values stay is not among it.
// In append mode (EmitOnClose) a row is emitted once, at Advance (over_close.go).
// Late: a row whose bound column is below the frontier of the trigger before.
// Dropped, at Advance: if the bound column is one of the partition, the partitions below
// the frontier; if it is the order column and all frames have a start, the rows that no
// frame of a row above the frontier reaches; else nothing.
// Cost: O(log n) per changed row and per touched one, n being the rows of the partition;
// a touched row whose frame is short costs its frame. A running aggregate touches the rows
// after the change, ntile and cume_dist all of the partition.
// Restart: the rows with their weights, and the bound.
type over struct {
	cfg  OverConfig
	rows *ordered
	null []byte  // sort key of NULL
	ctx  *fn.Ctx // of the trigger
	eval []overEval
	tree overTree
	part overPart

	bound, boundLogged, closedTo int64
	until                        []int64 // by partition: the bound value at which it is looked at again
	lists                        timeLists

	spans     []span
	ones      []*vec.Builder // of single values
	one       [1]uint32
	key       []byte
	now, then overRows
	emitter   overEmitter
	late      lateFilter
	stats     Stats
	loading   bool
	begun     bool // stats are those of the trigger under way
}

// NewOver returns the operator.
func NewOver(cfg OverConfig) (Operator, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	o := &over{cfg: cfg, null: cfg.nullKey(), bound: NoFrontier, boundLogged: NoFrontier, closedTo: NoFrontier}
	o.rows = newOrdered(orderedConfig{Name: cfg.Name, Types: cfg.Types, Partition: cfg.Partition, Order: cfg.Order, Lead: cfg.lead()})
	o.tree = overTree{o: o}
	for i := range o.cfg.Funcs {
		o.eval = append(o.eval, newOverEval(o, &o.cfg.Funcs[i]))
	}
	if cfg.Bound >= 0 {
		o.lists = newTimeLists(defaultWidth(0, cfg.Types[cfg.Bound]))
	}
	o.emitter = newOverEmitter(o)
	o.late = lateFilter{name: cfg.Name, col: cfg.Bound}
	return o, nil
}

// Step implements Stepper.
func (o *over) Step(t *Trigger, _ int, _ int64, b *vec.Batch, _ Emit) error {
	o.begin()
	if err := o.loaded(); err != nil {
		return err
	}
	sel, err := o.late.onTime(t, b, o.refusing())
	o.stats.Late += o.late.taken()
	if err != nil || b.Rows() == 0 {
		return err
	}
	o.rows.add(b, sel)
	return nil
}

// loaded ends what Load began.
func (o *over) loaded() error {
	if !o.loading {
		return nil
	}
	o.loading = false
	if err := o.rows.load.finish(); err != nil {
		return err
	}
	o.rows.partitions(o.register)
	return nil
}

func (o *over) begin() {
	if !o.begun {
		o.stats, o.begun = Stats{}, true
	}
}

// refusing is the bound below which rows are late.
func (o *over) refusing() int64 {
	if mutant.On("OVER takes late rows") {
		return NoFrontier
	}
	return o.bound
}

// Flush implements Operator.
func (o *over) Flush(t *Trigger, out Emit) error {
	o.begin()
	o.begun, o.ctx = false, t.Ctx
	for _, p := range o.rows.touched {
		if o.cfg.EmitOnClose {
			if err := o.rows.apply(p); err != nil {
				return err
			}
			o.tree.recycle()
			o.register(p)
			continue
		}
		if err := o.flush(t, p, out); err != nil {
			return err
		}
	}
	o.rows.settle()
	return o.emitter.flush(out)
}

// flush brings the changes of a partition into it, and emits what they change.
func (o *over) flush(t *Trigger, p uint32, out Emit) error {
	o.touch(p)
	if len(o.spans) == 0 {
		return o.rows.apply(p)
	}
	if err := o.oldValues(p); err != nil {
		return err
	}
	if err := o.rows.apply(p); err != nil {
		return err
	}
	o.tree.recycle()
	if err := o.values(p, &o.now); err != nil {
		return err
	}
	o.stats.Updated += int64(len(o.now.rows))
	o.register(p)
	return o.emitter.difference(&o.then, &o.now, out)
}

// oldValues is values for rows that came out before: what could not be computed was
// counted then.
func (o *over) oldValues(p uint32) error {
	defer forgetErrors(o.ctx)()
	return o.values(p, &o.then)
}

// values computes the functions for the rows of the spans, as the partition is now.
func (o *over) values(p uint32, into *overRows) error {
	into.reset(o.cfg.Funcs)
	o.part.open(o, p)
	for _, s := range o.spans {
		o.part.stretch(s)
		if len(o.part.row) == 0 {
			continue
		}
		into.rows = append(into.rows, o.part.row...)
		for i := range o.eval {
			if err := o.eval[i].values(&o.part, into.build[i]); err != nil {
				return err
			}
		}
	}
	into.finish()
	return nil
}

// Advance implements Operator.
func (o *over) Advance(_ *Trigger, fronts [][]int64, out Emit) error {
	if err := o.loaded(); err != nil {
		return err
	}
	if o.cfg.Bound >= 0 {
		front := fronts[0][o.cfg.Front]
		invariant.Assert(front >= o.bound, "frontiers never retreat")
		old := o.bound
		o.bound = max(old, front)
		switch {
		case front == old:
		case o.cfg.EmitOnClose:
			if err := o.closing(old, out); err != nil {
				return err
			}
		default:
			o.clean()
		}
	}
	if o.cfg.Unlogged {
		return o.LogState(discard{})
	}
	return nil
}

// LogState implements Operator. Keys: 00 → the bound; 01 row → its weight (ordered).
func (o *over) LogState(log Log) error {
	logBound(log, o.bound, &o.boundLogged)
	if o.cfg.Whole {
		logClosed(log, o.closedTo)
		o.closedTo = NoFrontier
	}
	o.rows.logState(log)
	o.tree.recycle()
	if o.rows.table.Len() == 0 {
		o.release()
	}
	return nil
}

// release gives the memory of an empty state back.
func (o *over) release() {
	o.tree.reset()
	o.until = nil
	o.then, o.now, o.part = overRows{}, overRows{}, overPart{}
	for i := range o.eval {
		o.eval[i] = newOverEval(o, &o.cfg.Funcs[i])
	}
	if o.cfg.Bound >= 0 {
		o.lists = newTimeLists(defaultWidth(0, o.cfg.Types[o.cfg.Bound]))
	}
}

// Load implements Operator.
func (o *over) Load(key, value []byte) error {
	if len(key) == 1 && key[0] == tagBound {
		x, n := binary.Varint(value)
		if n <= 0 {
			return fmt.Errorf("%s: %w", o.cfg.Name, errStateKey)
		}
		o.bound, o.boundLogged = x, x
		return nil
	}
	o.loading = true
	if err := o.rows.load.add(key, value); err != nil {
		return fmt.Errorf("%s: %w", o.cfg.Name, err)
	}
	return nil
}

// Stats implements Operator.
func (o *over) Stats() Stats {
	s := o.stats
	if err := o.rows.stats(&s); err != nil {
		return s
	}
	s.Bytes += o.tree.bytes() + int64(8*cap(o.until)) + o.lists.bytes()
	return s
}

// overRows are rows of a partition with the values of the functions, a copy each.
type overRows struct {
	rows  []uint32
	build []*vec.Builder
	vals  []*vec.Vector
}

func (r *overRows) reset(funcs []OverFunc) {
	r.rows = trim(r.rows)
	if r.build == nil {
		for _, f := range funcs {
			r.build = append(r.build, vec.NewBuilder(f.Result))
		}
		r.vals = make([]*vec.Vector, len(funcs))
	}
	for _, b := range r.build {
		b.Reset()
	}
}

func (r *overRows) finish() {
	for i, b := range r.build {
		r.vals[i] = b.Finish()
	}
}

// overEval computes one function for a stretch of rows.
type overEval interface {
	values(p *overPart, out *vec.Builder) error
}

func newOverEval(o *over, f *OverFunc) overEval {
	switch {
	case f.Agg != nil:
		return newOverAgg(o, f)
	case len(f.Order) > 0:
		return newOverInner(o, f)
	case f.Kind == fn.Fill:
		return &overFill{o: o, f: f}
	case f.Kind == fn.Lag || f.Kind == fn.Lead:
		return &overAway{o: o, f: f}
	case f.Kind.Framed():
		return &overPick{o: o, f: f}
	}
	return &overRank{o: o, f: f}
}
