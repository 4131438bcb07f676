package scalar

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// intervalScale is interval * n, n * interval, interval / n. A DECIMAL scales without
// rounding, up to the last µs.
func intervalScale(op arithOp, a, b types.Type) (fn.Impl, error) {
	if op == opMul && b.Kind == types.Interval && a.Kind != types.Interval {
		impl, err := intervalScale(op, b, a)
		if err != nil {
			return impl, unsupported(op, a, b)
		}
		impl.Args[0], impl.Args[1] = impl.Args[1], impl.Args[0]
		impl.Eval = swapped(impl.Eval)
		return impl, nil
	}
	switch {
	case op != opMul && op != opDiv || a.Kind != types.Interval:
	case b.Kind == types.Decimal:
		return fn.Impl{Args: []types.Type{interval, b}, Result: interval, Eval: scaleByDecimal(op)}, nil
	case b.IsNumeric() || b.Kind == types.Null:
		return fn.Impl{Args: []types.Type{interval, double}, Result: interval, Eval: scaleInterval(op)}, nil
	}
	return fn.Impl{}, unsupported(op, a, b)
}

// scaleByDecimal multiplies each part as scaleInterval does, in whole numbers where 128 bits
// hold them.
func scaleByDecimal(op arithOp) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		ma, mb := mask(args[0]), mask(args[1])
		scale := int(args[1].Type.Scale)
		unit := types.Pow10(scale)
		err := try(rows, func(r int) error {
			x, f := args[0].Iv[r&ma], cast.DecimalAt(args[1], r&mb)
			num, den := f, unit
			if op == opDiv {
				num, den = unit, f
			}
			if den.IsZero() {
				return c.Fail(out, r, "/", x.String()+" / 0", byZero)
			}
			v, ok := scaledBy(x, num, den)
			if !ok {
				v, ok = scaled(x, f.Float64()/unit.Float64(), op == opDiv)
			}
			out.Iv[r] = v
			if !ok {
				return c.Fail(out, r, op.String(), x.String()+" "+op.String()+" "+string(types.AppendDecimal(nil, f, scale)), "INTERVAL "+overflows)
			}
			return nil
		})
		return out, err
	}
}

// scaledBy is an interval by num / den; false if a number on the way leaves 128 bits, or a
// part its range.
func scaledBy(x types.IntervalValue, num, den types.Int128) (types.IntervalValue, bool) {
	whole, left, ok := divided(types.Int128From(int64(x.Months)), types.Int128{}, 0, num, den)
	months := whole
	whole, left, fits := divided(types.Int128From(int64(x.Days)), left, 30, num, den)
	days := whole
	total, inside := weighted(types.Int128From(x.Micros), left, types.MicrosPerDay, num)
	micros, rounds := total.DivRound(den)
	us, short := micros.Int64()
	ok = ok && fits && inside && rounds && short && months == int64(int32(months)) && days == int64(int32(days))
	return types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}, ok
}

// divided is (part · num + left · unit) / den, toward zero, with what is left of it.
func divided(part, left types.Int128, unit int64, num, den types.Int128) (whole int64, rest types.Int128, ok bool) {
	total, ok := weighted(part, left, unit, num)
	q, rest, fits := total.QuoRem(den)
	whole, short := q.Int64()
	return whole, rest, ok && fits && short
}

func weighted(part, left types.Int128, unit int64, num types.Int128) (types.Int128, bool) {
	a, ok1 := part.Mul(num)
	b, ok2 := left.Mul(types.Int128From(unit))
	sum, ok3 := a.Add(b)
	return sum, ok1 && ok2 && ok3
}

// scaleInterval multiplies each part; what is left of a month becomes days of 1/30
// of it, what is left of a day becomes time.
func scaleInterval(op arithOp) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		ma, mb := mask(args[0]), mask(args[1])
		err := try(rows, func(r int) error {
			x, f := args[0].Iv[r&ma], args[1].F64[r&mb]
			if op == opDiv && f == 0 {
				return c.Fail(out, r, "/", x.String()+" / 0", byZero)
			}
			v, ok := scaled(x, f, op == opDiv)
			out.Iv[r] = v
			if !ok {
				return c.Fail(out, r, op.String(), x.String()+" "+op.String()+" "+showFloat(f), "INTERVAL "+overflows)
			}
			return nil
		})
		return out, err
	}
}

func scaled(x types.IntervalValue, f float64, divide bool) (types.IntervalValue, bool) {
	if n := int64(f); !divide && float64(n) == f && n > -1<<31 && n < 1<<31 {
		return multiplied(x, n)
	}
	by := func(part float64) float64 {
		if divide {
			return part / f
		}
		return part * f
	}
	months := by(float64(x.Months))
	days := by(float64(x.Days)) + (months-math.Trunc(months))*30
	us := math.Round(by(float64(x.Micros)) + (days-math.Trunc(days))*types.MicrosPerDay)
	ok := math.Abs(months) < 1<<31 && math.Abs(days) < 1<<31 && math.Abs(us) < 0x1p63
	return types.IntervalValue{Months: int32(months), Days: int32(days), Micros: int64(us)}, ok
}

// multiplied is exact.
func multiplied(x types.IntervalValue, n int64) (types.IntervalValue, bool) {
	months, days := int64(x.Months)*n, int64(x.Days)*n
	us, ok := types.MulInt64(x.Micros, n).Int64()
	ok = ok && months == int64(int32(months)) && days == int64(int32(days))
	return types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}, ok
}
