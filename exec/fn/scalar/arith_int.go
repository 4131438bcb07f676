package scalar

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const (
	overflows = "overflow"
	byZero    = "division by zero"
)

// intArith is an operator on integers of one width.
func intArith(op arithOp, t types.Type) fn.Impl {
	impl := fn.Impl{Args: []types.Type{t, t}, Result: t}
	if op == opIntDiv {
		impl.Result = bigint
	}
	impl.Eval = intKernel(op, impl.Result)
	return impl
}

// intKernel computes all rows without looking at the selection, remembering whether
// any went wrong; only then it looks for a row that counts among them.
func intKernel(op arithOp, t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		a, b := args[0], args[1]
		if !sparse(rows) && !intDense(op, t, out.I64, a, b) {
			return out, nil
		}
		return out, intChecked(c, op, t, out, args, rows)
	}
}

// intDense computes every row; true if some row failed.
func intDense(op arithOp, t types.Type, dst []int64, a, b *vec.Vector) bool {
	shift := 64 - intBits(t.Kind)
	ma, mb := mask(a), mask(b)
	x, y := a.I64, b.I64
	switch op {
	case opAdd, opSub:
		if b.Const && (op == opAdd || y[0] != math.MinInt64) {
			k := y[0]
			if op == opSub {
				k = -k
			}
			return addConst(dst, x, k, shift)
		}
		if op == opAdd {
			return addDense(dst, x, y, ma, mb, shift)
		}
		return subDense(dst, x, y, ma, mb, shift)
	case opMul:
		return mulDense(dst, x, y, ma, mb, shift)
	}
	if b.Const && b.I64[0] > 0 { // cannot fail, whatever the left side
		return divDense(op, dst, x, b.I64[0])
	}
	return true
}

func intBits(k types.Kind) uint {
	return 8 << (k - types.Int8)
}

func addDense(dst, x, y []int64, mx, my int, shift uint) bool {
	var bad int64
	for i := range dst {
		p, q := x[i&mx], y[i&my]
		s := p + q
		dst[i] = s
		bad |= (p^s)&(q^s)>>63 | (s<<shift>>shift ^ s)
	}
	return bad != 0
}

func addConst(dst, x []int64, k int64, shift uint) bool {
	var bad int64
	x = x[:len(dst)]
	for i, p := range x {
		s := p + k
		dst[i] = s
		bad |= (p^s)&(k^s)>>63 | (s<<shift>>shift ^ s)
	}
	return bad != 0
}

func subDense(dst, x, y []int64, mx, my int, shift uint) bool {
	var bad int64
	for i := range dst {
		p, q := x[i&mx], y[i&my]
		s := p - q
		dst[i] = s
		bad |= (p^q)&(p^s)>>63 | (s<<shift>>shift ^ s)
	}
	return bad != 0
}

func mulDense(dst, x, y []int64, mx, my int, shift uint) bool {
	var bad int64
	for i := range dst {
		hi, lo := mul64(x[i&mx], y[i&my])
		dst[i] = lo
		bad |= (hi ^ lo>>63) | (lo<<shift>>shift ^ lo)
	}
	return bad != 0
}

// mul64 is the signed 128-bit product.
func mul64(x, y int64) (hi, lo int64) {
	h, l := bits.Mul64(uint64(x), uint64(y))
	return int64(h) - x>>63&y - y>>63&x, int64(l)
}

// divDense divides by a positive constant.
func divDense(op arithOp, dst, x []int64, d int64) bool {
	x = x[:len(dst)]
	if op == opMod {
		for i := range dst {
			dst[i] = x[i] % d
		}
		return false
	}
	for i := range dst {
		dst[i] = x[i] / d
	}
	return false
}

// intChecked computes the rows that count one by one.
func intChecked(c *fn.Ctx, op arithOp, t types.Type, out *vec.Vector, args []*vec.Vector, rows fn.Rows) error {
	a, b := args[0], args[1]
	ma, mb := mask(a), mask(b)
	lo, hi := cast.IntRange(t.Kind)
	return try(rows, func(r int) error {
		x, y := a.I64[r&ma], b.I64[r&mb]
		z, ok := intOne(op, x, y)
		out.I64[r] = z
		if ok && z >= lo && z <= hi {
			return nil
		}
		msg := t.String() + " " + overflows
		if y == 0 && op >= opDiv {
			msg = byZero
		}
		return c.Fail(out, r, op.String(), strconv.FormatInt(x, 10)+" "+op.String()+" "+strconv.FormatInt(y, 10), msg)
	})
}

// intOne computes in 64 bits; false if that overflows or divides by zero.
func intOne(op arithOp, x, y int64) (int64, bool) {
	switch op {
	case opAdd:
		s := x + y
		return s, (x^s)&(y^s) >= 0
	case opSub:
		s := x - y
		return s, (x^y)&(x^s) >= 0
	case opMul:
		hi, lo := mul64(x, y)
		return lo, hi == lo>>63
	}
	switch {
	case y == 0:
		return 0, false
	case op == opMod && y == -1:
		return 0, true
	case op == opMod:
		return x % y, true
	case y == -1 && x == -x && x != 0:
		return 0, false
	}
	return x / y, true
}

// positiveMod shifts negative remainders of a positive divisor up by it.
func positiveMod(mod fn.Kernel) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		v, err := mod(c, args, rows)
		if err != nil {
			return nil, err
		}
		d := args[1]
		m := mask(d)
		if v.F64 != nil {
			each(rows, func(r int) {
				if x := d.Float(r); v.F64[r] < 0 && x > 0 {
					v.F64[r] += x
				}
			})
			return v, nil
		}
		return v, try(rows, func(r int) error { return addDivisor(c, v, r, decimalAs(d, r&m, int(v.Type.Scale))) })
	}
}

// addDivisor makes a negative remainder positive if the divisor is. It may have more digits than the type of
// the remainder, which is that of the shorter side.
func addDivisor(c *fn.Ctx, v *vec.Vector, r int, d types.Int128) error {
	rest := types.Int128{}
	if v.I128 != nil {
		rest = v.I128[r]
	} else {
		rest = types.Int128From(v.I64[r])
	}
	if rest.Sign() >= 0 || d.Sign() <= 0 {
		return nil
	}
	rest, ok := rest.Add(d)
	if v.Type.Kind == types.Decimal && !(ok && types.FitsPrecision(rest, int(v.Type.Prec))) {
		return c.Fail(v, r, "pmod", vec.RowString(v, r, nil), v.Type.String()+" "+overflows)
	}
	if v.I128 != nil {
		v.I128[r] = rest
	} else {
		v.I64[r] = int64(rest.Lo)
	}
	return nil
}

// negate is unary minus.
func negate(t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(t, rows.N)
		lo, _ := cast.IntRange(t.Kind)
		err := try(rows, func(r int) error {
			switch t.Phys() {
			case types.PhysFloat64:
				out.F64[r] = -in.F64[r]
			case types.PhysInt128:
				out.I128[r], _ = in.I128[r].Neg()
			case types.PhysInterval:
				x := in.Iv[r]
				out.Iv[r] = types.IntervalValue{Months: -x.Months, Days: -x.Days, Micros: -x.Micros}
			default:
				if t.IsInteger() && in.I64[r] == lo {
					return c.Fail(out, r, "-", strconv.FormatInt(lo, 10), t.String()+" "+overflows)
				}
				out.I64[r] = -in.I64[r]
			}
			return nil
		})
		return out, err
	}
}

// first returns its first argument.
func first(_ *fn.Ctx, args []*vec.Vector, _ fn.Rows) (*vec.Vector, error) { return args[0], nil }

// lenient turns failures into NULL, uncounted.
func lenient(k fn.Kernel) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		strict, count := c.NullOnError, c.Errors
		c.NullOnError = true
		v, err := k(c, args, rows)
		c.NullOnError, c.Errors = strict, count
		return v, err
	}
}
