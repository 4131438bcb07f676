package vec_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

// values is the model of a vector: its values as Go values.
func values(v *vec.Vector) []any {
	out := make([]any, v.N)
	for i := range out {
		out[i] = vec.ToAny(v, i)
	}
	return out
}

// pick is the model of Gather; −1 gives NULL.
func pick(vals []any, rows []int32) []any {
	out := make([]any, len(rows))
	for i, r := range rows {
		if r >= 0 {
			out[i] = vals[r]
		}
	}
	return out
}

func all(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// same fails unless v has the values want. FromAny's forms compare by their exact
// text; −0.0 and NaN print as themselves.
func same(t *testing.T, what string, v *vec.Vector, want []any) {
	t.Helper()
	if v.N != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, v.N, len(want))
	}
	nulls := 0
	for i, w := range want {
		if got := vec.ToAny(v, i); vectest.Canon(got) != vectest.Canon(w) {
			t.Fatalf("%s: %s row %d is %v, want %v", what, v.Type, i, got, w)
		}
		if w == nil {
			nulls++
		}
	}
	if got := v.NullCount(); got != nulls {
		t.Fatalf("%s: NullCount %d, want %d", what, got, nulls)
	}
	if nulls > 0 && !v.HasNulls() {
		t.Fatalf("%s: HasNulls is false", what)
	}
	for i, m := 0, v.FlatValid(); i < v.N; i++ {
		if v.Type.Kind != types.Null && vec.BitGet(m, i) != (want[i] != nil) {
			t.Fatalf("%s: FlatValid of row %d", what, i)
		}
	}
}

func rows(r *rand.Rand, n, count, low int) []int32 {
	out := make([]int32, count)
	for i := range out {
		out[i] = int32(r.IntN(n-low) + low)
	}
	return out
}

// TestLayoutOperations compares every operation that moves rows with its model.
func TestLayoutOperations(t *testing.T) {
	for seed := range uint64(600) {
		r := vectest.Rand(seed)
		typ := vectest.Type(r, 2)
		n := 1 + r.IntN(150)
		v := vectest.Vector(r, typ, n)
		vals := values(v)

		same(t, "flatten", vec.Flatten(v), vals)
		at := rows(r, n, r.IntN(150), 0)
		same(t, "gather", vec.Gather(v, at), pick(vals, at))
		outer := rows(r, n, r.IntN(150), -1)
		same(t, "outer gather", vec.GatherOuter(v, outer), pick(vals, outer))
		from := r.IntN(n)
		to := from + r.IntN(n-from+1)
		part := vec.Slice(v, from, to)
		same(t, "slice", part, vals[from:to])
		same(t, "gather of slice", vec.Gather(part, all(to-from)), vals[from:to])
		same(t, "constant", vec.ConstOf(v, from, 3), []any{vals[from], vals[from], vals[from]})
		same(t, "nulls", vec.Nulls(typ, 3), []any{nil, nil, nil})
		same(t, "concat", vec.Concat(typ, v, part, v), append(append(append([]any{}, vals...), vals[from:to]...), vals...))
		same(t, "from any", vec.FromAny(typ, vals...), vals)
	}
}

// TestBuilder appends rows one by one and in bulk, over several lives of a builder.
func TestBuilder(t *testing.T) {
	for seed := range uint64(300) {
		r := vectest.Rand(seed)
		typ := vectest.Type(r, 2)
		b := vec.NewBuilder(typ)
		for range 3 {
			var want []any
			for range r.IntN(6) {
				n := 1 + r.IntN(70)
				v := vectest.Vector(r, typ, n)
				vals := values(v)
				sel := vectest.Sel(r, n)
				if sel == nil {
					want = append(want, vals...)
				} else {
					want = append(want, pick(vals, sel)...)
				}
				b.AppendRows(v, sel)
				b.AppendNull()
				b.AppendFrom(v, n-1)
				b.AppendAny(vals[0])
				want = append(want, nil, vals[n-1], vals[0])
			}
			if b.Len() != len(want) {
				t.Fatalf("builder has %d rows, want %d", b.Len(), len(want))
			}
			if r.IntN(2) == 0 {
				taken := b.Take()
				b.AppendNull()
				b.Reset()
				same(t, "take", taken, want)
				continue
			}
			same(t, "finish", b.Finish(), want)
			b.Reset()
		}
	}
}

func TestBuilderDoesNotAllocateWhenReused(t *testing.T) {
	r := vectest.Rand(1)
	typ := types.StructOf(types.Field{Name: "a", Type: types.ArrayOf(types.Of(types.String))}, types.Field{Name: "b", Type: types.Of(types.Int64)})
	v := vectest.Vector(r, typ, 500)
	b := vec.NewBuilder(typ)
	fill := func() {
		b.Reset()
		b.AppendRows(v, nil)
		b.AppendNull()
		b.Finish()
	}
	fill()
	if n := testing.AllocsPerRun(5, fill); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// model of a batch: canonical rows with their weights, in order.
func batchModel(b *vec.Batch) (rows []string, weights []int64) {
	b.Each(func(r int) {
		rows = append(rows, vectest.CanonRow(b.Cols, r))
		weights = append(weights, b.Weight(r))
	})
	return rows, weights
}

func sameBatch(t *testing.T, what string, got *vec.Batch, wantRows []string, wantW []int64) {
	t.Helper()
	rows, weights := batchModel(got)
	if len(rows) != len(wantRows) || got.Rows() != len(wantRows) {
		t.Fatalf("%s: %d rows, want %d", what, len(rows), len(wantRows))
	}
	for i := range rows {
		if rows[i] != wantRows[i] || weights[i] != wantW[i] {
			t.Fatalf("%s: row %d is %s × %d, want %s × %d", what, i, rows[i], weights[i], wantRows[i], wantW[i])
		}
	}
}

func TestBatchOperations(t *testing.T) {
	for seed := range uint64(200) {
		r := vectest.Rand(seed)
		ts := vectest.Types(r, 1+r.IntN(4), 2)
		a := vectest.Batch(r, ts, 1+r.IntN(100))
		b := vectest.Batch(r, ts, 1+r.IntN(100))
		ar, aw := batchModel(a)
		br, bw := batchModel(b)
		sameBatch(t, "compact", a.Compact(), ar, aw)
		sameBatch(t, "clone", a.Clone(), ar, aw)
		sameBatch(t, "concat", vec.ConcatBatches(a, b), append(append([]string{}, ar...), br...), append(append([]int64{}, aw...), bw...))
		if c := a.Compact(); c.Sel != nil {
			t.Fatal("compact keeps the selection")
		}
		for i := range a.Rows() {
			if got := vectest.CanonRow(a.Cols, a.Row(i)); got != ar[i] {
				t.Fatalf("Row(%d) is %s, want %s", i, got, ar[i])
			}
		}
		a.Weights()
		sameBatch(t, "weights", a, ar, aw)
	}
}

// TestCompactKeepsOrigins holds that rows can still be marked after compaction.
func TestCompactKeepsOrigins(t *testing.T) {
	f := &vec.Fates{Of: make([]vec.Fate, 6)}
	b := vec.NewBatch(vec.FromInts(types.Of(types.Int64), []int64{1, 2, 3, 4, 5, 6}))
	b.Sel, b.Fates = []int32{1, 3, 5}, f
	c := b.Compact()
	c.Sel = []int32{0, 2}
	c.Compact().MarkAll(vec.Contributed)
	want := []vec.Fate{0, vec.Contributed, 0, 0, 0, vec.Contributed}
	for i := range want {
		if f.Of[i] != want[i] {
			t.Fatalf("fates %v, want %v", f.Of, want)
		}
	}
}

func TestBitmaps(t *testing.T) {
	for seed := range uint64(50) {
		r := vectest.Rand(seed)
		n := r.IntN(200)
		a, b := vec.AllValid(n), vec.AllValid(n)
		model := make([]bool, n)
		for i := range model {
			x, y := r.IntN(2) == 0, r.IntN(2) == 0
			if !x {
				vec.BitClear(a, i)
			}
			if !y {
				vec.BitClear(b, i)
			}
			model[i] = x && y
		}
		both := vec.AndValid(a, b, n)
		count := 0
		for i, want := range model {
			if vec.BitGet(both, i) != want {
				t.Fatalf("bit %d", i)
			}
			if want {
				count++
			}
		}
		if got := vec.CountValid(both, n); got != count {
			t.Fatalf("count %d, want %d", got, count)
		}
	}
	v := vec.FromInts(types.Of(types.Int64), make([]int64, 70))
	v.SetNull(69)
	if v.NullCount() != 1 || !v.IsNull(69) {
		t.Fatal("SetNull")
	}
}
