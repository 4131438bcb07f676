package agg

import (
	"encoding/binary"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn/sketch"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func couponOf(x int64) uint32 {
	return sketch.Coupon(binary.LittleEndian.AppendUint64(nil, uint64(x)))
}

// sketchProbes compare with sketches that are made of the rows that are there.
func sketchProbes() []probe {
	var many, some, images []any
	for x := range int64(40) {
		many = append(many, x)
	}
	some = append(some, many[:3]...)
	for _, n := range []int{2, 5, 40} {
		images = append(images, naiveHLL(4)(rowsOf(many[:n])))
	}
	four := vec.FromAny(bigint, int64(4))
	shape, _ := sketch.NewCountMin(0.5, 0.9, 7)
	return []probe{
		{name: "hll of many", agg: hllSketch, types: []types.Type{bigint, bigint}, consts: []*vec.Vector{nil, four}, domain: [][]any{many, {int64(4)}}, naive: naiveHLL(4)},
		{name: "hll of few", agg: hllSketch, types: []types.Type{bigint}, domain: [][]any{some}, naive: naiveHLL(sketch.DefaultLgK)},
		{name: "hll union", agg: hllUnion, types: []types.Type{blob}, domain: [][]any{images}, naive: naiveHLLUnion},
		{name: "count_min_sketch", agg: countMin, types: []types.Type{bigint, double, double, bigint},
			consts: []*vec.Vector{nil, vec.FromAny(double, 0.5), vec.FromAny(double, 0.9), vec.FromAny(bigint, int64(7))},
			domain: [][]any{many, {0.5}, {0.9}, {int64(7)}}, naive: func(rows [][]any) any {
				counters, xs := make([]int64, shape.Depth*shape.Width), column(rows)
				for _, x := range xs {
					shape.Int(x.(int64), func(i int) { counters[i]++ })
				}
				return shape.Append(nil, int64(len(xs)), counters)
			}},
	}
}

func rowsOf(xs []any) (rows [][]any) {
	for _, x := range xs {
		rows = append(rows, []any{x})
	}
	return rows
}

func naiveHLL(lgK int) func(rows [][]any) any {
	return func(rows [][]any) any {
		var coupons []uint32
		for _, x := range column(rows) {
			coupons = append(coupons, couponOf(x.(int64)))
		}
		return sketch.FromCoupons(coupons, lgK).Append(nil)
	}
}

func naiveHLLUnion(rows [][]any) any {
	var joined *sketch.HLL
	for _, x := range column(rows) {
		h, err := sketch.ReadHLL(x.([]byte))
		if err != nil {
			panic(err)
		}
		if joined == nil {
			joined = h
		}
		joined = sketch.Union(joined, h)
	}
	if joined == nil {
		joined = &sketch.HLL{LgK: sketch.DefaultLgK}
	}
	return joined.Append(nil)
}

func TestSketches(t *testing.T) {
	for _, p := range sketchProbes() {
		t.Run(p.name, func(t *testing.T) {
			for seed := range uint64(15) {
				p.run(t, seed, false)
				p.run(t, seed, true)
			}
		})
	}
}

// Over append-only input the state stops growing with the values.
func TestHLLBounded(t *testing.T) {
	p := sketchProbes()[0]
	impl := p.impl(t)
	acc := impl.New(false).(*hllBag)
	acc.Grow(1)
	for x := range int64(5000) {
		acc.come(0, couponOf(x), 1)
	}
	acc.DirtyEntries(func(uint32, []byte, []byte) {})
	if acc.used > 16 {
		t.Errorf("%d entries for 16 registers", acc.used)
	}
}
