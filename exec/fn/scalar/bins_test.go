package scalar

import (
	"math"
	"math/rand/v2"
	stdslices "slices"
	"testing"
	"time"
)

// TestBins checks what holds of all bounds, also of extreme ends: they ascend, are no more
// than twice the number asked for, and reach the upper end.
func TestBins(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1000, -7, -1, 0, 1, 3, 10, 999, 1 << 40, math.MaxInt64 - 1, math.MaxInt64}
	for range 2000 {
		low, high := ends[rnd.IntN(len(ends))]+rnd.Int64N(3)-1, ends[rnd.IntN(len(ends))]+rnd.Int64N(3)-1
		if low > high {
			low, high = high, low
		}
		n, nice := 1+rnd.IntN(50), rnd.IntN(2) == 0
		ints := intBins(low, high, n, nice)
		if !stdslices.IsSorted(ints) || len(ints) > 2*n || low < high && (len(ints) == 0 || ints[len(ints)-1] < high) {
			t.Fatalf("%d to %d, %d bins: %d", low, high, n, ints)
		}
		a, b := float64(low)*math.Pow(10, float64(rnd.IntN(600)-300)), float64(high)*math.Pow(10, float64(rnd.IntN(600)-300))
		if a = math.Max(math.Min(a, b), -math.MaxFloat64); b < a || math.IsInf(b, 0) {
			continue
		}
		floats := floatBins(a, b, n, nice)
		if !stdslices.IsSorted(floats) || len(floats) > 2*n {
			t.Fatalf("%g to %g, %d bins: %g", a, b, n, floats)
		}
	}
}

func TestTimeBins(t *testing.T) {
	at := func(s string) int64 {
		x, err := time.Parse("2006-01-02 15:04:05", s)
		if err != nil {
			t.Fatal(err)
		}
		return x.UnixMicro()
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	first, last := at("0001-01-01 00:00:00"), at("9999-12-31 23:59:59")
	for range 2000 {
		low := first + rnd.Int64N(last-first)
		high := min(low+rnd.Int64N(1<<rnd.IntN(50)), last)
		n := 1 + rnd.IntN(40)
		bounds := timeBins(low, high, n)
		if !stdslices.IsSorted(bounds) || len(bounds) > n || len(bounds) > 0 && (bounds[0] < low || bounds[len(bounds)-1] < high) {
			t.Fatalf("%s to %s, %d bins: %d", time.UnixMicro(low).UTC(), time.UnixMicro(high).UTC(), n, bounds)
		}
	}
}
