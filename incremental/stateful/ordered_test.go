package stateful

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

// rowsOf lists the text of a partition's rows in order, a row of weight w w times.
func (o *ordered) text(p uint32) []string {
	var out []string
	var c cursor
	for o.seqs.first(o.seq(p), &c); c.valid(); c.next() {
		for range o.weight(c.row()) {
			out = append(out, o.rowText(c.row()))
		}
	}
	return out
}

func (o *ordered) rowText(row uint32) string {
	var parts []string
	for _, col := range o.columns([]uint32{row}) {
		parts = append(parts, fmt.Sprint(vectest.Canon(vec.ToAny(col, 0))))
	}
	return strings.Join(parts, " | ")
}

// orderedModel is the naive side: all rows in a slice.
type orderedModel struct {
	cfg  orderedConfig
	rows []modelRow
}

type modelRow struct {
	b   *vec.Batch
	row int
}

func (m *orderedModel) compare(x, y modelRow) int {
	for _, k := range m.cfg.Order {
		if c := vec.CompareOrder(x.b.Cols[k.Col], x.row, y.b.Cols[k.Col], y.row, k.Order); c != 0 {
			return c
		}
	}
	return vec.CompareRows(x.b.Cols, x.row, y.b.Cols, y.row, nil)
}

func (m *orderedModel) parts() map[string][]string {
	slices.SortStableFunc(m.rows, m.compare)
	out := map[string][]string{}
	for _, r := range m.rows {
		var part, all []string
		for c, col := range r.b.Cols {
			x := fmt.Sprint(vectest.Canon(vec.ToAny(col, r.row)))
			if slices.Contains(m.cfg.Partition, c) {
				part = append(part, x)
			}
			all = append(all, x)
		}
		k := strings.Join(part, " | ")
		out[k] = append(out[k], strings.Join(all, " | "))
	}
	return out
}

// orderedCase draws a configuration: any types, or few values of numbers.
func orderedConfigOf(r *rand.Rand) orderedConfig {
	cfg := orderedConfig{Name: "Ordered", Lead: -1}
	if r.IntN(2) == 0 {
		cfg.Types = vectest.Types(r, 1+r.IntN(4), 2)
	} else {
		cfg.Types = []types.Type{types.Of(types.Int64), types.Of(types.Timestamp), types.Of(types.String)}
	}
	n := len(cfg.Types)
	if r.IntN(3) > 0 {
		cfg.Partition = []int{r.IntN(n)}
	}
	for range r.IntN(3) {
		c := r.IntN(n)
		cfg.Order = append(cfg.Order, OrderColumn{Col: c, Type: cfg.Types[c],
			Order: vec.Order{Desc: r.IntN(2) == 0, Nulls: vec.NullOrder(r.IntN(3))}})
	}
	if r.IntN(3) == 0 {
		cfg.Lead = r.IntN(n)
	}
	return cfg
}

// TestOrderedAgainstSlice adds and deletes random rows of random types, with a restart
// now and then, and compares every partition.
func TestOrderedAgainstSlice(t *testing.T) {
	for seed := range uint64(150) {
		r := vectest.Rand(seed)
		cfg := orderedConfigOf(r)
		o, m, log := newOrdered(cfg), &orderedModel{cfg: cfg}, memLog{}
		size := 1 + r.IntN(80)
		for range 6 {
			orderedTrigger(t, r, o, m, size)
			o.logState(log)
			if r.IntN(2) == 0 {
				o = reloaded(t, cfg, log)
			}
			compareOrdered(t, seed, o, m)
			if t.Failed() {
				return
			}
		}
		m.retractAll(t, o)
		o.logState(log)
		var s, fresh Stats
		if err := o.stats(&s); err != nil {
			t.Fatal(err)
		}
		if err := newOrdered(cfg).stats(&fresh); err != nil {
			t.Fatal(err)
		}
		if len(log) != 0 || s.Keys != 0 || s.Bytes > fresh.Bytes+4096 {
			t.Fatalf("seed %d: %d entries in the log and %+v after deleting everything", seed, len(log), s)
		}
	}
}

// orderedTrigger plays a trigger of insertions and deletions.
func orderedTrigger(t *testing.T, r *rand.Rand, o *ordered, m *orderedModel, size int) {
	t.Helper()
	b := vectest.Batch(r, o.cfg.Types, size)
	b.W, b.Fates, b.Origin = nil, nil, nil
	o.add(b, b.Sel)
	for i := range b.Rows() {
		m.rows = append(m.rows, modelRow{b, b.Row(i)})
	}
	for range r.IntN(1 + len(m.rows)*2/3) { // those of this trigger too
		i := r.IntN(len(m.rows))
		x := m.rows[i]
		m.rows = slices.Delete(m.rows, i, i+1)
		one := x.b.Gather([]int32{int32(x.row)})
		one.W = []int64{-1}
		o.add(one, nil)
	}
	applyAll(t, o)
}

func applyAll(t testing.TB, o *ordered) {
	t.Helper()
	for _, p := range o.touched {
		if err := o.apply(p); err != nil {
			t.Fatal(err)
		}
	}
	o.settle()
}

func (m *orderedModel) retractAll(t *testing.T, o *ordered) {
	t.Helper()
	for _, x := range m.rows {
		one := x.b.Gather([]int32{int32(x.row)})
		one.W = []int64{-1}
		o.add(one, nil)
	}
	m.rows = nil
	applyAll(t, o)
}

func reloaded(t *testing.T, cfg orderedConfig, log memLog) *ordered {
	t.Helper()
	o := newOrdered(cfg)
	for k, v := range log {
		if err := o.load.add([]byte(k), v); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.load.finish(); err != nil {
		t.Fatal(err)
	}
	return o
}

func compareOrdered(t *testing.T, seed uint64, o *ordered, m *orderedModel) {
	t.Helper()
	want := m.parts()
	seen := 0
	o.partitions(func(p uint32) {
		seen++
		got := o.text(p)
		var part []string
		for _, c := range o.cfg.Partition {
			part = append(part, strings.Split(got[0], " | ")[c])
		}
		if w := want[strings.Join(part, " | ")]; !slices.Equal(got, w) {
			t.Fatalf("seed %d %+v: partition %v\n%s\nwant\n%s", seed, o.cfg, part, strings.Join(got, "\n"), strings.Join(w, "\n"))
		}
		checkPlaces(t, seed, o, p)
	})
	if seen != len(want) {
		t.Fatalf("seed %d: %d partitions, want %d", seed, seen, len(want))
	}
}

// checkPlaces compares positions, searches and backward iteration with the sequence read
// forward.
func checkPlaces(t *testing.T, seed uint64, o *ordered, p uint32) {
	t.Helper()
	var c cursor
	var rows []uint32
	q := o.seq(p)
	pos := int64(0)
	for o.seqs.first(q, &c); c.valid(); c.next() {
		row := c.row()
		rows = append(rows, row)
		if got := c.before(); got != pos {
			t.Fatalf("seed %d: %d rows before, want %d", seed, got, pos)
		}
		pos += o.weight(row)
	}
	if pos != q.weight {
		t.Fatalf("seed %d: weight %d, want %d", seed, q.weight, pos)
	}
	pos = 0
	for _, row := range rows {
		o.seqs.find(q, &c, row)
		if !c.valid() || c.row() != row || c.before() != pos {
			t.Fatalf("seed %d: row %d is not found at %d", seed, row, pos)
		}
		for k := range o.weight(row) {
			if got := o.seqs.at(q, &c, pos+k); !c.valid() || c.row() != row || got != k {
				t.Fatalf("seed %d: position %d is copy %d of row %d, want %d of %d", seed, pos+k, got, c.row(), k, row)
			}
		}
		pos += o.weight(row)
	}
	slices.Reverse(rows)
	i := 0
	for o.seqs.last(q, &c); c.valid(); c.prev() {
		if c.row() != rows[i] {
			t.Fatalf("seed %d: backwards, row %d is %d, want %d", seed, i, c.row(), rows[i])
		}
		i++
	}
	if i != len(rows) {
		t.Fatalf("seed %d: %d rows backwards, want %d", seed, i, len(rows))
	}
}

// TestOrderedSeekKey looks for order keys between and at the rows.
func TestOrderedSeekKey(t *testing.T) {
	ints := types.Of(types.Int64)
	cfg := orderedConfig{Types: []types.Type{ints, ints}, Order: []OrderColumn{{Col: 0, Type: ints}}, Lead: -1}
	o := newOrdered(cfg)
	var a, b []int64
	for i := range int64(5000) {
		a, b = append(a, i/3*2), append(b, i)
	}
	o.add(vec.NewBatch(vec.FromInts(ints, a), vec.FromInts(ints, b)), nil)
	applyAll(t, o)
	for x := int64(-1); x < 3400; x += 7 {
		var c cursor
		o.seekKey(0, &c, vec.AppendIntKey(nil, x))
		want := max(0, (x+1)/2*3)
		if want >= 5000 {
			if c.valid() {
				t.Fatalf("%d: there is a row", x)
			}
			continue
		}
		if !c.valid() || c.before() != want {
			t.Fatalf("%d: row %d, want %d", x, c.before(), want)
		}
	}
}

// TestOrderedDeletesWhatIsNotThere refuses a deletion without a row, once the trigger is
// over.
func TestOrderedDeletesWhatIsNotThere(t *testing.T) {
	ints := types.Of(types.Int64)
	o := newOrdered(orderedConfig{Types: []types.Type{ints}, Lead: -1})
	b := vec.NewBatch(vec.FromInts(ints, []int64{1}))
	b.W = []int64{-1}
	o.add(b, nil)
	if err := o.apply(0); err == nil {
		t.Error("the deletion was taken")
	}
}

// TestOrderedForget drops whole partitions.
func TestOrderedForget(t *testing.T) {
	ints := types.Of(types.Int64)
	cfg := orderedConfig{Types: []types.Type{ints, ints}, Partition: []int{0}, Order: []OrderColumn{{Col: 1, Type: ints}}, Lead: 0}
	o, log := newOrdered(cfg), memLog{}
	var a, b []int64
	for i := range int64(1000) {
		a, b = append(a, i%3), append(b, i)
	}
	batch := vec.NewBatch(vec.FromInts(ints, a), vec.FromInts(ints, b))
	for range 2 {
		o.add(batch, nil)
		applyAll(t, o)
		o.logState(log)
		for p := range uint32(3) {
			o.forget(p)
		}
		logClosed(log, 3)
		o.logState(log)
		if o.table.Len() != 0 || len(log) != 0 {
			t.Fatalf("%d rows, %d entries are left", o.table.Len(), len(log))
		}
	}
}

// orderedBatch is a batch of rows in random order, of n/10 partitions.
func orderedBatch(seed uint64, n int) *vec.Batch {
	r := rand.New(rand.NewPCG(seed, 1))
	ts, part, text := make([]int64, n), make([]int64, n), make([]string, n)
	for i := range n {
		part[i] = int64(r.IntN(max(n/10, 1)))
		ts[i] = 1_700_000_000_000_000 + r.Int64N(1_000_000_000)
		text[i] = fmt.Sprint("channel ", r.IntN(100))
	}
	return vec.NewBatch(vec.FromInts(types.Of(types.Int64), part), vec.FromInts(types.Of(types.Timestamp), ts), vec.FromStrings(text))
}

func benchOrdered(b *testing.B, partition []int) {
	batch := orderedBatch(1, 1<<17)
	ts := []types.Type{types.Of(types.Int64), types.Of(types.Timestamp), types.Of(types.String)}
	cfg := orderedConfig{Types: ts, Partition: partition, Order: []OrderColumn{{Col: 1, Type: ts[1], Order: vec.Order{Desc: true}}}, Lead: -1}
	b.ReportAllocs()
	for b.Loop() {
		o := newOrdered(cfg)
		for from := 0; from < batch.N; from += vec.BatchSize {
			part := &vec.Batch{N: vec.BatchSize}
			for _, c := range batch.Cols {
				part.Cols = append(part.Cols, vec.Slice(c, from, from+vec.BatchSize))
			}
			o.add(part, nil)
			applyAll(b, o)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(batch.N), "ns/row")
}

func BenchmarkOrderedOne(b *testing.B)  { benchOrdered(b, nil) }
func BenchmarkOrderedMany(b *testing.B) { benchOrdered(b, []int{0}) }

// TestOrderedDeep grows one partition to several levels and empties it again: rows that
// come in order, in reverse, and at random; positions are compared with a sorted slice.
func TestOrderedDeep(t *testing.T) {
	ints := types.Of(types.Int64)
	cfg := orderedConfig{Types: []types.Type{ints}, Order: []OrderColumn{{Col: 0, Type: ints}}, Lead: -1}
	for kind, at := range []func(i int64) int64{
		func(i int64) int64 { return i },
		func(i int64) int64 { return -i },
		func(i int64) int64 { return i * 7919 % 20011 },
	} {
		o := newOrdered(cfg)
		var live []int64
		step := func(vals []int64, w int64) {
			b := vec.NewBatch(vec.FromInts(ints, vals))
			b.W = make([]int64, len(vals))
			for i := range b.W {
				b.W[i] = w
			}
			o.add(b, nil)
			applyAll(t, o)
			o.logState(memLog{})
		}
		for from := int64(0); from < 20000; from += 1000 {
			var vals []int64
			for i := range int64(1000) {
				vals = append(vals, at(from+i))
			}
			step(vals, 1)
			live = append(live, vals...)
		}
		slices.Sort(live)
		checkDeep(t, kind, o, live)
		r := rand.New(rand.NewPCG(uint64(kind), 3))
		for len(live) > 0 {
			n := min(len(live), 1500)
			from := r.IntN(len(live) - n + 1)
			step(slices.Clone(live[from:from+n]), -1)
			live = slices.Delete(live, from, from+n)
			checkDeep(t, kind, o, live)
		}
	}
}

func checkDeep(t *testing.T, kind int, o *ordered, live []int64) {
	t.Helper()
	if len(live) == 0 {
		return
	}
	q := o.seq(0)
	for k := 0; k < len(live); k += 1 + len(live)/200 {
		var c cursor
		o.seqs.at(q, &c, int64(k))
		if got := o.columns([]uint32{c.row()})[0].I64[0]; got != live[k] || c.before() != int64(k) {
			t.Fatalf("kind %d, %d rows: at %d is %d, want %d", kind, len(live), k, got, live[k])
		}
	}
	n := 0
	var c cursor
	for o.seqs.first(q, &c); c.valid(); c.next() {
		n++
	}
	if n != len(live) || q.weight != int64(n) {
		t.Fatalf("kind %d: %d rows, weight %d, want %d", kind, n, q.weight, len(live))
	}
}

// TestOrderedFills: rows that come in order, or in reverse, leave full blocks behind.
func TestOrderedFills(t *testing.T) {
	ints := types.Of(types.Int64)
	for _, desc := range []bool{false, true} {
		o := newOrdered(orderedConfig{Types: []types.Type{ints}, Order: []OrderColumn{{Col: 0, Type: ints, Order: vec.Order{Desc: desc}}}, Lead: -1})
		vals := make([]int64, 1<<16)
		for i := range vals {
			vals[i] = int64(i)
		}
		o.add(vec.NewBatch(vec.FromInts(ints, vals)), nil)
		applyAll(t, o)
		if n := len(o.seqs.blocks); n > len(vals)+len(vals)/8 {
			t.Errorf("desc %v: %d places for %d rows", desc, n, len(vals))
		}
	}
}
