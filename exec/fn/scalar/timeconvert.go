package scalar

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// conversions are the functions between times, text and numbers, and the clock.
func conversions() []*fn.Scalar {
	all := []*fn.Scalar{
		clock("current_timestamp", []string{"now", "transaction_timestamp", "get_current_timestamp", "proctime"}, timestamp, "Is the time of the trigger: one value for a whole micro-batch.", func(c *fn.Ctx) int64 { return c.Now }),
		clock("current_time", []string{"localtime", "current_localtime"}, timeOfDay, "Is the time of day of the trigger in the session zone.", func(c *fn.Ctx) int64 { return clockOf(types.ToLocal(c.Now, c.Zone)) }),
		clock("localtimestamp", []string{"current_localtimestamp"}, ntz, "Is the time of the trigger on the wall clock of the session zone.", func(c *fn.Ctx) int64 { return types.ToLocal(c.Now, c.Zone) }),
		clock("current_date", []string{"curdate", "today"}, date, "Is the date of the trigger in the session zone.", func(c *fn.Ctx) int64 { return dayOf(types.ToLocal(c.Now, c.Zone)) }),
		{
			Name: "current_timezone", Group: "Time", Syntax: []string{"current_timezone()"}, Doc: "Is the session time zone.",
			Examples: []fn.Example{{SQL: "current_timezone()", Want: "UTC"}, {SQL: "concat(current_timezone(), NULL)", Want: "NULL"}},
			Resolve: fixed(text, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				return texts(func(dst []byte, _ []*vec.Vector, _ int) []byte { return append(dst, c.Zone.String()...) })(c, args, rows)
			}),
		},
		{
			Name: "date_format", Group: "Time", Syntax: []string{"date_format(time, 'pattern')"},
			Doc:      "Prints a time by a pattern of letters as in Spark and Java: yyyy year, MM month (MMM Feb, MMMM February), dd day, HH hour (hh with a for AM and PM, kk 1 to 24, KK 0 to 11), mm minute, ss second, SSS fraction, EEE and EEEE day of the week, Q quarter, D day of the year, F week of the month, G era, VV zone (z short), XXX offset (x, Z, O other forms); other text in single quotes, [ ] around what may be missing when text is read. A pattern with YYYY, HH24, HH12 or MI is read as PostgreSQL's: YYYY-MM-DD HH24:MI:SS.MS, US microseconds, Mon Feb, FMMonth February, AM, TZH:TZM, text in double quotes. A TIMESTAMP_NTZ counts as a time of the session zone.",
			Examples: []fn.Example{{SQL: "date_format(TIMESTAMP '2024-02-29 13:45:56', 'yyyy-MM-dd HH:mm')", Want: "2024-02-29 13:45"}, {SQL: "date_format(DATE '2024-02-29', 'EEE d MMM')", Want: "Thu 29 Feb"}, {SQL: "date_format(TIMESTAMP '2024-02-29 13:45:56', 'DD Mon YYYY HH12:MI am')", Want: "29 Feb 2024 01:45 pm"}, {SQL: "date_format(NULL, 'yyyy')", Want: "NULL"}},
			Resolve:  resolveDateFormat,
		},
		{
			Name: "strftime", Group: "Time", Syntax: []string{"strftime(time, 'format')", "strftime('format', time)"},
			Doc:      "Prints a time by a format as in C: %Y-%m-%d %H:%M:%S, %f microseconds, %g milliseconds, %n nanoseconds, %y two-digit year, %b Feb, %B February, %a Thu, %A Thursday, %j day of the year, %I with %p for AM and PM, %G-W%V-%u ISO week, %U and %W weeks from Sunday and Monday, %z offset, %Z zone, %s seconds since 1970, %F date, %T time; %-d leaves out leading zeros.",
			Examples: []fn.Example{{SQL: "strftime(TIMESTAMP '2024-02-29 13:45:56', '%d/%m/%y %H:%M')", Want: "29/02/24 13:45"}, {SQL: "strftime(NULL, '%Y')", Want: "NULL"}},
			Resolve:  resolveStrftime,
		},
		{
			Name: "strptime", Group: "Time", Syntax: []string{"strptime(text, 'format')", "strptime(text, ['format', ...])"},
			Doc:      "Reads a time by a format as in C, or by the first that fits of several: a TIMESTAMP_NTZ, or a TIMESTAMP if a format has %z or %Z.",
			Examples: []fn.Example{{SQL: "strptime('29/02/24 13:45', '%d/%m/%y %H:%M')", Want: "2024-02-29 13:45:00"}, {SQL: "strptime('2024-02-29 13:45 +02', '%Y-%m-%d %H:%M %z')", Want: "2024-02-29 11:45:00"}, {SQL: "strptime(NULL, '%Y')", Want: "NULL"}},
			Resolve:  resolveStrptime("strptime", false),
		},
		{
			Name: "try_strptime", Group: "Time", Syntax: []string{"try_strptime(text, 'format')"}, Doc: "Is strptime, but NULL where the text follows no format.",
			Examples: []fn.Example{{SQL: "try_strptime('soon', '%Y-%m-%d')", Want: "NULL"}, {SQL: "try_strptime('2024', '%Y')", Want: "2024-01-01 00:00:00"}},
			Resolve:  resolveStrptime("try_strptime", true),
		},
		{
			Name: "to_timestamp", Group: "Time", Syntax: []string{"to_timestamp(text [, 'pattern'])", "to_timestamp(seconds)"},
			Doc:      "Reads a timestamp from text, by a pattern as of date_format if one is given, or from seconds since 1970.",
			Examples: []fn.Example{{SQL: "to_timestamp('29/02/2024 23:59', 'dd/MM/yyyy HH:mm')", Want: "2024-02-29 23:59:00"}, {SQL: "to_timestamp('2024-2-29 23:59', 'YYYY-MM-DD HH24:MI')", Want: "2024-02-29 23:59:00"}, {SQL: "to_timestamp(1.5)", Want: "1970-01-01 00:00:01.5"}, {SQL: "to_timestamp(NULL)", Want: "NULL"}},
			Resolve:  resolveToTimestamp("to_timestamp", timestamp, false),
		},
		{
			Name: "try_to_timestamp", Group: "Time", Syntax: []string{"try_to_timestamp(text [, 'pattern'])"}, Doc: "Is to_timestamp, but NULL where the text is none.",
			Examples: []fn.Example{{SQL: "try_to_timestamp('x')", Want: "NULL"}, {SQL: "try_to_timestamp('2024')", Want: "2024-01-01 00:00:00"}},
			Resolve:  resolveToTimestamp("try_to_timestamp", timestamp, true),
		},
		{
			Name: "to_timestamp_ntz", Group: "Time", Syntax: []string{"to_timestamp_ntz(text [, 'pattern'])"}, Doc: "Reads a wall clock time without zone.",
			Examples: []fn.Example{{SQL: "to_timestamp_ntz('2024-02-29 10:00')", Want: "2024-02-29 10:00:00"}, {SQL: "to_timestamp_ntz(NULL)", Want: "NULL"}},
			Resolve:  resolveToTimestamp("to_timestamp_ntz", ntz, false),
		},
		{
			Name: "to_date", Aliases: []string{"date"}, Group: "Time", Syntax: []string{"to_date(text [, 'pattern'])"}, Doc: "Reads a date from text, by a pattern if one is given, or takes the date of a timestamp.",
			Examples: []fn.Example{{SQL: "to_date('29/02/2024 23:59', 'dd/MM/yyyy HH:mm')", Want: "2024-02-29"}, {SQL: "to_date(NULL)", Want: "NULL"}},
			Resolve:  resolveToTimestamp("to_date", date, false),
		},
		{
			Name: "try_to_date", Group: "Time", Syntax: []string{"try_to_date(text [, 'pattern'])"}, Doc: "Is to_date, but NULL where the text is none.",
			Examples: []fn.Example{{SQL: "try_to_date('2024-02-30')", Want: "NULL"}, {SQL: "try_to_date('29/02/2024', 'dd/MM/yyyy')", Want: "2024-02-29"}},
			Resolve:  resolveToTimestamp("try_to_date", date, true),
		},
		{
			Name: "unix_timestamp", Aliases: []string{"to_unix_timestamp"}, Group: "Time", Syntax: []string{"unix_timestamp()", "unix_timestamp(time)", "unix_timestamp(text, 'pattern')"},
			Doc:      "Counts whole seconds since 1970; without arguments those of the trigger's time.",
			Examples: []fn.Example{{SQL: "unix_timestamp(TIMESTAMP '1970-01-01 00:01:00')", Want: "60"}, {SQL: "unix_timestamp(NULL)", Want: "NULL"}},
			Resolve:  resolveUnixTimestamp,
		},
		{
			Name: "from_unixtime", Group: "Time", Syntax: []string{"from_unixtime(seconds [, 'pattern'])"}, Doc: "Prints seconds since 1970 as yyyy-MM-dd HH:mm:ss or by a pattern.",
			Examples: []fn.Example{{SQL: "from_unixtime(60)", Want: "1970-01-01 00:01:00"}, {SQL: "from_unixtime(NULL)", Want: "NULL"}},
			Resolve:  resolveFromUnixtime,
		},
		{
			Name: "to_timestamp_ltz", Group: "Time", Syntax: []string{"to_timestamp_ltz(n, precision)", "to_timestamp_ltz(text)"}, Doc: "Is the timestamp at n seconds (precision 0), milliseconds (3) or microseconds (6) since 1970, or reads one from text.",
			Examples: []fn.Example{{SQL: "to_timestamp_ltz(1500, 3)", Want: "1970-01-01 00:00:01.5"}, {SQL: "to_timestamp_ltz(NULL, 3)", Want: "NULL"}},
			Resolve:  resolveLTZ,
		},
	}
	return append(append(all, epochs()...), counts()...)
}

// clock is a function of the trigger's time; a constant argument is the number of digits
// of its fraction.
func clock(name string, aliases []string, t types.Type, doc string, at func(c *fn.Ctx) int64) *fn.Scalar {
	s := &fn.Scalar{Name: name, Aliases: aliases, Group: "Time", Syntax: []string{name + "()"}, Doc: doc, Volatility: fn.Stable}
	most := 0
	if t.Kind != types.Date {
		most, s.Syntax = 1, []string{name + "([digits])"}
	}
	s.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 0, most); err != nil {
			return fn.Impl{}, err
		}
		unit := int64(1)
		if len(args) == 1 {
			v := args[0].Const
			if v == nil || !v.Type.IsInteger() || v.IsNull(0) || v.Int(0) < 0 || v.Int(0) > 6 {
				return fn.Impl{}, mismatch(args, 0, "number from 0 to 6")
			}
			for range 6 - v.Int(0) {
				unit *= 10
			}
		}
		return fn.Impl{Args: argTypes(args), Result: t, Eval: func(c *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out := c.New(t, rows.N)
			x := at(c)
			x -= types.FloorMod(x, unit)
			for i := range out.I64 {
				out.I64[i] = x
			}
			return out, nil
		}}, nil
	}
	return s
}

// epochs convert between timestamps and counts of a unit.
func epochs() []*fn.Scalar {
	var all []*fn.Scalar
	for _, x := range []struct {
		from, to, noun string
		unit           int64
	}{
		{"timestamp_seconds", "unix_seconds", "seconds", types.MicrosPerSecond},
		{"timestamp_millis", "unix_millis", "milliseconds", 1000},
		{"timestamp_micros", "unix_micros", "microseconds", 1},
	} {
		all = append(all, &fn.Scalar{
			Name: x.from, Group: "Time", Syntax: []string{x.from + "(n)"}, Doc: "Is the timestamp at n " + x.noun + " since 1970.",
			Examples: []fn.Example{{SQL: x.from + "(0)", Want: "1970-01-01 00:00:00"}, {SQL: x.from + "(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, resolveFromEpoch(x.from, x.unit)),
		}, &fn.Scalar{
			Name: x.to, Group: "Time", Syntax: []string{x.to + "(timestamp)"}, Doc: "Counts the " + x.noun + " since 1970, rounded down.",
			Examples: []fn.Example{{SQL: x.to + "(TIMESTAMP '1970-01-01 00:00:00')", Want: "0"}, {SQL: x.to + "(NULL)", Want: "NULL"}},
			Resolve:  monotoneIn(0, fixed(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 { return types.FloorDiv(args[0].Int(r), x.unit) }), timestamp)),
		})
	}
	return all
}

// resolveFromEpoch takes whole units; seconds may have a fraction.
func resolveFromEpoch(name string, unit int64) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 1 && unit == types.MicrosPerSecond && (args[0].Type.IsFloat() || args[0].Type.Kind == types.Decimal) {
			return fixed(timestamp, fromSeconds(name), types.DecimalOf(38, 6))([]fn.Arg{{Type: types.DecimalOf(38, 6)}})
		}
		return fixed(timestamp, fromEpoch(name, timestamp, unit), bigint)(args)
	}
}

// monotoneIn adds that an argument never decreases the result.
func monotoneIn(arg int, f resolver) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := f(args)
		impl.Monotone = []int{arg}
		return impl, err
	}
}

func fromEpoch(name string, t types.Type, unit int64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		err := try(rows, func(r int) error {
			us, ok := intOne(opMul, args[0].Int(r), unit)
			out.I64[r] = us
			if !ok || !inCalendar(dayOf(us)) {
				return c.Fail(out, r, name, vec.RowString(args[0], r, c.Zone), "TIMESTAMP "+overflows)
			}
			return nil
		})
		return out, err
	}
}

// patternSource finds the pattern of an argument: compiled when the query is planned if
// it is constant, else whenever it changes.
type patternSource struct {
	fixed *timePattern
	last  *timePattern
	text  string
}

func fixedPattern(args []fn.Arg, i int) (*timePattern, error) {
	s, ok := constText(args, i)
	if !ok {
		return nil, nil
	}
	return compilePattern(s)
}

func (p *patternSource) at(args []*vec.Vector, r int) (*timePattern, error) {
	if p.fixed != nil {
		return p.fixed, nil
	}
	if s := args[1].Text(r); p.last == nil || s != p.text {
		compiled, err := compilePattern(s)
		if err != nil {
			return nil, err
		}
		p.last, p.text = compiled, strings.Clone(s)
	}
	return p.last, nil
}

func resolveDateFormat(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	t, err := fieldArg(args, 0, "hour")
	if err != nil {
		return fn.Impl{}, err
	}
	pattern, err := fixedPattern(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	if err := matches(args[1:], []types.Type{text}); err != nil {
		return fn.Impl{}, mismatch(args, 1, "STRING")
	}
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return formatTimes(c, args, rows, &patternSource{fixed: pattern})
	}
	return fn.Impl{Args: []types.Type{t, text}, Result: text, Eval: eval}, nil
}

// formatTimes prints a column. A time in the same step as the one before shares its
// text: days, hours or minutes repeat in streams.
func formatTimes(c *fn.Ctx, args []*vec.Vector, rows fn.Rows, source *patternSource) (*vec.Vector, error) {
	out := c.New(text, rows.N)
	in := args[0]
	m := mask(in)
	var buf []byte
	var last vec.StrRef
	var lastPattern *timePattern
	lastStep := int64(0)
	err := try(rows, func(r int) error {
		p, err := source.at(args, r)
		if err != nil {
			return c.Fail(out, r, "date_format", fn.Quote(args[1].Text(r)), err.Error())
		}
		t := momentOf(in.Type.Kind, in.I64[r&m], c.Zone)
		step := t.local
		if p.step > 0 {
			step = types.FloorDiv(t.local, p.step)
		}
		if p != lastPattern || step != lastStep || p.step == 0 {
			from := len(buf)
			buf = p.append(buf, t)
			last = vec.StrRef{Off: uint32(from), Len: uint32(len(buf) - from)}
			lastPattern, lastStep = p, step
		}
		out.Str[r] = last
		return nil
	})
	out.Buf = buf
	return out, err
}

// resolveToTimestamp reads text with a pattern; everything else is a cast.
func resolveToTimestamp(name string, t types.Type, leniently bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 1, 2); err != nil {
			return fn.Impl{}, err
		}
		impl := fn.Impl{Args: argTypes(args), Result: t}
		switch a := args[0].Type; {
		case len(args) == 2:
			return resolveParse(name, args, t, leniently)
		case a.IsNumeric() && t.Kind == types.Timestamp:
			return fixed(timestamp, fromSeconds(name), types.DecimalOf(38, 6))(args)
		case !types.CanCast(a, t) || a.IsNumeric():
			return impl, mismatch(args, 0, "STRING")
		default:
			impl.Eval = cast.Kernel(a, t, leniently)
			if cast.Monotone(a, t, true) && !leniently {
				impl.MonotoneFixed = []int{0}
			}
			if cast.Monotone(a, t, false) && !leniently {
				impl.Monotone = impl.MonotoneFixed
			}
		}
		return impl, nil
	}
}

func fromSeconds(name string) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(timestamp, rows.N)
		err := try(rows, func(r int) error {
			us, ok := cast.DecimalAt(args[0], args[0].Index(r)).Int64()
			out.I64[r] = us
			if !ok || !inCalendar(dayOf(us)) {
				return c.Fail(out, r, name, vec.RowString(args[0], r, c.Zone), "TIMESTAMP "+overflows)
			}
			return nil
		})
		return out, err
	}
}

// resolveParse reads text by a pattern.
func resolveParse(name string, args []fn.Arg, t types.Type, leniently bool) (fn.Impl, error) {
	pattern, err := fixedPattern(args, 1)
	if err == nil && pattern != nil {
		err = pattern.parsable()
	}
	if err != nil {
		return fn.Impl{}, err
	}
	if args[0].Type.IsTime() { // Spark ignores the pattern then
		return fixed(t, first, t, text)(args)
	}
	impl, err := fixed(t, nil, text, text)(args)
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return parseTimes(c, name, t, args, rows, &patternSource{fixed: pattern})
	}
	if leniently {
		impl.Eval = lenient(impl.Eval)
	}
	return impl, err
}

func parseTimes(c *fn.Ctx, name string, t types.Type, args []*vec.Vector, rows fn.Rows, source *patternSource) (*vec.Vector, error) {
	out := c.New(t, rows.N)
	err := try(rows, func(r int) error {
		p, err := source.at(args, r)
		if err == nil {
			err = p.parsable()
		}
		if err != nil {
			return c.Fail(out, r, name, fn.Quote(args[1].Text(r)), err.Error())
		}
		at, ok := p.timeOf(t.Kind, args[0].Text(r), c.Zone)
		out.I64[r] = at
		if !ok {
			return c.Fail(out, r, name, fn.Quote(args[0].Text(r)), "does not follow the pattern "+args[1].Text(r))
		}
		return nil
	})
	return out, err
}

// timeOf reads text as a value of a time type.
func (p *timePattern) timeOf(k types.Kind, s string, zone *time.Location) (int64, bool) {
	at, named, ok := p.parse(s)
	return placed(k, at, named, zone), ok
}

// placed makes a value of a time type of a wall clock that text gave, in the zone that it
// named or else the session zone. A wall clock without zone stays as it was written.
func placed(k types.Kind, wall int64, named, session *time.Location) int64 {
	if named == nil {
		named = session
	}
	switch k {
	case types.Timestamp:
		return types.FromLocal(wall, named)
	case types.Date:
		return dayOf(types.ToLocal(types.FromLocal(wall, named), session))
	case types.Time:
		return clockOf(wall)
	}
	return wall
}

func resolveUnixTimestamp(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 0, 2); err != nil {
		return fn.Impl{}, err
	}
	if len(args) == 0 {
		return fn.Impl{Result: bigint, Volatility: fn.Stable, Eval: func(c *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out := c.New(bigint, rows.N)
			for i := range out.I64 {
				out.I64[i] = types.FloorDiv(c.Now, types.MicrosPerSecond)
			}
			return out, nil
		}}, nil
	}
	impl, err := fn.Impl{Args: []types.Type{timestamp}, Eval: first}, matches(args[:1], []types.Type{timestamp})
	if len(args) == 2 {
		impl, err = resolveParse("unix_timestamp", args, timestamp, false)
	}
	if err != nil {
		return impl, err
	}
	parse := impl.Eval
	impl.Result = bigint
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		v, err := parse(c, args, rows)
		if err != nil {
			return nil, err
		}
		out := c.New(bigint, rows.N)
		out.Valid = v.Valid
		m := mask(v)
		for i := range out.I64 {
			out.I64[i] = types.FloorDiv(v.I64[i&m], types.MicrosPerSecond)
		}
		return out, nil
	}
	return impl, nil
}

func resolveFromUnixtime(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 2); err != nil {
		return fn.Impl{}, err
	}
	pattern, err := compilePattern("yyyy-MM-dd HH:mm:ss")
	if len(args) == 2 {
		pattern, err = fixedPattern(args, 1)
	}
	if err != nil {
		return fn.Impl{}, err
	}
	toTime := fromEpoch("from_unixtime", timestamp, types.MicrosPerSecond)
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		t, err := toTime(c, args[:1], rows)
		if err != nil {
			return nil, err
		}
		out, err := formatTimes(c, append([]*vec.Vector{t}, args[1:]...), rows, &patternSource{fixed: pattern})
		if err == nil && t.Valid != nil {
			out.Valid = vec.AndValid(out.Valid, t.Valid, rows.N)
		}
		return out, err
	}
	return optional(1, text, eval, bigint, text)(args)
}

func resolveLTZ(args []fn.Arg) (fn.Impl, error) {
	if len(args) < 2 || args[0].Type.Kind == types.String {
		return resolveToTimestamp("to_timestamp_ltz", timestamp, false)(args)
	}
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	v := args[1].Const
	if v == nil || !v.Type.IsInteger() || v.IsNull(0) {
		return fn.Impl{}, mismatch(args, 1, "constant precision")
	}
	unit, ok := map[int64]int64{0: types.MicrosPerSecond, 3: 1000, 6: 1}[v.Int(0)]
	if !ok {
		return fn.Impl{}, fmt.Errorf("needs a precision of 0, 3 or 6 as argument 2")
	}
	return monotoneIn(0, fixed(timestamp, fromEpoch("to_timestamp_ltz", timestamp, unit), bigint, integer))(args)
}
