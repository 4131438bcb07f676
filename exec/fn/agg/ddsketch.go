package agg

import (
	"errors"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// QuantileDD is quantile_dd(x, p, e).
var QuantileDD = fn.Aggregate{
	Name: "quantile_dd", Group: "Aggregate",
	Syntax: []string{"quantile_dd(x, p, e)", "quantile_dd(p, e) WITHIN GROUP (ORDER BY x)"},
	Doc: "The value below which the share p (a constant from 0 to 1) of the values lies, within the relative error e (a constant between 0 and 1), as " +
		"DOUBLE: a value is counted in a bucket of its logarithm (DDSketch), and the bucket's middle is given. The state is an entry a bucket, however " +
		"many values there are, and a deletion is exact. With an array of shares, an array. NULL is left out; NULL without values.",
	Examples: []fn.Example{
		{SQL: "round(quantile_dd(x, 0.5, 0.01), 3) FROM (VALUES (1), (10), (20), (NULL)) AS t(x)", Want: "10.075"},
		{SQL: "quantile_dd(x, 0, 0.1) FROM (VALUES (0), (5)) AS t(x)", Want: "0.0"},
		{SQL: "quantile_dd(x, 0.5, 0.01) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 3, 3); err != nil {
			return fn.AggImpl{}, err
		}
		if err := wantNumber(args[0].Type, 1); err != nil {
			return fn.AggImpl{}, err
		}
		p, err := readShares(args[:2])
		if err != nil {
			return fn.AggImpl{}, err
		}
		e, err := constNumber(args[2], 3)
		if err == nil && !(e > 0 && e < 1) {
			err = errors.New("needs an error between 0 and 1 as argument 3")
		}
		if err != nil {
			return fn.AggImpl{}, err
		}
		impl := p.aggregate(args, double, double, func(a *bagResult, g uint32, share float64, out *vec.Builder) error {
			n := a.total(g)
			return appendKeyed(out, double, a.at(g, max(1, min(int64(share*float64(n))+1, n))))
		})
		bare := impl.New
		impl.New = func(retract bool) fn.Accumulator {
			a := bare(retract).(*bagResult)
			a.keys = bucketKeys((1 + e) / (1 - e))
			return a
		}
		return impl, nil
	},
}

// bucketKeys are the middles of the buckets of values, which end at powers of a base.
func bucketKeys(base float64) func(key []byte, args []*vec.Vector, r int, put func(key []byte, times int64)) error {
	log := math.Log(base)
	middle := vec.ConstOf(vec.FromAny(double, 0.0), 0, 1)
	return func(key []byte, args []*vec.Vector, r int, put func(key []byte, times int64)) error {
		if args[0].IsNull(r) {
			return nil
		}
		f, i := args[0].At(r)
		m, j := middle.At(0)
		m.F64[j] = bucketMiddle(f.F64[i], base, log)
		put(vec.AppendKey(key, middle, 0), 1)
		return nil
	}
}

// bucketMiddle is the middle of the bucket of x. Zero, infinities and NaN stand for
// themselves, and so does what is so great that its bucket has no end.
func bucketMiddle(x, base, log float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	end := math.Pow(base, math.Ceil(math.Log(math.Abs(x))/log))
	m := 2 * end / (base + 1)
	if math.IsInf(m, 0) || m == 0 {
		return x
	}
	return math.Copysign(m, x)
}
