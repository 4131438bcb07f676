package scalar

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// rounding is how digits are dropped.
type rounding uint8

const (
	halfUp rounding = iota // half away from zero
	halfEven
	towardZero
	upward
	downward
)

func roundings() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "round", Group: "Numeric", Syntax: []string{"round(a [, digits])"},
			Doc:      "Rounds to a number of digits after the point (0 by default, negative = before it), halves away from zero. The digits of a DECIMAL are constant. DOUBLEs round by their shortest decimal text.",
			Examples: []fn.Example{{SQL: "round(2.5)", Want: "3"}, {SQL: "round(1.25e0, 1)", Want: "1.3"}, {SQL: "round(1234.5, -2)", Want: "1200"}, {SQL: "round(NULL)", Want: "NULL"}},
			Resolve:  resolveRound(halfUp),
		},
		{
			Name: "bround", Aliases: []string{"round_even", "roundbankers"}, Group: "Numeric", Syntax: []string{"bround(a [, digits])"},
			Doc:      "Rounds like round, but halves to the even digit.",
			Examples: []fn.Example{{SQL: "bround(2.5)", Want: "2"}, {SQL: "bround(3.5)", Want: "4"}, {SQL: "bround(NULL)", Want: "NULL"}},
			Resolve:  resolveRound(halfEven),
		},
		{
			Name: "truncate", Group: "Numeric", Syntax: []string{"truncate(a [, digits])"},
			Doc:      "Drops the digits after the given one.",
			Examples: []fn.Example{{SQL: "truncate(-1.79, 1)", Want: "-1.7"}, {SQL: "truncate(NULL)", Want: "NULL"}},
			Resolve:  resolveRound(towardZero),
		},
		{
			Name: "ceil", Aliases: []string{"ceiling"}, Group: "Numeric", Syntax: []string{"ceil(a [, digits])", "ceil(time TO unit)"},
			Doc:      "Rounds up: a DOUBLE or an integer gives a BIGINT, a DECIMAL stays one.",
			Examples: []fn.Example{{SQL: "ceil(-1.25e0)", Want: "-1"}, {SQL: "ceil(1.01)", Want: "2"}, {SQL: "ceil(NULL)", Want: "NULL"}},
			Resolve:  resolveBound(upward),
		},
		{
			Name: "floor", Group: "Numeric", Syntax: []string{"floor(a [, digits])", "floor(time TO unit)"},
			Doc:      "Rounds down: a DOUBLE or an integer gives a BIGINT, a DECIMAL stays one.",
			Examples: []fn.Example{{SQL: "floor(-1.25e0)", Want: "-2"}, {SQL: "floor(1.99)", Want: "1"}, {SQL: "floor(NULL)", Want: "NULL"}},
			Resolve:  resolveBound(downward),
		},
	}
}

// digitsArg is the constant number of digits, 0 by default.
func digitsArg(args []fn.Arg) (int, error) {
	if len(args) == 1 {
		return 0, nil
	}
	v := args[1].Const
	if v != nil && v.IsNull(0) { // the result is NULL
		return 0, nil
	}
	if v == nil || !v.Type.IsInteger() || v.IsNull(0) {
		return 0, fmt.Errorf("needs a constant number of digits as argument 2")
	}
	return int(max(min(v.Int(0), 400), -400)), nil
}

func resolveRound(mode rounding) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 1, 2); err != nil {
			return fn.Impl{}, err
		}
		t := args[0].Type
		if len(args) == 2 && args[1].Const == nil && args[1].Type.IsInteger() && (t.IsInteger() || t.IsFloat()) {
			return fn.Impl{Args: argTypes(args), Result: t, Eval: roundByRow(mode, t)}, nil
		}
		digits, err := digitsArg(args)
		if err != nil {
			return fn.Impl{}, err
		}
		impl := fn.Impl{Args: argTypes(args), Monotone: []int{0}}
		switch {
		case t.IsInteger():
			impl.Result, impl.Eval = t, roundInts(mode, t, digits)
		case t.Kind == types.Decimal:
			impl.Result = roundedDecimal(t, digits)
			impl.Eval = roundDecimals(mode, t, impl.Result, digits)
		case t.IsFloat(), t.Kind == types.Null, t.Kind == types.String:
			if !t.IsFloat() {
				t = double
			}
			impl.Args[0], impl.Result, impl.Eval = t, t, roundFloats(mode, t, digits)
		default:
			return fn.Impl{}, mismatch(args, 0, "number")
		}
		return impl, nil
	}
}

// roundedDecimal is Spark's type of a rounded DECIMAL.
func roundedDecimal(t types.Type, digits int) types.Type {
	whole := int(t.Prec) - int(t.Scale) + 1
	if digits < 0 {
		return types.DecimalOf(min(max(whole, 1-digits), types.MaxPrecision), 0)
	}
	scale := min(digits, int(t.Scale))
	return types.DecimalOf(min(whole+scale, types.MaxPrecision), scale)
}

// roundUnscaled drops n decimal digits of x: the result counts units of 10^n.
func roundUnscaled(mode rounding, x types.Int128, n int) types.Int128 {
	if n <= 0 {
		return x
	}
	if n > types.MaxPrecision {
		return roundSign(mode, x)
	}
	unit := types.Pow10(n)
	q, r, _ := x.QuoRem(unit)
	if r.IsZero() {
		return q
	}
	one := types.Int128From(int64(x.Sign()))
	twice, _ := r.Abs()
	twice, _ = twice.Add(twice)
	half := twice.Cmp(unit)
	up := false
	switch mode {
	case halfUp:
		up = half >= 0
	case halfEven:
		up = half > 0 || half == 0 && q.Lo&1 == 1
	case upward:
		up = x.Sign() > 0
	case downward:
		up = x.Sign() < 0
	}
	if up {
		q, _ = q.Add(one)
	}
	return q
}

// roundSign is what is left of a number when all its digits are dropped.
func roundSign(mode rounding, x types.Int128) types.Int128 {
	switch {
	case mode == upward && x.Sign() > 0:
		return types.Int128From(1)
	case mode == downward && x.Sign() < 0:
		return types.Int128From(-1)
	}
	return types.Int128{}
}

func roundDecimals(mode rounding, from, to types.Type, digits int) fn.Kernel {
	drop := int(from.Scale) - digits
	back := max(-digits, 0) // zeros to put back before the point
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(to, rows.N)
		m := mask(in)
		err := try(rows, func(r int) error {
			x := roundUnscaled(mode, cast.DecimalAt(in, r&m), drop)
			x, ok := x.MulPow10(back)
			if !ok || !types.FitsPrecision(x, int(to.Prec)) {
				return c.Fail(out, r, "round", vec.RowString(in, r, c.Zone), to.String()+" "+overflows)
			}
			if out.I128 != nil {
				out.I128[r] = x
			} else {
				out.I64[r] = int64(x.Lo)
			}
			return nil
		})
		return out, err
	}
}

func roundInts(mode rounding, t types.Type, digits int) fn.Kernel {
	if digits >= 0 {
		return first
	}
	lo, hi := cast.IntRange(t.Kind)
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(t, rows.N)
		m := mask(in)
		err := try(rows, func(r int) error {
			y, ok := roundInt(mode, in.I64[r&m], digits)
			if out.I64[r] = y; !ok || y < lo || y > hi {
				return c.Fail(out, r, "round", vec.RowString(in, r, c.Zone), t.String()+" "+overflows)
			}
			return nil
		})
		return out, err
	}
}

func roundFloats(mode rounding, t types.Type, digits int) fn.Kernel {
	bits := 64
	if t.Kind == types.Float32 {
		bits = 32
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(t, rows.N)
		m := mask(in)
		each(rows, func(r int) { out.F64[r] = roundFloat(mode, in.F64[r&m], digits, bits) })
		return out, nil
	}
}

// roundByRow rounds to digits that each row says.
func roundByRow(mode rounding, t types.Type) fn.Kernel {
	bits, lo, hi := 64, int64(0), int64(0)
	if t.Kind == types.Float32 {
		bits = 32
	} else if t.IsInteger() {
		lo, hi = cast.IntRange(t.Kind)
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		return out, try(rows, func(r int) error {
			digits := int(max(min(args[1].Int(r), 400), -400))
			if t.IsFloat() {
				out.F64[r] = roundFloat(mode, args[0].Float(r), digits, bits)
				return nil
			}
			y, ok := roundInt(mode, args[0].Int(r), digits)
			if out.I64[r] = y; !ok || y < lo || y > hi {
				return c.Fail(out, r, "round", vec.RowString(args[0], r, c.Zone), t.String()+" "+overflows)
			}
			return nil
		})
	}
}

// roundInt drops digits before the point where their number is negative.
func roundInt(mode rounding, x int64, digits int) (int64, bool) {
	if digits >= 0 {
		return x, true
	}
	y := roundUnscaled(mode, types.Int128From(x), -digits)
	if y.IsZero() {
		return 0, true
	}
	y, ok := y.MulPow10(-digits)
	z, fits := y.Int64()
	return z, ok && fits
}

// roundFloat rounds the shortest decimal text of x.
func roundFloat(mode rounding, x float64, digits, bits int) float64 {
	if x != x || math.IsInf(x, 0) || x == 0 {
		return x
	}
	if y, ok := roundFar(mode, x, digits, bits); ok {
		return y
	}
	return roundText(mode, x, digits, bits)
}

// roundText rounds the decimal text of what is neither 0 nor infinite.
func roundText(mode rounding, x float64, digits, bits int) float64 {
	var room, text [40]byte
	s := strconv.AppendFloat(text[:0], x, 'e', -1, bits) // [-]d.ddde±xx
	exp := 0
	ds := room[:0]
	for i, ch := range s {
		switch {
		case ch >= '0' && ch <= '9':
			ds = append(ds, ch)
		case ch == 'e':
			exp, _ = strconv.Atoi(string(s[i+1:]))
		}
		if exp != 0 || ch == 'e' {
			break
		}
	}
	keep := exp + 1 + digits // digits that stay
	if keep >= len(ds) {
		return x
	}
	if keep < 0 {
		ds, keep = append(ds[:0], '0'), 0
		exp = -digits - 1
	}
	return assembleFloat(x < 0, roundUp(mode, x < 0, ds, keep), ds[:keep], exp+1-keep)
}

// roundFar rounds what is far from the middle between two results: there the error of the
// product is too small to matter, and the division of two exact numbers gives the number
// that the decimal text would.
func roundFar(mode rounding, x float64, digits, bits int) (y float64, ok bool) {
	if bits != 64 || digits < 0 || digits > 15 || mode > halfEven {
		return 0, false
	}
	unit := powersOf10[digits]
	scaled := x * unit
	if math.Abs(scaled) >= 1<<40 {
		return 0, false
	}
	whole, rest := math.Modf(scaled)
	if math.Abs(math.Abs(rest)-0.5) < 1.0/512 {
		return 0, false
	}
	if math.Abs(rest) > 0.5 {
		whole += math.Copysign(1, x)
	}
	return whole / unit, true
}

// powersOf10 are exact.
var powersOf10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// roundUp decides whether the digits that stay grow by one.
func roundUp(mode rounding, neg bool, ds []byte, keep int) bool {
	switch mode {
	case towardZero:
		return false
	case upward:
		return !neg
	case downward:
		return neg
	}
	if ds[keep] != '5' || mode == halfUp {
		return ds[keep] >= '5'
	}
	exactHalf := keep+1 == len(ds)
	return !exactHalf || keep > 0 && ds[keep-1]&1 == 1
}

// assembleFloat is ±digits (plus one if up) × 10^exp.
func assembleFloat(neg, up bool, ds []byte, exp int) float64 {
	n := uint64(0)
	for _, d := range ds {
		n = n*10 + uint64(d-'0')
	}
	if up {
		n++
	}
	var room [48]byte
	s := strconv.AppendUint(room[:0], n, 10)
	s = append(s, 'e')
	f, _ := strconv.ParseFloat(string(strconv.AppendInt(s, int64(exp), 10)), 64)
	if neg {
		return -f
	}
	return f
}

// resolveBound resolves ceil and floor.
func resolveBound(mode rounding) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 2 && (args[0].Type.IsTime() || args[1].Type.Kind == types.String) {
			return resolveTimeBound(mode, args)
		}
		if len(args) == 2 {
			return resolveRound(mode)(args)
		}
		if err := arity(args, 1, 1); err != nil {
			return fn.Impl{}, err
		}
		t := args[0].Type
		switch {
		case t.IsInteger():
			return fn.Impl{Args: []types.Type{bigint}, Result: bigint, Eval: first, Total: true, Monotone: []int{0}}, nil
		case t.Kind == types.Decimal:
			to := types.DecimalOf(min(int(t.Prec)-int(t.Scale)+1, types.MaxPrecision), 0)
			return fn.Impl{Args: []types.Type{t}, Result: to, Eval: roundDecimals(mode, t, to, 0), Monotone: []int{0}}, nil
		case t.IsFloat(), t.Kind == types.Null, t.Kind == types.String:
			return fn.Impl{Args: []types.Type{double}, Result: bigint, Eval: boundFloats(mode), Monotone: []int{0}}, nil
		}
		return fn.Impl{}, mismatch(args, 0, "number")
	}
}

func boundFloats(mode rounding) fn.Kernel {
	f := math.Floor
	if mode == upward {
		f = math.Ceil
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(bigint, rows.N)
		err := try(rows, func(r int) error {
			x, ok := cast.FloatToInt(f(args[0].F64[r]))
			out.I64[r] = x
			if !ok {
				return c.Fail(out, r, "round", showFloat(args[0].F64[r]), "BIGINT "+overflows)
			}
			return nil
		})
		return out, err
	}
}
