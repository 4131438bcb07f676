package agg

import (
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// BenchmarkAdd is one batch of 2,048 rows over 1,000 groups, ns per row.
func BenchmarkAdd(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	is, fs, words := make([]int64, vec.BatchSize), make([]float64, vec.BatchSize), make([]string, vec.BatchSize)
	groups := make([]uint32, vec.BatchSize)
	for i := range is {
		is[i], fs[i] = int64(rng.IntN(100_000)), float64(rng.IntN(100_000))/100
		words[i] = string(rune('a' + rng.IntN(26)))
		groups[i] = uint32(rng.IntN(1000))
	}
	for _, c := range []struct {
		name string
		agg  fn.Aggregate
		v    *vec.Vector
		wrap func(fn.AggImpl) fn.AggImpl
	}{
		{"count", Count, vec.FromInts(bigint, is), nil},
		{"sum int", Sum, vec.FromInts(bigint, is), nil},
		{"sum double", Sum, vec.FromFloats(fs), nil},
		{"avg decimal", Avg, vec.FromInts(types.DecimalOf(12, 2), is), nil},
		{"max int", Max, vec.FromInts(bigint, is), nil},
		{"max double", Max, vec.FromFloats(fs), nil},
		{"max text", Max, vec.FromStrings(words), nil},
		{"count distinct int", Count, vec.FromInts(bigint, is), Distinct},
		{"count distinct text", Count, vec.FromStrings(words), Distinct},
		{"stddev", named("stddev_samp"), vec.FromFloats(fs), nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			impl, err := c.agg.Resolve([]fn.Arg{{Type: c.v.Type}})
			if err != nil {
				b.Fatal(err)
			}
			if c.wrap != nil {
				impl = c.wrap(impl)
			}
			acc := impl.New(false)
			acc.Grow(1000)
			rows := fn.AggRows{Args: []*vec.Vector{c.v}, Groups: groups}
			b.ReportAllocs()
			for range b.N {
				if err := acc.Add(rows); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vec.BatchSize, "ns/row")
		})
	}
}
