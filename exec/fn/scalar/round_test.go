package scalar

import (
	"math"
	"math/rand/v2"
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

// TestRoundFar: the short way gives what the decimal text gives, to the last bit.
func TestRoundFar(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	taken := 0
	for range 300_000 {
		x := (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(12)))
		if r.IntN(3) == 0 { // few digits: halves, and what is rounded already
			x = math.Round(x*1000) / 1000
		}
		digits, mode := r.IntN(6), rounding(r.IntN(2))
		y, ok := roundFar(mode, x, digits, 64)
		if !ok {
			continue
		}
		taken++
		if want := roundText(mode, x, digits, 64); math.Float64bits(y) != math.Float64bits(want) {
			t.Fatalf("round(%v, %d) = %v, by its text %v", x, digits, y, want)
		}
	}
	if taken < 200_000 {
		t.Errorf("only %d went the short way", taken)
	}
}
