package agg

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Spreads lists measures of DuckDB of how values are spread, and the sums and means that
// are always DOUBLE.
func Spreads() []fn.Aggregate {
	sem := statistic("sem", "", "The standard error of the mean: the population deviation over the root of the number of values; NULL without values.", "0.6324555320336759",
		func(m moment) (float64, bool) { v, ok := m.variance(0); return math.Sqrt(v / float64(m.n)), ok })
	return []fn.Aggregate{sem, mad, entropy, geomean,
		asDouble("fsum", []string{"kahan_sum", "sumkahan"}, "The sum as DOUBLE: sum(x) of what other types are as DOUBLE.", "3.0", resolveSum),
		asDouble("favg", nil, "The mean as DOUBLE: avg(x) of what other types are as DOUBLE.", "1.5", resolveAvg),
	}
}

var mad = fn.Aggregate{
	Name: "mad", Group: "Statistics", Syntax: []string{"mad(x)"},
	Doc: "The median of how far the values that are not NULL lie from their median, as DOUBLE; of times it is an INTERVAL. A result costs the number of different values.",
	Examples: []fn.Example{
		{SQL: "mad(x) FROM (VALUES (1), (3), (4), (10), (NULL)) AS t(x)", Want: "1.5"},
		{SQL: "mad(x) FROM (VALUES (DATE '2024-01-01'), (DATE '2024-01-02')) AS t(x)", Want: "12:00:00"},
		{SQL: "mad(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if len(args) == 1 && measured(args[0].Type) {
			return madOfTimes(instantOf(args[0].Type)), nil
		}
		impl, err := numberBag(args, double, appendMad)
		ranked := impl.New
		impl.New = func(retract bool) fn.Accumulator {
			a := ranked(retract).(*bagResult)
			a.bag.ranked = true
			return a
		}
		return impl, err
	},
}

// madOfTimes is mad of times, as an interval of days and what is left.
func madOfTimes(t types.Type) fn.AggImpl {
	impl := fn.AggImpl{Args: []types.Type{t}, Result: interval}
	impl.New = func(bool) fn.Accumulator {
		a := &bagResult{t: t, append: func(a *bagResult, g uint32, out *vec.Builder) error {
			one := vec.NewBuilder(double)
			if err := appendMad(a, g, one); err != nil {
				return err
			}
			v := one.Finish()
			if v.IsNull(0) {
				out.AppendNull()
				return nil
			}
			us := int64(math.Round(v.F64[0]))
			out.AppendInterval(types.IntervalValue{Days: int32(us / types.MicrosPerDay), Micros: us % types.MicrosPerDay})
			return nil
		}}
		a.bag.ranked = true
		return a
	}
	return impl
}

// numberBag resolves an aggregate of numbers as DOUBLEs.
func numberBag(args []fn.Arg, result types.Type, append func(a *bagResult, g uint32, out *vec.Builder) error) (fn.AggImpl, error) {
	if err := wantArgs(args, 1, 1); err != nil {
		return fn.AggImpl{}, err
	}
	if err := wantNumber(args[0].Type, 1); err != nil {
		return fn.AggImpl{}, err
	}
	return fn.AggImpl{Args: []types.Type{double}, Result: result,
		New: func(bool) fn.Accumulator { return &bagResult{t: double, append: append} }}, nil
}

// counted is a value with how often it occurs.
type counted struct {
	x float64
	n int64
}

// values lists the values of a group of a bag of numbers, ascending.
func (a *bagResult) values(g uint32) (out []counted, failed error) {
	one := vec.NewBuilder(a.t)
	a.walk(g, func(key []byte, w int64) bool {
		one.Reset()
		failed = appendKeyed(one, a.t, key)
		v := one.Finish()
		x := 0.0
		if a.t.Phys() == types.PhysInt64 {
			x = float64(v.Int(0))
		} else if failed == nil {
			x = v.Float(0)
		}
		out = append(out, counted{x, w})
		return failed == nil
	})
	return out, failed
}

// appendMad takes the deviations from the median in ascending order from both ends of
// the values around it.
func appendMad(a *bagResult, g uint32, out *vec.Builder) error {
	middle := vec.NewBuilder(a.t)
	if err := a.appendBetween(g, 0.5, false, middle); err != nil {
		return err
	}
	m := middle.Finish()
	if m.IsNull(0) {
		out.AppendNull()
		return nil
	}
	list, err := a.values(g)
	if err != nil {
		return err
	}
	median := 0.0
	if a.t.Phys() == types.PhysInt64 {
		median = float64(m.I64[0])
	} else {
		median = m.F64[0]
	}
	right := 0
	for right < len(list) && list[right].x < median {
		right++
	}
	n := a.total(g)
	lower, upper := (n+1)/2, n/2+1 // ranks whose deviations are averaged
	var at, low, high = int64(0), math.NaN(), math.NaN()
	for left := right - 1; at < upper; {
		var next counted
		if left >= 0 && (right >= len(list) || median-list[left].x <= list[right].x-median) {
			next, left = counted{median - list[left].x, list[left].n}, left-1
		} else {
			next, right = counted{list[right].x - median, list[right].n}, right+1
		}
		if at < lower && at+next.n >= lower {
			low = next.x
		}
		if at += next.n; at >= upper {
			high = next.x
		}
	}
	out.AppendFloat((low + high) / 2)
	return nil
}

var entropy = fn.Aggregate{
	Name: "entropy", Group: "Statistics", Syntax: []string{"entropy(x)"},
	Doc: "The entropy of the values that are not NULL, in bits: how many are needed to say which of them a row has; 0 without values. A result costs the number of different values.",
	Examples: []fn.Example{
		{SQL: "entropy(x) FROM (VALUES ('a'), ('b'), ('c'), ('d'), (NULL)) AS t(x)", Want: "2.0"},
		{SQL: "entropy(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "0.0"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		t := args[0].Type
		return fn.AggImpl{Args: []types.Type{t}, Result: double,
			New: func(bool) fn.Accumulator { return &bagResult{t: t, append: appendEntropy} }}, nil
	},
}

func appendEntropy(a *bagResult, g uint32, out *vec.Builder) error {
	total, bits := int64(0), 0.0
	a.walk(g, func(_ []byte, w int64) bool { total += w; return true })
	a.walk(g, func(_ []byte, w int64) bool {
		n := float64(total)
		bits += float64(w) / n * math.Log2(n/float64(w))
		return true
	})
	out.AppendFloat(max(bits, 0))
	return nil
}

var geomean = fn.Aggregate{
	Name: "geomean", Aliases: []string{"geometric_mean"}, Group: "Statistics", Syntax: []string{"geomean(x)"},
	Doc: "The geometric mean of the values that are not NULL, as DOUBLE: e to the mean of their logarithms; NaN with a negative one, NULL without values.",
	Examples: []fn.Example{
		{SQL: "geomean(x) FROM (VALUES (1), (1), (1), (NULL)) AS t(x)", Want: "1.0"},
		{SQL: "geomean(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		impl, err := numberBag(args, double, nil)
		impl.New = func(bool) fn.Accumulator { return &logMean{} }
		return impl, err
	},
}

// logMean is the accumulator of geomean. State: that of the sum of the logarithms.
type logMean struct {
	floatSums
	logs []float64
}

// Add implements fn.Accumulator.
func (a *logMean) Add(rows fn.AggRows) error {
	v := vec.Flatten(rows.Args[0])
	a.logs = a.logs[:0]
	for _, x := range v.F64 {
		a.logs = append(a.logs, math.Log(x))
	}
	rows.Args = []*vec.Vector{{Type: double, N: v.N, F64: a.logs, Valid: v.Valid}}
	return a.floatSums.Add(rows)
}

// Merge implements fn.Accumulator.
func (a *logMean) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[logMean](src).floatSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *logMean) Result(groups []uint32, out *vec.Builder) error {
	a.appendFloats(groups, out, func(g uint32, n int64) float64 { return math.Exp(a.value(g) / float64(n)) })
	return nil
}

// asDouble is an aggregate of numbers that are first turned into DOUBLEs.
func asDouble(name string, aliases []string, doc, want string, resolve func([]fn.Arg) (fn.AggImpl, error)) fn.Aggregate {
	return fn.Aggregate{
		Name: name, Aliases: aliases, Group: "Aggregate", Syntax: []string{name + "([DISTINCT] x)"}, Doc: doc,
		Examples: []fn.Example{
			{SQL: name + "(x) FROM (VALUES (1), (2), (NULL)) AS t(x)", Want: want},
			{SQL: name + "(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
		},
		Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
			if err := wantArgs(args, 1, 1); err != nil {
				return fn.AggImpl{}, err
			}
			if err := wantNumber(args[0].Type, 1); err != nil {
				return fn.AggImpl{}, err
			}
			return resolve([]fn.Arg{{Type: double}})
		},
	}
}
