package scalar

import (
	"math"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TestRoundByRow has digits of each row, on both sides of the point and far from it.
func TestRoundByRow(t *testing.T) {
	digits := vec.FromInts(integer, []int64{0, 1, 2, -1, -2, 400, -400, math.MaxInt32, math.MinInt32})
	n := digits.N
	floats, ints := make([]float64, n), make([]int64, n)
	for i := range n {
		floats[i], ints[i] = 45.125, 155
	}
	wantFloats := []float64{45, 45.1, 45.13, 50, 0, 45.125, 0, 45.125, 0}
	wantInts := []int64{155, 155, 155, 160, 200, 155, 0, 155, 0}
	rows := fn.Rows{N: n}
	f, err := roundByRow(halfUp, double)(&fn.Ctx{}, []*vec.Vector{vec.FromFloats(floats), digits}, rows)
	if err != nil {
		t.Fatal(err)
	}
	k, err := roundByRow(halfUp, bigint)(&fn.Ctx{}, []*vec.Vector{vec.FromInts(bigint, ints), digits}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if f.F64[i] != wantFloats[i] || k.I64[i] != wantInts[i] {
			t.Errorf("%d digits: %g, %d", digits.Int(i), f.F64[i], k.I64[i])
		}
	}
	if _, err := roundByRow(halfUp, tinyint)(&fn.Ctx{}, []*vec.Vector{vec.FromInts(tinyint, []int64{127}), vec.FromInts(integer, []int64{-1})}, fn.Rows{N: 1}); err == nil {
		t.Error("130 is no TINYINT")
	}
}
