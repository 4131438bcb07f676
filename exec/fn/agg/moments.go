package agg

import (
	"encoding/binary"
	"math"
	"math/big"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Statistics lists the variances, deviations, covariances and the correlation. All are
// computed from exact sums, so that neither cancellation nor retraction costs digits.
func Statistics() []fn.Aggregate {
	return []fn.Aggregate{
		statistic("var_samp", "variance", "The sample variance: NULL for fewer than two values that are not NULL.", "2.5",
			func(m moment) (float64, bool) { return m.variance(1) }),
		statistic("var_pop", "", "The population variance: NULL without values that are not NULL.", "2.0",
			func(m moment) (float64, bool) { return m.variance(0) }),
		statistic("stddev_samp", "stddev std", "The sample standard deviation: NULL for fewer than two values that are not NULL.", "1.5811388300841898",
			func(m moment) (float64, bool) { v, ok := m.variance(1); return math.Sqrt(v), ok }),
		statistic("stddev_pop", "", "The population standard deviation: NULL without values that are not NULL.", "1.4142135623730951",
			func(m moment) (float64, bool) { v, ok := m.variance(0); return math.Sqrt(v), ok }),
		pairStatistic("covar_samp", "The sample covariance of the pairs without NULL: NULL for fewer than two.", "2.5",
			func(m moment) (float64, bool) { return m.covariance(1) }),
		pairStatistic("covar_pop", "The population covariance of the pairs without NULL; NULL if there are none.", "2.0",
			func(m moment) (float64, bool) { return m.covariance(0) }),
		pairStatistic("corr", "The correlation of the pairs without NULL: NULL if there are none or one side is constant.", "1.0", moment.correlation),
	}
}

func statistic(name, alias, doc, want string, value func(moment) (float64, bool)) fn.Aggregate {
	f := fn.Aggregate{Name: name, Group: "Statistics", Syntax: []string{name + "(x)"}, Doc: doc + " Numbers are taken as DOUBLE.",
		Examples: []fn.Example{
			{SQL: name + "(x) FROM (VALUES (1), (2), (3), (4), (5), (NULL)) AS t(x)", Want: want},
			{SQL: name + "(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
		},
		Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveMoments(args, 1, value) },
	}
	if alias != "" {
		f.Aliases = strings.Fields(alias)
	}
	return f
}

func pairStatistic(name, doc, want string, value func(moment) (float64, bool)) fn.Aggregate {
	return fn.Aggregate{Name: name, Group: "Statistics", Syntax: []string{name + "(y, x)"}, Doc: doc + " Numbers are taken as DOUBLE.",
		Examples: []fn.Example{
			{SQL: name + "(x, x) FROM (VALUES (1), (2), (3), (4), (5), (NULL)) AS t(x)", Want: want},
		},
		Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveMoments(args, 2, value) },
	}
}

func resolveMoments(args []fn.Arg, n int, value func(moment) (float64, bool)) (fn.AggImpl, error) {
	if err := wantArgs(args, n, n); err != nil {
		return fn.AggImpl{}, err
	}
	impl := fn.AggImpl{Result: double, New: func(bool) fn.Accumulator {
		return &moments{sums: make([]exactSums, n*(n+3)/2), args: n, value: value}
	}}
	for i, a := range args {
		if err := wantNumber(a.Type, i+1); err != nil {
			return fn.AggImpl{}, err
		}
		impl.Args = append(impl.Args, double)
	}
	return impl, nil
}

// The sums of moments: of x and x², and for pairs of y, y² and x·y.
const (
	sumX = iota
	sumXX
	sumY
	sumYY
	sumXY
)

type momentCount struct {
	n   int64
	odd int64 // rows with a value that is not finite, or whose square is not
}

// moments keeps the exact sums of powers and products. A square is the sum of two
// doubles, which is exact unless it underflows. State: two varints, then the sums.
type moments struct {
	counts cells[momentCount]
	sums   []exactSums
	args   int
	value  func(moment) (float64, bool)
}

// Grow implements fn.Accumulator.
func (a *moments) Grow(n int) {
	a.counts.Grow(n)
	for i := range a.sums {
		a.sums[i].Grow(n)
	}
}

// Reset implements fn.Accumulator.
func (a *moments) Reset(g uint32) {
	a.counts.Reset(g)
	for i := range a.sums {
		a.sums[i].Reset(g)
	}
}

// Bytes implements fn.Accumulator.
func (a *moments) Bytes() int64 {
	n := a.counts.Bytes()
	for i := range a.sums {
		n += a.sums[i].Bytes()
	}
	return n
}

// Add implements fn.Accumulator.
func (a *moments) Add(rows fn.AggRows) error {
	x := rows.Args[0]
	if a.args == 1 {
		each(rows, x, func(g uint32, r int, w int64) {
			a.addOne(g, x.Float(r), w)
			if len(a.sums) == higherSums {
				a.addPowers(g, x.Float(r), w)
			}
		})
		return nil
	}
	y := rows.Args[1]
	each(rows, x, func(g uint32, r int, w int64) {
		if !y.IsNull(r) {
			a.addPair(g, x.Float(r), y.Float(r), w)
		}
	})
	return nil
}

// huge is where squares and products begin to overflow.
const huge = 0x1p511

func (a *moments) addOne(g uint32, x float64, w int64) {
	a.counts.at[g].n += w
	if !(math.Abs(x) < huge) {
		a.counts.at[g].odd += w
		return
	}
	a.sums[sumX].addTimes(g, x, w)
	a.addProduct(sumXX, g, x, x, w)
}

func (a *moments) addPair(g uint32, x, y float64, w int64) {
	if !(math.Abs(x) < huge) || !(math.Abs(y) < huge) {
		a.counts.at[g].n += w
		a.counts.at[g].odd += w
		return
	}
	a.addOne(g, x, w)
	a.sums[sumY].addTimes(g, y, w)
	a.addProduct(sumYY, g, y, y, w)
	a.addProduct(sumXY, g, x, y, w)
}

func (a *moments) addProduct(sum int, g uint32, x, y float64, w int64) {
	p := x * y
	a.sums[sum].addTimes(g, p, w)
	a.sums[sum].addTimes(g, math.FMA(x, y, -p), w)
}

// Merge implements fn.Accumulator.
func (a *moments) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[moments](src)
	for i, f := range from {
		a.counts.at[into[i]].n += o.counts.at[f].n
		a.counts.at[into[i]].odd += o.counts.at[f].odd
		for k := range a.sums {
			a.sums[k].merge(into[i], &o.sums[k], f)
		}
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *moments) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		c := a.counts.at[g]
		x, ok := a.value(moment{a, g, c.n})
		switch {
		case !ok:
			out.AppendNull()
		case c.odd != 0:
			out.AppendFloat(math.NaN())
		default:
			out.AppendFloat(x)
		}
	}
	return nil
}

// AppendState implements fn.Accumulator.
func (a *moments) AppendState(dst []byte, g uint32) []byte {
	c := a.counts.at[g]
	dst = binary.AppendVarint(binary.AppendVarint(dst, c.n), c.odd)
	for i := range a.sums {
		dst = a.sums[i].appendState(dst, g)
	}
	return dst
}

// LoadState implements fn.Accumulator.
func (a *moments) LoadState(src []byte, g uint32) (rest []byte, err error) {
	c := &a.counts.at[g]
	if c.n, src, err = cutVarint(src); err != nil {
		return nil, err
	}
	if c.odd, src, err = cutVarint(src); err != nil {
		return nil, err
	}
	for i := range a.sums {
		if src, err = a.sums[i].loadState(src, g); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// moment is the sums of one group.
type moment struct {
	of *moments
	g  uint32
	n  int64
}

// exactBits holds every product of two sums.
const exactBits = 6000

func (m moment) sum(k int) *big.Float {
	var buf [wideLimbs]uint64
	abs, base, neg := m.of.sums[k].view(m.g, &buf)
	var digits [8 * wideLimbs]byte
	for i, limb := range abs {
		binary.BigEndian.PutUint64(digits[8*(wideLimbs-1-i):], limb)
	}
	x := new(big.Int).SetBytes(digits[8*(wideLimbs-len(abs)):])
	if neg {
		x.Neg(x)
	}
	f := new(big.Float).SetPrec(exactBits).SetInt(x)
	return f.SetMantExp(f, base-1074)
}

// central is n·Σab − Σa·Σb, exact but for the final rounding to more digits than a
// double has.
func (m moment) central(ab, a, b int) *big.Float {
	n := new(big.Float).SetPrec(exactBits).SetInt64(m.n)
	n.Mul(n, m.sum(ab))
	return n.Sub(n, new(big.Float).SetPrec(exactBits).Mul(m.sum(a), m.sum(b))).SetPrec(128)
}

// spread divides a central moment by n·(n − less); false for too few rows.
func (m moment) spread(ab, a, b int, less int64) (float64, bool) {
	if m.n <= less {
		return 0, false
	}
	den := new(big.Float).SetPrec(128).SetInt64(m.n)
	den.Mul(den, new(big.Float).SetInt64(m.n-less))
	f := m.central(ab, a, b)
	x, _ := f.Quo(f, den).Float64()
	return x, true
}

func (m moment) variance(less int64) (float64, bool) {
	v, ok := m.spread(sumXX, sumX, sumX, less)
	return max(v, 0), ok // squares that underflow may cost a last place
}

func (m moment) covariance(less int64) (float64, bool) { return m.spread(sumXY, sumX, sumY, less) }

func (m moment) correlation() (float64, bool) {
	if m.n < 1 {
		return 0, false
	}
	xx, yy := m.central(sumXX, sumX, sumX), m.central(sumYY, sumY, sumY)
	den := xx.Mul(xx, yy)
	if den.Sign() <= 0 {
		return 0, false
	}
	f := m.central(sumXY, sumX, sumY)
	x, _ := f.Quo(f, den.Sqrt(den)).Float64()
	return x, true
}
