package scalar

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func windows() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "$window_start", Group: "Windows", Hidden: true, Syntax: []string{"$window_start(time, size, slide, offset)"},
			Doc:      "Is the start of the last window that contains a time.",
			Examples: []fn.Example{{SQL: "$window_start(TIMESTAMP '1969-12-31 23:59:59', INTERVAL '10' MINUTE, INTERVAL '10' MINUTE, INTERVAL '0' SECOND)", Want: "1969-12-31 23:50:00"}, {SQL: "$window_start(NULL, INTERVAL '1' DAY, INTERVAL '1' DAY, INTERVAL '0' DAY)", Want: "NULL"}},
			Resolve:  resolveWindow(false),
		},
		{
			Name: "$window_end", Group: "Windows", Hidden: true, Syntax: []string{"$window_end(time, size, slide, offset)"},
			Doc:      "Is the end of the last window that contains a time.",
			Examples: []fn.Example{{SQL: "$window_end(TIMESTAMP '2024-01-01 00:05:00', INTERVAL '10' MINUTE, INTERVAL '10' MINUTE, INTERVAL '0' SECOND)", Want: "2024-01-01 00:10:00"}, {SQL: "$window_end(NULL, INTERVAL '1' DAY, INTERVAL '1' DAY, INTERVAL '0' DAY)", Want: "NULL"}},
			Resolve:  resolveWindow(true),
		},
		{
			Name: "time_bucket", Aliases: []string{"date_bin"}, Group: "Time", Syntax: []string{"time_bucket(size, time [, origin])"},
			Doc:      "Cuts a time down to a multiple of an interval since 1970-01-01, or since an origin.",
			Examples: []fn.Example{{SQL: "time_bucket(INTERVAL '15' MINUTE, TIMESTAMP '2024-01-01 10:22:00')", Want: "2024-01-01 10:15:00"}, {SQL: "time_bucket(INTERVAL '1' HOUR, NULL)", Want: "NULL"}},
			Resolve:  resolveBucket,
		},
	}
}

// constInterval is the value of a constant INTERVAL argument.
func constInterval(args []fn.Arg, i int) (types.IntervalValue, error) {
	v := args[i].Const
	if v != nil && !v.IsNull(0) {
		switch v.Type.Kind {
		case types.Interval:
			return v.Iv[0], nil
		case types.String:
			x, err := types.ParseInterval(v.Text(0))
			if err == nil {
				return x, nil
			}
		}
	}
	return types.IntervalValue{}, mismatch(args, i, "constant INTERVAL")
}

func resolveWindow(end bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 4, 4); err != nil {
			return fn.Impl{}, err
		}
		t, err := timeArg(args, 0)
		if err != nil {
			return fn.Impl{}, err
		}
		if t.Kind == types.Date {
			t = timestamp
		}
		var parts [3]types.IntervalValue
		for i := range parts {
			if parts[i], err = constInterval(args, i+1); err != nil {
				return fn.Impl{}, err
			}
		}
		impl := fn.Impl{Args: []types.Type{t, interval, interval, interval}, Result: t, Monotone: []int{0}}
		if _, err := types.NewWindowing(parts[0], parts[1], parts[2], time.UTC); err != nil {
			return impl, err
		}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			w := types.Windowing{Size: parts[0], Slide: parts[1], Offset: parts[2], Zone: zoneFor(t, c.Zone)}
			out := c.New(t, rows.N)
			windowStarts(w, out.I64, args[0].I64, mask(args[0]))
			if end {
				for i, s := range out.I64 {
					out.I64[i] = w.End(s)
				}
			}
			return out, nil
		}
		return impl, nil
	}
}

// zoneFor is the zone that a time type is seen in.
func zoneFor(t types.Type, session *time.Location) *time.Location {
	if t.Kind == types.TimestampNTZ {
		return time.UTC
	}
	return session
}

// resolveBucket is a tumbling window's start; an origin is turned into an offset.
func resolveBucket(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 3); err != nil {
		return fn.Impl{}, err
	}
	size, err := constInterval(args, 0)
	if err != nil {
		return fn.Impl{}, err
	}
	t, err := timeArg(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	result := t
	if t.Kind == types.Date {
		t, result = timestamp, timestamp
	}
	if _, err := types.NewWindowing(size, size, types.IntervalValue{}, time.UTC); err != nil {
		return fn.Impl{}, err
	}
	want := []types.Type{interval, t, t}[:len(args)]
	impl := fn.Impl{Args: want, Result: result, Monotone: []int{1}}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		w := types.Windowing{Size: size, Slide: size, Zone: zoneFor(t, c.Zone)}
		out := c.New(result, rows.N)
		if len(args) == 2 {
			windowStarts(w, out.I64, args[1].I64, mask(args[1]))
			return out, nil
		}
		ma, mo := mask(args[1]), mask(args[2])
		each(rows, func(r int) {
			w.Offset.Micros = types.ToLocal(args[2].I64[r&mo], w.Zone)
			out.I64[r] = w.Last(args[1].I64[r&ma])
		})
		return out, nil
	}
	return impl, nil
}

// windowStarts computes Last for a column.
func windowStarts(w types.Windowing, dst, src []int64, m int) {
	if !w.Civil() {
		slide, offset := w.Fixed()
		cutFixed(dst, src, m, slide, offset)
		return
	}
	start, end := int64(0), int64(0)
	for i := range dst {
		x := src[i&m]
		if x < start || x >= end {
			start = w.Last(x)
			end = start + 1
			if w.Size == w.Slide {
				end = w.End(start)
			}
		}
		dst[i] = start
	}
}
