package stateful

import (
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// dedupTwin keeps all first rows of keys in a list.
type dedupTwin struct {
	keys    []int
	bound   int
	clean   bool
	delay   int64 // within-watermark when > 0
	front   int64
	seen    map[string][]any // key → time of its first row
	emitted bag
}

func (d *dedupTwin) take(c change) vec.Fate {
	var at any
	if d.bound >= 0 {
		at = c.row[d.bound]
		if at != nil && at.(int64) < d.front {
			return vec.Late
		}
	}
	key := []any{}
	for _, k := range d.keys {
		key = append(key, c.row[k])
	}
	if _, dup := d.seen[rowText(key)]; !dup {
		d.seen[rowText(key)] = []any{at}
		d.emitted.add(c.row, 1)
	}
	return vec.Contributed
}

func (d *dedupTwin) advance(fronts []int64) {
	if d.bound < 0 {
		return
	}
	d.front = fronts[0]
	for k, first := range d.seen {
		if first[0] == nil || d.front == NoFrontier {
			continue
		}
		x := first[0].(int64)
		if d.clean && x < d.front || d.delay > 0 && x+d.delay <= d.front {
			delete(d.seen, k)
		}
	}
}

func (d *dedupTwin) want() bag     { return d.emitted }
func (d *dedupTwin) live() [][]any { return nil }

var dedupInput = []types.Type{stamp, text, bigint}

func dedupRow(rng *rand.Rand, trigger int) []any {
	return []any{
		pick(rng, int64(trigger)*10, int64(trigger-1)*10, int64(trigger-2)*10, int64(trigger+1)*10),
		pick(rng, "a", "b"),
		pick(rng, int64(1), int64(2)),
	}
}

func dedupCase(name string, tw dedupTwin) *opCase {
	cfg := DedupConfig{Name: name, Keys: tw.keys, Bound: tw.bound, Clean: tw.clean}
	for _, k := range tw.keys {
		cfg.KeyTypes = append(cfg.KeyTypes, dedupInput[k])
	}
	if tw.delay > 0 {
		cfg.Expires = func(x int64) int64 { return x + tw.delay }
	}
	return &opCase{name: name, types: dedupInput, row: dedupRow, fronts: aggFronts, ordered: true,
		twin: func() twin {
			d := tw
			d.front, d.seen, d.emitted = NoFrontier, map[string][]any{}, bag{}
			return &d
		},
		make: func(t tester) Operator {
			op, err := NewDedup(cfg)
			if err != nil {
				t.Fatalf("%v", err)
			}
			return op
		}}
}

func dedupCases() []*opCase {
	return []*opCase{
		dedupCase("no watermark", dedupTwin{keys: []int{1}, bound: -1}),
		dedupCase("watermark outside the key", dedupTwin{keys: []int{1, 2}, bound: 0}),
		dedupCase("watermark in the key", dedupTwin{keys: []int{1, 0}, bound: 0, clean: true}),
		dedupCase("within watermark", dedupTwin{keys: []int{1}, bound: 0, delay: 15}),
		dedupCase("within watermark, all columns", dedupTwin{keys: []int{0, 1, 2}, bound: 0, delay: 10}),
	}
}

func TestDedup(t *testing.T) { playAll(t, dedupCases(), 20) }

// A key of a first row at 12:00 under a delay of 10 is forgotten when the frontier is
// exactly at first + delay, not before (SPARK-42931).
func TestWithinWatermarkBoundary(t *testing.T) {
	c := dedupCase("boundary", dedupTwin{keys: []int{1}, bound: 0, delay: 10})
	r := c.newRun(t, variant{batch: 10})
	row := func(at int64) []change { return []change{{[]any{at, "a", nil}, 1}} }
	if d := r.trigger(t, 0, row(100), []int64{109}); len(d) != 1 {
		t.Fatalf("first row: %v", d)
	}
	if d := r.trigger(t, 1, row(109), []int64{110}); len(d) != 0 {
		t.Fatalf("the key is remembered while the frontier is 109, got %v", d)
	}
	if n := r.op.Stats().Keys; n != 0 {
		t.Fatalf("%d keys at frontier 110", n)
	}
	if d := r.trigger(t, 2, row(110), []int64{110}); len(d) != 1 {
		t.Fatalf("the key may come again at frontier 110, got %v", d)
	}
}

// Under a delay of 0 a key is forgotten in its own trigger, whether or not the frontier
// moves in it.
func TestWithinWatermarkWithoutDelay(t *testing.T) {
	c := dedupCase("no delay", dedupTwin{keys: []int{1}, bound: 0, delay: 10})
	c.make = func(t tester) Operator {
		op, err := NewDedup(DedupConfig{Name: "no delay", Keys: []int{1}, KeyTypes: []types.Type{text}, Bound: 0,
			Expires: func(x int64) int64 { return x }})
		if err != nil {
			t.Fatalf("%v", err)
		}
		return op
	}
	for _, restart := range []bool{false, true} {
		r := c.newRun(t, variant{batch: 10, restart: restart})
		for i := range 3 {
			if d := r.trigger(t, i, []change{{[]any{int64(100), "a", nil}, 1}}, []int64{100}); len(d) != 1 {
				t.Errorf("restart %t, trigger %d: %v", restart, i, d)
			}
		}
		if len(r.log) > 1 {
			t.Errorf("restart %t: %d entries are logged", restart, len(r.log))
		}
	}
}
