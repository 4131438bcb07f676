package stateful

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// BenchmarkStaticJoin is the join of YSB: 1,000 ads with a campaign each, text keys.
func BenchmarkStaticJoin(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	ads, campaigns, rows := make([]string, 1000), make([]string, 1000), make([]string, vec.BatchSize)
	for i := range ads {
		ads[i] = fmt.Sprintf("%08x-0000-4000-8000-%012x", rng.Uint32(), i)
		campaigns[i] = fmt.Sprintf("campaign-%d", i/10)
	}
	for i := range rows {
		rows[i] = ads[rng.IntN(len(ads))]
	}
	static := vec.NewBatch(vec.FromStrings(ads), vec.FromStrings(campaigns))
	for _, kind := range []JoinKind{InnerJoin, LeftJoin, SemiJoin} {
		index, err := NewStaticIndex(StaticJoinConfig{Name: "bench", Kind: kind, InputKeys: []int{0}, StaticKeys: []int{0},
			KeyTypes: joinInput[1:2], StaticTypes: append(joinInput[1:2:2], text)}, []*vec.Batch{static})
		if err != nil {
			b.Fatal(err)
		}
		j, in, c := index.Stage(), vec.NewBatch(vec.FromStrings(rows)), &fn.Ctx{}
		b.Run(fmt.Sprint(kind), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if err := j.Process(c, in, func(*vec.Batch) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/vec.BatchSize, "ns/row")
		})
	}
}
