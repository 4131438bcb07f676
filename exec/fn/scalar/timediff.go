package scalar

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// differences measure between two times.
func differences() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "datediff", Aliases: []string{"date_diff"}, Group: "Time", Syntax: []string{"datediff(end, start)", "datediff('unit', start, end)"},
			Doc: "Counts the days from start to end. With a unit in quotes it counts as DuckDB the boundaries of the unit that lie between two times (a week is seven days); " +
				"with one without quotes, datediff(MONTH, start, end), the whole units as Spark, which is timestampdiff.",
			Examples: []fn.Example{{SQL: "datediff(DATE '2024-03-01', DATE '2024-02-28')", Want: "2"}, {SQL: "date_diff('month', DATE '2024-01-31', DATE '2024-02-01')", Want: "1"}, {SQL: "datediff(NULL, DATE '2024-01-01')", Want: "NULL"}},
			Resolve:  resolveDateDiff,
		},
		{
			Name: "timestampdiff", Group: "Time", Syntax: []string{"timestampdiff(unit, start, end)"}, Doc: "Counts the whole units from start to end.",
			Examples: []fn.Example{{SQL: "timestampdiff('MONTH', DATE '2024-01-31', DATE '2024-02-29')", Want: "0"}, {SQL: "timestampdiff('HOUR', TIMESTAMP '2024-01-01 10:00:00', TIMESTAMP '2024-01-01 08:30:00')", Want: "-1"}, {SQL: "timestampdiff('DAY', NULL, NULL)", Want: "NULL"}},
			Resolve:  resolveUnitDiff(timeUnit.between),
		},
		{
			Name: "datesub", Group: "Time", Syntax: []string{"datesub('unit', start, end)", "date_sub('unit', start, end)"},
			Doc:      "Counts the whole units from start to end as DuckDB: a month is whole too where the end is the last day of a shorter one.",
			Examples: []fn.Example{{SQL: "datesub('month', DATE '2024-01-31', DATE '2024-02-29')", Want: "1"}, {SQL: "datesub('day', NULL, NULL)", Want: "NULL"}},
			Resolve:  resolveUnitDiff(timeUnit.betweenEnds),
		},
	}
}

func resolveDateDiff(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 3 {
		return resolveUnitDiff(timeUnit.boundaries)(args)
	}
	return fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return args[0].Int(r) - args[1].Int(r) }), date, date)(args)
}

// resolveUnitDiff counts units between two wall clock times; those shorter than a day
// between two instants.
func resolveUnitDiff(count func(u timeUnit, a, b int64) int64) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 3, 3); err != nil {
			return fn.Impl{}, err
		}
		name, _ := constText(args, 0)
		unit, ok := findUnit(name)
		if !ok {
			return fn.Impl{}, fmt.Errorf("needs a unit such as DAY as argument 1")
		}
		t, err := pairType(args[1:], 1)
		if err != nil {
			return fn.Impl{}, err
		}
		if t.Kind == types.Time && !unit.short() {
			return fn.Impl{}, fmt.Errorf("needs a unit of the time of day as argument 1, got %s", fn.Quote(name))
		}
		impl := fn.Impl{Args: []types.Type{text, t, t}, Result: bigint}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			zone := zoneFor(t, c.Zone)
			if t.Kind == types.Time {
				zone = time.UTC
			}
			out := c.New(bigint, rows.N)
			ma, mb := mask(args[1]), mask(args[2])
			each(rows, func(r int) {
				a, b := args[1].I64[r&ma], args[2].I64[r&mb]
				if !unit.short() {
					a, b = types.ToLocal(a, zone), types.ToLocal(b, zone)
				}
				out.I64[r] = count(unit, a, b)
			})
			return out, nil
		}
		return impl, nil
	}
}

// pairType is the type in which two times are measured against each other; at is the
// number of arguments before them.
func pairType(args []fn.Arg, at int) (types.Type, error) {
	a, b := args[0].Type.Kind, args[1].Type.Kind
	textual := func(k types.Kind) bool { return k == types.String || k == types.Null }
	if a == types.Time && (b == types.Time || textual(b)) || b == types.Time && textual(a) {
		return timeOfDay, nil
	}
	for i := range 2 {
		if _, err := timeArg(args, i); err != nil {
			return timestamp, fmt.Errorf("needs a DATE or TIMESTAMP as argument %d, got %s", at+i+1, args[i].Type)
		}
	}
	if a == types.TimestampNTZ && b != types.Timestamp || b == types.TimestampNTZ && a != types.Timestamp {
		return ntz, nil
	}
	return timestamp, nil
}

// between counts the whole units from a to b, both wall clock.
func (u timeUnit) between(a, b int64) int64 {
	if u.months == 0 {
		return (b - a) / u.micros
	}
	months, restA, restB := monthsAndRest(a, b)
	switch {
	case months > 0 && restB < restA:
		months--
	case months < 0 && restB > restA:
		months++
	}
	return months / u.months
}

// monthsAndRest is the number of months between the months of two times, and how far each
// is into its month.
func monthsAndRest(a, b int64) (months, restA, restB int64) {
	ya, ma, da := civil(a)
	yb, mb, db := civil(b)
	restA = int64(da)*types.MicrosPerDay + clockOf(a)
	restB = int64(db)*types.MicrosPerDay + clockOf(b)
	return int64(yb-ya)*12 + int64(mb-ma), restA, restB
}

// betweenEnds is between, but the last day of a month is as late as any day that the
// month has not.
func (u timeUnit) betweenEnds(a, b int64) int64 {
	if u.months == 0 {
		return (b - a) / u.micros
	}
	if b < a {
		return -u.betweenEnds(b, a)
	}
	months, restA, restB := monthsAndRest(a, b)
	y, m, d := civil(b)
	if last := d == types.DaysInMonth(y, m); last && restA/types.MicrosPerDay > int64(d) {
		restA = int64(d)*types.MicrosPerDay + clockOf(a)
	}
	if restB < restA {
		months--
	}
	return months / u.months
}

// boundaries counts how many units begin after a, up to b.
func (u timeUnit) boundaries(a, b int64) int64 {
	switch {
	case u.iso:
		ya, _ := isoWeek(a)
		yb, _ := isoWeek(b)
		return yb - ya
	case u.week:
		return (dayOf(b) - dayOf(a)) / 7
	case u.months >= 12:
		n := u.months / 12
		return types.FloorDiv(yearOf(b), n) - types.FloorDiv(yearOf(a), n)
	case u.months > 0:
		ya, ma, _ := civil(a)
		yb, mb, _ := civil(b)
		return types.FloorDiv(int64(yb)*12+int64(mb)-1, u.months) - types.FloorDiv(int64(ya)*12+int64(ma)-1, u.months)
	}
	return types.FloorDiv(b, u.micros) - types.FloorDiv(a, u.micros)
}
