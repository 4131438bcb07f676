package scalar

import (
	"math/rand/v2"
	stdslices "slices"
	"testing"
)

// TestPick checks what holds of any line: n points, the ends among them, in order, once.
func TestPick(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var l polyline
		for i := range rnd.IntN(200) {
			l.x, l.y, l.at = append(l.x, float64(i)), append(l.y, rnd.NormFloat64()), append(l.at, i)
		}
		n := 2 + rnd.IntN(100)
		got := l.pick(int64(n))
		want := min(n, len(l.at))
		if len(got) != want || !stdslices.IsSorted(got) || len(stdslices.Compact(stdslices.Clone(got))) != want ||
			want > 0 && (got[0] != 0 || got[want-1] != len(l.at)-1) {
			t.Fatalf("%d of %d: %d", n, len(l.at), got)
		}
	}
	parabola := polyline{}
	for i := range 10 {
		parabola.x, parabola.y, parabola.at = append(parabola.x, float64(i)), append(parabola.y, float64(i*i)), append(parabola.at, i)
	}
	if got := parabola.pick(5); !stdslices.Equal(got, []int{0, 2, 5, 7, 9}) {
		t.Errorf("%d", got)
	}
}
