package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const benchKeys = 1 << 16

// benchRowsOf makes batches of n rows (key, number, time, text).
func benchRowsOf(n int, key func(i int) int64) []*vec.Batch {
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 64)
	for i := range words {
		words[i] = fmt.Sprintf("word number %d of them", i*7919)
	}
	var out []*vec.Batch
	for from := 0; from < n; from += vec.BatchSize {
		bs := vec.NewBuilders([]types.Type{bigint, bigint, stamp, text})
		for i := from; i < from+vec.BatchSize; i++ {
			bs[0].AppendInt(key(i))
			bs[1].AppendInt(int64(rng.IntN(1000)))
			bs[2].AppendInt(int64(i) * 1000)
			bs[3].AppendString(words[rng.IntN(len(words))])
		}
		out = append(out, vec.NewBatch(bs[0].Take(), bs[1].Take(), bs[2].Take(), bs[3].Take()))
	}
	return out
}

func benchJoin(b testing.TB, kind JoinKind, retract, unlogged bool) Operator {
	ts := []types.Type{bigint, bigint, stamp, text}
	op, err := NewJoin(JoinConfig{Name: "bench", Kind: kind, Types: [2][]types.Type{ts, ts}, Keys: [2][]int{{0}, {0}},
		KeyTypes: []types.Type{bigint}, Sides: [2]JoinSide{{Retract: retract}, {Retract: retract}}, Unlogged: unlogged})
	if err != nil {
		b.Fatal(err)
	}
	return op
}

// sizeLog counts what is logged.
type sizeLog struct{ bytes int }

func (l *sizeLog) Put(key, value []byte)       { l.bytes += len(key) + len(value) }
func (l *sizeLog) Delete(key []byte)           { l.bytes += len(key) }
func (l *sizeLog) DeleteRange(from, to []byte) {}

// runJoin takes one trigger through a join and counts the rows of its output.
func runJoin(b testing.TB, op Operator, left, right []*vec.Batch) int {
	rows := 0
	out := func(o *vec.Batch) error { rows += o.Rows(); return nil }
	tr := &Trigger{Ctx: &fn.Ctx{}}
	for port, batches := range [][]*vec.Batch{left, right} {
		for _, x := range batches {
			if err := op.Step(tr, port, 0, x, out); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := op.Flush(tr, out); err != nil {
		b.Fatal(err)
	}
	if err := op.Advance(tr, [][]int64{{NoFrontier}, {NoFrontier}}, out); err != nil {
		b.Fatal(err)
	}
	if err := op.LogState(&sizeLog{}); err != nil {
		b.Fatal(err)
	}
	return rows
}

// BenchmarkJoin joins a million rows with 65,536 of distinct keys in one trigger, ns per row
// of both.
func BenchmarkJoin(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	left := benchRowsOf(benchKeys, func(i int) int64 { return int64(i) * 7919 })
	right := benchRowsOf(benchRows, func(int) int64 { return int64(rng.IntN(benchKeys)) * 7919 })
	for _, c := range []struct {
		name              string
		kind              JoinKind
		retract, unlogged bool
		left, right       []*vec.Batch
	}{
		{"inner", InnerJoin, false, true, left, right},
		{"inner logged", InnerJoin, false, false, left, right},
		{"left", LeftJoin, false, true, right, left},
		{"inner retracting", InnerJoin, true, true, left, right},
		{"semi", SemiJoin, false, true, right, left},
		{"anti retracting", AntiJoin, true, true, right, left},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				runJoin(b, benchJoin(b, c.kind, c.retract, c.unlogged), c.left, c.right)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(benchRows+benchKeys), "ns/row")
		})
	}
}
