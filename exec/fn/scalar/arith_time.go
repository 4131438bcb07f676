package scalar

import (
	"math"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// resolveTimeArith finds the kernel of an operator with a date, timestamp or
// interval on one side.
func resolveTimeArith(op arithOp, a, b types.Type) (fn.Impl, error) {
	switch {
	case op == opAdd && b.IsTime() && !a.IsTime(), op == opAdd && b.Kind == types.Time && !a.IsTime() && a.Kind != types.Time:
		impl, err := resolveTimeArith(op, b, a)
		if err != nil {
			return impl, unsupported(op, a, b)
		}
		impl.Args[0], impl.Args[1] = impl.Args[1], impl.Args[0]
		impl.Eval = swapped(impl.Eval)
		return impl, nil
	case op > opSub:
		return intervalScale(op, a, b)
	case a.IsTime() && (b.Kind == types.Interval || b.Kind == types.String && op == opAdd || b.Kind == types.Null):
		return shift(op, a), nil
	case a.Kind == types.Time || b.Kind == types.Time:
		return clockArith(op, a, b)
	case a.Kind == types.Date && b.IsInteger():
		return shiftDays(op), nil
	case op == opSub && (a.IsTime() || a.Kind == types.String || a.Kind == types.Null) && (b.IsTime() || b.Kind == types.String):
		return timeDifference(a, b), nil
	case a.Kind == types.Interval && (b.Kind == types.Interval || b.Kind == types.Null || b.Kind == types.String),
		b.Kind == types.Interval && (a.Kind == types.Null || a.Kind == types.String):
		return fn.Impl{Args: []types.Type{interval, interval}, Result: interval, Eval: addIntervals(op)}, nil
	}
	return fn.Impl{}, unsupported(op, a, b)
}

// shiftMonotone tells whether a moved time keeps its order: a date always does, a
// timestamp when it moves by time, or by days where no clock changes. Months clip
// different days to one and can swap their times.
func shiftMonotone(impl fn.Impl, args []fn.Arg) (always, fixed []int) {
	at, by := 0, 1
	if !impl.Result.IsTime() {
		return nil, nil
	}
	if !args[0].Type.IsTime() {
		at, by = 1, 0
	}
	iv := args[by].Const
	switch {
	case impl.Result.Kind == types.Date && impl.Args[at].Kind == types.Date:
		return []int{at}, []int{at}
	case iv == nil || iv.Type.Kind != types.Interval || iv.IsNull(0) || iv.Iv[0].Months != 0:
		return nil, nil
	case iv.Iv[0].Days == 0 || impl.Result.Kind == types.TimestampNTZ:
		return []int{at}, []int{at}
	}
	return nil, []int{at}
}

func swapped(k fn.Kernel) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return k(c, []*vec.Vector{args[1], args[0]}, rows)
	}
}

// shift is time ± interval. A DATE moves by whole days: a constant interval with hours
// has made it a TIMESTAMP before (withHours), from a column they are an error.
func shift(op arithOp, t types.Type) fn.Impl {
	impl := fn.Impl{Args: []types.Type{t, interval}, Result: t}
	sign := int64(1)
	if op == opSub {
		sign = -1
	}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		at, iv := args[0], args[1]
		ma, mi := mask(at), mask(iv)
		if iv.Const && t.Kind != types.Date && iv.Iv[0].Months == 0 && (iv.Iv[0].Days == 0 || t.Kind == types.TimestampNTZ || c.Zone == time.UTC) {
			us, ok := intOne(opAdd, iv.Iv[0].Micros, int64(iv.Iv[0].Days)*types.MicrosPerDay)
			d, beyond := sign*us, !ok || us > maxShift || us < -maxShift
			for i := range out.I64 {
				v := at.I64[i&ma] + d
				out.I64[i] = v
				beyond = beyond || v < minInstant || v > maxInstant
			}
			if !beyond {
				return out, nil
			}
		}
		err := try(rows, func(r int) error {
			x := iv.Iv[r&mi]
			v, ok := Shift(t.Kind, at.I64[r&ma], x, sign, c.Zone)
			out.I64[r] = v
			if !ok {
				msg := t.String() + " " + overflows
				if t.Kind == types.Date && x.Micros%types.MicrosPerDay != 0 {
					msg = "a DATE moves by whole days; cast it to TIMESTAMP"
				}
				return c.Fail(out, r, op.String(), x.String(), msg)
			}
			return nil
		})
		return out, err
	}
	return impl
}

// Shift moves a DATE, TIMESTAMP or TIMESTAMP_NTZ by an interval: months first, with
// the day clipped to the month's end, then days on the wall clock, then time. False
// if it leaves the calendar, or moves a DATE by part of a day.
func Shift(k types.Kind, at int64, x types.IntervalValue, sign int64, zone *time.Location) (int64, bool) {
	months, days, us := sign*int64(x.Months), sign*int64(x.Days), sign*x.Micros
	if k == types.Date {
		if us%types.MicrosPerDay != 0 {
			return 0, false
		}
		d := addMonths(at, months) + days + us/types.MicrosPerDay
		return d, d >= types.FirstDay && d <= types.LastDay
	}
	if us > maxShift || us < -maxShift {
		return 0, false
	}
	if k == types.TimestampNTZ {
		zone = time.UTC
	}
	if months != 0 || days != 0 {
		local := types.ToLocal(at, zone)
		day := types.FloorDiv(local, types.MicrosPerDay)
		moved := addMonths(day, months) + days
		if !inCalendar(moved) {
			return 0, false
		}
		at = types.FromLocal(local+(moved-day)*types.MicrosPerDay, zone)
	}
	at += us
	if k == types.TimestampNTZ {
		return at, at >= minInstant && at <= maxInstant
	}
	return at, inCalendar(types.FloorDiv(at, types.MicrosPerDay))
}

// The first and last instant of the calendar, and what no move within it exceeds.
const (
	minInstant = types.FirstDay * types.MicrosPerDay
	maxInstant = (types.LastDay+1)*types.MicrosPerDay - 1
	maxShift   = maxInstant - minInstant + 2*types.MicrosPerDay
)

// inCalendar bounds days to what can be written, with room for zones.
func inCalendar(day int64) bool { return day >= types.FirstDay-1 && day <= types.LastDay+1 }

// addMonths moves a day, clipping to the end of the month.
func addMonths(day, months int64) int64 {
	if months == 0 {
		return day
	}
	y, m, d := types.CivilFromDays(day)
	total := int64(y)*12 + int64(m) - 1 + months
	year, month := int(types.FloorDiv(total, 12)), int(types.FloorMod(total, 12))+1
	return types.DaysFromCivil(year, month, min(d, types.DaysInMonth(year, month)))
}

// shiftDays is DATE ± whole days.
func shiftDays(op arithOp) fn.Impl {
	sign := int64(1)
	if op == opSub {
		sign = -1
	}
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(date, rows.N)
		ma, mb := mask(args[0]), mask(args[1])
		err := try(rows, func(r int) error {
			d := args[1].I64[r&mb]
			v := args[0].I64[r&ma] + sign*d
			out.I64[r] = v
			if d > math.MaxInt32 || d < math.MinInt32 || v < types.FirstDay || v > types.LastDay {
				return c.Fail(out, r, op.String(), vec.RowString(args[1], r, time.UTC)+" days", "DATE "+overflows)
			}
			return nil
		})
		return out, err
	}
	return fn.Impl{Args: []types.Type{date, bigint}, Result: date, Eval: eval}
}

// timeDifference is the INTERVAL between two times: whole days between dates, µs
// otherwise.
func timeDifference(a, b types.Type) fn.Impl {
	if a.Kind == types.Date && b.Kind == types.Date {
		return fn.Impl{Args: []types.Type{date, date}, Result: interval, Total: true, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out := c.New(interval, rows.N)
			ma, mb := mask(args[0]), mask(args[1])
			for i := range out.Iv {
				out.Iv[i] = types.IntervalValue{Days: int32(args[0].I64[i&ma] - args[1].I64[i&mb])}
			}
			return out, nil
		}}
	}
	t := timestamp
	if common, ok := types.CommonType(a, b); ok && common.Kind == types.TimestampNTZ {
		t = common
	}
	return fn.Impl{Args: []types.Type{t, t}, Result: interval, Total: true, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		ma, mb := mask(args[0]), mask(args[1])
		for i := range out.Iv {
			out.Iv[i] = types.IntervalValue{Micros: args[0].I64[i&ma] - args[1].I64[i&mb]}
		}
		return out, nil
	}}
}

func addIntervals(op arithOp) fn.Kernel {
	sign := int64(1)
	if op == opSub {
		sign = -1
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(interval, rows.N)
		ma, mb := mask(args[0]), mask(args[1])
		err := try(rows, func(r int) error {
			x, y := args[0].Iv[r&ma], args[1].Iv[r&mb]
			months, days := int64(x.Months)+sign*int64(y.Months), int64(x.Days)+sign*int64(y.Days)
			us, ok := intOne(opAdd, x.Micros, sign*y.Micros)
			out.Iv[r] = types.IntervalValue{Months: int32(months), Days: int32(days), Micros: us}
			if !ok || months != int64(int32(months)) || days != int64(int32(days)) {
				return c.Fail(out, r, op.String(), x.String()+" "+op.String()+" "+y.String(), "INTERVAL "+overflows)
			}
			return nil
		})
		return out, err
	}
}

// clockArith is TIME ± INTERVAL, TIME − TIME and DATE + TIME.
func clockArith(op arithOp, a, b types.Type) (fn.Impl, error) {
	moves := b.Kind == types.Interval || b.Kind == types.Null || b.Kind == types.String && op == opAdd
	switch {
	case a.Kind == types.Time && moves:
		return fn.Impl{Args: []types.Type{timeOfDay, interval}, Result: timeOfDay, Eval: shiftClock(op)}, nil
	case op == opSub && (a.Kind == types.Time || a.Kind == types.String || a.Kind == types.Null) && (b.Kind == types.Time || b.Kind == types.String):
		impl := timeDifference(ntz, ntz)
		impl.Args = []types.Type{timeOfDay, timeOfDay}
		return impl, nil
	case op == opAdd && a.Kind == types.Date:
		return fn.Impl{Args: []types.Type{date, timeOfDay}, Result: ntz, Total: true, Eval: ints(ntz, func(args []*vec.Vector, r int) int64 {
			return args[0].Int(r)*types.MicrosPerDay + args[1].Int(r)
		})}, nil
	}
	return fn.Impl{}, unsupported(op, a, b)
}

// shiftClock moves a time of day within its day: it does not go round midnight, and has
// no months. A day is 24 hours.
func shiftClock(op arithOp) fn.Kernel {
	sign := int64(1)
	if op == opSub {
		sign = -1
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(timeOfDay, rows.N)
		err := try(rows, func(r int) error {
			iv, at := args[1], r
			if iv.Const {
				at = 0
			}
			x := iv.Iv[at]
			v, ok := intOne(opAdd, x.Micros, int64(x.Days)*types.MicrosPerDay)
			out.I64[r] = args[0].Int(r) + sign*v
			if !ok || x.Months != 0 || v > types.MicrosPerDay || v < -types.MicrosPerDay || out.I64[r] < 0 || out.I64[r] >= types.MicrosPerDay {
				out.I64[r] = 0
				return c.Fail(out, r, op.String(), vec.RowString(args[0], r, c.Zone)+" "+op.String()+" "+x.String(), "a TIME stays within its day; move a TIMESTAMP to pass midnight")
			}
			return nil
		})
		return out, err
	}
}
