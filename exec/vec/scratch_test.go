package vec_test

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/exec/vec/vectest"
)

// TestScratch writes to every slice lent: none may overlap another.
func TestScratch(t *testing.T) {
	var s vec.Scratch
	r := vectest.Rand(1)
	for range 20 {
		var lent [][]int64
		for i := range 30 {
			x := s.Ints(r.IntN(3 * vec.BatchSize))
			for k := range x {
				x[k] = int64(i)
			}
			lent = append(lent, x)
		}
		for i, x := range lent {
			for _, v := range x {
				if v != int64(i) {
					t.Fatalf("slice %d holds %d", i, v)
				}
			}
			if cap(x) != len(x) {
				t.Fatal("appending would write into the next slice")
			}
		}
		s.Reset()
	}
	use := func() {
		s.Reset()
		s.Ints(vec.BatchSize)
		s.Sel(10)
		s.Hashes(10)
		s.Floats(10)
		s.Groups(10)
		s.Bytes(10)
	}
	use()
	if n := testing.AllocsPerRun(5, use); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
