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

// centralPowers are the sums of (x − mean)², (x − mean)³ and (x − mean)⁴.
func (m moment) centralPowers() (m2, m3, m4 *big.Float) {
	real := func() *big.Float { return new(big.Float).SetPrec(4 * exactBits) }
	mul := func(list ...*big.Float) *big.Float {
		out := real().SetInt64(1)
		for _, x := range list {
			out.Mul(out, x)
		}
		return out
	}
	n := real().SetInt64(m.n)
	mean := real().Quo(m.sum(sumX), n)
	s2, s3, s4 := m.sum(sumXX), m.sum(sumXXX), m.sum(sumXXXX)
	int64s := func(k int64) *big.Float { return real().SetInt64(k) }
	square := mul(n, mean, mean)
	m2 = real().Sub(s2, square)
	m3 = real().Sub(s3, mul(int64s(3), mean, s2))
	m3.Add(m3, mul(int64s(2), square, mean))
	m4 = real().Sub(s4, mul(int64s(4), mean, s3))
	m4.Add(m4, mul(int64s(6), mean, mean, s2))
	m4.Sub(m4, mul(int64s(3), square, mean, mean))
	return m2, m3, m4
}

// flat reports that all values are equal, or that there are none.
func (m moment) flat() bool { return m.n < 1 || m.central(sumXX, sumX, sumX).Sign() <= 0 }

func (m moment) skewness() (float64, bool) {
	if m.flat() {
		return 0, false
	}
	m2, m3, _ := m.centralPowers()
	m2.SetPrec(256)
	den := new(big.Float).SetPrec(256).Sqrt(m2)
	den.Mul(den, m2)
	root := new(big.Float).SetPrec(256).SetInt64(m.n)
	root.Sqrt(root)
	x, _ := root.Mul(root, m3).Quo(root, den).Float64()
	return x, true
}

func (m moment) kurtosis() (float64, bool) {
	if m.flat() {
		return 0, false
	}
	m2, _, m4 := m.centralPowers()
	den := new(big.Float).SetPrec(256).Mul(m2, m2)
	q := new(big.Float).SetPrec(256).SetInt64(m.n)
	q.Mul(q, m4).Quo(q, den)
	x, _ := q.Sub(q, big.NewFloat(3)).Float64()
	return x, true
}
