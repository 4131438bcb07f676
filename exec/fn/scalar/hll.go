package scalar

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/sketch"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// hlls read and join the sketches of hll_sketch_agg, and those of Spark.
func hlls() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "hll_sketch_estimate", Group: "Sketches", Syntax: []string{"hll_sketch_estimate(sketch)"}, Doc: "Tells about how many different values an HLL sketch has seen: nearly exact for few, with a relative standard error of 1.04 / √2^lgConfigK for many. Bytes that are no sketch are an error.",
			Examples: []fn.Example{{SQL: "hll_sketch_estimate(unhex('0201070C030002082BF2FB06862FF90D000000000000000000000000000000000000000000000000'))", Want: "2"}, {SQL: "hll_sketch_estimate(NULL)", Want: "NULL"}},
			Resolve: fixed(bigint, tryBuilt(bigint, func(b *vec.Builder, args []*vec.Vector, r int) error {
				h, err := sketch.ReadHLL(args[0].Bytes(r))
				if err != nil {
					return &fn.DataError{Func: "hll_sketch_estimate", Row: r, Msg: err.Error()}
				}
				b.AppendInt(int64(math.Round(h.Estimate())))
				return nil
			}), blob),
		},
		{
			Name: "hll_union", Group: "Sketches", Syntax: []string{"hll_union(a, b [, allow_different])"}, Doc: "Joins two HLL sketches into that of the values of both. Different lgConfigK are an error, or with true as third argument the least counts.",
			Examples: []fn.Example{{SQL: "hll_sketch_estimate(hll_union(unhex('0201070C030002082BF2FB06862FF90D000000000000000000000000000000000000000000000000'), unhex('0201070C03040008')))", Want: "2"}, {SQL: "hll_union(unhex('0201070C03040008'), NULL)", Want: "NULL"}},
			Resolve:  optional(2, blob, tryBuilt(blob, hllUnion), blob, blob, boolean),
		},
	}
}

func hllUnion(b *vec.Builder, args []*vec.Vector, r int) error {
	var joined *sketch.HLL
	for _, a := range args[:2] {
		h, err := sketch.ReadHLL(a.Bytes(r))
		if err != nil {
			return &fn.DataError{Func: "hll_union", Row: r, Msg: err.Error()}
		}
		switch {
		case joined == nil:
			joined = h
		case joined.LgK != h.LgK && (len(args) < 3 || !args[2].IsTrue(r)):
			return &fn.DataError{Func: "hll_union", Row: r, Msg: "the sketches have different lgConfigK; a third argument true allows it"}
		default:
			joined = sketch.Union(joined, h)
		}
	}
	b.AppendBytes(joined.Append(nil))
	return nil
}
