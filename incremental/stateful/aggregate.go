package stateful

import (
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Aggregate
//
// State: per group a row count and the accumulators, in buckets by the value of the
// bound key (one bucket without bound). Rows come into tables of the worker first,
// and Flush merges these: a bucket that the state does not have is taken over whole.
// +1/−1: both add to counters; a group whose row count becomes 0 vanishes.
// Emitted: at Flush the old row (−1) and the new one (+1) of each group whose result
// changed; with EmitOnClose each group once, at Advance, when it is final.
// Dropped: buckets below the frontier, at Advance. A row is late when its bound key
// is below the frontier of the trigger before.
// Cost: O(1) per row, then O(1) per touched group and aggregate. Large tables are merged
// by the graph's workers: keys in parts by hash, then each accumulator on its own. Rows
// of many groups are made by them, a batch each.
// Restart: groups, entries of accumulators that have them, and the bound.

// aggregate is the operator of AggregateConfig.
type aggregate struct {
	cfg       AggregateConfig
	specs     []boundSpec
	outTypes  []types.Type
	tableCols []int        // input columns of the buckets' tables
	tableKeys []types.Type // their types
	keyPlace  []int        // by key: column of the table, −1 = the bucket's own value
	width     int64
	ordered   bool // rows must come in order of arrival
	set       bool // append-only and without aggregates: a group that is there stays as it is

	proto *hash.Table // of the state's tables
	state buckets
	own   *aggLocal
	loc   []*aggLocal

	bound       int64 // frontier of the trigger before
	boundLogged int64
	closedTo    int64 // everything below has been dropped since the last LogState
	born        bool  // the global row has been emitted
	load        *aggLoader
	*hand                // of the caller
	hands       []*hand  // of the workers
	shareFrom   int      // groups that are worth the graph's workers
	trigger     *Trigger // under way, from Flush on
	stats       Stats
}

// parallelAggregate is an aggregate whose rows need not come in order.
type parallelAggregate struct{ *aggregate }

// Local implements Parallel.
func (p parallelAggregate) Local(worker int) Stepper { return p.local(worker) }

// NewAggregate returns the operator. It implements Parallel unless an aggregate depends
// on the order of arrival.
func NewAggregate(cfg AggregateConfig) (Operator, error) {
	a, err := newAggregate(cfg)
	if err != nil {
		return nil, err
	}
	if a.ordered {
		return a, nil
	}
	return parallelAggregate{a}, nil
}

func newAggregate(cfg AggregateConfig) (*aggregate, error) {
	a := &aggregate{cfg: cfg, bound: NoFrontier, boundLogged: NoFrontier, closedTo: NoFrontier, width: 1, shareFrom: sharedGroups, state: buckets{ordered: true}}
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	if cfg.Bound >= 0 && cfg.Panes == nil {
		a.width = defaultWidth(cfg.Width, cfg.KeyTypes[cfg.Bound])
	}
	for _, s := range cfg.Aggs {
		a.specs = append(a.specs, shareDistinct(a.specs, s, bindSpec(s)))
		a.ordered = a.ordered || s.Ordered && len(s.OrderBy) == 0
	}
	if a.ordered && cfg.Panes != nil {
		return nil, fmt.Errorf("%s: an aggregate by order of arrival cannot be combined from panes", cfg.Name)
	}
	a.set = len(cfg.Aggs) == 0 && !cfg.Retract && !cfg.Global && !cfg.weighted
	a.layout()
	a.proto = a.newTable()
	a.own = newAggLocal(a)
	a.hand = a.newHand()
	a.load = newAggLoader(a)
	return a, nil
}

func (a *aggregate) newTable() *hash.Table {
	if len(a.tableKeys) == 0 {
		return nil
	}
	return hash.New(a.tableKeys)
}

// Step implements Stepper.
func (a *aggregate) Step(t *Trigger, port int, seq int64, b *vec.Batch, out Emit) error {
	return a.own.Step(t, port, seq, b, out)
}

func (a *aggregate) local(worker int) *aggLocal {
	for len(a.loc) <= worker {
		a.loc = append(a.loc, newAggLocal(a))
	}
	return a.loc[worker]
}

// Flush implements Operator.
func (a *aggregate) Flush(t *Trigger, out Emit) error {
	a.begin(t)
	if err := a.load.finish(); err != nil {
		return err
	}
	a.stats.Updated, a.stats.Removed, a.stats.Late = 0, 0, 0
	locals := append([]*aggLocal{a.own}, a.loc...)
	if a.cfg.Panes != nil {
		return a.flushPanes(locals, out)
	}
	var changed []*bucket
	for _, at := range a.gather(locals) {
		b, err := a.mergeBucket(at, locals)
		if err != nil {
			return err
		}
		changed = append(changed, b)
	}
	if err := a.emitChanges(changed, out); err != nil {
		return err
	}
	return a.emitBirth(out)
}

// gather lists the buckets that the locals have rows for, ascending, and takes over
// their counters.
func (a *aggregate) gather(locals []*aggLocal) []slot {
	seen := map[slot]bool{}
	for _, l := range locals {
		a.stats.Late += l.late
		l.late = 0
		for at := range l.buckets.all {
			seen[at] = true
		}
	}
	return sortedSlots(seen)
}

// mergeBucket brings the locals' buckets of one slot into the state, remembering the old
// results of the groups that it changes.
func (a *aggregate) mergeBucket(at slot, locals []*aggLocal) (*bucket, error) {
	b := a.state.all[at]
	if b == nil {
		b = adopt(at, locals)
		b.adopted()
		a.state.put(at, b)
	}
	for _, l := range locals {
		src := l.buckets.all[at]
		if src == nil {
			continue
		}
		if err := a.mergeInto(b, src); err != nil {
			return nil, err
		}
		l.recycle(at, src)
	}
	a.state.dirty[at] = true
	return b, b.check(a.cfg.Name)
}

// adopt takes the largest bucket of a slot away from its local; some local has one.
func adopt(at slot, locals []*aggLocal) *bucket {
	var from *aggLocal
	for _, l := range locals {
		if b := l.buckets.all[at]; b != nil && (from == nil || b.used() > from.buckets.all[at].used()) {
			from = l
		}
	}
	b := from.buckets.all[at]
	from.buckets.remove(at)
	return b
}

// mergeInto adds the groups of src to those of b.
func (a *aggregate) mergeInto(b, src *bucket) error {
	if a.shares(src) {
		return a.mergeShared(b, src)
	}
	for from := 0; from < src.used(); from += vec.BatchSize {
		groups, into := a.tmp.run(from, min(src.used()-from, vec.BatchSize))
		b.lookup(src, groups, into)
		if err := a.remember(b, into); err != nil {
			return err
		}
		if err := b.addGroups(src, groups, into); err != nil {
			return fmt.Errorf("%s: %w", a.cfg.Name, err)
		}
	}
	return nil
}

// remember notes that groups are about to change, and what their results are now.
func (a *aggregate) remember(b *bucket, groups []uint32) error {
	first := a.touch(b, groups)
	if len(first) == 0 {
		return nil
	}
	return a.oldResults(b, first)
}

// touch lists groups that are about to change, and returns those whose results are to be
// kept first. The list is valid until the next call.
func (a *aggregate) touch(b *bucket, groups []uint32) []uint32 {
	keepOld := !a.cfg.EmitOnClose && a.cfg.Panes == nil
	first := a.tmp.firsts[:0]
	for _, g := range groups {
		if b.flags[g]&flagTouched != 0 && !mutant.On("old results are taken twice") || a.set && b.rows[g] != 0 {
			continue
		}
		b.flags[g] |= flagTouched
		if keepOld && (b.rows[g] != 0 || a.born) {
			first = append(first, g)
			continue
		}
		b.touched = append(b.touched, g)
	}
	a.tmp.firsts = first
	if len(first) > 0 && b.old == nil {
		b.old = vec.NewBuilders(a.outTypes[len(a.cfg.Keys):])
	}
	b.changed = append(b.changed, first...)
	return first
}

// emitBirth emits the global row before any input.
func (a *aggregate) emitBirth(out Emit) error {
	if !a.cfg.Global || a.born {
		return nil
	}
	b := a.state.all[slot{}]
	if b == nil {
		b = newBucket(a, slot{}, a.proto)
		b.grow(1)
		b.flags[0] |= flagTouched
		b.touched = append(b.touched, 0)
		a.state.put(slot{}, b)
		a.state.dirty[slot{}] = true
		if err := a.emitChanges([]*bucket{b}, out); err != nil {
			return err
		}
	}
	a.born = true
	return nil
}

// Advance implements Operator.
func (a *aggregate) Advance(t *Trigger, fronts [][]int64, out Emit) error {
	a.begin(t)
	if a.cfg.Bound >= 0 && a.cfg.Front >= 0 && !a.cfg.Keep {
		front := fronts[0][a.cfg.Front]
		invariant.Assert(front >= a.bound, "frontiers never retreat")
		if front > a.bound {
			to := front
			if mutant.On("windows close with the frontier of the trigger before") {
				to = a.bound
			}
			if err := a.closeTo(to, out); err != nil {
				return err
			}
			a.bound = front
		}
	}
	if a.cfg.Unlogged {
		return a.LogState(discard{})
	}
	return nil
}

// closeTo emits and forgets what is final below front.
func (a *aggregate) closeTo(front int64, out Emit) error {
	if a.cfg.Panes != nil {
		return a.closePanes(front, out)
	}
	for _, at := range a.state.ascending() {
		if at.at >= front && front != EndOfInput {
			break
		}
		b := a.state.all[at]
		if front < EndOfInput && at.at+a.width > front {
			if err := a.closePart(b, front, out); err != nil {
				return err
			}
			continue
		}
		if err := a.closeWhole(b, out); err != nil {
			return err
		}
	}
	if b := a.state.all[slot{null: true}]; b != nil && front == EndOfInput {
		if err := a.closeWhole(b, out); err != nil {
			return err
		}
	}
	a.closedTo = max(a.closedTo, front)
	return nil
}

// closeWhole emits and forgets a bucket.
func (a *aggregate) closeWhole(b *bucket, out Emit) error {
	if err := a.emitFinal(b, b.live(), out); err != nil {
		return err
	}
	a.drop(b)
	return nil
}

// drop forgets a bucket whole.
func (a *aggregate) drop(b *bucket) {
	a.stats.Removed += int64(b.count())
	a.state.remove(b.at)
}

// closePart closes the groups of a bucket that are below front.
func (a *aggregate) closePart(b *bucket, front int64, out Emit) error {
	live := b.live()
	key := vec.NewBuilder(a.tableKeys[0])
	b.table.Key(live, 0, key)
	v := key.Finish()
	final := live[:0]
	for i, g := range live {
		if v.Int(i) < front {
			final = append(final, g)
		}
	}
	if err := a.emitFinal(b, final, out); err != nil {
		return err
	}
	for _, g := range final {
		b.rows[g] = 0
		b.vanish(g)
	}
	a.state.dirty[b.at] = true
	a.stats.Removed += int64(len(final))
	return nil
}

// Stats implements Operator.
func (a *aggregate) Stats() Stats {
	s := a.stats
	if err := a.load.finish(); err != nil {
		return s
	}
	s.Keys, s.Bytes = 0, 0
	for _, b := range a.state.all {
		s.Keys += int64(b.count())
		s.Bytes += b.bytes()
	}
	return s
}

// bucketOf is the slot of a bound value.
func (a *aggregate) bucketOf(x int64) slot {
	if a.width <= 1 {
		return slot{at: x}
	}
	return slot{at: floorTo(x, a.width)}
}

// floorTo is the greatest multiple of unit that is not above x.
func floorTo(x, unit int64) int64 {
	r := x % unit
	if r < 0 {
		r += unit
	}
	if x < math.MinInt64+r {
		return math.MinInt64
	}
	return x - r
}
