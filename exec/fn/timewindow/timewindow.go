// Package timewindow owns the arithmetic of fixed time windows: where the window of
// an event time starts, where it ends, and which window is the first that is still
// open. The planner builds window(), TUMBLE, HOP, time_bucket and date_bin from these
// functions; they are not called by name. It knows no plans. Open this file first.
//
// Windows of n microseconds start at offset + k·n, counted from 1970-01-01 00:00
// UTC, floored, so that times before 1970 fall into the right one. A size of whole
// days means calendar days of the session zone, counted from 1970-01-01 local time,
// for TIMESTAMP; in UTC and for TIMESTAMP_NTZ that is the same. A size of months means
// calendar months, counted from January 1970: calendar.go. The window of infinity begins and
// ends there.
package timewindow

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const microsPerDay = 86_400_000_000

// Start is window_start(t, size [, offset]): the start of the tumbling window of t.
var Start = fn.Scalar{
	Name: "window_start", Group: "Time", Hidden: true, Syntax: []string{"window_start(t, size [, offset])"},
	Doc: "The start of the tumbling window that contains t.",
	Resolve: func(args []fn.Arg) (fn.Impl, error) {
		size, offset, err := parameters(args, 3)
		if err != nil {
			return fn.Impl{}, err
		}
		zoned := impl(args, func(c calendar, t int64) int64 { return c.floor(t, size, offset) }, size)
		zoned.Eval = startKernel(zoned, size, offset)
		return zoned, nil
	},
}

// End is window_end(start, size): the end, exclusive, of the window that starts at
// start.
var End = fn.Scalar{
	Name: "window_end", Group: "Time", Hidden: true, Syntax: []string{"window_end(start, size)"},
	Doc: "The end of the window that starts at start.",
	Resolve: func(args []fn.Arg) (fn.Impl, error) {
		size, _, err := parameters(args, 2)
		if err != nil {
			return fn.Impl{}, err
		}
		return impl(args, func(c calendar, t int64) int64 { return c.add(t, size) }, size), nil
	},
}

// FirstOpen is window_first_open(t, size, slide, offset): the start of the earliest
// sliding window that ends after t.
var FirstOpen = fn.Scalar{
	Name: "window_first_open", Group: "Time", Hidden: true, Syntax: []string{"window_first_open(t, size, slide, offset)"},
	Doc: "The start of the earliest sliding window that ends after t.",
	Resolve: func(args []fn.Arg) (fn.Impl, error) {
		return several(args, Windows{}, Windows.firstOpen)
	},
}

// NextEnd is window_next_end(t, size, step, offset): the least end of a cumulating window
// that is after t.
var NextEnd = fn.Scalar{
	Name: "window_next_end", Group: "Time", Hidden: true, Syntax: []string{"window_next_end(t, size, step, offset)"},
	Doc: "The least end of a cumulating window that is after t.",
	Resolve: func(args []fn.Arg) (fn.Impl, error) {
		return several(args, Windows{Cumulate: true}, Windows.nextEnd)
	},
}

// several is a function of the windows that a time is in.
func several(args []fn.Arg, w Windows, f func(w Windows, zone *time.Location, t int64) int64) (fn.Impl, error) {
	if len(args) != 4 {
		return fn.Impl{}, fmt.Errorf("takes 4 arguments, got %d", len(args))
	}
	for i, v := range []*types.IntervalValue{&w.Size, &w.Slide, &w.Offset} {
		iv, err := interval(args[i+1], []string{"size", "slide", "offset"}[i])
		if err != nil {
			return fn.Impl{}, err
		}
		*v = iv
	}
	return impl(args, func(c calendar, t int64) int64 { return f(w, c.zone, t) }, types.IntervalValue{Days: 1}), nil
}

// Pair is window(start, end): the struct of a window's bounds.
var Pair = fn.Scalar{
	Name: "window", Group: "Time", Hidden: true, Syntax: []string{"window(start, end)"},
	Doc:   "The bounds of a window as one value.",
	Nulls: fn.Custom,
	Resolve: func(args []fn.Arg) (fn.Impl, error) {
		if len(args) != 2 {
			return fn.Impl{}, fmt.Errorf("takes 2 arguments, got %d", len(args))
		}
		t := args[0].Type
		result := types.StructOf(types.Field{Name: "start", Type: t}, types.Field{Name: "end", Type: t})
		eval := func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			start, end := vec.Flatten(args[0]), vec.Flatten(args[1])
			return &vec.Vector{Type: result, N: rows.N, Child: []*vec.Vector{start, end}}, nil
		}
		return fn.Impl{Args: []types.Type{t, t}, Result: result, Eval: eval}, nil
	},
}

// parameters reads the constant size and, of three arguments, the offset.
func parameters(args []fn.Arg, n int) (size, offset types.IntervalValue, err error) {
	if len(args) < 2 || len(args) > n {
		return size, offset, fmt.Errorf("takes %d arguments, got %d", n, len(args))
	}
	if size, err = interval(args[1], "size"); err != nil || len(args) == 2 {
		return size, offset, err
	}
	offset, err = interval(args[2], "offset")
	return size, offset, err
}

func interval(a fn.Arg, what string) (types.IntervalValue, error) {
	if a.Const == nil || a.Type.Kind != types.Interval || a.Const.IsNull(0) {
		return types.IntervalValue{}, fmt.Errorf("needs a constant INTERVAL as %s", what)
	}
	f, i := a.Const.At(0)
	if v := f.Iv[i]; v.Months != 0 && Micros(v) != 0 {
		return types.IntervalValue{}, fmt.Errorf("needs a %s of months or of days and less, not of both", what)
	}
	return f.Iv[i], nil
}

// Micros is the length of an interval without months, days taken as 24 hours.
func Micros(v types.IntervalValue) int64 { return int64(v.Days)*microsPerDay + v.Micros }

// IsDays reports whether the interval is a whole number of days, or of months: a calendar
// window.
func IsDays(v types.IntervalValue) bool { return Micros(v)%microsPerDay == 0 }

// impl wraps a function of one time into a kernel. Sizes of whole days go through
// the session zone where t is an instant.
func impl(args []fn.Arg, f func(c calendar, t int64) int64, sizes ...types.IntervalValue) fn.Impl {
	in := args[0].Type
	if in.Kind != types.TimestampNTZ {
		in = types.Of(types.Timestamp)
	}
	want := []types.Type{in}
	for _, a := range args[1:] {
		want = append(want, a.Type)
	}
	local := in.Kind == types.Timestamp && len(sizes) > 0 && IsDays(sizes[0])
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		var cal calendar
		if local && c.Zone != time.UTC {
			cal.zone = c.Zone
		}
		return apply(c, args[0], rows, in, func(t int64) int64 {
			if in.Kind.Infinite(t) != 0 {
				return t
			}
			return f(cal, t)
		}), nil
	}
	return fn.Impl{Args: want, Result: in, Eval: eval, Monotone: []int{0}, Total: true}
}

// startKernel is the hot path of windowed aggregation: without a zone it divides only
// when a row leaves the window of the row before it.
func startKernel(zoned fn.Impl, size, offset types.IntervalValue) fn.Kernel {
	n, o, general := Micros(size), Micros(offset), zoned.Eval
	if size.Months != 0 {
		return general
	}
	local := zoned.Result.Kind == types.Timestamp && IsDays(size)
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		v := args[0]
		if v.Dict != nil || v.Const || local && c.Zone != time.UTC {
			return general(c, args, rows)
		}
		out := c.New(zoned.Result, rows.N)
		start := floor(-o, n) + o
		if rows.Sel != nil {
			for _, r := range rows.Sel {
				t := v.I64[r]
				if uint64(t-start) >= uint64(n) {
					if zoned.Result.Kind.Infinite(t) != 0 {
						out.I64[r] = t
						continue
					}
					start = floor(t-o, n) + o
				}
				out.I64[r] = start
			}
			return out, nil
		}
		for r, t := range v.I64[:rows.N] {
			if uint64(t-start) >= uint64(n) {
				if zoned.Result.Kind.Infinite(t) != 0 {
					out.I64[r] = t
					continue
				}
				start = floor(t-o, n) + o
			}
			out.I64[r] = start
		}
		return out, nil
	}
}

func apply(c *fn.Ctx, v *vec.Vector, rows fn.Rows, t types.Type, f func(int64) int64) *vec.Vector {
	out := c.New(t, rows.N)
	if rows.Sel == nil && v.Dict == nil && !v.Const {
		for r, x := range v.I64[:rows.N] {
			out.I64[r] = f(x)
		}
		return out
	}
	for i := range rows.Len() {
		r := rows.At(i)
		out.I64[r] = f(v.Int(r))
	}
	return out
}

// floor is the greatest multiple of n that is not above t.
func floor(t, n int64) int64 {
	m := t % n
	if m < 0 {
		m += n
	}
	return t - m
}
