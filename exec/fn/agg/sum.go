package agg

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Sum is sum(x).
var Sum = fn.Aggregate{
	Name: "sum", Group: "Aggregate",
	Syntax: []string{"sum([DISTINCT] x)"},
	Doc: "Adds the values that are not NULL; NULL if there are none. Integers give BIGINT, DECIMAL(p,s) gives " +
		"DECIMAL(p+10,s) of at most 38 digits, FLOAT and DOUBLE give DOUBLE, INTERVAL gives INTERVAL; of BOOLEAN it is how many are true. The sum is exact and independent of " +
		"the order of rows (a DOUBLE is rounded once, at the end); a result that does not fit is an error.",
	Examples: []fn.Example{
		{SQL: "sum(x) FROM (VALUES (1), (2), (NULL)) AS t(x)", Want: "3"},
		{SQL: "sum(x) FROM (VALUES (1.25), (2.50)) AS t(x)", Want: "3.75"},
		{SQL: "sum(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: resolveSum,
}

// Avg is avg(x).
var Avg = fn.Aggregate{
	Name: "avg", Aliases: []string{"mean"}, Group: "Aggregate",
	Syntax: []string{"avg([DISTINCT] x)"},
	Doc: "The mean of the values that are not NULL; NULL if there are none. DECIMAL(p,s) gives DECIMAL(p+4,s+4) of " +
		"at most 38 digits, rounded half away from zero; every other number gives DOUBLE, from the exact sum. Of INTERVAL " +
		"the months are divided first; what is left of one counts 30 days, what is left of a day 24 hours. The mean of dates is a TIMESTAMP_NTZ, that of other " +
		"times what they are, in whole microseconds.",
	Examples: []fn.Example{
		{SQL: "avg(x) FROM (VALUES (1), (2), (NULL)) AS t(x)", Want: "1.5"},
		{SQL: "avg(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: resolveAvg,
}

func resolveSum(args []fn.Arg) (fn.AggImpl, error) {
	if err := wantArgs(args, 1, 1); err != nil {
		return fn.AggImpl{}, err
	}
	switch args[0].Type.Kind {
	case types.Interval:
		return intervalImpl(false), nil
	case types.Bool:
		args = []fn.Arg{{Type: bigint}}
	}
	if err := wantNumber(args[0].Type, 1); err != nil {
		return fn.AggImpl{}, err
	}
	t := known(args[0].Type, bigint)
	impl := fn.AggImpl{Args: []types.Type{t}}
	switch {
	case t.IsFloat():
		impl.Result = double
		impl.New = func(bool) fn.Accumulator { return &sumFloat{} }
	case t.Kind != types.Decimal:
		impl.Result = bigint
		impl.New = func(bool) fn.Accumulator { return &sumInt{} }
	default:
		impl.Result = types.DecimalOf(min(int(t.Prec)+10, types.MaxPrecision), int(t.Scale))
		impl.New = func(bool) fn.Accumulator { return newDecimalSum(t) }
	}
	return impl, nil
}

func newDecimalSum(t types.Type) fn.Accumulator {
	if t.Phys() == types.PhysInt64 {
		return &sumDecimal{}
	}
	return &sumWide{}
}

func resolveAvg(args []fn.Arg) (fn.AggImpl, error) {
	if err := wantArgs(args, 1, 1); err != nil {
		return fn.AggImpl{}, err
	}
	if args[0].Type.Kind == types.Interval {
		return intervalImpl(true), nil
	}
	if measured(args[0].Type) {
		t := instantOf(args[0].Type)
		return fn.AggImpl{Args: []types.Type{t}, Result: t, New: func(bool) fn.Accumulator { return &avgTime{} }}, nil
	}
	if err := wantNumber(args[0].Type, 1); err != nil {
		return fn.AggImpl{}, err
	}
	t := known(args[0].Type, double)
	impl := fn.AggImpl{Args: []types.Type{t}, Result: double}
	switch {
	case t.IsFloat():
		impl.New = func(bool) fn.Accumulator { return &avgFloat{} }
	case t.Kind != types.Decimal:
		impl.New = func(bool) fn.Accumulator { return &avgInt{} }
	default:
		scale := min(int(t.Scale)+4, types.MaxPrecision)
		impl.Result = types.DecimalOf(min(int(t.Prec)+4, types.MaxPrecision), scale)
		impl.New = func(bool) fn.Accumulator { return newDecimalAvg(t, scale-int(t.Scale), false) }
	}
	return impl, nil
}

func newDecimalAvg(t types.Type, more int, even bool) fn.Accumulator {
	if t.Phys() == types.PhysInt64 {
		return &avgDecimal{more: more, even: even}
	}
	return &avgWide{more: more, even: even}
}

// DecimalAverage is decimal_average(x).
var DecimalAverage = fn.Aggregate{
	Name: "decimal_average", Group: "Aggregate", Syntax: []string{"decimal_average(x)"},
	Doc: "The mean of DECIMALs in their own type, rounded half to even; NULL without values. avg has four digits more.",
	Examples: []fn.Example{
		{SQL: "decimal_average(x) FROM (VALUES (1.25), (1.20), (NULL)) AS t(x)", Want: "1.22"},
		{SQL: "decimal_average(x) FROM (VALUES (CAST(NULL AS DECIMAL(4, 2)))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		t := args[0].Type
		if t.Kind != types.Decimal {
			return fn.AggImpl{}, fmt.Errorf("needs a DECIMAL as argument 1, got %s", t)
		}
		return fn.AggImpl{Args: []types.Type{t}, Result: t, New: func(bool) fn.Accumulator { return newDecimalAvg(t, 0, true) }}, nil
	},
}

// sumInt is the sum of integers as BIGINT.
type sumInt struct {
	intSums
}

// Merge implements fn.Accumulator.
func (a *sumInt) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[sumInt](src).intSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *sumInt) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		s := &a.at[g]
		switch {
		case s.n == 0 && !mutant.On("the sum of nothing is 0"):
			out.AppendNull()
		case s.hi != int64(s.lo)>>63:
			return &fn.DataError{Func: "sum", Value: s.value().String(), Row: -1, Msg: "the result does not fit in BIGINT"}
		default:
			out.AppendInt(int64(s.lo))
		}
	}
	return nil
}

// sumDecimal is the sum of decimals of at most 18 digits.
type sumDecimal struct {
	intSums
}

// Merge implements fn.Accumulator.
func (a *sumDecimal) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[sumDecimal](src).intSums, from, into)
	return nil
}

// fitsAlways is the number of rows whose decimal sum cannot leave the ten digits
// that the result has more than its argument.
const fitsAlways = 1e10

// Result implements fn.Accumulator.
func (a *sumDecimal) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		s := &a.at[g]
		switch {
		case s.n == 0:
			out.AppendNull()
		case s.n < fitsAlways:
			out.AppendInt128(s.value())
		default:
			if err := appendDecimal("sum", s.value(), true, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// sumWide is the sum of decimals of more than 18 digits.
type sumWide struct {
	wideSums
}

// Merge implements fn.Accumulator.
func (a *sumWide) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[sumWide](src).wideSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *sumWide) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		s := &a.at[g]
		if s.n == 0 {
			out.AppendNull()
			continue
		}
		x, ok := s.value()
		if err := appendDecimal("sum", x, ok, out); err != nil {
			return err
		}
	}
	return nil
}

// sumFloat is the sum of FLOAT or DOUBLE.
type sumFloat struct {
	floatSums
}

// Merge implements fn.Accumulator.
func (a *sumFloat) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[sumFloat](src).floatSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *sumFloat) Result(groups []uint32, out *vec.Builder) error {
	a.appendFloats(groups, out, func(g uint32, _ int64) float64 { return a.value(g) })
	return nil
}
