package cast

import (
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const outOfRange = "out of range"

// IntRange is the least and greatest value of an integer type.
func IntRange(k types.Kind) (lo, hi int64) {
	switch k {
	case types.Int8:
		return math.MinInt8, math.MaxInt8
	case types.Int16:
		return math.MinInt16, math.MaxInt16
	case types.Int32:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// each calls do for every row that counts. Casts have one argument, which therefore
// is flat: a constant is converted as a single row.
func each(rows fn.Rows, do func(r int) error) error {
	if rows.Sel == nil {
		for r := range rows.N {
			if err := do(r); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range rows.Sel {
		if err := do(int(r)); err != nil {
			return err
		}
	}
	return nil
}

// convert builds a kernel from a conversion of one element. ok false = failed.
func convert(to types.Type, msg string, one func(out, in *vec.Vector, r int) bool) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(to, rows.N)
		err := each(rows, func(r int) error {
			if !one(out, in, r) {
				return fail(c, out, r, in, msg)
			}
			return nil
		})
		return out, err
	}
}

func fromBool(to types.Type) fn.Kernel {
	switch {
	case to.IsFloat():
		return convert(to, "", func(out, in *vec.Vector, r int) bool { out.F64[r] = float64(in.Bool[r]); return true })
	case to.Kind == types.Decimal:
		return convert(to, outOfRange, func(out, in *vec.Vector, r int) bool {
			return setDecimal(out, r, types.Int128From(int64(in.Bool[r])), 0)
		})
	}
	return convert(to, "", func(out, in *vec.Vector, r int) bool { out.I64[r] = int64(in.Bool[r]); return true })
}

func fromInt(from, to types.Type) fn.Kernel {
	switch {
	case to.IsInteger() && to.Kind >= from.Kind:
		return relabel(to)
	case to.IsInteger():
		return narrowInt(to)
	case to.IsFloat():
		return intToFloat(to)
	case to.Kind == types.Bool:
		return convert(to, "", func(out, in *vec.Vector, r int) bool { out.Bool[r] = truth(in.I64[r] != 0); return true })
	}
	return intToDecimal(to)
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func narrowInt(to types.Type) fn.Kernel {
	lo, hi := IntRange(to.Kind)
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := *in
		out.Type = to
		shared := true
		err := each(rows, func(r int) error {
			if x := in.I64[r]; x >= lo && x <= hi {
				return nil
			}
			if shared && c.NullOnError && in.Valid != nil {
				out.Valid, shared = append([]uint64(nil), in.Valid...), false
			}
			return fail(c, &out, r, in, outOfRange)
		})
		return &out, err
	}
}

func intToFloat(to types.Type) fn.Kernel {
	single := to.Kind == types.Float32
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(to, rows.N)
		src := args[0].I64[:rows.N]
		for i, x := range src {
			out.F64[i] = float64(x)
		}
		if single {
			for i, x := range src {
				out.F64[i] = float64(float32(x))
			}
		}
		return out, nil
	}
}

func intToDecimal(to types.Type) fn.Kernel {
	if to.Phys() == types.PhysInt128 {
		scale := types.Pow10(int(to.Scale))
		return convert(to, outOfRange, func(out, in *vec.Vector, r int) bool {
			x, ok := types.Int128From(in.I64[r]).Mul(scale)
			out.I128[r] = x
			return ok && types.FitsPrecision(x, int(to.Prec))
		})
	}
	scale, _ := types.Pow10(int(to.Scale)).Int64()
	limit, _ := types.Pow10(int(to.Prec - to.Scale)).Int64()
	return convert(to, outOfRange, func(out, in *vec.Vector, r int) bool {
		x := in.I64[r]
		out.I64[r] = x * scale
		return x < limit && x > -limit
	})
}

func fromFloat(from, to types.Type) fn.Kernel {
	switch {
	case to.Kind == types.Float64:
		return relabel(to)
	case to.Kind == types.Float32:
		return convert(to, "", func(out, in *vec.Vector, r int) bool { out.F64[r] = float64(float32(in.F64[r])); return true })
	case to.Kind == types.Bool:
		return convert(to, "", func(out, in *vec.Vector, r int) bool {
			out.Bool[r] = truth(in.F64[r] != 0)
			return true
		})
	case to.Kind == types.Decimal:
		return floatToDecimal(from, to)
	}
	lo, hi := IntRange(to.Kind)
	return convert(to, outOfRange, func(out, in *vec.Vector, r int) bool {
		x, ok := FloatToInt(in.F64[r])
		out.I64[r] = x
		return ok && x >= lo && x <= hi
	})
}

// FloatToInt drops the fraction; false for NaN and what int64 does not hold.
func FloatToInt(f float64) (int64, bool) {
	if !(f > -0x1p63-1 && f < 0x1p63) {
		return 0, false
	}
	return int64(f), true
}

// floatToDecimal rounds the shortest decimal text of the float, half away from zero,
// as Spark does.
func floatToDecimal(from, to types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(to, rows.N)
		bits := 64
		if from.Kind == types.Float32 {
			bits = 32
		}
		var buf []byte
		err := each(rows, func(r int) error {
			buf = vec.AppendFloat(buf[:0], in.F64[r], bits)
			x, ok := ParseDecimal(buf, to)
			if !ok {
				return fail(c, out, r, in, outOfRange)
			}
			storeDecimal(out, r, x)
			return nil
		})
		return out, err
	}
}

func fromDecimal(from, to types.Type) fn.Kernel {
	switch {
	case to.Kind == types.Decimal:
		return rescale(from, to)
	case to.IsFloat():
		return convert(to, "", func(out, in *vec.Vector, r int) bool {
			f := DecimalToFloat(DecimalAt(in, r), int(from.Scale))
			if to.Kind == types.Float32 {
				f = float64(float32(f))
			}
			out.F64[r] = f
			return true
		})
	case to.Kind == types.Bool:
		return convert(to, "", func(out, in *vec.Vector, r int) bool { out.Bool[r] = truth(!DecimalAt(in, r).IsZero()); return true })
	}
	lo, hi := IntRange(to.Kind)
	unit := types.Pow10(int(from.Scale))
	return convert(to, outOfRange, func(out, in *vec.Vector, r int) bool {
		q, _, _ := DecimalAt(in, r).QuoRem(unit)
		x, ok := q.Int64()
		out.I64[r] = x
		return ok && x >= lo && x <= hi
	})
}

// rescale has fast ways for growing scales within 64 bits.
func rescale(from, to types.Type) fn.Kernel {
	grow := int(to.Scale) - int(from.Scale)
	widens := grow >= 0 && int(to.Prec)-int(to.Scale) >= int(from.Prec)-int(from.Scale)
	switch {
	case widens && to.Phys() == types.PhysInt64:
		unit, _ := types.Pow10(grow).Int64()
		return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			if unit == 1 {
				return args[0].WithType(to), nil
			}
			out := c.New(to, rows.N)
			for i, x := range args[0].I64[:rows.N] {
				out.I64[i] = x * unit
			}
			return out, nil
		}
	case widens && from.Phys() == types.PhysInt64 && grow <= 18:
		unit, _ := types.Pow10(grow).Int64()
		return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			out := c.New(to, rows.N)
			for i, x := range args[0].I64[:rows.N] {
				out.I128[i] = types.MulInt64(x, unit)
			}
			return out, nil
		}
	}
	return convert(to, outOfRange, func(out, in *vec.Vector, r int) bool {
		return setDecimal(out, r, DecimalAt(in, r), int(from.Scale))
	})
}

// setDecimal stores x of some scale into a DECIMAL column, rounding half away from
// zero; false if it has too many digits.
func setDecimal(out *vec.Vector, r int, x types.Int128, scale int) bool {
	y, ok := types.Rescale(x, scale, int(out.Type.Scale))
	if !ok || !types.FitsPrecision(y, int(out.Type.Prec)) {
		return false
	}
	storeDecimal(out, r, y)
	return true
}

func storeDecimal(out *vec.Vector, r int, x types.Int128) {
	if out.I128 != nil {
		out.I128[r] = x
		return
	}
	out.I64[r] = int64(x.Lo)
}

// DecimalAt is the unscaled value of element i of a flat DECIMAL column.
func DecimalAt(v *vec.Vector, i int) types.Int128 {
	if v.I128 != nil {
		return v.I128[i]
	}
	return types.Int128From(v.I64[i])
}

// pow10s are the powers of ten that a float holds exactly.
var pow10s = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// DecimalToFloat is the nearest float.
func DecimalToFloat(x types.Int128, scale int) float64 {
	if i, ok := x.Int64(); ok && i < 1<<53 && i > -1<<53 && scale < len(pow10s) {
		return float64(i) / pow10s[scale]
	}
	f, _ := ParseFloat(types.AppendDecimal(nil, x, scale))
	return f
}

// intToBytes writes an integer in the bytes of its type, the highest first, as
// PostgreSQL's CAST to bytea does.
func intToBytes(from types.Type) fn.Kernel {
	width := intBytes(from)
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(types.Of(types.Bytes), rows.N)
		buf := make([]byte, 0, width*rows.Len())
		err := each(rows, func(r int) error {
			x := uint64(args[0].Int(r))
			out.Str[r] = vec.StrRef{Off: uint32(len(buf)), Len: uint32(width)}
			for shift := 8 * (width - 1); shift >= 0; shift -= 8 {
				buf = append(buf, byte(x>>shift))
			}
			return nil
		})
		out.Buf = buf
		return out, err
	}
}

// bytesToInt reads bytes, the highest first. Fewer than the type has stand for a number
// that is not negative.
func bytesToInt(to types.Type) fn.Kernel {
	width := intBytes(to)
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(to, rows.N)
		err := each(rows, func(r int) error {
			if args[0].IsNull(r) {
				return nil
			}
			b := args[0].Bytes(r)
			if len(b) > width {
				return fail(c, out, r, args[0], fmt.Sprintf("more than the %d bytes of %s", width, to))
			}
			x := uint64(0)
			for _, d := range b {
				x = x<<8 | uint64(d)
			}
			if len(b) == width { // the sign is in the first bit
				up := 64 - 8*width
				out.I64[r] = int64(x<<up) >> up
				return nil
			}
			out.I64[r] = int64(x)
			return nil
		})
		return out, err
	}
}

func intBytes(t types.Type) int {
	return map[types.Kind]int{types.Int8: 1, types.Int16: 2, types.Int32: 4, types.Int64: 8}[t.Kind]
}
