package scalar

import (
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// buckets describe time_bucket. Where its size is a constant the planner makes a window of it
// instead, in GROUP BY and elsewhere.
func buckets() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "time_bucket", Aliases: []string{"date_bin"}, Group: "Time",
		Syntax: []string{"time_bucket(size, time [, origin])", "time_bucket(size, time, offset [, origin])", "time_bucket(size, time, 'zone' [, origin])"},
		Doc: "Cuts a time down to a multiple of an interval since 1970-01-01, or since an origin, of which a size of months takes the month alone. " +
			"With an offset, an interval, all buckets begin so much later; with a zone they are those of its clocks. A TIME is one of 1970-01-01, and its bucket begins at a TIME.",
		Examples: []fn.Example{{SQL: "time_bucket(INTERVAL '15' MINUTE, TIMESTAMP '2024-01-01 10:22:00')", Want: "2024-01-01 10:15:00"},
			{SQL: "time_bucket(INTERVAL '2' MONTH, DATE '2024-04-10', DATE '2024-02-01')", Want: "2024-04-01 00:00:00"},
			{SQL: "time_bucket(INTERVAL '7' HOUR, TIME '10:22:00')", Want: "07:00:00"}, {SQL: "time_bucket(INTERVAL '1' HOUR, CAST(NULL AS TIMESTAMP))", Want: "NULL"}},
		Resolve: resolveBucket,
	}}
}

func resolveBucket(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 4); err != nil {
		return fn.Impl{}, err
	}
	if k := args[0].Type.Kind; k != types.Interval && k != types.Null && k != types.String {
		return fn.Impl{}, mismatch(args, 0, "INTERVAL")
	}
	t := args[1].Type
	if t.Kind != types.Time {
		var err error
		if t, err = timeArg(args, 1); err != nil {
			return fn.Impl{}, err
		}
	}
	if t.Kind == types.Date {
		t = timestamp
	}
	impl := fn.Impl{Args: []types.Type{interval, t}, Result: t}
	if args[0].Const != nil && len(args) == 2 && t.Kind != types.Time {
		impl.Monotone = []int{1}
	}
	for i := 2; i < len(args); i++ {
		want, err := bucketArg(args, i, t)
		if err != nil {
			return impl, err
		}
		impl.Args = append(impl.Args, want)
	}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		err := try(rows, func(r int) error {
			b, err := bucketOf(c.Zone, t, args, r)
			if err == nil {
				out.I64[r], err = b.start(args[1].Int(r))
			}
			if err != nil {
				return c.Fail(out, r, "time_bucket", b.size.String(), err.Error())
			}
			return nil
		})
		return out, err
	}
	return impl, nil
}

// bucketArg is the type of the third or fourth argument: an offset, a zone or an origin.
func bucketArg(args []fn.Arg, i int, t types.Type) (types.Type, error) {
	a := args[i].Type
	switch {
	case a.Kind == types.Interval && i == 2, a.Kind == types.Time && t.Kind == types.Time, a.Kind == types.Timestamp, a.Kind == types.TimestampNTZ:
		return a, nil
	case a.Kind == types.Date:
		return ntz, nil
	case a.Kind == types.String && i == 2:
		if a = bucketText(args[i]); a.Kind == types.String && t.Kind != types.Timestamp {
			return a, errors.New("takes a zone for a TIMESTAMP alone; " + t.String() + " has none")
		}
		return a, nil
	case a.Kind == types.Null:
		return interval, nil
	}
	return a, mismatch(args, i, "TIMESTAMP")
}

// bucketText is what a constant text says: an interval or a time; all others name zones.
func bucketText(a fn.Arg) types.Type {
	if s, ok := constText([]fn.Arg{a}, 0); ok {
		if _, err := types.ParseInterval(s); err == nil {
			return interval
		}
		if _, err := types.ParseTimestamp(s, time.UTC); err == nil {
			return timestamp
		}
	}
	return text
}

// bucketing is how a row is cut.
type bucketing struct {
	t            types.Type
	size, offset types.IntervalValue
	origin       int64          // µs: of a size below a day an instant, else a reading of the clock
	zone         *time.Location // whose days and months count
}

func bucketOf(session *time.Location, t types.Type, args []*vec.Vector, r int) (bucketing, error) {
	b := bucketing{t: t, size: args[0].Iv[args[0].Index(r)], zone: time.UTC}
	if t.Kind == types.Timestamp {
		b.zone = session
	}
	short := timewindow.Micros(b.size)
	switch {
	case b.size.Months != 0 && short != 0:
		return b, errors.New("a size is of months or of days and less, not of both")
	case b.size.Months < 0 || b.size.Months == 0 && short <= 0:
		return b, errors.New("a size must be positive")
	}
	if b.size.Months == 0 && !timewindow.IsDays(b.size) {
		b.zone = time.UTC
	}
	for _, a := range args[2:] {
		i := a.Index(r)
		switch a.Type.Kind {
		case types.Interval:
			b.offset = a.Iv[i]
		case types.String:
			zone, err := types.LoadZone(a.Text(r))
			if err != nil {
				return b, fmt.Errorf("%w %s", err, fn.Quote(a.Text(r)))
			}
			b.zone = zone
		case types.Timestamp:
			b.origin = types.ToLocal(a.I64[i], b.zone)
		default:
			b.origin = a.I64[i]
		}
	}
	if b.size.Months == 0 && !timewindow.IsDays(b.size) { // buckets of one length, whatever clocks do
		b.origin, b.zone = types.FromLocal(b.origin, b.zone), time.UTC
	}
	return b, nil
}

// start is where the bucket of a time begins.
func (b bucketing) start(at int64) (int64, error) {
	moved := b.offset != types.IntervalValue{}
	kind, ok := b.t.Kind, true
	if kind == types.Time {
		kind = types.TimestampNTZ
	}
	if moved {
		if at, ok = Shift(kind, at, b.offset, -1, b.zone); !ok {
			return 0, errors.New("the offset leads out of the calendar")
		}
	}
	at, ok = b.cut(at)
	if moved && ok {
		at, ok = Shift(kind, at, b.offset, 1, b.zone)
	}
	if !ok || at < minInstant || at > maxInstant {
		return 0, errors.New("the bucket begins outside of the calendar")
	}
	if b.t.Kind == types.Time {
		at = types.FloorMod(at, types.MicrosPerDay)
	}
	return at, nil
}

func (b bucketing) cut(at int64) (int64, bool) {
	if b.size.Months == 0 {
		return timewindow.Floor(b.zone, at, b.size, b.origin), true
	}
	oy, om, _ := civil(b.origin)
	y, m, _ := civil(types.ToLocal(at, b.zone))
	n, from, size := int64(y)*12+int64(m), int64(oy)*12+int64(om), int64(b.size.Months)
	n -= types.FloorMod(n-from, size)
	day := types.DaysFromCivil(int(types.FloorDiv(n-1, 12)), int(types.FloorMod(n-1, 12))+1, 1)
	return types.FromLocal(day*types.MicrosPerDay, b.zone), inCalendar(day)
}
