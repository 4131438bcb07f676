package agg

import (
	"math"
	"math/big"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// The sums of the third and fourth powers, for one argument.
const (
	sumXXX = iota + sumXX + 1
	sumXXXX
	higherSums
)

// HigherMoments lists skewness and kurtosis, from exact sums of powers.
func HigherMoments() []fn.Aggregate {
	higher := func(name, alias, doc, want string, value func(moment) (float64, bool)) fn.Aggregate {
		f := statistic(name, alias, doc, want, value)
		f.Examples[0].SQL = name + "(x) FROM (VALUES (1), (2), (3), (4), (10), (NULL)) AS t(x)"
		f.Resolve = func(args []fn.Arg) (fn.AggImpl, error) {
			impl, err := resolveMoments(args, 1, value)
			impl.New = func(bool) fn.Accumulator {
				return &moments{sums: make([]exactSums, higherSums), args: 1, value: value}
			}
			return impl, err
		}
		return f
	}
	return []fn.Aggregate{
		higher("skewness", "", "How far the values lean to one side: the third central moment over the third power of the deviation; NULL if all are equal.",
			"1.1384199576606167", moment.skewness),
		higher("kurtosis", "kurtosis_pop", "How heavy the tails are: the fourth central moment over the square of the variance, less 3; NULL if all are equal.",
			"-0.212", moment.kurtosis),
		higher("skewness_samp", "", "The skewness as an estimate from a sample, as DuckDB's skewness: NULL for fewer than three values, and if all are equal.",
			"1.6970562748477143", moment.sampleSkewness),
		higher("kurtosis_samp", "", "The kurtosis as an estimate from a sample, as DuckDB's kurtosis: NULL for fewer than four values, and if all are equal.",
			"3.1519999999999997", moment.sampleKurtosis),
	}
}

func (m moment) sampleSkewness() (float64, bool) {
	g, ok := m.skewness()
	n := float64(m.n)
	return math.Sqrt(n*(n-1)) / (n - 2) * g, ok && m.n > 2
}

func (m moment) sampleKurtosis() (float64, bool) {
	g, ok := m.kurtosis()
	n := float64(m.n)
	return (n - 1) / ((n - 2) * (n - 3)) * ((n+1)*g + 6), ok && m.n > 3
}

// tall is where fourth powers begin to overflow.
const tall = 0x1p255

// addPowers adds x³ and x⁴, each as a sum of doubles that is exact unless it underflows.
func (a *moments) addPowers(g uint32, x float64, w int64) {
	if !(math.Abs(x) < tall) {
		if math.Abs(x) < huge {
			a.counts.at[g].odd += w // counted there otherwise
		}
		return
	}
	p := x * x
	e := math.FMA(x, x, -p)
	a.addProduct(sumXXX, g, p, x, w)
	a.addProduct(sumXXX, g, e, x, w)
	a.addProduct(sumXXXX, g, p, p, w)
	a.addProduct(sumXXXX, g, 2*p, e, w)
	a.addProduct(sumXXXX, g, e, e, w)
}

// powers are n and the sums of a group's values and of their powers, for sums about the
// mean: those times a power of n are whole, and have no more digits than the powers need.
type powers struct{ n, s1, s2, s3, s4 *big.Float }

func (m moment) powers() powers {
	return powers{exactReal().SetInt64(m.n), m.sum(sumX), m.sum(sumXX), m.sum(sumXXX), m.sum(sumXXXX)}
}

func exactReal() *big.Float { return new(big.Float).SetPrec(4 * exactBits) }

// product is k·x·y…, exact.
func product(k int64, list ...*big.Float) *big.Float {
	out := exactReal().SetInt64(k)
	for _, x := range list {
		out.Mul(out, x)
	}
	return out
}

// second is n·Σ(x − mean)²; it is 0 where all values are equal.
func (p powers) second() *big.Float {
	m := product(1, p.n, p.s2)
	return m.Sub(m, product(1, p.s1, p.s1)).SetPrec(256)
}

// third is n²·Σ(x − mean)³.
func (p powers) third() *big.Float {
	m := product(1, p.n, p.n, p.s3)
	m.Sub(m, product(3, p.n, p.s1, p.s2))
	return m.Add(m, product(2, p.s1, p.s1, p.s1))
}

// fourth is n³·Σ(x − mean)⁴.
func (p powers) fourth() *big.Float {
	m := product(1, p.n, p.n, p.n, p.s4)
	m.Sub(m, product(4, p.n, p.n, p.s1, p.s3))
	square := product(1, p.s1, p.s1)
	m.Add(m, product(6, p.n, square, p.s2))
	return m.Sub(m, product(3, square, square))
}

func (m moment) skewness() (float64, bool) {
	p := m.powers()
	m2 := p.second()
	if m2.Sign() <= 0 {
		return 0, false
	}
	den := new(big.Float).SetPrec(256).Sqrt(m2)
	den.Mul(den, m2)
	x, _ := den.Quo(p.third(), den).Float64()
	return x, true
}

func (m moment) kurtosis() (float64, bool) {
	p := m.powers()
	m2 := p.second()
	if m2.Sign() <= 0 {
		return 0, false
	}
	den := new(big.Float).SetPrec(256).Mul(m2, m2)
	q := den.Quo(p.fourth(), den)
	x, _ := q.Sub(q, big.NewFloat(3)).Float64()
	return x, true
}
