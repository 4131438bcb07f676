package stateful

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// upsertTwin keeps the last row of each key, in order of arrival.
type upsertTwin struct {
	front int64
	late  bool // rows below the frontier are refused
	keys  []any
	rows  [][]any
}

func (u *upsertTwin) take(c change) vec.Fate {
	if at := c.row[0]; u.late && at != nil && at.(int64) < u.front {
		return vec.Late
	}
	i := slices.Index(u.keys, c.row[1])
	switch {
	case i < 0 && c.w > 0:
		u.keys, u.rows = append(u.keys, c.row[1]), append(u.rows, c.row)
	case i >= 0 && c.w > 0:
		u.rows[i] = c.row
	case i >= 0:
		u.keys, u.rows = slices.Delete(u.keys, i, i+1), slices.Delete(u.rows, i, i+1)
	}
	return vec.Contributed
}

func (u *upsertTwin) advance(fronts []int64) { u.front = fronts[0] }

// live gives deletions of the key alone: they are never late.
func (u *upsertTwin) live() [][]any {
	out := make([][]any, len(u.rows))
	for i, r := range u.rows {
		out[i] = []any{nil, r[1], nil}
	}
	return out
}
func (u *upsertTwin) want() bag {
	out := bag{}
	for _, r := range u.rows {
		out.add(r, 1)
	}
	return out
}

// upsertRow has NULL as a key too: the operator does not mind.
func upsertRow(rng *rand.Rand, trigger int) []any { return dedupRow(rng, trigger) }

func upsertCases() []*opCase {
	var out []*opCase
	for name, late := range map[string]bool{"without a watermark": false, "with late rows": true} {
		cfg := UpsertConfig{Name: "upsert", Types: dedupInput, Keys: []int{1}, Bound: -1}
		if late {
			cfg.Bound = 0
		}
		out = append(out, &opCase{name: name, types: dedupInput, row: upsertRow, fronts: aggFronts, retract: true, ordered: true, net: true,
			twin: func() twin { return &upsertTwin{front: NoFrontier, late: late} },
			make: func(t tester) Operator {
				op, err := NewUpsert(cfg)
				if err != nil {
					t.Fatalf("%v", err)
				}
				return op
			}})
	}
	return out
}

func TestUpsert(t *testing.T) { playAll(t, upsertCases(), 20) }

// A key needs no more memory for being written again, and none once it is deleted.
func TestUpsertForgets(t *testing.T) {
	op, err := NewUpsert(UpsertConfig{Name: "upsert", Types: dedupInput, Keys: []int{1}, Bound: -1})
	if err != nil {
		t.Fatal(err)
	}
	u := op.(*upsert)
	r := &run{c: upsertCases()[0], v: variant{batch: 4}, op: op, log: memLog{}, sum: bag{}}
	for i := range 50 {
		var changes []change
		for k := range int64(20) {
			changes = append(changes, change{[]any{int64(i), string(rune('a' + k)), int64(i)}, 1})
		}
		r.trigger(t, i, changes, []int64{NoFrontier})
	}
	if u.keys.Len() != 20 || u.rows.Len() != 20 || u.rows.Cap() > 60 {
		t.Errorf("%d keys, %d rows of %d", u.keys.Len(), u.rows.Len(), u.rows.Cap())
	}
	var gone []change
	for k := range int64(25) { // some were never there
		gone = append(gone, change{[]any{nil, string(rune('a' + k)), nil}, -1})
	}
	r.trigger(t, 50, gone, []int64{NoFrontier})
	if u.keys.Len() != 0 || u.rows.Len() != 0 || len(r.sum) != 0 || len(r.log) != 0 {
		t.Errorf("%d keys, %d rows, %d log entries are left, and %s", u.keys.Len(), u.rows.Len(), len(r.log), r.sum)
	}
}

func BenchmarkUpsert(b *testing.B) {
	op, err := NewUpsert(UpsertConfig{Name: "upsert", Types: dedupInput, Keys: []int{1}, Bound: -1})
	if err != nil {
		b.Fatal(err)
	}
	in := randomBatch(vec.BatchSize)
	none := func(*vec.Batch) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		if err := errorsOf(op, in, none); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*vec.BatchSize)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

// randomBatch has n rows over a thousand keys.
func randomBatch(n int) *vec.Batch {
	rng := rand.New(rand.NewPCG(1, 2))
	bs := vec.NewBuilders(dedupInput)
	for range n {
		bs[0].AppendAny(rng.Int64N(1000))
		bs[1].AppendAny("key " + string(rune('a'+rng.IntN(26))) + string(rune('a'+rng.IntN(40))))
		bs[2].AppendAny(rng.Int64N(10))
	}
	b := &vec.Batch{N: n}
	for _, x := range bs {
		b.Cols = append(b.Cols, x.Take())
	}
	return b
}

// errorsOf plays a trigger of one batch.
func errorsOf(op Operator, b *vec.Batch, out Emit) error {
	t := &Trigger{}
	if err := op.Step(t, 0, 0, b, out); err != nil {
		return err
	}
	if err := op.Flush(t, out); err != nil {
		return err
	}
	if err := op.Advance(t, [][]int64{nil}, out); err != nil {
		return err
	}
	return op.LogState(discard{})
}
