package hash

import (
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

// Each benchmark looks up batches of 2,048 rows, hashing included; ns/row is what
// matters.
func benchTable(b *testing.B, keys int, batches [][]*vec.Vector) {
	ts := make([]types.Type, len(batches[0]))
	for i, c := range batches[0] {
		ts[i] = c.Type
	}
	tab := New(ts)
	groups := make([]uint32, vec.BatchSize)
	var hashes []uint64
	run := func(i int) {
		cols := batches[i%len(batches)]
		hashes = vec.Hash(cols, vec.BatchSize, nil, hashes)
		tab.FindOrInsert(cols, nil, hashes, groups)
	}
	for i := range batches {
		run(i)
	}
	i := 0
	for b.Loop() {
		run(i)
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i)/vec.BatchSize, "ns/row")
}

func randomInts(keys, batches int, seed uint64) [][]int64 {
	r := vectest.Rand(seed)
	out := make([][]int64, batches)
	for i := range out {
		out[i] = make([]int64, vec.BatchSize)
		for k := range out[i] {
			out[i][k] = int64(r.IntN(keys)) * 1000003
		}
	}
	return out
}

func BenchmarkTable(b *testing.B) {
	bigint, ts := types.Of(types.Int64), types.Of(types.Timestamp)
	for _, keys := range []int{1000, 100000, 1000000} {
		ids := randomInts(keys, max(64, 2*keys/vec.BatchSize), 1)
		var one, two, text, dict [][]*vec.Vector
		names := make([]string, keys)
		for i := range names {
			names[i] = fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
		}
		d := vec.FromStrings(names)
		d.PrecomputeHashes()
		for i, x := range ids {
			w := make([]int64, len(x))
			words, codes := make([]string, len(x)), make([]uint32, len(x))
			for k := range x {
				w[k] = int64(i%3) * 10_000_000
				codes[k] = uint32(x[k] / 1000003)
				words[k] = names[codes[k]]
			}
			one = append(one, []*vec.Vector{vec.FromInts(bigint, x)})
			two = append(two, []*vec.Vector{vec.FromInts(ts, w), vec.FromInts(bigint, x)})
			text = append(text, []*vec.Vector{vec.FromStrings(words)})
			dict = append(dict, []*vec.Vector{vec.NewDict(d, codes, nil)})
		}
		b.Run(fmt.Sprintf("int/%d", keys), func(b *testing.B) { benchTable(b, keys, one) })
		b.Run(fmt.Sprintf("int2/%d", keys), func(b *testing.B) { benchTable(b, keys, two) })
		b.Run(fmt.Sprintf("text/%d", keys), func(b *testing.B) { benchTable(b, keys, text) })
		b.Run(fmt.Sprintf("dict/%d", keys), func(b *testing.B) { benchTable(b, keys, dict) })
	}
}
