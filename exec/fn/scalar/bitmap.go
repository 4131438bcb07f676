package scalar

import (
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// bitmapSize is how many numbers share a bitmap of bitmap_construct_agg.
const bitmapSize = 32768

// bitmaps are Spark's functions for counting different numbers with bitmaps: rows are
// grouped by bucket number, and each bucket has one bitmap of bit positions.
func bitmaps() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "bitmap_bucket_number", Group: "Sketches", Syntax: []string{"bitmap_bucket_number(n)"}, Doc: "Is the number of the bitmap that holds an integer: 1 for 1 to 32768, 0 for -32767 to 0.",
			Examples: []fn.Example{{SQL: "bitmap_bucket_number(32769)", Want: "2"}, {SQL: "bitmap_bucket_number(NULL)", Want: "NULL"}},
			Resolve: fixed(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 {
				n := args[0].Int(r)
				if n > 0 {
					return 1 + (n-1)/bitmapSize
				}
				return n / bitmapSize
			}), bigint),
		},
		{
			Name: "bitmap_bit_position", Group: "Sketches", Syntax: []string{"bitmap_bit_position(n)"}, Doc: "Is the position of an integer's bit, from 0 to 32767, in the bitmap of its bucket.",
			Examples: []fn.Example{{SQL: "bitmap_bit_position(123)", Want: "122"}, {SQL: "bitmap_bit_position(NULL)", Want: "NULL"}},
			Resolve: fixed(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 {
				n := args[0].Int(r)
				if n > 0 {
					return (n - 1) % bitmapSize
				}
				return -(n % bitmapSize)
			}), bigint),
		},
		{
			Name: "bitmap_count", Group: "Sketches", Syntax: []string{"bitmap_count(bitmap)"}, Doc: "Counts the bits that are set in BYTES.",
			Examples: []fn.Example{{SQL: "bitmap_count(unhex('FF10'))", Want: "9"}, {SQL: "bitmap_count(NULL)", Want: "NULL"}},
			Resolve: fixed(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 {
				n := 0
				for _, b := range args[0].Bytes(r) {
					n += bits.OnesCount8(b)
				}
				return int64(n)
			}), blob),
		},
	}
}
