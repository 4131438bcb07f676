package stateful

import (
	"errors"
	"reflect"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// orderedTwin joins the values of each key in order of arrival, and sorted.
type orderedTwin struct {
	rows map[string][][]any
	keys map[string]any
}

func (o *orderedTwin) take(c change) vec.Fate {
	k := rowText(c.row[1:2])
	o.keys[k] = c.row[1]
	o.rows[k] = append(o.rows[k], c.row)
	return vec.Contributed
}
func (o *orderedTwin) advance([]int64) {}
func (o *orderedTwin) live() [][]any   { return nil }
func (o *orderedTwin) want() bag {
	out := bag{}
	for k, rows := range o.rows {
		list := []any{}
		for _, r := range rows {
			if r[2] != nil {
				list = append(list, r[2])
			}
		}
		out.add([]any{o.keys[k], list, rows[0][2], rows[len(rows)-1][2]}, 1)
	}
	return out
}

func orderedCase() *opCase {
	return &opCase{name: "ordered", types: dedupInput, row: dedupRow, ordered: true, net: true,
		fronts: func(int) []int64 { return nil },
		twin:   func() twin { return &orderedTwin{rows: map[string][][]any{}, keys: map[string]any{}} },
		make: func(t tester) Operator {
			op, err := NewAggregate(AggregateConfig{Name: "ordered", Keys: []int{1}, KeyTypes: []types.Type{text}, Bound: -1,
				Aggs: []AggregateSpec{
					{Impl: resolve(t, agg.ArrayAgg, bigint), Args: []int{2}, Filter: -1, Ordered: true},
					{Impl: resolve(t, agg.First, bigint), Args: []int{2}, Filter: -1, Ordered: true},
					{Impl: resolve(t, agg.Last, bigint), Args: []int{2}, Filter: -1, Ordered: true},
				}})
			if err != nil {
				t.Fatalf("%v", err)
			}
			return op
		}}
}

func TestAggregateByArrival(t *testing.T) {
	playAll(t, []*opCase{orderedCase()}, 15)
	if _, parallel := orderedCase().make(t).(Parallel); parallel {
		t.Error("an aggregate by order of arrival must not run on several workers")
	}
}

// What never closes by the watermark closes at the end of input: groups with a NULL
// time, and windows that are still open.
func TestAggregateEndOfInput(t *testing.T) {
	for _, width := range []int64{1, 25} {
		cfg := AggregateConfig{Keys: []int{0}, Bound: 0, EmitOnClose: true, Width: width}
		r := aggCase("end", cfg).newRun(t, variant{batch: 4})
		rows := []change{{[]any{nil, "a", int64(1), nil}, 1}, {[]any{int64(70), "a", int64(2), nil}, 1}}
		if d := r.trigger(t, 0, rows, []int64{70}); len(d) != 0 {
			t.Fatalf("nothing is final at 70, got %v", d)
		}
		if d := r.trigger(t, 1, nil, []int64{EndOfInput}); len(d) != 2 {
			t.Fatalf("all is final at the end of input, got %v", d)
		}
		if s := r.op.Stats(); s.Keys != 0 || s.Removed != 2 {
			t.Fatalf("keys and removed are %d and %d at the end of input", s.Keys, s.Removed)
		}
		if len(r.log) != 1 {
			t.Fatalf("%d entries are left in the log", len(r.log))
		}
	}
}

// A pane that contributes to an open window counts; what it missed is partial.
func TestPanesPartial(t *testing.T) {
	cfg := AggregateConfig{Keys: []int{0}, Bound: 0, Panes: &PaneConfig{Size: 30, Slide: 10, Pane: 10}}
	c := aggCase("panes", cfg)
	r := c.newRun(t, variant{batch: 8})
	row := func(at int64) change { return change{[]any{at, "a", int64(1), nil}, 1} }
	r.trigger(t, 0, []change{row(50)}, []int64{30})
	b := r.batch([]change{row(40), row(20), row(10)})
	tr := &Trigger{Ctx: &fn.Ctx{}}
	var refused []int32
	tr.Late = func(op string, _ *vec.Batch, rows []int32) error {
		refused = append(refused, rows...)
		return nil
	}
	none := func(*vec.Batch) error { return nil }
	if err := r.op.Step(tr, 0, 0, b, none); err != nil {
		t.Fatal(err)
	}
	if err := r.op.Flush(tr, none); err != nil {
		t.Fatal(err)
	}
	// 40 is in windows 20 (final), 30 and 40; 20 in 0, 10 and 20, all final; 10 in −10, 0, 10.
	if b.Fates.Partial != 1 || len(refused) != 2 || refused[0] != 1 || refused[1] != 2 {
		t.Errorf("partial %d, refused rows %v", b.Fates.Partial, refused)
	}
	if late := r.op.Stats().Late; late != 1+3+3 {
		t.Errorf("%d pairs of row and window refused, want 7", late)
	}
}

func TestPanesRefuseArrivalOrder(t *testing.T) {
	_, err := NewAggregate(AggregateConfig{Name: "a", Keys: []int{0}, KeyTypes: []types.Type{stamp}, Bound: 0,
		Panes: &PaneConfig{Size: 20, Slide: 10, Pane: 10},
		Aggs:  []AggregateSpec{{Impl: resolve(t, agg.First, bigint), Args: []int{2}, Filter: -1, Ordered: true}}})
	if err == nil {
		t.Error("first() over panes must be refused")
	}
}

func TestCorruptState(t *testing.T) {
	fresh := func() Operator { return aggCase("corrupt", AggregateConfig{Keys: []int{1, 0}, Bound: 1}).make(t) }
	r := aggCase("corrupt", AggregateConfig{Keys: []int{1, 0}, Bound: 1}).newRun(t, variant{batch: 8})
	r.trigger(t, 0, []change{{[]any{int64(5), "a", int64(1), true}, 1}}, []int64{1})
	for key, val := range r.log {
		for cut := range min(len(key), 9) { // the rest is the accumulator's own
			if err := loadOne(fresh(), []byte(key[:cut]), val); err == nil && cut != 1 {
				t.Errorf("key %x cut to %d bytes is accepted", key, cut)
			}
		}
		for cut := range len(val) {
			if err := loadOne(fresh(), []byte(key), val[:cut]); err == nil {
				t.Errorf("value %x of %x cut to %d bytes is accepted", val, key, cut)
			}
		}
	}
}

func loadOne(op Operator, key, val []byte) error {
	err := op.Load(key, val)
	return errors.Join(err, op.Flush(&Trigger{Ctx: &fn.Ctx{}}, func(*vec.Batch) error { return nil }))
}

// A result that does not fit names the operator and the function.
func TestAggregateOverflow(t *testing.T) {
	r := aggCase("totals", AggregateConfig{Keys: []int{1}, Bound: -1}).newRun(t, variant{batch: 8})
	big := []any{nil, "a", int64(1) << 62, nil}
	b := r.batch([]change{{big, 1}, {big, 1}})
	tr := &Trigger{Ctx: &fn.Ctx{}}
	none := func(*vec.Batch) error { return nil }
	if err := r.op.Step(tr, 0, 0, b, none); err != nil {
		t.Fatal(err)
	}
	err := r.op.Flush(tr, none)
	var data *fn.DataError
	if !errors.As(err, &data) || data.Func != "sum" {
		t.Errorf("got %v", err)
	}
}

// With eval_error = 'null' it is NULL instead, counted once, and the other groups have
// their values.
func TestAggregateOverflowIsNull(t *testing.T) {
	r := aggCase("totals", AggregateConfig{Keys: []int{1}, Bound: -1}).newRun(t, variant{batch: 8})
	big := func(k string) []any { return []any{nil, k, int64(1) << 62, nil} }
	tr := &Trigger{Ctx: &fn.Ctx{NullOnError: true}}
	got := map[any][]any{}
	take := func(b *vec.Batch) error {
		for i := range b.Rows() {
			var row []any
			for _, v := range b.Cols {
				row = append(row, vec.ToAny(v, b.Row(i)))
			}
			got[row[0]] = row
		}
		return nil
	}
	b := r.batch([]change{{big("a"), 1}, {big("b"), 1}, {big("b"), 1}, {big("c"), 1}})
	if err := r.op.Step(tr, 0, 0, b, take); err != nil {
		t.Fatal(err)
	}
	if err := r.op.Flush(tr, take); err != nil {
		t.Fatal(err)
	}
	sums := 0
	for i, x := range got["a"] {
		if x != int64(1)<<62 || !reflect.DeepEqual(x, got["c"][i]) || got["b"][i] != nil {
			continue
		}
		sums++
	}
	if sums != 1 || tr.Ctx.Errors != 1 {
		t.Errorf("got %v, %d errors", got, tr.Ctx.Errors)
	}
}
