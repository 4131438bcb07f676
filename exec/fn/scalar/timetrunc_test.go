package scalar

import (
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Months, quarters and years begin on the first day of their first month, before Christ too.
func TestCutMonths(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	for range 20_000 {
		x := rnd.Int64N(1<<57) - 1<<56
		for _, months := range []int64{1, 3, 12} {
			y, m, _ := civil(x)
			first := int64(m-1) / months * months
			want := types.DaysFromCivil(y, int(first)+1, 1) * types.MicrosPerDay
			if got := (timeUnit{months: months}).cut(x); got != want {
				t.Fatalf("%d months of %d: %d, want %d", months, x, got, want)
			}
		}
	}
}
