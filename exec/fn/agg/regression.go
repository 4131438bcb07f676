package agg

import (
	"math/big"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// Regressions lists the aggregates of the line y = intercept + slope·x through pairs. All
// but the means come from the exact sums of moments; y is the first argument, whose sums are sumX and
// sumXX there.
func Regressions() []fn.Aggregate {
	const want, points = "2.0", "(y, x) FROM (VALUES (3.0, 1.0), (5.0, 2.0), (7.0, 3.0), (NULL, 4.0)) AS t(y, x)"
	line := func(name, doc, want string, value func(moment) (float64, bool)) fn.Aggregate {
		f := pairStatistic(name, doc, want, value)
		f.Examples = []fn.Example{{SQL: name + points, Want: want},
			{SQL: name + "(y, x) FROM (VALUES (1.0, CAST(NULL AS DOUBLE))) AS t(y, x)", Want: "NULL"}}
		return f
	}
	return []fn.Aggregate{
		meanOf(line("regr_avgx", "The mean of x over the pairs without NULL.", want, nil), 1),
		meanOf(line("regr_avgy", "The mean of y over the pairs without NULL.", "5.0", nil), 0),
		line("regr_sxx", "The sum of squares of x − mean x over the pairs without NULL.", want,
			func(m moment) (float64, bool) { return m.deviations(sumYY, sumY, sumY) }),
		line("regr_syy", "The sum of squares of y − mean y over the pairs without NULL.", "8.0",
			func(m moment) (float64, bool) { return m.deviations(sumXX, sumX, sumX) }),
		line("regr_sxy", "The sum of products of x − mean x and y − mean y over the pairs without NULL.", "4.0",
			func(m moment) (float64, bool) { return m.deviations(sumXY, sumX, sumY) }),
		line("regr_slope", "The slope of the line of least squares through the pairs without NULL; NULL if x is constant.", want, moment.slope),
		line("regr_intercept", "Where the line of least squares through the pairs without NULL meets x = 0; NULL if x is constant.", "1.0", moment.intercept),
		line("regr_r2", "The square of the correlation of the pairs without NULL: NULL if x is constant, 1 if y is.", "1.0", moment.r2),
	}
}

// number is the count of rows with all its digits.
func (m moment) number() *big.Float { return new(big.Float).SetPrec(exactBits).SetInt64(m.n) }

// deviations is Σ (a − mean a)(b − mean b).
func (m moment) deviations(ab, a, b int) (float64, bool) {
	if m.n < 1 {
		return 0, false
	}
	c := m.central(ab, a, b)
	x, _ := c.Quo(c, m.number()).Float64()
	return x, true
}

func (m moment) exactSlope() *big.Float {
	if m.n < 1 {
		return nil
	}
	xx := m.central(sumYY, sumY, sumY)
	if xx.Sign() <= 0 {
		return nil
	}
	xy := m.central(sumXY, sumX, sumY)
	return xy.Quo(xy, xx)
}

func (m moment) slope() (float64, bool) {
	s := m.exactSlope()
	if s == nil {
		return 0, false
	}
	x, _ := s.Float64()
	return x, true
}

func (m moment) intercept() (float64, bool) {
	s := m.exactSlope()
	if s == nil {
		return 0, false
	}
	at := new(big.Float).SetPrec(exactBits).Mul(s, m.sum(sumY))
	at.Sub(m.sum(sumX), at)
	x, _ := at.Quo(at, m.number()).Float64()
	return x, true
}

func (m moment) r2() (float64, bool) {
	if m.n < 1 {
		return 0, false
	}
	yy, xx := m.central(sumXX, sumX, sumX), m.central(sumYY, sumY, sumY)
	switch {
	case xx.Sign() <= 0:
		return 0, false
	case yy.Sign() <= 0:
		return 1, true
	}
	xy := m.central(sumXY, sumX, sumY)
	den := xx.Mul(xx, yy)
	xy.Mul(xy, xy)
	x, _ := xy.Quo(xy, den).Float64()
	return x, true
}
