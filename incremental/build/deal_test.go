package build

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDealer gives every split out once, whoever asks; in order if that is wanted, and else
// to each reader from a stretch of its own first.
func TestDealer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n, readers := rng.IntN(30), 1+rng.IntN(5)
		for _, inOrder := range []bool{true, false} {
			d := newDealer(n, readers, inOrder)
			var got []int
			for i := d.next(rng.IntN(readers)); i >= 0; i = d.next(rng.IntN(readers)) {
				got = append(got, i)
			}
			if inOrder && !slices.IsSorted(got) {
				t.Fatalf("%d splits for %d readers are dealt in the order %v", n, readers, got)
			}
			slices.Sort(got)
			if len(got) != n || n > 0 && (got[0] != 0 || got[n-1] != n-1 || len(slices.Compact(got)) != n) {
				t.Fatalf("%d splits for %d readers: dealt %v", n, readers, got)
			}
		}
	}
	d := newDealer(10, 2, false)
	for i, want := range []int{5, 0, 6, 1, 7, 8, 9, 4, 3, 2, -1} {
		if got := d.next([]int{1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0}[i]); got != want {
			t.Errorf("deal %d: split %d, want %d", i, got, want)
		}
	}
}
