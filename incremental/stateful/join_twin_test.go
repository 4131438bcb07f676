package stateful

import (
	"fmt"
	"math/rand/v2"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Both inputs of the joins under test have a key, a text, a number and a time.
var twoInput = []types.Type{bigint, text, bigint, stamp}

const timeCol = 3

// pairTest is a condition over a left and a right row, NULL where one of the columns that
// it reads is NULL.
type pairTest struct {
	name  string
	cols  []int
	holds func(x []int64) bool
}

func (p *pairTest) Type() types.Type                   { return boolean }
func (p *pairTest) String() string                     { return p.name }
func (p *pairTest) WithChildren([]expr.Node) expr.Node { return p }
func (p *pairTest) Children() []expr.Node {
	var out []expr.Node
	for _, c := range p.cols {
		out = append(out, &expr.Column{Index: c, T: twoInput[c%4], Name: fmt.Sprint("#", c)})
	}
	return out
}

func (p *pairTest) Eval(_ *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	out := vec.NewBuilder(boolean)
	for r := range b.N {
		var xs []int64
		for _, c := range p.cols {
			if !b.Cols[c].IsNull(r) {
				xs = append(xs, b.Cols[c].Int(r))
			}
		}
		if len(xs) < len(p.cols) {
			out.AppendNull()
			continue
		}
		out.AppendBool(p.holds(xs))
	}
	return out.Take(), nil
}

func (p *pairTest) of(l, r []any) bool {
	both := append(append([]any{}, l...), r...)
	var xs []int64
	for _, c := range p.cols {
		if both[c] == nil {
			return false
		}
		xs = append(xs, both[c].(int64))
	}
	return p.holds(xs)
}

var (
	lessTest = &pairTest{"l.v < r.v", []int{2, 6}, func(x []int64) bool { return x[0] < x[1] }}
	// bandTest is l.at BETWEEN r.at − 10 AND r.at + 5.
	bandTest = &pairTest{"band", []int{3, 7}, func(x []int64) bool { return x[0] >= x[1]-10 && x[0] <= x[1]+5 }}
)

// joinPlay is a join under test.
type joinPlay struct {
	cfg JoinConfig
	// ends: the left, the right input ends after this trigger; 0 = never.
	ends [2]int
}

// pairTwin joins by nested loops.
type pairTwin struct {
	joinPlay
	rows  [2][][]any
	bound [2]int64 // of late rows
	front [2]int64
}

func (j *pairTwin) take(port int, c change) vec.Fate {
	if at := c.row[timeCol]; j.cfg.Sides[port].Late != nil && at != nil && at.(int64) < j.bound[port] {
		return vec.Late
	}
	if c.w > 0 {
		j.rows[port] = append(j.rows[port], c.row)
	} else {
		j.rows[port] = without(j.rows[port], c.row)
	}
	return vec.Contributed
}

// compare is the truth of a match: 1 true, 0 false, −1 unknown under the rules of IN.
func (j *pairTwin) compare(l, r []any) int {
	truth := 1
	for k := range j.cfg.KeyTypes {
		switch t := equal3(l[j.cfg.Keys[0][k]], r[j.cfg.Keys[1][k]], j.cfg.nullSafe(k)); {
		case t == 0, t < 0 && k >= j.cfg.NullAware:
			return 0
		case t < 0:
			truth = -1
		}
	}
	if p, ok := j.cfg.Residual.(*pairTest); ok && !p.of(l, r) {
		return 0
	}
	return truth
}

func (j *pairTwin) want() bag {
	out := bag{}
	matched := map[int]bool{}
	for _, l := range j.rows[0] {
		isTrue, isUnknown := false, false
		for i, r := range j.rows[1] {
			switch j.compare(l, r) {
			case 1:
				isTrue, matched[i] = true, true
				if !j.cfg.Kind.exists() {
					out.add(append(append([]any{}, l...), r...), 1)
				}
			case -1:
				isUnknown = true
			}
		}
		j.left(out, l, isTrue, isUnknown)
	}
	for i, r := range j.rows[1] {
		if j.cfg.Kind == FullJoin && !matched[i] && j.settled(1, r) {
			out.add(append([]any{nil, nil, nil, nil}, r...), 1)
		}
	}
	return out
}

func (j *pairTwin) left(out bag, l []any, isTrue, isUnknown bool) {
	switch j.cfg.Kind {
	case LeftJoin, FullJoin:
		if !isTrue && j.settled(0, l) {
			out.add(append(append([]any{}, l...), nil, nil, nil, nil), 1)
		}
	case SemiJoin:
		if isTrue {
			out.add(l, 1)
		}
	case AntiJoin:
		if !isTrue && !isUnknown && j.settled(0, l) {
			out.add(l, 1)
		}
	case MarkJoin:
		var m any = isTrue
		if !isTrue && isUnknown {
			m = nil
		}
		if isTrue || j.settled(0, l) {
			out.add(append(append([]any{}, l...), m), 1)
		}
	}
}

// settled tells whether a row without a match is out.
func (j *pairTwin) settled(port int, row []any) bool {
	if !j.cfg.EmitOnExpiry {
		return true
	}
	for k, c := range j.cfg.Keys[port] {
		if row[c] == nil && !j.cfg.nullSafe(k) && k >= j.cfg.NullAware {
			return true
		}
	}
	keep := j.cfg.Sides[port].Keep
	if keep.Col < 0 {
		return j.front[1-port] == EndOfInput
	}
	return row[keep.Col] == nil || row[keep.Col].(int64)+keep.Shift < j.front[1-port]
}

func twoRow(rng *rand.Rand, trigger int) []any {
	base := int64(trigger) * 10
	return []any{pick(rng, int64(1), int64(2), int64(3)), pick(rng, "a", "b"), pick(rng, int64(1), int64(2), int64(3)),
		pick(rng, base, base-5, base-10, base-15, base-20, base+10)}
}

// joinRun is one operator on its way through a history.
type joinRun struct {
	run
	mixed bool // batches of the inputs alternate
}

func (c *joinPlay) make(t tester) Operator {
	op, err := NewJoin(c.cfg)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return op
}

func (c *joinPlay) runs(name string, t tester) []*joinRun {
	oc := &opCase{name: name, types: twoInput, make: c.make}
	oc.retract = true
	oc.net = len(c.cfg.KeyTypes) > 0 && c.cfg.NullSafe == nil
	var out []*joinRun
	for _, v := range []variant{{batch: 2048}, {batch: 1}, {batch: 3, gaps: true}, {batch: 2048, restart: true}, {batch: 2, restart: true}} {
		out = append(out, &joinRun{run: *oc.newRun(t, v), mixed: v.batch < 3})
	}
	return out
}

// deliver gives the changes of both inputs to the operator.
func (r *joinRun) deliver(t tester, tr *Trigger, changes [2][]change, emit Emit) {
	t.Helper()
	left := changes
	for len(left[0])+len(left[1]) > 0 {
		for port := range left {
			for len(left[port]) > 0 {
				n := min(r.v.batch, len(left[port]))
				b := r.batch(left[port][:n])
				left[port] = left[port][n:]
				if err := r.op.Step(tr, port, 0, b, emit); err != nil {
					t.Fatalf("step: %v", err)
				}
				for k := range b.Rows() {
					r.fate[b.Fates.Of[b.Row(k)]]++
				}
				if r.mixed {
					break
				}
			}
		}
	}
}

func (r *joinRun) trigger(t tester, id int, changes [2][]change, fronts [2]int64) bag {
	t.Helper()
	delta, plus, minus, emit := collect()
	tr := &Trigger{BatchID: int64(id), Ctx: &fn.Ctx{}}
	r.fate = [3]int64{}
	r.deliver(t, tr, changes, emit)
	if err := r.op.Flush(tr, emit); err != nil {
		t.Fatalf("flush: %v", err)
	}
	ends := [2][]int64{{fronts[0], ended(fronts[0])}, {fronts[1], ended(fronts[1])}}
	if err := r.op.Advance(tr, ends[:], emit); err != nil {
		t.Fatalf("advance: %v", err)
	}
	r.finish(t, id, delta, plus, minus)
	return delta
}

func ended(front int64) int64 {
	if front == EndOfInput {
		return EndOfInput
	}
	return NoFrontier
}

// finish logs, restarts and sums up.
func (r *joinRun) finish(t tester, id int, delta, plus, minus bag) {
	t.Helper()
	if err := r.op.LogState(r.log); err != nil {
		t.Fatalf("log: %v", err)
	}
	if r.v.restart {
		r.op = r.c.make(t)
		r.log.load(t, r.op)
		if err := r.op.LogState(memLog{}); err != nil {
			t.Fatalf("log: %v", err)
		}
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
}

// play runs all variants of a join through one history.
func (c *joinPlay) play(name string, t tester, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	tw := &pairTwin{joinPlay: *c, bound: [2]int64{NoFrontier, NoFrontier}, front: [2]int64{NoFrontier, NoFrontier}}
	runs := c.runs(name, t)
	lag := [2]int64{int64(rng.IntN(4)) * 5, int64(rng.IntN(4)) * 5}
	for trigger := range historyTriggers {
		changes, fates := c.changes(rng, tw, trigger)
		for port := range tw.front {
			if trigger > 0 {
				tw.front[port] = max(tw.front[port], int64(trigger)*10-lag[port])
			}
			if e := c.ends[port]; e > 0 && trigger >= e {
				tw.front[port] = EndOfInput
			}
		}
		tw.bound = tw.front
		c.compareRuns(t, seed, trigger, runs, changes, tw, fates)
		if t.Failed() {
			return
		}
	}
	c.finale(t, seed, runs, tw)
}

func (c *joinPlay) compareRuns(t tester, seed uint64, trigger int, runs []*joinRun, changes [2][]change, tw *pairTwin, fates [3]int64) {
	t.Helper()
	want := tw.want()
	var first bag
	var keys int64
	for i, r := range runs {
		delta := r.trigger(t, trigger, changes, tw.front)
		if r.sum.String() != want.String() {
			t.Errorf("seed %d trigger %d %+v: emitted so far\n%s\nwant\n%s\nchanges %v fronts %v", seed, trigger, r.v, r.sum, want, changes, tw.front)
			return
		}
		if r.fate != fates {
			t.Errorf("seed %d trigger %d %+v: filtered, late, contributed are %v, want %v", seed, trigger, r.v, r.fate, fates)
			return
		}
		if i == 0 {
			first, keys = delta, r.op.Stats().Keys
		}
		if delta.String() != first.String() {
			t.Errorf("seed %d trigger %d %+v: delta\n%s\nwant\n%s", seed, trigger, r.v, delta, first)
			return
		}
		if n := r.op.Stats().Keys; n != keys {
			t.Errorf("seed %d trigger %d %+v: %d rows and counts are held, want %d", seed, trigger, r.v, n, keys)
			return
		}
	}
}

// changes draws a trigger's changes of both inputs.
func (c *joinPlay) changes(rng *rand.Rand, tw *pairTwin, trigger int) (out [2][]change, fates [3]int64) {
	for port := range out {
		if e := c.ends[port]; e > 0 && trigger > e {
			continue
		}
		for range rng.IntN(historyChanges) {
			ch := change{w: 1}
			if live := tw.rows[port]; c.cfg.Sides[port].Retract && len(live) > 0 && rng.IntN(10) < 4 {
				ch = change{live[rng.IntN(len(live))], -1}
			} else if ch.row = twoRow(rng, trigger); c.cfg.Sides[port].Retract && rng.IntN(6) == 0 {
				ch.w = 2
			}
			fate := tw.take(port, change{ch.row, min(ch.w, 1)})
			if ch.w == 2 {
				tw.take(port, change{ch.row, 1})
			}
			fates[fate]++
			out[port] = append(out[port], ch)
		}
	}
	return out, fates
}

// finale deletes everything, or ends both inputs, and expects that nothing is left.
func (c *joinPlay) finale(t tester, seed uint64, runs []*joinRun, tw *pairTwin) {
	t.Helper()
	sides := c.cfg.Sides
	var changes [2][]change
	switch {
	case sides[0].Retract && sides[1].Retract:
		for port := range changes {
			for _, row := range append([][]any{}, tw.rows[port]...) {
				if c.ends[port] > 0 {
					return
				}
				if ch := (change{row, -1}); tw.take(port, ch) == vec.Contributed {
					changes[port] = append(changes[port], ch)
				}
			}
		}
	case sides[0].Keep != nil && sides[1].Keep != nil:
		tw.front = [2]int64{EndOfInput, EndOfInput}
	default:
		return
	}
	want := tw.want()
	for _, r := range runs {
		r.trigger(t, historyTriggers, changes, tw.front)
		if r.sum.String() != want.String() {
			t.Errorf("seed %d %+v: in the end\n%s\nwant\n%s", seed, r.v, r.sum, want)
		}
		c.expectEmpty(t, seed, r, tw)
	}
}

func (c *joinPlay) expectEmpty(t tester, seed uint64, r *joinRun, tw *pairTwin) {
	t.Helper()
	if len(tw.rows[0])+len(tw.rows[1]) > 0 && tw.front[0] != EndOfInput {
		return // late deletions
	}
	s, fresh := r.op.Stats(), c.make(t).Stats()
	if s.Keys > 0 || s.Bytes > fresh.Bytes+4096 {
		t.Errorf("seed %d %+v: %d keys and %d bytes in the end, %d bytes when new", seed, r.v, s.Keys, s.Bytes, fresh.Bytes)
	}
	if len(r.log) > 1 {
		t.Errorf("seed %d %+v: %d entries logged in the end", seed, r.v, len(r.log))
	}
}
