package cast

import (
	"bytes"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// fromTime converts among DATE (days), TIMESTAMP (an instant) and TIMESTAMP_NTZ (a
// wall clock), and to TIME; the session zone stands between the last two.
func fromTime(from, to types.Type) fn.Kernel {
	switch {
	case to.Kind == types.Time && from.Kind == types.Timestamp:
		return timeKernel(to, func(x int64, zone *time.Location) int64 {
			return types.FloorMod(types.ToLocal(x, zone), types.MicrosPerDay)
		})
	case to.Kind == types.Time:
		return timeKernel(to, func(x int64, _ *time.Location) int64 { return types.FloorMod(x, types.MicrosPerDay) })
	case from.Kind == types.Date && to.Kind == types.Timestamp:
		return timeKernel(to, func(x int64, zone *time.Location) int64 { return types.FromLocal(x*types.MicrosPerDay, zone) })
	case from.Kind == types.Date:
		return timeKernel(to, func(x int64, _ *time.Location) int64 { return x * types.MicrosPerDay })
	case from.Kind == types.Timestamp && to.Kind == types.Date:
		return timeKernel(to, func(x int64, zone *time.Location) int64 {
			return types.FloorDiv(types.ToLocal(x, zone), types.MicrosPerDay)
		})
	case from.Kind == types.Timestamp:
		return timeKernel(to, types.ToLocal)
	case to.Kind == types.Date:
		return timeKernel(to, func(x int64, _ *time.Location) int64 { return types.FloorDiv(x, types.MicrosPerDay) })
	}
	return timeKernel(to, types.FromLocal)
}

func timeKernel(to types.Type, one func(x int64, zone *time.Location) int64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(to, rows.N)
		err := each(rows, func(r int) error {
			x := in.I64[r]
			switch sign := in.Type.Kind.Infinite(x); {
			case sign == 0:
				out.I64[r] = one(x, c.Zone)
			case to.Kind == types.Time:
				return fail(c, out, r, in, "infinity has no time of day")
			default:
				out.I64[r] = to.Kind.Infinity(sign)
			}
			return nil
		})
		return out, err
	}
}

func textToTime(to types.Type) fn.Kernel {
	switch to.Kind {
	case types.Date:
		return parseText(to, func(out *vec.Vector, r int, b []byte) bool {
			x, ok := ParseDate(b)
			out.I64[r] = x
			return ok
		})
	case types.Time:
		return parseText(to, func(out *vec.Vector, r int, b []byte) bool {
			x, ok := ParseTime(b)
			out.I64[r] = x
			return ok
		})
	case types.TimestampNTZ:
		return parseTimestamps(to, func(b []byte, _ *time.Location) (int64, bool) { return ParseTimestampNTZ(b) })
	}
	return parseTimestamps(to, ParseTimestamp)
}

// ParseTimestamp reads an instant: what types.ParseTimestamp takes, Spark's shorter forms
// (2024, 2024-2, 2024-2-9 7:05), and the slashes of PostgreSQL and DuckDB (2024/2/9).
func ParseTimestamp(b []byte, zone *time.Location) (int64, bool) {
	x, err := types.ParseTimestamp(view(b), zone)
	if err == nil {
		return x, true
	}
	var room [64]byte
	full, ok := complete(room[:0], b)
	if !ok {
		return 0, false
	}
	x, err = types.ParseTimestamp(view(full), zone)
	return x, err == nil
}

// ParseTimestampNTZ reads a wall clock, in the same forms.
func ParseTimestampNTZ(b []byte) (int64, bool) {
	x, err := types.ParseTimestampNTZ(view(b))
	if err == nil {
		return x, true
	}
	var room [64]byte
	full, ok := complete(room[:0], b)
	if !ok {
		return 0, false
	}
	x, err = types.ParseTimestampNTZ(view(full))
	return x, err == nil
}

// ParseDate reads a date, in the same forms; a time behind it is checked and dropped.
func ParseDate(b []byte) (int64, bool) {
	if x, err := types.ParseDate(view(b)); err == nil {
		return x, true
	}
	x, ok := ParseTimestampNTZ(b)
	return types.FloorDiv(x, types.MicrosPerDay), ok
}

// ParseTime reads a time of day: what types.ParseTime takes, and Spark's shorter forms
// (7:5:3, T07:05). A date before it, and a zone, are checked and dropped.
func ParseTime(b []byte) (int64, bool) {
	if x, err := types.ParseTime(view(b)); err == nil {
		return x, true
	}
	x, err := types.ParseTimestampNTZ(view(b))
	if err != nil {
		var room [64]byte
		x, err = types.ParseTimestampNTZ(view(onSomeDay(room[:0], b)))
	}
	return types.FloorMod(x, types.MicrosPerDay), err == nil && bytes.IndexByte(b, ':') > 0
}

// onSomeDay puts a day before a time, whose fields get two digits.
func onSomeDay(dst, b []byte) []byte {
	b = bytes.TrimPrefix(bytes.Trim(b, " \t\r\n"), []byte("T"))
	if hour, rest := digits(b); len(hour) == 0 || len(rest) == 0 || rest[0] != ':' {
		return nil
	}
	var room [64]byte
	full, _ := complete(dst, append(append(room[:0], "1970-01-01 "...), b...))
	return full
}

func timeToInterval(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := args[0]
	out := c.New(types.Of(types.Interval), rows.N)
	err := each(rows, func(r int) error {
		out.Iv[r] = types.IntervalValue{Micros: in.Int(r)}
		return nil
	})
	return out, err
}

// complete pads the fields of a date and time to two digits and adds the month, day
// and minute that are missing.
func complete(dst, b []byte) ([]byte, bool) {
	year, rest := digits(b)
	if len(year) != 4 {
		return nil, false
	}
	separator := byte('-')
	if len(rest) > 0 && rest[0] == '/' { // as PostgreSQL and DuckDB have it, month and day given
		if separator = '/'; bytes.Count(b, []byte{'/'}) != 2 {
			return nil, false
		}
	}
	dst = append(dst, year...)
	for range 2 {
		field := []byte("1")
		if len(rest) > 0 && rest[0] == separator {
			if field, rest = digits(rest[1:]); len(field) < 1 || len(field) > 2 {
				return nil, false
			}
		}
		dst = pad2(append(dst, '-'), field)
	}
	if len(rest) < 2 || rest[0] != ' ' && rest[0] != 'T' || rest[1] < '0' || rest[1] > '9' {
		return append(dst, rest...), true
	}
	dst = append(dst, ' ')
	rest = rest[1:]
	for i := 0; i < 3; i++ {
		field, after := digits(rest)
		if len(field) < 1 || len(field) > 2 {
			return nil, false
		}
		dst, rest = pad2(dst, field), after
		if i == 2 || len(rest) == 0 || rest[0] != ':' {
			break
		}
		dst, rest = append(dst, ':'), rest[1:]
	}
	return append(dst, rest...), true
}

func digits(b []byte) (field, rest []byte) {
	i := 0
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return b[:i], b[i:]
}

func pad2(dst, field []byte) []byte {
	if len(field) == 1 {
		dst = append(dst, '0')
	}
	return append(dst, field...)
}

func parseTimestamps(to types.Type, parse func([]byte, *time.Location) (int64, bool)) fn.Kernel {
	msg := "not " + to.WithArticle()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(to, rows.N)
		err := each(rows, func(r int) error {
			x, ok := parse(trim(in.Bytes(r)), c.Zone)
			if !ok {
				return fail(c, out, r, in, msg)
			}
			out.I64[r] = x
			return nil
		})
		return out, err
	}
}
