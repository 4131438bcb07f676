package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// clocks are the functions of TIME.
func clocks() []*fn.Scalar {
	all := []*fn.Scalar{
		{
			Name: "to_time", Aliases: []string{"time"}, Group: "Time", Syntax: []string{"to_time(text [, 'pattern'])"}, Doc: "Reads a TIME from text, by a pattern as of date_format if one is given, or takes the time of day of a timestamp.",
			Examples: []fn.Example{{SQL: "to_time('10:11:12.5')", Want: "10:11:12.5"}, {SQL: "to_time('10.11 PM', 'hh.mm a')", Want: "22:11:00"}, {SQL: "to_time(NULL)", Want: "NULL"}},
			Resolve:  resolveToTimestamp("to_time", timeOfDay, false),
		},
		{
			Name: "try_to_time", Group: "Time", Syntax: []string{"try_to_time(text [, 'pattern'])"}, Doc: "Is to_time, but NULL where the text is none.",
			Examples: []fn.Example{{SQL: "try_to_time('25:00')", Want: "NULL"}, {SQL: "try_to_time('10:11')", Want: "10:11:00"}},
			Resolve:  resolveToTimestamp("try_to_time", timeOfDay, true),
		},
		{
			Name: "time_trunc", Group: "Time", Syntax: []string{"time_trunc('unit', time)"}, Doc: "Cuts a TIME down to the start of its HOUR, MINUTE, SECOND, MILLISECOND or MICROSECOND.",
			Examples: []fn.Example{{SQL: "time_trunc('HOUR', TIME '10:11:12')", Want: "10:00:00"}, {SQL: "time_trunc('HOUR', NULL)", Want: "NULL"}},
			Resolve:  resolveTimeTrunc,
		},
		{
			Name: "time_diff", Group: "Time", Syntax: []string{"time_diff('unit', start, end)"}, Doc: "Counts the whole units from one TIME to another.",
			Examples: []fn.Example{{SQL: "time_diff('HOUR', TIME '10:11:12', TIME '12:00:00')", Want: "1"}, {SQL: "time_diff('HOUR', TIME '10:11:12', NULL)", Want: "NULL"}},
			Resolve:  resolveTimeDiff,
		},
		{
			Name: "time_to_seconds", Group: "Time", Syntax: []string{"time_to_seconds(time)"}, Doc: "Counts the seconds since midnight, with their fraction.",
			Examples: []fn.Example{{SQL: "time_to_seconds(TIME '10:11:12.5')", Want: "36672.500000"}, {SQL: "time_to_seconds(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, fixed(types.DecimalOf(14, 6), ints(types.DecimalOf(14, 6), func(args []*vec.Vector, r int) int64 { return args[0].Int(r) }), timeOfDay)),
		},
		{
			Name: "time_from_seconds", Group: "Time", Syntax: []string{"time_from_seconds(n)"}, Doc: "Is the TIME n seconds after midnight.",
			Examples: []fn.Example{{SQL: "time_from_seconds(36672.5)", Want: "10:11:12.5"}, {SQL: "time_from_seconds(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, fixed(timeOfDay, clockFrom("time_from_seconds", 1), types.DecimalOf(18, 6))),
		},
	}
	for _, x := range []struct {
		name string
		unit int64
		in   string
	}{{"millis", 1000, "36672500"}, {"micros", 1, "36672500000"}} {
		noun := x.name[:5] + "seconds"
		all = append(all, &fn.Scalar{
			Name: "time_to_" + x.name, Group: "Time", Syntax: []string{"time_to_" + x.name + "(time)"}, Doc: "Counts the " + noun + " since midnight.",
			Examples: []fn.Example{{SQL: "time_to_" + x.name + "(TIME '10:11:12.5')", Want: x.in}, {SQL: "time_to_" + x.name + "(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, fixed(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 { return args[0].Int(r) / x.unit }), timeOfDay)),
		}, &fn.Scalar{
			Name: "time_from_" + x.name, Group: "Time", Syntax: []string{"time_from_" + x.name + "(n)"}, Doc: "Is the TIME n " + noun + " after midnight.",
			Examples: []fn.Example{{SQL: "time_from_" + x.name + "(" + x.in + ")", Want: "10:11:12.5"}, {SQL: "time_from_" + x.name + "(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, fixed(timeOfDay, clockFrom("time_from_"+x.name, x.unit), bigint)),
		})
	}
	return all
}

// clockFrom is the time of day at so many units of µs after midnight.
func clockFrom(name string, unit int64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(timeOfDay, rows.N)
		err := try(rows, func(r int) error {
			us, ok := intOne(opMul, args[0].Int(r), unit)
			out.I64[r] = us
			if !ok || us < 0 || us >= types.MicrosPerDay {
				out.I64[r] = 0
				return c.Fail(out, r, name, vec.RowString(args[0], r, c.Zone), "not within a day")
			}
			return nil
		})
		return out, err
	}
}

// clockUnit reads a constant unit of the time of day.
func clockUnit(args []fn.Arg) (timeUnit, error) {
	name, ok := constText(args, 0)
	unit, known := findUnit(name)
	if !ok || !known || !unit.short() {
		return unit, fmt.Errorf("needs HOUR, MINUTE, SECOND, MILLISECOND or MICROSECOND as argument 1")
	}
	return unit, nil
}

func resolveTimeTrunc(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	unit, err := clockUnit(args)
	if err != nil {
		return fn.Impl{}, err
	}
	return monotoneIn(1, fixed(timeOfDay, ints(timeOfDay, func(args []*vec.Vector, r int) int64 { return unit.cut(args[1].Int(r)) }), text, timeOfDay))(args)
}

func resolveTimeDiff(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 3, 3); err != nil {
		return fn.Impl{}, err
	}
	unit, err := clockUnit(args)
	if err != nil {
		return fn.Impl{}, err
	}
	return fixed(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 { return unit.between(args[1].Int(r), args[2].Int(r)) }), text, timeOfDay, timeOfDay)(args)
}
