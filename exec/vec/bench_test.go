package vec_test

import (
	"fmt"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

func benchColumns() (names []string, cols []*vec.Vector) {
	n := vec.BatchSize
	r := vectest.Rand(1)
	ints, texts, codes := make([]int64, n), make([]string, n), make([]uint32, n)
	for i := range n {
		ints[i] = 1_700_000_000_000_000 + int64(r.IntN(1e9))
		texts[i] = fmt.Sprintf("00000000-0000-4000-8000-%012d", r.IntN(1000))
		codes[i] = uint32(r.IntN(3))
	}
	nulls := vec.FromInts(types.Of(types.Int64), ints)
	for i := 0; i < n; i += 10 {
		nulls.SetNull(i)
	}
	return []string{"int", "int-null", "text", "dict"}, []*vec.Vector{
		vec.FromInts(types.Of(types.Int64), ints), nulls, vec.FromStrings(texts),
		vec.NewDict(vec.FromStrings([]string{"view", "click", "purchase"}), codes, nil),
	}
}

// perRow reports ns per row of a function that works on one batch.
func perRow(b *testing.B, what string, do func()) {
	b.Run(what, func(b *testing.B) {
		n := 0
		for b.Loop() {
			do()
			n++
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/vec.BatchSize, "ns/row")
	})
}

func BenchmarkColumns(b *testing.B) {
	names, cols := benchColumns()
	sel := make([]int32, 0, vec.BatchSize)
	for i := range vec.BatchSize {
		sel = append(sel, int32(i))
	}
	for i, v := range cols {
		one := []*vec.Vector{v}
		nb := vec.NewBuilder(v.Type)
		var hashes []uint64
		var kb vec.KeyBuf
		var buf []byte
		perRow(b, "hash/"+names[i], func() { hashes = vec.Hash(one, v.N, nil, hashes) })
		perRow(b, "gather/"+names[i], func() { vec.Gather(v, sel) })
		perRow(b, "append/"+names[i], func() { nb.Reset(); nb.AppendRows(v, sel) })
		perRow(b, "keys/"+names[i], func() { vec.AppendKeys(one, v.N, nil, &kb) })
		perRow(b, "encode/"+names[i], func() { buf = vec.EncodeBatch(buf[:0], vec.NewBatch(v)) })
		perRow(b, "decode/"+names[i], func() {
			if _, _, err := vec.DecodeBatch(buf, []types.Type{v.Type}); err != nil {
				b.Fatal(err)
			}
		})
	}
}
