package build_test

import (
	"context"
	"testing"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/build"
)

// ready is a split that costs nothing to read: the same batch again and again.
type ready struct {
	b     *vec.Batch
	times int
}

func (r *ready) Rows() int64 { return int64(r.b.N * r.times) }
func (r *ready) Read(_ context.Context, _ source.Reading, emit func(*vec.Batch) error) error {
	for range r.times {
		b := *r.b
		if err := emit(&b); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkDelivery moves rows from splits to an output: one worker, two that any order
// suits, two in order.
func BenchmarkDelivery(b *testing.B) {
	keys, values := make([]string, vec.BatchSize), make([]int64, vec.BatchSize)
	for i := range keys {
		keys[i], values[i] = "some key of a row", int64(i)
	}
	batch := vec.NewBatch(vec.FromStrings(keys), vec.FromInts(types.Of(types.Int32), values))
	for _, c := range []struct {
		name       string
		workers    int
		concurrent bool
	}{{"one worker", 1, false}, {"two, any order", 2, true}, {"two, in order", 2, false}} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorld(b)
			g := w.graph(w.plan(`SELECT k, v FROM plain`), c.workers)
			in := build.Input{Scan: g.Scans[0]}
			for range 16 {
				in.Splits = append(in.Splits, &ready{batch, 16})
			}
			b.SetBytes(16 * 16 * vec.BatchSize)
			b.ReportAllocs()
			for b.Loop() {
				t := build.Trigger{Inputs: []build.Input{in}, Concurrent: []bool{c.concurrent}, Emit: func(int, *vec.Batch) error { return nil }}
				if _, err := g.Run(context.Background(), t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
