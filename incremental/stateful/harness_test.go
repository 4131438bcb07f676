package stateful

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// The harness plays random histories against an operator and a naive twin. After every
// trigger the sum of everything emitted must equal what the twin computes from scratch;
// every variant (batch sizes, selections, workers, a restart after each trigger) must
// emit the same delta in each trigger.

// change is a row of a delta.
type change struct {
	row []any
	w   int64
}

// twin is the naive side of a case.
type twin interface {
	// take gives a change to the twin, in order of arrival, and tells its fate.
	take(c change) vec.Fate
	// advance moves the frontiers after a trigger.
	advance(fronts []int64)
	// want is what the emitted rows must add up to.
	want() bag
	// live lists the rows that may be deleted.
	live() [][]any
}

// tester is what the harness needs of *testing.T: mutants must fail without failing.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Failed() bool
}

// opCase is an operator under test.
type opCase struct {
	name   string
	make   func(t tester) Operator
	types  []types.Type
	twin   func() twin
	row    func(rng *rand.Rand, trigger int) []any
	fronts func(trigger int) []int64 // of port 0
	end    []int64                   // fronts after everything has been deleted; nil = as before
	// retract: 40 % of the changes are deletions.
	retract bool
	// ordered: rows keep their order and one worker.
	ordered bool
	// net: no row is both emitted and retracted in a trigger.
	net bool
	// replaces: each trigger's output is the whole result (complete mode).
	replaces bool
	// plays is another way to play a history, for operators with two inputs.
	plays func(t tester, seed uint64)
}

const (
	historyTriggers = 7
	historyChanges  = 14
)

// bag is a multiset of rows by their text.
type bag map[string]int64

func (b bag) add(row []any, w int64) {
	k := rowText(row)
	b[k] += w
	if b[k] == 0 {
		delete(b, k)
	}
}

func rowText(row []any) string {
	parts := make([]string, len(row))
	for i, x := range row {
		if f, ok := x.(float64); ok && f == 0 {
			x = 0.0
		}
		parts[i] = fmt.Sprint(x)
	}
	return strings.Join(parts, " | ")
}

func (b bag) String() string {
	lines := make([]string, 0, len(b))
	for k, w := range b {
		lines = append(lines, fmt.Sprintf("%s  x%d", k, w))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// memLog is a state log in memory.
type memLog map[string][]byte

func (l memLog) Put(key, value []byte) { l[string(key)] = append([]byte{}, value...) }
func (l memLog) Delete(key []byte)     { delete(l, string(key)) }
func (l memLog) DeleteRange(from, to []byte) {
	for k := range l {
		if k >= string(from) && k < string(to) {
			delete(l, k)
		}
	}
}

func (l memLog) load(t tester, op Operator) {
	t.Helper()
	keys := make([]string, 0, len(l))
	for k := range l {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if err := op.Load([]byte(k), l[k]); err != nil {
			t.Fatalf("load %x: %v", k, err)
		}
	}
}

// variant is a way to run a history.
type variant struct {
	batch   int  // rows of a batch
	gaps    bool // a selection over batches with rows that do not count
	workers int  // 0 = the operator itself steps
	restart bool
	// crew lends so many workers to Flush and Advance, whatever the work is worth; anyone
	// may emit at the same time if free.
	crew int
	free bool
}

func (c *opCase) variants() []variant {
	vs := []variant{{batch: 2048}, {batch: 1}, {batch: 3, gaps: true}, {batch: 2048, restart: true}, {batch: 3, restart: true}}
	vs = append(vs, variant{batch: 2048, crew: 3})
	if !c.ordered {
		vs = append(vs, variant{batch: 2, workers: 5, crew: 4, free: true, restart: true},
			variant{batch: 2, workers: 1}, variant{batch: 2, workers: 4}, variant{batch: 1, workers: 4, restart: true})
	}
	return vs
}

// run is one operator on its way through a history.
type run struct {
	c    *opCase
	v    variant
	op   Operator
	log  memLog
	sum  bag
	fate [3]int64
}

func (c *opCase) newRun(t tester, v variant) *run {
	return &run{c: c, v: v, op: v.make(t, c), log: memLog{}, sum: bag{}}
}

// make makes the operator of a variant.
func (v variant) make(t tester, c *opCase) Operator {
	op := c.make(t)
	if v.crew > 0 {
		shareFrom(op, 1)
	}
	return op
}

// collect returns an Emit, and where it sums up what it is given: all of it, the rows that
// come and those that go.
func collect() (delta, plus, minus bag, emit Emit) {
	delta, plus, minus = bag{}, bag{}, bag{}
	return delta, plus, minus, func(b *vec.Batch) error {
		for i := range b.Rows() {
			row := b.Row(i)
			vals := make([]any, len(b.Cols))
			for k, col := range b.Cols {
				vals[k] = vec.ToAny(col, row)
			}
			delta.add(vals, b.Weight(row))
			if b.Weight(row) > 0 {
				plus.add(vals, 1)
			} else {
				minus.add(vals, 1)
			}
		}
		return nil
	}
}

// trigger plays one trigger and returns what was emitted.
func (r *run) trigger(t tester, id int, changes []change, fronts []int64) bag {
	t.Helper()
	delta, plus, minus, emit := collect()
	tr := &Trigger{BatchID: int64(id), Ctx: &fn.Ctx{}}
	if len(fronts) > 0 {
		tr.Ctx.Now = fronts[0]
	}
	if r.v.crew > 0 {
		newCrew(r.v.crew, tr, emit, r.v.free)
	}
	r.fate = [3]int64{}
	r.step(t, tr, changes, emit)
	if err := r.op.Flush(tr, emit); err != nil {
		t.Fatalf("flush: %v", err)
	}
	if err := r.op.Advance(tr, [][]int64{fronts}, emit); err != nil {
		t.Fatalf("advance: %v", err)
	}
	if err := r.op.LogState(r.log); err != nil {
		t.Fatalf("log: %v", err)
	}
	replaced := r.c.replaces && r.op.(*Materialize).Changed()
	if r.v.restart {
		r.op = r.v.make(t, r.c)
		r.log.load(t, r.op)
	}
	if replaced {
		r.sum = bag{}
	}
	for k := range minus {
		if r.c.net && plus[k] != 0 {
			t.Errorf("trigger %d: %s is emitted and retracted", id, k)
		}
	}
	for k, w := range delta {
		if r.sum[k] += w; r.sum[k] == 0 {
			delete(r.sum, k)
		}
		if r.sum[k] < 0 {
			t.Fatalf("trigger %d: the sum of what was emitted has weight %d for %s", id, r.sum[k], k)
		}
	}
	return delta
}

func (r *run) step(t tester, tr *Trigger, changes []change, emit Emit) {
	t.Helper()
	seq := int64(0)
	for i := 0; len(changes) > 0; i++ {
		n := min(r.v.batch, len(changes))
		b := r.batch(changes[:n])
		changes = changes[n:]
		var s Stepper = r.op
		if p, ok := r.op.(Parallel); ok && r.v.workers > 0 {
			s = p.Local(i % r.v.workers)
		}
		if err := s.Step(tr, 0, seq, b, emit); err != nil {
			t.Fatalf("step: %v", err)
		}
		seq += int64(b.N)
		for k := range b.Rows() {
			r.fate[b.Fates.Of[b.Row(k)]]++
		}
	}
}

// batch makes a batch of changes; with gaps there are rows between that do not count.
func (r *run) batch(changes []change) *vec.Batch {
	bs := vec.NewBuilders(r.c.types)
	b := &vec.Batch{}
	put := func(row []any, w int64) {
		for i, x := range row {
			bs[i].AppendAny(x)
		}
		b.W = append(b.W, w)
		b.N++
	}
	for _, c := range changes {
		if r.v.gaps {
			put(changes[0].row, 1000)
			b.Sel = append(b.Sel, int32(b.N))
		}
		put(c.row, c.w)
	}
	for _, x := range bs {
		b.Cols = append(b.Cols, x.Take())
	}
	if !r.c.retract {
		b.W = nil
	}
	b.Fates = &vec.Fates{Of: make([]vec.Fate, b.N)}
	return b
}

// play runs all variants of a case through one history; the error names the first trigger
// that is wrong.
func (c *opCase) play(t tester, seed uint64) {
	t.Helper()
	if c.plays != nil {
		c.plays(t, seed)
		return
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	tw := c.twin()
	var runs []*run
	for _, v := range c.variants() {
		runs = append(runs, c.newRun(t, v))
	}
	for trigger := range historyTriggers {
		changes, fates := c.changes(rng, tw, trigger)
		fronts := c.fronts(trigger)
		tw.advance(fronts)
		c.compare(t, seed, trigger, runs, changes, fronts, tw.want(), fates)
		if t.Failed() {
			return
		}
	}
	if c.retract {
		c.empty(t, seed, tw, runs)
	}
}

func (c *opCase) compare(t tester, seed uint64, trigger int, runs []*run, changes []change, fronts []int64, want bag, fates [3]int64) {
	t.Helper()
	var first bag
	for i, r := range runs {
		delta := r.trigger(t, trigger, changes, fronts)
		if r.sum.String() != want.String() {
			t.Errorf("seed %d trigger %d %+v: emitted so far\n%s\nwant\n%s\nchanges %v fronts %v", seed, trigger, r.v, r.sum, want, changes, fronts)
			return
		}
		if r.fate != fates {
			t.Errorf("seed %d trigger %d %+v: filtered, late, contributed are %v, want %v", seed, trigger, r.v, r.fate, fates)
			return
		}
		if i == 0 {
			first = delta
		}
		if delta.String() != first.String() {
			t.Errorf("seed %d trigger %d %+v: delta\n%s\nwant\n%s", seed, trigger, r.v, delta, first)
			return
		}
	}
}

// changes draws a trigger's changes and gives them to the twin.
func (c *opCase) changes(rng *rand.Rand, tw twin, trigger int) ([]change, [3]int64) {
	var out []change
	var fates [3]int64
	for range rng.IntN(historyChanges) {
		ch := change{w: 1}
		if live := tw.live(); c.retract && len(live) > 0 && rng.IntN(10) < 4 {
			ch = change{live[rng.IntN(len(live))], -1}
		} else {
			ch.row = c.row(rng, trigger)
		}
		fates[tw.take(ch)]++
		out = append(out, ch)
	}
	return out, fates
}

// empty deletes every row that can be deleted, and expects nothing to be left.
func (c *opCase) empty(t tester, seed uint64, tw twin, runs []*run) {
	t.Helper()
	var changes []change
	for _, row := range append([][]any{}, tw.live()...) {
		ch := change{row, -1}
		if tw.take(ch) == vec.Contributed {
			changes = append(changes, ch)
		}
	}
	fronts := c.fronts(historyTriggers - 1)
	if c.end != nil {
		fronts = c.end
	}
	for _, r := range runs {
		r.trigger(t, historyTriggers, changes, fronts)
		if r.sum.String() != tw.want().String() {
			t.Errorf("seed %d %+v: after deleting everything\n%s\nwant\n%s", seed, r.v, r.sum, tw.want())
		}
		s := r.op.Stats()
		fresh := c.make(t).Stats()
		if s.Keys > fresh.Keys+1 || s.Bytes > fresh.Bytes+4096 {
			t.Errorf("seed %d %+v: %d keys and %d bytes after deleting everything, %d bytes when new", seed, r.v, s.Keys, s.Bytes, fresh.Bytes)
		}
		if len(r.log) > 2 {
			t.Errorf("seed %d %+v: %d entries logged after deleting everything", seed, r.v, len(r.log))
		}
	}
}

func playAll(t *testing.T, cases []*opCase, seeds uint64) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for seed := range seeds {
				c.play(t, seed)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// pick draws from a domain, NULL in one of five.
func pick(rng *rand.Rand, domain ...any) any {
	if rng.IntN(5) == 0 {
		return nil
	}
	return domain[rng.IntN(len(domain))]
}
