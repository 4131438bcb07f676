package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// counts are the functions that count days and DuckDB's epoch functions.
func counts() []*fn.Scalar {
	all := []*fn.Scalar{
		{
			Name: "unix_date", Group: "Time", Syntax: []string{"unix_date(date)"}, Doc: "Counts the days since 1970-01-01.",
			Examples: []fn.Example{{SQL: "unix_date(DATE '1969-12-31')", Want: "-1"}, {SQL: "unix_date(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return args[0].Int(r) }), date)),
		},
		{
			Name: "date_from_unix_date", Group: "Time", Syntax: []string{"date_from_unix_date(days)"}, Doc: "Is the date so many days after 1970-01-01.",
			Examples: []fn.Example{{SQL: "date_from_unix_date(-1)", Want: "1969-12-31"}, {SQL: "date_from_unix_date(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, fixed(date, dateFromDays("date_from_unix_date"), integer)),
		},
		{
			Name: "epoch", Group: "Time", Syntax: []string{"epoch(time)"}, Doc: "Is the seconds since 1970 of a date or time, since midnight of a TIME, or of an interval (a year has 365.25 days, a month 30), with their fraction.",
			Examples: []fn.Example{{SQL: "epoch(TIMESTAMP '1969-12-31 23:59:59.5')", Want: "-0.5"}, {SQL: "epoch(INTERVAL '90' SECOND)", Want: "90.0"}, {SQL: "epoch(NULL)", Want: "NULL"}},
			Resolve:  resolveEpoch,
		},
		{
			Name: "isfinite", Group: "Time", Syntax: []string{"isfinite(time)", "isfinite(number)"}, Doc: "Is true unless a date or time is infinity or -infinity; a number is finite unless it is infinity or NaN.",
			Examples: []fn.Example{{SQL: "isfinite(DATE '2024-02-29')", Want: "true"}, {SQL: "isfinite(CAST('infinity' AS DATE))", Want: "false"}, {SQL: "isfinite(CAST('NaN' AS DOUBLE))", Want: "false"}, {SQL: "isfinite(NULL)", Want: "NULL"}},
			Resolve:  resolveIsFinite,
		},
	}
	for _, x := range []struct {
		name, noun, want string
		div, mul         int64
	}{{"epoch_ms", "milliseconds", "-500", 1000, 1}, {"epoch_us", "microseconds", "-500000", 1, 1}, {"epoch_ns", "nanoseconds", "-500000000", 1, 1000}} {
		doc, syntax := "Counts the "+x.noun+" since 1970 of a date or time, since midnight of a TIME, or of an interval, whose months have 30 days as in DuckDB.", []string{x.name + "(time)"}
		if x.div > 1 {
			doc, syntax = doc+" Of a number it is the TIMESTAMP_NTZ at so many milliseconds.", append(syntax, x.name+"(milliseconds)")
		}
		all = append(all, &fn.Scalar{
			Name: x.name, Group: "Time", Syntax: syntax, Doc: doc,
			Examples: []fn.Example{{SQL: x.name + "(TIMESTAMP '1969-12-31 23:59:59.5')", Want: x.want}, {SQL: x.name + "(NULL)", Want: "NULL"}},
			Resolve:  resolveEpochCount(x.name, x.div, x.mul),
		})
	}
	return all
}

// epochArg is the type of an argument that has an epoch.
func epochArg(args []fn.Arg) (types.Type, error) {
	if err := arity(args, 1, 1); err != nil {
		return null, err
	}
	if args[0].Type.Kind == types.Interval {
		return interval, nil
	}
	return fieldArg(args, 0, "epoch")
}

// epochMicros is the epoch of row r in µs; false if it does not fit.
func epochMicros(c *fn.Ctx, v *vec.Vector, r int) (int64, bool) {
	i := v.Index(r)
	if v.Type.Kind == types.Interval {
		return v.Iv[i].Span().Int64()
	}
	return instantOf(v, i, c.Zone), true
}

func resolveEpoch(args []fn.Arg) (fn.Impl, error) {
	t, err := epochArg(args)
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		each(rows, func(r int) {
			if t.Kind == types.Interval {
				out.F64[r] = epochOf(args[0].Iv[args[0].Index(r)]).Float64() / 1e6
				return
			}
			us, _ := epochMicros(c, args[0], r)
			out.F64[r] = float64(us) / 1e6
		})
		return out, nil
	}
	impl := fn.Impl{Args: []types.Type{t}, Result: double, Eval: eval}
	if t.IsTime() {
		impl.MonotoneFixed = []int{0}
	}
	return impl, err
}

func resolveEpochCount(name string, div, mul int64) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 1 && args[0].Type.IsInteger() && div > 1 {
			return monotoneIn(0, fixed(ntz, fromEpoch(name, ntz, div), bigint))(args)
		}
		t, err := epochArg(args)
		eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out := c.New(bigint, rows.N)
			err := try(rows, func(r int) error {
				us, ok := epochMicros(c, args[0], r)
				n, ok2 := intOne(opMul, types.FloorDiv(us, div), mul)
				if out.I64[r] = n; !ok || !ok2 {
					return c.Fail(out, r, name, vec.RowString(args[0], r, c.Zone), "BIGINT "+overflows)
				}
				return nil
			})
			return out, err
		}
		impl := fn.Impl{Args: []types.Type{t}, Result: bigint, Eval: eval}
		if t.IsTime() {
			impl.MonotoneFixed = []int{0}
		}
		return impl, err
	}
}

func resolveIsFinite(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	t := args[0].Type
	switch {
	case t.IsNumeric():
		return fixed(boolean, bools(func(args []*vec.Vector, r int) bool { x := args[0].F64[args[0].Index(r)]; return x-x == 0 }), double)([]fn.Arg{{Type: double}})
	case t.IsTime() || t.Kind == types.Null:
		return fixed(boolean, bools(func(args []*vec.Vector, r int) bool { return t.Kind.Infinite(args[0].Int(r)) == 0 }), t)(args)
	}
	return fn.Impl{}, mismatch(args, 0, "DATE, TIMESTAMP or number")
}
