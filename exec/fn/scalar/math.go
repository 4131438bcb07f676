package scalar

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func maths() []*fn.Scalar {
	all := []*fn.Scalar{
		{
			Name: "abs", Group: "Numeric", Syntax: []string{"abs(a)"}, Doc: "Is the number or interval without its sign.",
			Examples: []fn.Example{{SQL: "abs(-2.50)", Want: "2.50"}, {SQL: "abs(INTERVAL '-90' MINUTE)", Want: "01:30:00"}, {SQL: "abs(NULL)", Want: "NULL"}}, Resolve: resolveAbs,
		},
		{
			Name: "sign", Aliases: []string{"signum"}, Group: "Numeric", Syntax: []string{"sign(a)"}, Doc: "Is -1.0, 0.0 or 1.0 as a number or interval is negative, zero or positive.",
			Examples: []fn.Example{{SQL: "sign(-3)", Want: "-1.0"}, {SQL: "sign(NULL)", Want: "NULL"}},
			Resolve:  resolveSignum,
		},
		{
			Name: "pow", Aliases: []string{"power"}, Group: "Numeric", Syntax: []string{"pow(a, b)"}, Doc: "Is a to the power of b.",
			Examples: []fn.Example{{SQL: "pow(7, 2)", Want: "49.0"}, {SQL: "pow(NULL, 2)", Want: "NULL"}},
			Resolve:  fixed(double, floats2(math.Pow), double, double),
		},
		{
			Name: "atan2", Group: "Numeric", Syntax: []string{"atan2(y, x)"}, Doc: "Is the angle of the point (x, y) in radians.",
			Examples: []fn.Example{{SQL: "atan2(0, 1)", Want: "0.0"}, {SQL: "atan2(NULL, 1)", Want: "NULL"}},
			Resolve:  fixed(double, floats2(func(y, x float64) float64 { return math.Atan2(y+0, x+0) }), double, double),
		},
		{
			Name: "hypot", Group: "Numeric", Syntax: []string{"hypot(a, b)"}, Doc: "Is the square root of a*a + b*b.",
			Examples: []fn.Example{{SQL: "hypot(3, 4)", Want: "5.0"}, {SQL: "hypot(NULL, 4)", Want: "NULL"}},
			Resolve:  fixed(double, floats2(math.Hypot), double, double),
		},
		{
			Name: "log", Group: "Numeric", Syntax: []string{"log(a)", "log(base, a)"}, Doc: "Is the natural logarithm, or that to a base; NULL where the number is not positive.",
			Examples: []fn.Example{{SQL: "log(2, 8)", Want: "3.0"}, {SQL: "log(0)", Want: "NULL"}}, Resolve: resolveLog,
		},
		{
			Name: "pi", Group: "Numeric", Syntax: []string{"pi()"}, Doc: "Is the ratio of a circle's circumference to its diameter.",
			Examples: []fn.Example{{SQL: "pi()", Want: "3.141592653589793"}, {SQL: "pi() + NULL", Want: "NULL"}},
			Resolve:  fixed(double, constantFloat(math.Pi)),
		},
		{
			Name: "e", Group: "Numeric", Syntax: []string{"e()"}, Doc: "Is the base of natural logarithms.",
			Examples: []fn.Example{{SQL: "e()", Want: "2.718281828459045"}, {SQL: "e() + NULL", Want: "NULL"}},
			Resolve:  fixed(double, constantFloat(math.E)),
		},
		{
			Name: "isnan", Group: "Numeric", Nulls: fn.Custom, Syntax: []string{"isnan(a)"}, Doc: "Tests for NaN; false for NULL.",
			Examples: []fn.Example{{SQL: "isnan(CAST('NaN' AS DOUBLE))", Want: "true"}, {SQL: "isnan(NULL)", Want: "false"}},
			Resolve:  fixed(boolean, bools(func(args []*vec.Vector, r int) bool { return !args[0].IsNull(r) && math.IsNaN(args[0].Float(r)) }), double),
		},
		{
			Name: "nanvl", Group: "Numeric", Nulls: fn.Custom, Syntax: []string{"nanvl(a, b)"}, Doc: "Is a, or b where a is NaN.",
			Examples: []fn.Example{{SQL: "nanvl(CAST('NaN' AS DOUBLE), 1)", Want: "1.0"}, {SQL: "nanvl(2.5, NULL)", Want: "2.5"}, {SQL: "nanvl(NULL, 1)", Want: "NULL"}},
			Resolve:  fixed(double, nanvl, double, double),
		},
		extreme("greatest", 1, "Is the greatest argument; NULLs are skipped, and it is NULL if all are.", "greatest(1, 3, NULL)", "3"),
		extreme("least", -1, "Is the smallest argument; NULLs are skipped, and it is NULL if all are.", "least(1, 3, NULL)", "1"),
		{
			Name: "width_bucket", Group: "Numeric", Syntax: []string{"width_bucket(a, low, high, n)"},
			Doc:      "Is the number, from 1, of the bucket of a among n equal ones between low and high; 0 below and n + 1 above them.",
			Examples: []fn.Example{{SQL: "width_bucket(5.3, 0.2, 10.6, 5)", Want: "3"}, {SQL: "width_bucket(NULL, 0, 1, 5)", Want: "NULL"}},
			Resolve:  fixed(bigint, widthBucket, double, double, double, bigint),
		},
		{
			Name: "factorial", Group: "Numeric", Syntax: []string{"factorial(n)"}, Doc: "Is 1 * 2 * ... * n for n from 0 to 20, otherwise NULL.",
			Examples: []fn.Example{{SQL: "factorial(5)", Want: "120"}, {SQL: "factorial(21)", Want: "NULL"}},
			Resolve:  fixed(bigint, factorial, integer),
		},
	}
	return append(all, realFunctions()...)
}

// realFunctions are the functions of one DOUBLE.
func realFunctions() []*fn.Scalar {
	list := []struct {
		name, doc, example, want string
		aliases                  []string
		f                        func(float64) float64
	}{
		{"sqrt", "Is the square root; NaN for a negative number.", "sqrt(2)", "1.4142135623730951", nil, math.Sqrt},
		{"cbrt", "Is the cube root.", "cbrt(27)", "3.0", nil, math.Cbrt},
		{"exp", "Is e to the power of the number.", "exp(0)", "1.0", nil, math.Exp},
		{"expm1", "Is exp(a) - 1, exact near zero.", "expm1(0)", "0.0", nil, math.Expm1},
		{"sin", "Is the sine.", "sin(0)", "0.0", nil, math.Sin},
		{"cos", "Is the cosine.", "cos(0)", "1.0", nil, math.Cos},
		{"tan", "Is the tangent.", "tan(0)", "0.0", nil, math.Tan},
		{"cot", "Is the cotangent.", "round(cot(1), 3)", "0.642", nil, func(x float64) float64 { return 1 / math.Tan(x) }},
		{"asin", "Is the arc sine.", "asin(0)", "0.0", nil, math.Asin},
		{"acos", "Is the arc cosine.", "acos(1)", "0.0", nil, math.Acos},
		{"atan", "Is the arc tangent.", "atan(0)", "0.0", nil, math.Atan},
		{"sinh", "Is the hyperbolic sine.", "sinh(0)", "0.0", nil, math.Sinh},
		{"cosh", "Is the hyperbolic cosine.", "cosh(0)", "1.0", nil, math.Cosh},
		{"tanh", "Is the hyperbolic tangent.", "tanh(0)", "0.0", nil, math.Tanh},
		{"asinh", "Is the inverse hyperbolic sine.", "asinh(0)", "0.0", nil, math.Asinh},
		{"acosh", "Is the inverse hyperbolic cosine; NaN below 1.", "acosh(1)", "0.0", nil, math.Acosh},
		{"atanh", "Is the inverse hyperbolic tangent; NaN outside −1 to 1.", "atanh(0)", "0.0", nil, math.Atanh},
		{"sec", "Is the secant, 1 / cos.", "sec(0)", "1.0", nil, func(x float64) float64 { return 1 / math.Cos(x) }},
		{"csc", "Is the cosecant, 1 / sin.", "round(csc(1), 3)", "1.188", nil, func(x float64) float64 { return 1 / math.Sin(x) }},
		{"sech", "Is the hyperbolic secant, 1 / cosh.", "sech(0)", "1.0", nil, func(x float64) float64 { return 1 / math.Cosh(x) }},
		{"csch", "Is the hyperbolic cosecant, 1 / sinh; infinite at 0.", "round(csch(1), 3)", "0.851", nil, func(x float64) float64 { return 1 / math.Sinh(x) }},
		{"coth", "Is the hyperbolic cotangent, 1 / tanh; infinite at 0.", "round(coth(1), 3)", "1.313", nil, func(x float64) float64 { return 1 / math.Tanh(x) }},
		{"degrees", "Turns radians into degrees.", "degrees(pi())", "180.0", nil, func(x float64) float64 { return x * 180 / math.Pi }},
		{"radians", "Turns degrees into radians.", "radians(180)", "3.141592653589793", nil, func(x float64) float64 { return x * math.Pi / 180 }},
		{"rint", "Rounds to the nearest whole number, halves to the even one, as a DOUBLE.", "rint(2.5)", "2.0", nil, math.RoundToEven},
	}
	var all []*fn.Scalar
	for _, x := range list {
		all = append(all, &fn.Scalar{
			Name: x.name, Aliases: x.aliases, Group: "Numeric", Syntax: []string{x.name + "(a)"}, Doc: x.doc,
			Examples: []fn.Example{{SQL: x.example, Want: x.want}, {SQL: x.name + "(NULL)", Want: "NULL"}},
			Resolve:  fixed(double, floats(x.f), double),
		})
	}
	logs := []struct {
		name, doc, example, want string
		f                        func(float64) float64
	}{
		{"ln", "Is the natural logarithm; NULL where the number is not positive.", "ln(1)", "0.0", logarithm},
		{"log10", "Is the decimal logarithm; NULL where the number is not positive.", "log10(1000)", "3.0", logarithm10},
		{"log2", "Is the binary logarithm; NULL where the number is not positive.", "log2(8)", "3.0", math.Log2},
	}
	for _, x := range logs {
		all = append(all, &fn.Scalar{
			Name: x.name, Group: "Numeric", Syntax: []string{x.name + "(a)"}, Doc: x.doc,
			Examples: []fn.Example{{SQL: x.example, Want: x.want}, {SQL: x.name + "(-1)", Want: "NULL"}},
			Resolve:  fixed(double, logs1(x.f), double),
		})
	}
	return all
}

func resolveSignum(args []fn.Arg) (fn.Impl, error) {
	if len(args) != 1 || args[0].Type.Kind != types.Interval {
		return fixed(double, floats(sign), double)(args)
	}
	return fixed(double, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		each(rows, func(r int) { out.F64[r] = float64(args[0].Iv[args[0].Index(r)].Span().Sign()) })
		return out, nil
	}, interval)(args)
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func nanvl(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(double, rows.N)
	each(rows, func(r int) {
		v := args[0]
		if !v.IsNull(r) && math.IsNaN(v.Float(r)) {
			v = args[1]
		}
		if v.IsNull(r) {
			out.SetNull(r)
			return
		}
		out.F64[r] = v.Float(r)
	})
	return out, nil
}

// logarithm is math.Log, which on some machines takes numbers below 2^−1022 for that
// number itself.
func logarithm(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// logarithm10 is math.Log10, with the same care.
func logarithm10(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log10(x*0x1p54) - 54*math.Log10(2)
	}
	return math.Log10(x)
}

// floats2 makes a kernel from a function of two DOUBLEs.
func floats2(f func(a, b float64) float64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		each(rows, func(r int) { out.F64[r] = f(args[0].Float(r), args[1].Float(r)) })
		return out, nil
	}
}

func logs1(f func(float64) float64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		each(rows, func(r int) {
			if x := args[0].F64[r]; x > 0 || x != x {
				out.F64[r] = f(x)
				return
			}
			out.SetNull(r)
		})
		return out, nil
	}
}

func constantFloat(x float64) fn.Kernel {
	return func(c *fn.Ctx, _ []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		for i := range out.F64 {
			out.F64[i] = x
		}
		return out, nil
	}
}

func resolveLog(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 {
		return fixed(double, logs1(logarithm), double)(args)
	}
	return fixed(double, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		each(rows, func(r int) {
			base, x := args[0].Float(r), args[1].Float(r)
			switch {
			case base <= 0 || x <= 0:
				out.SetNull(r)
			case base == 2:
				out.F64[r] = math.Log2(x)
			case base == 10:
				out.F64[r] = math.Log10(x)
			default:
				out.F64[r] = logarithm(x) / logarithm(base)
			}
		})
		return out, nil
	}, double, double)(args)
}

func resolveAbs(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 && args[0].Type.Kind == types.Interval {
		return fn.Impl{Args: []types.Type{interval}, Result: interval, Eval: absInterval}, nil
	}
	t, err := firstArg(args, 1, 1, numberArg)
	if err != nil {
		return fn.Impl{}, err
	}
	return fn.Impl{Args: []types.Type{t}, Result: t, Eval: abs(t)}, nil
}

// absInterval negates intervals that are less than none.
func absInterval(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	in := args[0]
	out := c.New(interval, rows.N)
	err := try(rows, func(r int) error {
		f, i := in.At(r)
		v, ok := f.Iv[i], true
		if v.Span().Sign() < 0 {
			v, ok = v.Neg()
		}
		if out.Iv[r] = v; !ok {
			return c.Fail(out, r, "abs", vec.RowString(in, r, c.Zone), "INTERVAL "+overflows)
		}
		return nil
	})
	return out, err
}

func abs(t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(t, rows.N)
		lo, _ := cast.IntRange(t.Kind)
		err := try(rows, func(r int) error {
			switch {
			case out.F64 != nil:
				out.F64[r] = math.Abs(in.F64[r])
			case out.I128 != nil:
				out.I128[r], _ = in.I128[r].Abs()
			case t.IsInteger() && in.I64[r] == lo:
				return c.Fail(out, r, "abs", vec.RowString(in, r, c.Zone), t.String()+" "+overflows)
			default:
				out.I64[r] = max(in.I64[r], -in.I64[r])
			}
			return nil
		})
		return out, err
	}
}

// extreme is greatest (want 1) and least (want −1). They are not monotone: where an
// argument is NULL, the others decide.
func extreme(name string, want int, doc, example, result string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Conditional", Nulls: fn.Custom, Syntax: []string{name + "(a, b, ...)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: result}, {SQL: name + "(NULL, NULL)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			t, err := firstArg(args, 1, -1, common)
			if err == nil {
				err = ordered(t)
			}
			if err != nil {
				return fn.Impl{}, err
			}
			impl := fn.Impl{Args: same(t, len(args)), Result: t}
			if t.IsInteger() || t.IsTime() {
				impl.Eval = extremeInts(t, want)
				return impl, nil
			}
			impl.Eval = built(t, func(b *vec.Builder, args []*vec.Vector, r int) {
				best := args[0]
				for _, a := range args[1:] {
					if best.IsNull(r) || !a.IsNull(r) && vec.Rank(a, r, best, r) == want {
						best = a
					}
				}
				b.AppendFrom(best, r)
			})
			return impl, nil
		},
	}
}

// extremeInts is the greatest (want 1) or least of what is kept as integers.
func extremeInts(t types.Type, want int) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		each(rows, func(r int) {
			found, best := false, int64(0)
			for _, a := range args {
				if a.IsNull(r) {
					continue
				}
				if x := a.Int(r); !found || want > 0 && x > best || want < 0 && x < best {
					found, best = true, x
				}
			}
			if out.I64[r] = best; !found {
				out.SetNull(r)
			}
		})
		return out, nil
	}
}

func widthBucket(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(bigint, rows.N)
	each(rows, func(r int) {
		x, lo, hi, n := args[0].Float(r), args[1].Float(r), args[2].Float(r), args[3].Int(r)
		if n <= 0 || lo == hi || x != x || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			out.SetNull(r)
			return
		}
		at := (x - lo) / (hi - lo)
		switch {
		case at < 0:
			out.I64[r] = 0
		case at >= 1:
			out.I64[r] = n + 1
		default:
			out.I64[r] = int64(at*float64(n)) + 1
		}
	})
	return out, nil
}

func factorial(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(bigint, rows.N)
	each(rows, func(r int) {
		n := args[0].I64[r]
		if n < 0 || n > 20 {
			out.SetNull(r)
			return
		}
		out.I64[r] = 1
		for k := int64(2); k <= n; k++ {
			out.I64[r] *= k
		}
	})
	return out, nil
}
