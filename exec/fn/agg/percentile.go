package agg

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Median is median(x).
var Median = fn.Aggregate{
	Name: "median", Group: "Aggregate",
	Syntax: []string{"median(x)"},
	Doc: "The middle of the ordered values that are not NULL: the mean of two if their number is even. Of numbers it is a DOUBLE, of a DATE a TIMESTAMP_NTZ, " +
		"of other times what they are; of values between which there is nothing, such as texts, it is the lesser of the two.",
	Examples: []fn.Example{
		{SQL: "median(x) FROM (VALUES (1), (2), (10), (20), (NULL)) AS t(x)", Want: "6.0"},
		{SQL: "median(x) FROM (VALUES (DATE '2024-01-01'), (DATE '2024-01-02')) AS t(x)", Want: "2024-01-01 12:00:00"},
		{SQL: "median(x) FROM (VALUES ('a'), ('c'), ('b'), ('d')) AS t(x)", Want: "b"},
		{SQL: "median(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		half := shares{at: []float64{0.5}}
		if t := args[0].Type; t.Ordered() && !t.IsNumeric() && !measured(t) && t.Kind != types.Null && t.Kind != types.Interval {
			return percentileDisc(args, half), nil
		}
		return percentileCont(args, half)
	},
}

// Percentile is percentile(x, p).
var Percentile = fn.Aggregate{
	Name: "percentile", Aliases: []string{"percentile_cont", "quantile_cont"}, Group: "Aggregate",
	Syntax: []string{"percentile(x, p [, times | 'desc'])", "percentile_cont(p) WITHIN GROUP (ORDER BY x [DESC])"},
	Doc: "The value below which the share p (a constant from 0 to 1) of the values lies, interpolated between " +
		"neighbours, as DOUBLE; with an array of shares, an array. Exact. Of a DATE it is a TIMESTAMP_NTZ, of other times what they are. A share below 0 counts from the greatest value. A whole number as third argument says how many times " +
		"the value counts: NULL or 0 not at all, a negative one is an error. 'desc' counts from the greatest value.",
	Examples: []fn.Example{
		{SQL: "percentile(x, 0.25) FROM (VALUES (1), (2), (10), (20), (NULL)) AS t(x)", Want: "1.75"},
		{SQL: "percentile(x, array(0, 0.5)) FROM (VALUES (1), (2)) AS t(x)", Want: "[1.0,1.5]"},
		{SQL: "percentile(x, 0.25, 'desc') FROM (VALUES (1), (2), (10), (20)) AS t(x)", Want: "12.5"},
		{SQL: "percentile(x, 0.5, n) FROM (VALUES (1, 3), (10, 1), (20, NULL)) AS t(x, n)", Want: "1.0"},
		{SQL: "percentile(x, 0.5) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		p, err := readShares(args)
		if err != nil {
			return fn.AggImpl{}, err
		}
		p.counted = len(args) == 3 && !p.desc
		if p.counted {
			if err := wantInteger(args[2].Type); err != nil {
				return fn.AggImpl{}, err
			}
		}
		return percentileCont(args, p)
	},
}

// PercentileDisc is percentile_disc(x, p).
var PercentileDisc = fn.Aggregate{
	Name: "percentile_disc", Aliases: []string{"percentile_approx", "approx_percentile", "quantile_disc", "quantile", "approx_quantile"}, Group: "Aggregate",
	Syntax: []string{"percentile_disc(x, p [, accuracy | 'desc'])", "percentile_disc(p) WITHIN GROUP (ORDER BY x [DESC])"},
	Doc: "The least value at which at least the share p (a constant from 0 to 1) of the values has been reached; with an " +
		"array of shares, an array. A share below 0 counts from the greatest value. Under each of its names it is exact; an accuracy changes nothing. 'desc' counts from the greatest value.",
	Examples: []fn.Example{
		{SQL: "percentile_disc(x, 0.5) FROM (VALUES (1), (2), (10), (20), (NULL)) AS t(x)", Want: "2"},
		{SQL: "approx_percentile(x, array(0.5, 0.9), 100) FROM (VALUES (1), (2), (10), (20)) AS t(x)", Want: "[2,20]"},
		{SQL: "percentile_disc(x, 0.5, 'desc') FROM (VALUES (1), (2), (10), (20)) AS t(x)", Want: "10"},
		{SQL: "percentile_disc(x, 0.5) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		p, err := readShares(args)
		if err != nil {
			return fn.AggImpl{}, err
		}
		if len(args) == 3 && !p.desc {
			if n, err := constNumber(args[2], 3); err != nil {
				return fn.AggImpl{}, err
			} else if !(n >= 1) || n != math.Trunc(n) {
				return fn.AggImpl{}, fmt.Errorf("needs 'desc', or a whole number above 0 as accuracy, as argument 3, got %v", n)
			}
		}
		return percentileDisc(args, p), nil
	},
}

func percentileDisc(args []fn.Arg, p shares) fn.AggImpl {
	t := args[0].Type
	return p.aggregate(args, t, t, func(a *bagResult, g uint32, share float64, out *vec.Builder) error {
		n := a.total(g)
		rank := max(int64(math.Ceil(math.Abs(share)*float64(n))), 1)
		if p.descends(share) {
			rank = n + 1 - rank
		}
		return appendKeyed(out, t, a.at(g, rank))
	})
}

// shares are the constants of a percentile.
type shares struct {
	at   []float64
	list bool // they were given as an array, and so is the result
	desc bool // counted from the greatest value
	// counted: the third argument says how many times a value counts
	counted bool
}

// descends reports a share that is counted from the greatest value.
func (s shares) descends(share float64) bool { return s.desc != (share < 0) }

// readShares reads the constants of (x, p, …).
func readShares(args []fn.Arg) (shares, error) {
	var s shares
	if err := wantArgs(args, 2, 3); err != nil {
		return s, err
	}
	if err := s.read(args[1]); err != nil {
		return s, err
	}
	for _, p := range s.at {
		if !(p >= -1 && p <= 1) {
			return s, fmt.Errorf("needs a share from 0 to 1, or below 0 from the greatest value, as argument 2, got %v", p)
		}
	}
	if len(s.at) > 0 && slices.Min(s.at) < 0 && slices.Max(s.at) > 0 {
		return s, errors.New("needs shares that are all counted from the least value, or all from the greatest, as argument 2")
	}
	if len(args) == 3 && args[2].Type.Kind == types.String {
		if c := args[2].Const; c == nil || c.IsNull(0) || string(c.Bytes(0)) != "desc" {
			return s, errors.New("needs 'desc' or a number as argument 3")
		}
		s.desc = true
	}
	return s, nil
}

// read takes a number or an array of numbers.
func (s *shares) read(arg fn.Arg) error {
	if arg.Type.Kind != types.Array {
		p, err := constNumber(arg, 2)
		s.at = []float64{p}
		return err
	}
	s.list = true
	if arg.Const == nil || arg.Const.IsNull(0) {
		return errors.New("needs a constant array of numbers as argument 2")
	}
	f, i := arg.Const.At(0)
	for e := f.Off[i]; e < f.Off[i+1]; e++ {
		p, err := constNumber(fn.Arg{Type: *arg.Type.Elem, Const: vec.ConstOf(f.Child[0], int(e), 1)}, 2)
		if err != nil {
			return err
		}
		s.at = append(s.at, p)
	}
	return nil
}

// aggregate makes the accumulator of values of type t, each share of which one computes.
func (s shares) aggregate(args []fn.Arg, t, result types.Type, one func(a *bagResult, g uint32, share float64, out *vec.Builder) error) fn.AggImpl {
	impl := fn.AggImpl{Args: argTypes(args), Result: result}
	impl.Args[0] = t
	fill := func(a *bagResult, g uint32, out *vec.Builder) error { return one(a, g, s.at[0], out) }
	if s.list {
		impl.Result = types.ArrayOf(result)
		fill = func(a *bagResult, g uint32, out *vec.Builder) error { return s.appendList(a, g, out, one) }
	}
	impl.New = func(bool) fn.Accumulator {
		a := &bagResult{t: t, append: fill}
		if s.counted {
			a.keys = timesKey
		}
		a.bag.ranked = true
		return a
	}
	return impl
}

// timesKey is the value of argument 0, as often as argument 2 says.
func timesKey(key []byte, args []*vec.Vector, r int, put func(key []byte, times int64)) error {
	if args[0].IsNull(r) || args[2].IsNull(r) {
		return nil
	}
	n := args[2].Int(r)
	if n < 0 {
		return &fn.DataError{Func: "percentile", Value: fmt.Sprint(n), Row: r, Msg: "a value cannot count a negative number of times"}
	}
	put(vec.AppendKey(key, args[0], r), n)
	return nil
}

// appendList appends an array of one value a share, NULL without values.
func (s shares) appendList(a *bagResult, g uint32, out *vec.Builder, one func(a *bagResult, g uint32, share float64, out *vec.Builder) error) error {
	if a.total(g) == 0 {
		out.AppendNull()
		return nil
	}
	for _, p := range s.at {
		if err := one(a, g, p, out.Child(0)); err != nil {
			return err
		}
	}
	out.EndList()
	return nil
}

func percentileCont(args []fn.Arg, p shares) (fn.AggImpl, error) {
	t := double
	if measured(args[0].Type) {
		t = instantOf(args[0].Type)
	} else if err := wantNumber(args[0].Type, 1); err != nil {
		return fn.AggImpl{}, err
	}
	return p.aggregate(args, t, t, func(a *bagResult, g uint32, share float64, out *vec.Builder) error {
		return a.appendBetween(g, math.Abs(share), p.descends(share), out)
	}), nil
}

// measured reports a type of times, days or instants.
func measured(t types.Type) bool { return t.IsTime() || t.Kind == types.Time }

// instantOf is the type in which there is something between two values of a time.
func instantOf(t types.Type) types.Type {
	if t.Kind == types.Date {
		return types.Of(types.TimestampNTZ)
	}
	return t
}

// timeBetween lies by a share between two times. What lies between infinity and another time
// is infinity.
func timeBetween(k types.Kind, from, to int64, share float64) int64 {
	switch {
	case share == 0 || k.Infinite(from) != 0:
		return from
	case k.Infinite(to) != 0:
		return to
	}
	return from + int64(math.Round((float64(to)-float64(from))*share))
}

// appendBetween appends the interpolated value at the share p.
func (a *bagResult) appendBetween(g uint32, p float64, desc bool, out *vec.Builder) error {
	n := a.total(g)
	if n == 0 {
		out.AppendNull()
		return nil
	}
	at := p * float64(n-1)
	low := math.Floor(at)
	pair := vec.NewBuilder(a.t)
	for _, rank := range [2]int64{int64(low) + 1, min(int64(low)+2, n)} {
		if desc {
			rank = n + 1 - rank
		}
		if err := appendKeyed(pair, a.t, a.at(g, rank)); err != nil {
			return err
		}
	}
	two := pair.Finish()
	if a.t.Phys() == types.PhysInt64 { // both are in the type, and so is what lies between
		out.AppendInt(timeBetween(a.t.Kind, two.I64[0], two.I64[1], at-low))
		return nil
	}
	v := two.F64
	if at == low {
		out.AppendFloat(v[0])
		return nil
	}
	out.AppendFloat(v[0] + (v[1]-v[0])*(at-low))
	return nil
}
