package scalar

import (
	"math"
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// moreNumbers are the functions of numbers that Postgres and DuckDB have beyond Spark.
func moreNumbers() []*fn.Scalar {
	all := []*fn.Scalar{
		{
			Name: "gcd", Aliases: []string{"greatest_common_divisor"}, Group: "Numeric", Syntax: []string{"gcd(a, b)"}, Doc: "Is the greatest number that divides two integers; 0 for two zeros.",
			Examples: []fn.Example{{SQL: "gcd(42, -56)", Want: "14"}, {SQL: "gcd(NULL, 2)", Want: "NULL"}},
			Resolve: fixed(bigint, tryInts(bigint, "gcd", func(args []*vec.Vector, r int) (int64, string) {
				return fitsBigint(gcd(magnitude(args[0].Int(r)), magnitude(args[1].Int(r))))
			}), bigint, bigint),
		},
		{
			Name: "lcm", Aliases: []string{"least_common_multiple"}, Group: "Numeric", Syntax: []string{"lcm(a, b)"}, Doc: "Is the smallest positive number that both integers divide; 0 if one of them is.",
			Examples: []fn.Example{{SQL: "lcm(4, 6)", Want: "12"}, {SQL: "lcm(NULL, 2)", Want: "NULL"}},
			Resolve:  fixed(bigint, tryInts(bigint, "lcm", lcm), bigint, bigint),
		},
		{
			Name: "binom", Group: "Numeric", Syntax: []string{"binom(n, k)"}, Doc: "Counts the ways to choose k of n things; 0 where there are none.",
			Examples: []fn.Example{{SQL: "binom(5, 2)", Want: "10"}, {SQL: "binom(NULL, 2)", Want: "NULL"}},
			Resolve:  fixed(bigint, tryInts(bigint, "binom", binom), integer, integer),
		},
		{
			Name: "fdiv", Group: "Numeric", Syntax: []string{"fdiv(a, b)"}, Doc: "Divides DOUBLEs and rounds down, to a DOUBLE.",
			Examples: []fn.Example{{SQL: "fdiv(-7, 2)", Want: "-4.0"}, {SQL: "fdiv(NULL, 2)", Want: "NULL"}},
			Resolve:  fixed(double, floats2(func(a, b float64) float64 { return math.Floor(a / b) }), double, double),
		},
		{
			Name: "fmod", Group: "Numeric", Syntax: []string{"fmod(a, b)"}, Doc: "Is the remainder of fdiv, with the sign of b; NaN where b is zero.",
			Examples: []fn.Example{{SQL: "fmod(-7, 3)", Want: "2.0"}, {SQL: "fmod(NULL, 2)", Want: "NULL"}},
			Resolve: fixed(double, floats2(func(a, b float64) float64 {
				m := math.Mod(a, b)
				if m != 0 && (m < 0) != (b < 0) {
					m += b
				}
				return m
			}), double, double),
		},
		{
			Name: "nextafter", Group: "Numeric", Syntax: []string{"nextafter(a, b)"}, Doc: "Is the number next to a in the direction of b: the next FLOAT if both are FLOAT, else the next DOUBLE.",
			Examples: []fn.Example{{SQL: "nextafter(1, 2)", Want: "1.0000000000000002"}, {SQL: "nextafter(NULL, 2)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if len(args) == 2 && args[0].Type.Kind == types.Float32 && args[1].Type.Kind == types.Float32 {
					return fn.Impl{Args: argTypes(args), Result: float, Eval: nextFloats}, nil
				}
				return fixed(double, floats2(math.Nextafter), double, double)(args)
			},
		},
		infinityTest(),
		floatTest("signbit", "Is true where the sign of a DOUBLE is set: for negative numbers and for -0.0.", "signbit(-1)", "true", math.Signbit),
		{
			Name: "scale", Group: "Numeric", Syntax: []string{"scale(a)"}, Doc: "Counts the digits after the point that a DECIMAL has by its type.",
			Examples: []fn.Example{{SQL: "scale(1.500)", Want: "3"}, {SQL: "scale(NULL)", Want: "NULL"}},
			Resolve:  decimalOnly(integer, func(x types.Int128, scale int) (int64, types.Int128) { return int64(scale), x }),
		},
		{
			Name: "min_scale", Group: "Numeric", Syntax: []string{"min_scale(a)"}, Doc: "Counts the digits after the point that a DECIMAL needs.",
			Examples: []fn.Example{{SQL: "min_scale(1.500)", Want: "1"}, {SQL: "min_scale(NULL)", Want: "NULL"}},
			Resolve:  decimalOnly(integer, minScale),
		},
		{
			Name: "erf", Group: "Numeric", Syntax: []string{"erf(a)"}, Doc: "Is the error function.",
			Examples: []fn.Example{{SQL: "erf(0)", Want: "0.0"}, {SQL: "erf(NULL)", Want: "NULL"}}, Resolve: fixed(double, floats(math.Erf), double),
		},
		{
			Name: "erfc", Group: "Numeric", Syntax: []string{"erfc(a)"}, Doc: "Is 1 - erf(a), exact for great numbers.",
			Examples: []fn.Example{{SQL: "erfc(0)", Want: "1.0"}, {SQL: "erfc(NULL)", Want: "NULL"}}, Resolve: fixed(double, floats(math.Erfc), double),
		},
		{
			Name: "gamma", Group: "Numeric", Syntax: []string{"gamma(a)"}, Doc: "Is the gamma function: (a - 1)! for whole numbers.",
			Examples: []fn.Example{{SQL: "gamma(5)", Want: "24.0"}, {SQL: "gamma(NULL)", Want: "NULL"}},
			Resolve:  fixed(double, floats(math.Gamma), double),
		},
		{
			Name: "lgamma", Group: "Numeric", Syntax: []string{"lgamma(a)"}, Doc: "Is the natural logarithm of the size of gamma(a).",
			Examples: []fn.Example{{SQL: "lgamma(1)", Want: "0.0"}, {SQL: "lgamma(NULL)", Want: "NULL"}},
			Resolve: fixed(double, floats(func(x float64) float64 {
				if a := math.Abs(x); a < 0x1p-1022 {
					return -logarithm(a) // 1/a to the last digit
				}
				y, _ := math.Lgamma(x)
				return y
			}), double),
		},
		{
			Name: "even", Group: "Numeric", Syntax: []string{"even(a)"}, Doc: "Rounds away from zero to an even number.",
			Examples: []fn.Example{{SQL: "even(2.9)", Want: "4.0"}, {SQL: "even(-2.1)", Want: "-4.0"}, {SQL: "even(NULL)", Want: "NULL"}},
			Resolve:  fixed(double, floats(even), double),
		},
	}
	return append(all, degreeFunctions()...)
}

// degreeFunctions are Postgres' trigonometric functions of degrees, exact at the
// multiples of 30 and 45.
func degreeFunctions() []*fn.Scalar {
	list := []struct {
		name, doc, example, want string
		f                        func(float64) float64
	}{
		{"sind", "Is the sine of an angle in degrees.", "sind(30)", "0.5", sind},
		{"cosd", "Is the cosine of an angle in degrees.", "cosd(60)", "0.5", func(x float64) float64 { return sind(90 - math.Abs(math.Mod(x, 360))) }},
		{"tand", "Is the tangent of an angle in degrees.", "tand(45)", "1.0", tand},
		{"cotd", "Is the cotangent of an angle in degrees.", "cotd(45)", "1.0", func(x float64) float64 { return 1 / tand(x) }},
		{"asind", "Is the arc sine in degrees.", "asind(0.5)", "30.0", func(x float64) float64 { return roundAngle(math.Asin(x) * 180 / math.Pi) }},
		{"acosd", "Is the arc cosine in degrees.", "acosd(0.5)", "60.0", func(x float64) float64 { return roundAngle(math.Acos(x) * 180 / math.Pi) }},
		{"atand", "Is the arc tangent in degrees.", "atand(1)", "45.0", func(x float64) float64 { return roundAngle(math.Atan(x) * 180 / math.Pi) }},
	}
	var all []*fn.Scalar
	for _, x := range list {
		all = append(all, &fn.Scalar{
			Name: x.name, Group: "Numeric", Syntax: []string{x.name + "(a)"}, Doc: x.doc,
			Examples: []fn.Example{{SQL: x.example, Want: x.want}, {SQL: x.name + "(NULL)", Want: "NULL"}},
			Resolve:  fixed(double, floats(x.f), double),
		})
	}
	return append(all, &fn.Scalar{
		Name: "atan2d", Group: "Numeric", Syntax: []string{"atan2d(y, x)"}, Doc: "Is the angle of the point (x, y) in degrees.",
		Examples: []fn.Example{{SQL: "atan2d(1, 1)", Want: "45.0"}, {SQL: "atan2d(NULL, 1)", Want: "NULL"}},
		Resolve:  fixed(double, floats2(func(y, x float64) float64 { return roundAngle(math.Atan2(y, x) * 180 / math.Pi) }), double, double),
	})
}

// roundAngle takes an angle that is whole but for the last bits to the whole one.
func roundAngle(x float64) float64 {
	if n := math.Round(x); math.Abs(x-n) < 1e-13*math.Max(1, math.Abs(x)) {
		return n
	}
	return x
}

func sind(x float64) float64 {
	x = math.Mod(x, 360)
	sign := 1.0
	if x < 0 {
		x, sign = -x, -1
	}
	if x > 180 {
		x, sign = x-180, -sign
	}
	if x > 90 {
		x = 180 - x
	}
	switch x {
	case 30:
		return sign * 0.5
	case 90:
		return sign
	case 0:
		return 0
	}
	return sign * math.Sin(x*math.Pi/180)
}

func tand(x float64) float64 {
	x = math.Mod(x, 180)
	switch x {
	case 0:
		return 0
	case 45, -135:
		return 1
	case -45, 135:
		return -1
	case 90, -90:
		return math.Inf(1)
	}
	return math.Tan(x * math.Pi / 180)
}

func floatTest(name, doc, example, want string, f func(float64) bool) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Numeric", Syntax: []string{name + "(a)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve:  fixed(boolean, bools(func(args []*vec.Vector, r int) bool { return f(args[0].Float(r)) }), double),
	}
}

// infinityTest is isinf, of numbers and of times.
func infinityTest() *fn.Scalar {
	f := floatTest("isinf", "Is true for the two infinities, of a number or of a date or time.", "isinf(CAST('-Infinity' AS DOUBLE))", "true", func(x float64) bool { return math.IsInf(x, 0) })
	f.Examples = append(f.Examples, fn.Example{SQL: "isinf(CAST('infinity' AS TIMESTAMP))", Want: "true"})
	numbers := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 1 && args[0].Type.IsTime() {
			kind := args[0].Type.Kind
			return fixed(boolean, bools(func(args []*vec.Vector, r int) bool { return kind.Infinite(args[0].Int(r)) != 0 }), args[0].Type)(args)
		}
		return numbers(args)
	}
	return f
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func fitsBigint(x uint64) (int64, string) {
	if x > math.MaxInt64 {
		return 0, "BIGINT " + overflows
	}
	return int64(x), ""
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(args []*vec.Vector, r int) (int64, string) {
	a, b := magnitude(args[0].Int(r)), magnitude(args[1].Int(r))
	if a == 0 || b == 0 {
		return 0, ""
	}
	over, x := bits.Mul64(a/gcd(a, b), b)
	if over != 0 {
		return 0, "BIGINT " + overflows
	}
	return fitsBigint(x)
}

func binom(args []*vec.Vector, r int) (int64, string) {
	n, k := args[0].Int(r), args[1].Int(r)
	switch {
	case n < 0 || k < 0:
		return 0, "takes no negative numbers"
	case k > n:
		return 0, ""
	}
	k = min(k, n-k)
	x := uint64(1)
	for i := int64(1); i <= k; i++ {
		over, product := bits.Mul64(x, uint64(n-k+i))
		if over >= uint64(i) {
			return 0, "BIGINT " + overflows
		}
		x, _ = bits.Div64(over, product, uint64(i))
	}
	return fitsBigint(x)
}

// even rounds away from zero.
func even(x float64) float64 {
	up := math.Ceil(math.Abs(x))
	if math.Mod(up, 2) != 0 {
		up++
	}
	return math.Copysign(up, x)
}

// decimalOnly resolves a function of the digits of a DECIMAL or integer.
func decimalOnly(t types.Type, f func(x types.Int128, scale int) (int64, types.Int128)) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 1, 1); err != nil {
			return fn.Impl{}, err
		}
		in := args[0].Type
		if in.Kind == types.Null {
			in = integer
		}
		if !in.IsInteger() && in.Kind != types.Decimal {
			return fn.Impl{}, mismatch(args, 0, "DECIMAL")
		}
		scale := int(in.Scale)
		return fn.Impl{Args: []types.Type{in}, Result: t, Safe: true, Eval: ints(t, func(args []*vec.Vector, r int) int64 {
			v, i := args[0].At(r)
			n, _ := f(cast.DecimalAt(v, i), scale)
			return n
		})}, nil
	}
}

func minScale(x types.Int128, scale int) (int64, types.Int128) {
	ten := types.Int128From(10)
	for scale > 0 {
		q, rest, _ := x.QuoRem(ten)
		if !rest.IsZero() {
			break
		}
		x, scale = q, scale-1
	}
	return int64(scale), x
}

func nextFloats(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(float, rows.N)
	each(rows, func(r int) {
		out.F64[r] = float64(math.Nextafter32(float32(args[0].Float(r)), float32(args[1].Float(r))))
	})
	return out, nil
}
