package agg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// valueOf runs an aggregate over rows, some of which come and go again.
func valueOf(t *testing.T, f fn.Aggregate, rnd *rand.Rand, rows [][]any) any {
	t.Helper()
	impl, err := f.Resolve([]fn.Arg{{Type: double}, {Type: double}}[:len(rows[0])])
	if err != nil {
		t.Fatal(err)
	}
	acc := impl.New(true)
	acc.Grow(1)
	add := func(row []any, w int64) {
		args := make([]*vec.Vector, len(row))
		for i, x := range row {
			args[i] = vec.FromAny(double, x)
		}
		if err := acc.Add(fn.AggRows{Args: args, W: []int64{w}, Groups: []uint32{0}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rows {
		gone := make([]any, len(r))
		for i := range gone {
			gone[i] = rnd.NormFloat64() * 1e6
		}
		add(gone, 1)
		add(r, 1)
		add(gone, -1)
	}
	out := vec.NewBuilder(impl.Result)
	if err := acc.Result([]uint32{0}, out); err != nil {
		t.Fatal(err)
	}
	return vec.ToAny(out.Take(), 0)
}

// moment is the mean of (x − mean)ᵏ, or of products of two columns.
func naiveMoment(rows [][]any, a, b int, k float64) float64 {
	mean := func(c int) (m float64) {
		for _, r := range rows {
			m += r[c].(float64) / float64(len(rows))
		}
		return m
	}
	ma, mb, sum := mean(a), mean(b), 0.0
	for _, r := range rows {
		if a == b {
			sum += math.Pow(r[a].(float64)-ma, k)
			continue
		}
		sum += (r[a].(float64) - ma) * (r[b].(float64) - mb)
	}
	return sum / float64(len(rows))
}

// Skewness, kurtosis and the regressions equal their definitions, whatever came and
// went again.
func TestHigherMomentsAndRegressions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	fs := map[string]fn.Aggregate{}
	for _, f := range append(HigherMoments(), Regressions()...) {
		fs[f.Name] = f
	}
	for range 50 {
		var one, two [][]any
		for range 2 + rnd.IntN(20) {
			y, x := math.Round(rnd.NormFloat64()*100), math.Round(rnd.NormFloat64()*100)
			one, two = append(one, []any{y}), append(two, []any{y, x})
		}
		m2 := naiveMoment(one, 0, 0, 2)
		xx, yy, xy := naiveMoment(two, 1, 1, 2), naiveMoment(two, 0, 0, 2), naiveMoment(two, 0, 1, 1)
		if m2 == 0 || xx == 0 {
			continue
		}
		near(t, "skewness", valueOf(t, fs["skewness"], rnd, one), naiveMoment(one, 0, 0, 3)/math.Pow(m2, 1.5))
		near(t, "kurtosis", valueOf(t, fs["kurtosis"], rnd, one), naiveMoment(one, 0, 0, 4)/(m2*m2)-3)
		n := float64(len(two))
		near(t, "regr_sxx", valueOf(t, fs["regr_sxx"], rnd, two), xx*n)
		near(t, "regr_syy", valueOf(t, fs["regr_syy"], rnd, two), yy*n)
		near(t, "regr_sxy", valueOf(t, fs["regr_sxy"], rnd, two), xy*n)
		near(t, "regr_slope", valueOf(t, fs["regr_slope"], rnd, two), xy/xx)
		near(t, "regr_r2", valueOf(t, fs["regr_r2"], rnd, two), xy*xy/xx/yy)
	}
	flat := [][]any{{1.5, 2.0}, {2.5, 2.0}}
	for _, name := range []string{"regr_slope", "regr_intercept", "regr_r2"} {
		if got := valueOf(t, fs[name], rnd, flat); got != nil {
			t.Errorf("%s over a constant x gives %v", name, got)
		}
	}
}

func near(t *testing.T, what string, got any, want float64) {
	t.Helper()
	x, ok := got.(float64)
	if !ok || math.Abs(x-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s gives %v, want %v", what, got, want)
	}
}

// A sum that does not fit is NULL alone: the groups beside it have their values.
func TestTrySum(t *testing.T) {
	impl, err := TrySum.Resolve([]fn.Arg{{Type: types.Of(types.Int64)}})
	if err != nil {
		t.Fatal(err)
	}
	acc := impl.New(false)
	acc.Grow(3)
	x := vec.FromAny(bigint, 1, int64(math.MaxInt64), 5, 7)
	if err := acc.Add(fn.AggRows{Args: []*vec.Vector{x}, Groups: []uint32{0, 1, 1, 2}}); err != nil {
		t.Fatal(err)
	}
	out := vec.NewBuilder(impl.Result)
	if err := acc.Result([]uint32{0, 1, 2, 1}, out); err != nil {
		t.Fatal(err)
	}
	v := out.Take()
	if v.N != 4 || v.Int(0) != 1 || !v.IsNull(1) || v.Int(2) != 7 || !v.IsNull(3) {
		t.Errorf("got %v %v %v %v", vec.ToAny(v, 0), vec.ToAny(v, 1), vec.ToAny(v, 2), vec.ToAny(v, 3))
	}
}
