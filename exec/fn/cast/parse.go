package cast

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file reads text. Blanks around a value are ignored; everything else must be
// the value and nothing but the value.

func fromText(to types.Type) fn.Kernel {
	switch {
	case to.IsNested():
		return fromNestedText(to)
	case to.Kind == types.Bool:
		return parseText(to, func(out *vec.Vector, r int, b []byte) bool {
			x, ok := ParseBool(b)
			out.Bool[r] = truth(x)
			return ok
		})
	case to.IsInteger():
		lo, hi := IntRange(to.Kind)
		return parseText(to, func(out *vec.Vector, r int, b []byte) bool {
			x, ok := ParseInt(b)
			out.I64[r] = x
			return ok && x >= lo && x <= hi
		})
	case to.IsFloat():
		return parseText(to, func(out *vec.Vector, r int, b []byte) bool {
			x, ok := ParseFloat(b)
			if to.Kind == types.Float32 {
				x = float64(float32(x))
			}
			out.F64[r] = x
			return ok
		})
	case to.Kind == types.Decimal:
		return parseText(to, func(out *vec.Vector, r int, b []byte) bool {
			x, ok := ParseDecimal(b, to)
			if ok {
				storeDecimal(out, r, x)
			}
			return ok
		})
	case to.Kind == types.Interval:
		return parseText(to, func(out *vec.Vector, r int, b []byte) bool {
			x, err := types.ParseInterval(view(b))
			out.Iv[r] = x
			return err == nil
		})
	case to.Kind == types.UUID:
		return textToUUID
	}
	return textToTime(to)
}

// parseText builds a kernel from a parser of one trimmed text.
func parseText(to types.Type, parse func(out *vec.Vector, r int, b []byte) bool) fn.Kernel {
	msg := "not " + to.WithArticle()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(to, rows.N)
		err := each(rows, func(r int) error {
			if parse(out, r, trim(in.Bytes(r))) {
				return nil
			}
			return fail(c, out, r, in, msg)
		})
		return out, err
	}
}

func trim(b []byte) []byte {
	if len(b) == 0 || b[0] > ' ' && b[len(b)-1] > ' ' {
		return b
	}
	return bytes.TrimSpace(b)
}

// ParseBool reads true, t, yes, y, 1 and their opposites, in any case.
func ParseBool(b []byte) (value, ok bool) {
	for _, w := range [...]string{"true", "t", "yes", "y", "1"} {
		if equalFold(b, w) {
			return true, true
		}
	}
	for _, w := range [...]string{"false", "f", "no", "n", "0"} {
		if equalFold(b, w) {
			return false, true
		}
	}
	return false, false
}

// equalFold compares with a lower-case word.
func equalFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, ch := range b {
		if ch >= 'A' && ch <= 'Z' {
			ch |= 0x20
		}
		if ch != word[i] {
			return false
		}
	}
	return true
}

// ParseInt reads an optional sign and digits.
func ParseInt(b []byte) (int64, bool) {
	neg := len(b) > 0 && b[0] == '-'
	if neg || len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	var x uint64
	for _, ch := range b {
		d := uint64(ch - '0')
		if d > 9 || x > (math.MaxUint64-9)/10 {
			return 0, false
		}
		x = x*10 + d
	}
	switch {
	case neg && x <= 1<<63:
		return -int64(x), true
	case !neg && x < 1<<63:
		return int64(x), true
	}
	return 0, false
}

// ParseFloat reads a decimal number, NaN, or a signed inf or infinity, in any case.
func ParseFloat(b []byte) (float64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	for _, ch := range b { // strconv takes 0x1p-2 and 1_000 too
		if ch == '_' || ch == 'x' || ch == 'X' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(view(b), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, err == nil
}

// ParseDecimal reads a number with optional fraction and exponent into the unscaled
// value of a DECIMAL, rounding half away from zero; false if it is no number or has
// too many digits before the point.
func ParseDecimal(b []byte, t types.Type) (types.Int128, bool) {
	x, err := types.ParseDecimal(view(b), int(t.Prec), int(t.Scale))
	return x, err == nil
}

// view is the bytes as a string, without copying.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// textToUUID reads the spellings of types.ParseUUID.
func textToUUID(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := args[0]
	out := c.New(types.Of(types.UUID), rows.N)
	out.Buf = make([]byte, 0, 16*rows.Len())
	err := each(rows, func(r int) error {
		id, err := types.ParseUUID(view(in.Bytes(r)))
		if err != nil {
			return fail(c, out, r, in, "not a UUID")
		}
		out.Str[r] = vec.StrRef{Off: uint32(len(out.Buf)), Len: 16}
		out.Buf = append(out.Buf, id[:]...)
		return nil
	})
	return out, err
}

// bytesToUUID takes 16 bytes as they are.
func bytesToUUID(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := args[0]
	out := c.New(types.Of(types.UUID), rows.N)
	out.Buf = in.Buf
	err := each(rows, func(r int) error {
		out.Str[r] = in.Str[r]
		if out.Str[r].Len != 16 {
			return fail(c, out, r, in, "not the 16 bytes of a UUID")
		}
		return nil
	})
	return out, err
}
