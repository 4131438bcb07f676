package conformance

import (
	"fmt"
	"math"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func appendDecimal(b *vec.Builder, x types.Int128) {
	if b.Type().Phys() == types.PhysInt128 {
		b.AppendInt128(x)
		return
	}
	n, _ := x.Int64()
	b.AppendInt(n)
}

func truncated10(x float64, digits int) float64 {
	p := math.Pow(10, float64(digits))
	return math.Trunc(x*p) / p
}

// wholeDays lets an interval move a DATE by the days in it: the rest is dropped.
func wholeDays(r *fn.Registry, name string) {
	f, _ := r.Scalar(name)
	other := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		at := -1
		for i := range args {
			if len(args) == 2 && args[i].Type.Kind == types.Interval && args[1-i].Type.Kind == types.Date {
				at = i
			}
		}
		if at < 0 {
			return other(args)
		}
		free := []fn.Arg{args[0], args[1]}
		free[at].Const = nil
		impl, err := other(free)
		inner := impl.Eval
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			days, err := cutInterval(types.MicrosPerDay).Eval(c, args[at:at+1], rows)
			if err != nil {
				return nil, err
			}
			list := []*vec.Vector{args[0], args[1]}
			list[at] = days
			return inner(c, list, rows)
		}
		return impl, err
	}
}

// nullIfNone lets a function be NULL where it has no value.
func nullIfNone(r *fn.Registry, name string) {
	f, _ := r.Scalar(name)
	other := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		impl, err := other(args)
		inner := impl.Eval
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			strict, count := c.NullOnError, c.Errors
			c.NullOnError = true
			v, err := inner(c, args, rows)
			c.NullOnError, c.Errors = strict, count
			return v, err
		}
		return impl, err
	}
}

// noNaN makes NaN of a number an error.
func noNaN(r *fn.Registry, name string) {
	f, _ := r.Scalar(name)
	other := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		impl, err := other(args)
		inner := impl.Eval
		impl.Safe, impl.Total = false, false
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			v, err := inner(c, args, rows)
			for i := 0; err == nil && i < rows.Len(); i++ {
				r := rows.At(i)
				f, k := args[0].At(r)
				if out, o := v.At(r); math.IsNaN(out.F64[o]) && !math.IsNaN(f.F64[k]) {
					err = c.Fail(v, r, name, fmt.Sprint(f.F64[k]), "is not defined")
				}
			}
			return v, err
		}
		return impl, err
	}
}

// boundsStay lets floor and ceil of a DOUBLE be one.
func boundsStay(r *fn.Registry, name string) {
	f, _ := r.Scalar(name)
	other := f.Resolve
	round := map[string]func(float64) float64{"floor": math.Floor, "ceil": math.Ceil}[name]
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) != 1 || !args[0].Type.IsFloat() {
			return other(args)
		}
		impl := eachValue(args[0].Type, func(b *vec.Builder, args []*vec.Vector, r int) {
			f, i := args[0].At(r)
			b.AppendFloat(round(f.F64[i]))
		})
		impl.Args = []types.Type{args[0].Type}
		return impl, nil
	}
}

// divideAll gives / of DOUBLE the meaning of IEEE 754, where 1/0 is infinite, and lets a
// quotient of integers have the type of the wider one.
func divideAll(r *fn.Registry) {
	f, _ := r.Scalar("/")
	other := f.Resolve
	double := types.Of(types.Float64)
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		impl, err := other(args)
		if err != nil || len(args) != 2 {
			return impl, err
		}
		switch wide, ok := types.CommonType(args[0].Type, args[1].Type); {
		case impl.Result.IsFloat() && (args[0].Type.IsFloat() || args[1].Type.IsFloat()):
			float := impl.Result
			impl = eachValue(float, func(b *vec.Builder, args []*vec.Vector, r int) {
				if args[1].IsNull(r) {
					b.AppendNull()
					return
				}
				x, i := args[0].At(r)
				y, k := args[1].At(r)
				q := x.F64[i] / y.F64[k]
				if float.Kind == types.Float32 {
					q = float64(float32(q))
				}
				b.AppendFloat(q)
			})
			impl.Args = []types.Type{double, double}
		case ok && wide.IsInteger() && impl.Result.IsInteger():
			inner := impl.Eval
			impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				v, err := inner(c, args, rows)
				if err != nil {
					return nil, err
				}
				return cast.Kernel(impl.Result, wide, false)(c, []*vec.Vector{v}, rows)
			}
			result := impl
			result.Result = wide
			return result, nil
		}
		return impl, nil
	}
}

// clocksTurn lets a TIME pass midnight, and leaves months out.
func clocksTurn(r *fn.Registry, name string) {
	f, _ := r.Scalar(name)
	other := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		at := 0
		if len(args) == 2 && args[1].Type.Kind == types.Time {
			at = 1
		}
		if len(args) != 2 || args[at].Type.Kind != types.Time || args[1-at].Type.Kind != types.Interval {
			return other(args)
		}
		impl := eachValue(types.Of(types.Time), func(b *vec.Builder, args []*vec.Vector, r int) {
			f, i := args[1-at].At(r)
			us := f.Iv[i].Micros % types.MicrosPerDay
			if name == "-" {
				us = -us
			}
			b.AppendInt(types.FloorMod(args[at].Int(r)+us, types.MicrosPerDay))
		})
		impl.Args = []types.Type{args[0].Type, args[1].Type}
		return impl, nil
	}
}

// cutInterval drops what is less than a unit, 0 = what is no month.
func cutInterval(unit int64) fn.Impl {
	return eachValue(types.Of(types.Interval), func(b *vec.Builder, args []*vec.Vector, r int) {
		f, i := args[0].At(r)
		x := f.Iv[i]
		if unit == 0 {
			x.Days, x.Micros = 0, 0
		} else {
			us := x.Micros + int64(x.Days)*types.MicrosPerDay
			us -= us % unit
			x.Days, x.Micros = int32(us/types.MicrosPerDay), us%types.MicrosPerDay
		}
		b.AppendInterval(x)
	})
}

// realBeside lets a text or a DECIMAL beside a REAL be a REAL.
func realBeside(r *fn.Registry, name string) {
	f, ok := r.Scalar(name)
	if !ok {
		return
	}
	other := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		for i := range args {
			if k := args[i].Type.Kind; len(args) == 2 && args[1-i].Type.Kind == types.Float32 && (k == types.String || k == types.Decimal) {
				same := []fn.Arg{{Type: args[1-i].Type}, {Type: args[1-i].Type}}
				return other(same)
			}
		}
		return other(args)
	}
}

// dateStays lets timestampadd of a DATE be a DATE, if its unit has whole days.
func dateStays(r *fn.Registry) {
	add, _ := r.Scalar("timestampadd")
	other := add.Resolve
	add.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		impl, err := other(args)
		if err != nil || len(args) != 3 || args[2].Type.Kind != types.Date || args[0].Const == nil {
			return impl, err
		}
		switch strings.ToLower(args[0].Const.Text(0)) {
		case "year", "quarter", "month", "week", "day":
		default:
			return impl, nil
		}
		inner := impl.Eval
		impl.Result = types.Of(types.Date)
		impl.Monotone, impl.MonotoneFixed = nil, nil
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			v, err := inner(c, args, rows)
			if err != nil {
				return nil, err
			}
			return eachValue(impl.Result, func(b *vec.Builder, args []*vec.Vector, r int) {
				b.AppendInt(types.FloorDiv(types.ToLocal(args[0].Int(r), c.Zone), types.MicrosPerDay))
			}).Eval(c, []*vec.Vector{v}, rows)
		}
		return impl, nil
	}
}

// unitSizes are the units of intervals: of years and months in months, of others in µs.
var unitSizes = map[string]int64{"year": 12, "month": 1, "day": types.MicrosPerDay, "hour": types.MicrosPerHour, "minute": types.MicrosPerMinute, "second": 1}

// unitsArg are the first and the last unit of 'day to second'.
func unitsArg(a fn.Arg) (first, last string) {
	words := strings.Fields(a.Const.Text(0))
	return words[0], words[len(words)-1]
}

func isMonths(unit string) bool { return unit == "year" || unit == "month" }

// feldUnits drops what an interval of these units does not hold.
func feldUnits(a fn.Arg, args []fn.Arg) (fn.Impl, bool) {
	if a.Type.Kind != types.Interval {
		return fn.Impl{}, false
	}
	_, last := unitsArg(args[1])
	if isMonths(last) {
		return cutInterval(0), true
	}
	return cutInterval(unitSizes[last]), true
}

// feldIntervalCount is an interval of one unit as a number.
func feldIntervalCount(a fn.Arg, args []fn.Arg) (fn.Impl, bool) {
	_, last := unitsArg(args[1])
	return eachValue(types.DecimalOf(20, 6), func(b *vec.Builder, args []*vec.Vector, r int) {
		f, i := args[0].At(r)
		x := f.Iv[i]
		switch us := x.Micros + int64(x.Days)*types.MicrosPerDay; {
		case isMonths(last):
			appendDecimal(b, types.MulInt64(int64(x.Months)/unitSizes[last], 1e6))
		case last == "second":
			appendDecimal(b, types.Int128From(us))
		default:
			appendDecimal(b, types.MulInt64(us/unitSizes[last], 1e6))
		}
	}), a.Type.Kind == types.Interval
}

// feldIntervalText prints an interval as their CAST does: a sign, then the first unit,
// which takes all, then those below it.
func feldIntervalText(a fn.Arg, args []fn.Arg) (fn.Impl, bool) {
	first, last := unitsArg(args[1])
	return eachValue(types.Of(types.String), func(b *vec.Builder, args []*vec.Vector, r int) {
		f, i := args[0].At(r)
		b.AppendString(intervalWords(f.Iv[i], first, last))
	}), a.Type.Kind == types.Interval
}

func intervalWords(x types.IntervalValue, first, last string) string {
	total := x.Micros + int64(x.Days)*types.MicrosPerDay
	if isMonths(first) {
		total = int64(x.Months)
	}
	text := "+"
	if total < 0 {
		text, total = "-", -total
	}
	marks := map[string]string{"month": "-", "hour": " ", "minute": ":", "second": ":"}
	inside := false
	for _, unit := range []string{"year", "month", "day", "hour", "minute", "second"} {
		if unit == first {
			inside = true
		}
		if !inside {
			continue
		}
		size := unitSizes[unit]
		if unit == "second" {
			size = types.MicrosPerSecond
		}
		n := total / size
		total %= size
		switch {
		case unit == first:
			text += fmt.Sprint(n)
		case unit == "month":
			text += fmt.Sprintf("-%d", n)
		default:
			text += fmt.Sprintf("%s%02d", marks[unit], n)
		}
		if unit == "second" {
			text += fmt.Sprintf(".%06d", total)
		}
		if unit == last {
			break
		}
	}
	return text
}
