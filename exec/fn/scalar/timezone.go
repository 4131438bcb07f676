package scalar

import (
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// zoneFunctions move between time zones.
func zoneFunctions() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "$at_time_zone", Aliases: []string{"at_time_zone"}, Group: "Time", Hidden: true, Syntax: []string{"time AT TIME ZONE 'zone'"},
			Doc:      "Gives the wall clock of a TIMESTAMP in a zone, and the instant of a TIMESTAMP_NTZ that is a wall clock there.",
			Examples: []fn.Example{{SQL: "at_time_zone(TIMESTAMP '2024-07-01 12:00:00', 'Europe/Berlin')", Want: "2024-07-01 14:00:00"}, {SQL: "at_time_zone(NULL, 'UTC')", Want: "NULL"}},
			Resolve:  resolveAtZone,
		},
		{
			Name: "timezone", Group: "Time", Syntax: []string{"timezone('zone', time)"},
			Doc:      "Is time AT TIME ZONE 'zone': the wall clock of a TIMESTAMP in a zone, or the instant of a TIMESTAMP_NTZ that is a wall clock there. A wall clock that is skipped in spring moves forward by the gap; one that occurs twice in autumn is the earlier instant, as in Spark (DuckDB: the later).",
			Examples: []fn.Example{{SQL: "timezone('Europe/Berlin', TIMESTAMP '2024-07-01 12:00:00')", Want: "2024-07-01 14:00:00"}, {SQL: "timezone('Europe/Berlin', TIMESTAMP_NTZ '2024-10-27 02:30:00')", Want: "2024-10-27 00:30:00"}, {SQL: "timezone('UTC', NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 2, 2); err != nil {
					return fn.Impl{}, err
				}
				impl, err := resolveAtZone([]fn.Arg{args[1], args[0]})
				if err != nil {
					return impl, mismatch(args, 1, "TIMESTAMP or TIMESTAMP_NTZ")
				}
				impl.Args, impl.Eval = []types.Type{impl.Args[1], impl.Args[0]}, swapped(impl.Eval)
				return impl, nil
			},
		},
		{
			Name: "convert_timezone", Group: "Time", Syntax: []string{"convert_timezone(['from',] 'to', time)"}, Doc: "Takes a TIMESTAMP_NTZ as the wall clock of a zone, by default the session zone, and gives the wall clock of another.",
			Examples: []fn.Example{{SQL: "convert_timezone('Europe/Berlin', 'America/New_York', TIMESTAMP_NTZ '2024-07-01 12:00:00')", Want: "2024-07-01 06:00:00"}, {SQL: "convert_timezone('UTC', NULL)", Want: "NULL"}},
			Resolve:  resolveConvertZone,
		},
		zoneShift("from_utc_timestamp", "Moves a timestamp by the offset of a zone: seen in UTC, it then shows the wall clock of the zone.", "from_utc_timestamp(TIMESTAMP '2024-07-01 12:00:00', 'Europe/Berlin')", "2024-07-01 14:00:00", types.ToLocal),
		zoneShift("to_utc_timestamp", "Takes what a timestamp shows in UTC for the wall clock of a zone, and gives that instant.", "to_utc_timestamp(TIMESTAMP '2024-07-01 14:00:00', 'Europe/Berlin')", "2024-07-01 12:00:00", types.FromLocal),
	}
}

// zoneShift moves a TIMESTAMP between UTC and a zone, as Spark does.
func zoneShift(name, doc, example, want string, move func(int64, *time.Location) int64) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Time", Syntax: []string{name + "(time, 'zone')"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, 'UTC')", Want: "NULL"}},
		Resolve:  fixed(timestamp, zoneKernel(timestamp, func(t int64, zone, _ *time.Location) int64 { return move(t, zone) }), timestamp, text),
	}
}

func resolveConvertZone(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 3); err != nil {
		return fn.Impl{}, err
	}
	want := []types.Type{text, text, ntz}[3-len(args):]
	impl, err := fixed(ntz, nil, want...)(args)
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(ntz, rows.N)
		n := len(args)
		var from, to zones
		err := try(rows, func(r int) error {
			source := c.Zone
			var err error
			if n == 3 {
				if source, err = from.at(args[0], r); err != nil {
					return c.Fail(out, r, "convert_timezone", fn.Quote(args[0].Text(r)), err.Error())
				}
			}
			target, err := to.at(args[n-2], r)
			if err != nil {
				return c.Fail(out, r, "convert_timezone", fn.Quote(args[n-2].Text(r)), err.Error())
			}
			out.I64[r] = types.ToLocal(types.FromLocal(args[n-1].Int(r), source), target)
			return nil
		})
		return out, err
	}
	return impl, err
}

// zoneNames are abbreviations as formats write them, which tell a half of the year: in a text
// EST is the winter of New York, where a zone of this name has no summer.
var zoneNames = map[string]string{
	"EST": "America/New_York", "EDT": "America/New_York", "CST": "America/Chicago", "CDT": "America/Chicago",
	"MST": "America/Denver", "MDT": "America/Denver", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
	"CEST": "Europe/Paris", "EEST": "Europe/Bucharest", "WEST": "Europe/Lisbon", "UT": "UTC",
}

// loadZone finds a zone by name, or as UTC+2, GMT+02:00, +02, else by the abbreviation.
func loadZone(name string) (*time.Location, error) {
	for _, prefix := range [...]string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && len(rest) > 1 && (rest[0] == '+' || rest[0] == '-') {
			off, after, ok := readOffset(rest, 0)
			if !ok || after != "" {
				return nil, types.ErrZoneName
			}
			return fixedZone(off), nil
		}
	}
	if zone, err := types.LoadZone(name); err == nil {
		return zone, nil
	}
	if full, ok := zoneNames[strings.ToUpper(name)]; ok {
		return types.LoadZone(full)
	}
	return nil, types.ErrZoneName
}

func fixedZone(off int64) *time.Location {
	if off == 0 {
		return time.UTC
	}
	return time.FixedZone(string(appendOffset(nil, off, 5)), int(off))
}

// readZone reads a zone as the field of a pattern writes it.
func (t *parsedTime) readZone(f patternPart, s string) (rest string, ok bool) {
	switch {
	case f.letter == 'V' || f.letter == 'z':
		return t.readZoneName(s)
	case f.letter == 'O' || f.letter == 'Z' && f.n == 4:
		if len(s) < 3 || !strings.EqualFold(s[:3], "GMT") {
			return s, false
		}
		if s = s[3:]; s == "" || s[0] != '+' && s[0] != '-' {
			t.zone = time.UTC
			return s, true
		}
		return t.readOffset(s, 0)
	case f.letter == 'Z' && f.n < 4:
		return t.readOffset(s, 2)
	case f.letter != 'x' && s != "" && s[0]|0x20 == 'z':
		t.zone = time.UTC
		return s[1:], true
	}
	return t.readOffset(s, f.n)
}

func (t *parsedTime) readZoneName(s string) (rest string, ok bool) {
	i := 0
	for i < len(s) && (strings.IndexByte("+-:/_", s[i]) >= 0 || s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	name := s[:i]
	if full, ok := zoneNames[strings.ToUpper(name)]; ok {
		name = full
	}
	zone, err := loadZone(name)
	t.zone = zone
	return s[i:], err == nil && i > 0
}

func (t *parsedTime) readOffset(s string, form int) (rest string, ok bool) {
	off, rest, ok := readOffset(s, form)
	t.zone = fixedZone(off)
	return rest, ok
}

// readOffset reads an offset in a form of appendOffset; form 0 is ±h[h][:mm[:ss]].
func readOffset(s string, form int) (off int64, rest string, ok bool) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, s, false
	}
	sign := int64(1)
	if s[0] == '-' {
		sign = -1
	}
	least := 2
	if form == 0 {
		least = 1
	}
	hour, rest, ok := readNumber(s[1:], least, 2, 0)
	if !ok {
		return 0, s, false
	}
	colon := form == 0 || form == 3 || form == 5
	minute, rest, found := offsetPart(rest, colon)
	if !found && form > 1 {
		return 0, s, false
	}
	second := int64(0)
	if found && (form == 0 || form > 3) {
		second, rest, _ = offsetPart(rest, colon)
	}
	return sign * (hour*3600 + minute*60 + second), rest, hour <= 18 && minute < 60 && second < 60
}

// offsetPart reads the minutes or seconds of an offset, if there are any.
func offsetPart(s string, colon bool) (x int64, rest string, found bool) {
	after := s
	if colon {
		if s == "" || s[0] != ':' {
			return 0, s, false
		}
		after = s[1:]
	}
	if x, after, found = readNumber(after, 2, 2, 0); !found {
		return 0, s, false
	}
	return x, after, true
}

// zones finds the zone of an argument, remembering the last one.
type zones struct {
	name string
	zone *time.Location
}

func (z *zones) at(v *vec.Vector, r int) (*time.Location, error) {
	if s := v.Text(r); z.zone == nil || s != z.name {
		zone, err := loadZone(s)
		if err != nil {
			return nil, err
		}
		z.name, z.zone = strings.Clone(s), zone
	}
	return z.zone, nil
}

// zoneKernel converts times of argument 0 in the zone of argument 1.
func zoneKernel(result types.Type, convert func(t int64, zone *time.Location, session *time.Location) int64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(result, rows.N)
		var z zones
		m := mask(args[0])
		err := try(rows, func(r int) error {
			zone, err := z.at(args[1], r)
			if err != nil {
				return c.Fail(out, r, "at time zone", fn.Quote(args[1].Text(r)), err.Error())
			}
			out.I64[r] = convert(args[0].I64[r&m], zone, c.Zone)
			return nil
		})
		return out, err
	}
}

func resolveAtZone(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	if args[0].Type.Kind == types.TimestampNTZ || args[0].Type.Kind == types.Date {
		return fixed(timestamp, zoneKernel(timestamp, func(t int64, zone, _ *time.Location) int64 { return types.FromLocal(t, zone) }), ntz, text)(args)
	}
	return fixed(ntz, zoneKernel(ntz, func(t int64, zone, _ *time.Location) int64 { return types.ToLocal(t, zone) }), timestamp, text)(args)
}
