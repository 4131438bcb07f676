// Package cast owns conversions between SQL types, column by column. exec/expr uses it for CAST and implicit conversions, the
// scalar functions for parsing and printing. It knows no expressions. Open this file
// first; text.go prints, parse.go reads, json.go goes to and from JSON.
package cast

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Kernel returns the conversion from one type to another, for which types.CanCast
// must hold. With try, what cannot be converted is NULL; otherwise it is an error, or
// NULL and counted if the context wants it so.
func Kernel(from, to types.Type, try bool) fn.Kernel {
	k := pick(from, to)
	if !try {
		return k
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		strict, count := c.NullOnError, c.Errors
		c.NullOnError = true
		v, err := k(c, args, rows)
		c.NullOnError, c.Errors = strict, count
		return v, err
	}
}

// Total reports that a conversion can never fail and costs next to nothing.
func Total(from, to types.Type) bool {
	switch {
	case from.Phys() != to.Phys():
		return from.IsInteger() && to.IsFloat() || from.Kind == types.Bool && to.IsNumeric() && to.Kind != types.Decimal
	case from.IsInteger() && to.IsInteger():
		return from.Kind <= to.Kind
	case from.IsFloat() && to.IsFloat():
		return true
	}
	return from.Kind == types.Bytes && to.Kind == types.String || to.Kind == types.Bytes && from.Kind != types.JSON && !from.IsInteger() ||
		from.Kind == types.JSON && to.Kind == types.String
}

// Monotone reports that a conversion never decreases as its argument grows. fixed
// says that the session zone has a fixed offset.
func Monotone(from, to types.Type, fixed bool) bool {
	switch {
	case from.IsNumeric() && to.IsNumeric():
		return true
	case from.IsTime() && to.IsTime(): // not to a TIME, which begins again each day
		crosses := (from.Kind == types.Timestamp) != (to.Kind == types.Timestamp)
		return !crosses || fixed || from.Kind == types.Date || to.Kind == types.Date
	}
	return false
}

// pick chooses the conversion by the source type.
func pick(from, to types.Type) fn.Kernel {
	switch {
	case from.Equal(to):
		return same
	case from.Kind == types.Null:
		return func(_ *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) { return vec.Nulls(to, rows.N), nil }
	case to.Kind == types.String && (from.Kind == types.Bytes || from.Kind == types.JSON):
		return relabel(to)
	case from.Kind == types.JSON:
		return fromJSON(to)
	case to.Kind == types.JSON:
		return toJSON(from)
	case to.Kind == types.Bytes && from.IsInteger():
		return intToBytes(from)
	case to.Kind == types.Bytes:
		return relabel(to)
	case to.Kind == types.String:
		return toText(from)
	case from.Kind == types.String:
		return fromText(to)
	case from.Kind == types.Bool:
		return fromBool(to)
	case from.IsInteger():
		return fromInt(from, to)
	case from.IsFloat():
		return fromFloat(from, to)
	case from.Kind == types.Decimal:
		return fromDecimal(from, to)
	case from.Kind == types.Time:
		return timeToInterval
	case from.Kind == types.Bytes && to.IsInteger():
		return bytesToInt(to)
	case from.Kind == types.Bytes:
		return bytesToUUID
	case from.IsTime():
		return fromTime(from, to)
	}
	if from.Kind == types.Struct && to.Kind == types.Map {
		return structToMap(from, to)
	}
	return nested(from, to)
}

func same(_ *fn.Ctx, args []*vec.Vector, _ fn.Rows) (*vec.Vector, error) { return args[0], nil }

// relabel gives the same storage another type.
func relabel(to types.Type) fn.Kernel {
	return func(_ *fn.Ctx, args []*vec.Vector, _ fn.Rows) (*vec.Vector, error) {
		return args[0].WithType(to), nil
	}
}

// name is how errors call a conversion.
func name(to types.Type) string { return "CAST AS " + to.String() }

// fail reports a value that does not convert.
func fail(c *fn.Ctx, out *vec.Vector, row int, in *vec.Vector, msg string) error {
	value := vec.RowString(in, row, c.Zone)
	if in.Type.Kind == types.String {
		value = fn.Quote(value)
	}
	return c.Fail(out, row, name(out.Type), value, msg)
}
