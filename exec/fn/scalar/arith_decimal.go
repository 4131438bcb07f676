package scalar

import (
	"math/big"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// digitsOf is the DECIMAL as which an argument counts: of an integer literal only its own
// digits do, as in Spark. Constants of other types than a literal has are none.
func digitsOf(t types.Type, a fn.Arg) types.Type {
	d := types.AsDecimal(t)
	if a.Const == nil || !a.Type.IsInteger() || a.Const.IsNull(0) {
		return d
	}
	if n := a.Const.Int(0); a.Type.Kind < types.Int32 || a.Type.Kind == types.Int64 && n == int64(int32(n)) {
		return d
	}
	prec := 1
	for !types.FitsPrecision(types.Int128From(a.Const.Int(0)), prec) {
		prec++
	}
	return types.DecimalOf(prec, 0)
}

// decimalArith is an operator on DECIMALs and integers; integers take part as they
// are, with scale 0. da and db are the digits that count.
func decimalArith(op arithOp, a, b, da, db types.Type) fn.Impl {
	impl := fn.Impl{Args: []types.Type{a, b}}
	switch op {
	case opAdd, opSub:
		impl.Result = types.DecimalSum(da, db)
	case opMul:
		impl.Result = types.DecimalProduct(da, db)
	case opDiv:
		impl.Result = types.DecimalQuotient(da, db)
	case opMod:
		impl.Result = types.DecimalRemainder(da, db)
	default:
		impl.Result = bigint
	}
	impl.Eval, impl.Total = decimalKernel(op, da, db, impl.Result)
	return impl
}

// exactDecimal reports that the result type holds every result without rounding, so that
// 128-bit arithmetic cannot overflow.
func exactDecimal(op arithOp, a, b, t types.Type) bool {
	if op == opMul {
		return int(a.Prec)+int(b.Prec)+1 <= types.MaxPrecision
	}
	whole := max(int(a.Prec)-int(a.Scale), int(b.Prec)-int(b.Scale))
	return op <= opSub && whole+max(int(a.Scale), int(b.Scale))+1 <= types.MaxPrecision
}

func decimalKernel(op arithOp, a, b, t types.Type) (k fn.Kernel, total bool) {
	switch {
	case !exactDecimal(op, a, b, t):
		return decimalChecked(op, a, b, t), false
	case op == opMul:
		return decimalProduct(t), true
	case t.Phys() == types.PhysInt64:
		return smallSum(op, a, b, t), true
	}
	return wideSum(op, a, b, t), true
}

// decimalProduct multiplies without possible overflow.
func decimalProduct(t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		a, b := args[0], args[1]
		ma, mb := mask(a), mask(b)
		switch {
		case out.I64 != nil:
			x, y := a.I64, b.I64
			for i := range out.I64 {
				out.I64[i] = x[i&ma] * y[i&mb]
			}
		case a.I64 != nil && b.I64 != nil:
			x, y := a.I64, b.I64
			for i := range out.I128 {
				hi, lo := mul64(x[i&ma], y[i&mb])
				out.I128[i] = types.Int128{Hi: hi, Lo: uint64(lo)}
			}
		default:
			for i := range out.I128 {
				out.I128[i], _ = cast.DecimalAt(a, i&ma).Mul(cast.DecimalAt(b, i&mb))
			}
		}
		return out, nil
	}
}

// smallSum adds or subtracts where the result has at most 18 digits.
func smallSum(op arithOp, a, b, t types.Type) fn.Kernel {
	ua, _ := types.Pow10(int(t.Scale - a.Scale)).Int64()
	ub, _ := types.Pow10(int(t.Scale - b.Scale)).Int64()
	if op == opSub {
		ub = -ub
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		x, y, mx, my := args[0].I64, args[1].I64, mask(args[0]), mask(args[1])
		for i := range out.I64 {
			out.I64[i] = x[i&mx]*ua + y[i&my]*ub
		}
		return out, nil
	}
}

// wideSum adds or subtracts where the result has at most 38 digits.
func wideSum(op arithOp, a, b, t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		ma, mb := mask(args[0]), mask(args[1])
		for i := range out.I128 {
			x, _ := cast.DecimalAt(args[0], i&ma).MulPow10(int(t.Scale - a.Scale))
			y, _ := cast.DecimalAt(args[1], i&mb).MulPow10(int(t.Scale - b.Scale))
			if op == opSub {
				out.I128[i], _ = x.Sub(y)
			} else {
				out.I128[i], _ = x.Add(y)
			}
		}
		return out, nil
	}
}

// decimalChecked computes row by row: in 128 bits if that suffices, else with
// arbitrary precision.
func decimalChecked(op arithOp, a, b, t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		ma, mb := mask(args[0]), mask(args[1])
		err := try(rows, func(r int) error {
			x, y := cast.DecimalAt(args[0], r&ma), cast.DecimalAt(args[1], r&mb)
			if op >= opDiv && y.IsZero() {
				return c.Fail(out, r, op.String(), showDecimals(op, x, y, a, b), byZero)
			}
			z, ok := decimalOne(op, x, y, int(a.Scale), int(b.Scale), int(t.Scale))
			if t.Kind == types.Decimal {
				ok = ok && types.FitsPrecision(z, int(t.Prec))
			} else if _, small := z.Int64(); !small {
				ok = false
			}
			if !ok {
				return c.Fail(out, r, op.String(), showDecimals(op, x, y, a, b), t.String()+" "+overflows)
			}
			if out.I128 != nil {
				out.I128[r] = z
			} else {
				out.I64[r] = int64(z.Lo)
			}
			return nil
		})
		return out, err
	}
}

func showDecimals(op arithOp, x, y types.Int128, a, b types.Type) string {
	s := types.AppendDecimal(nil, x, int(a.Scale))
	s = append(append(append(s, ' '), op.String()...), ' ')
	return string(types.AppendDecimal(s, y, int(b.Scale)))
}

// decimalOne computes x op y of scales sa and sb at scale st.
func decimalOne(op arithOp, x, y types.Int128, sa, sb, st int) (types.Int128, bool) {
	switch op {
	case opDiv:
		if shift := st - sa + sb; shift >= 0 {
			if n, ok := x.MulPow10(shift); ok {
				return n.DivRound(y)
			}
		}
	case opMod, opIntDiv:
		s := max(sa, sb)
		p, okx := x.MulPow10(s - sa)
		q, oky := y.MulPow10(s - sb)
		if okx && oky {
			quo, rem, ok := p.QuoRem(q)
			if op == opIntDiv {
				return quo, ok
			}
			return rem, ok
		}
	}
	return decimalBig(op, x, y, sa, sb, st)
}

// decimalBig is decimalOne with arbitrary precision.
func decimalBig(op arithOp, x, y types.Int128, sa, sb, st int) (types.Int128, bool) {
	p, q := toBig(x), toBig(y)
	if op == opMul {
		return roundBig(p.Mul(p, q), sa+sb, st)
	}
	s := max(sa, sb)
	p.Mul(p, pow10Big(s-sa))
	q.Mul(q, pow10Big(s-sb))
	switch op {
	case opAdd:
		p.Add(p, q)
	case opSub:
		p.Sub(p, q)
	case opMod:
		p.Rem(p, q)
	case opIntDiv:
		return fromBig(p.Quo(p, q))
	case opDiv:
		return fromBig(divBig(p.Mul(p, pow10Big(st)), q))
	}
	return roundBig(p, s, st)
}

func toBig(x types.Int128) *big.Int {
	b := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
	return b.Add(b, new(big.Int).SetUint64(x.Lo))
}

func fromBig(b *big.Int) (types.Int128, bool) {
	if b.BitLen() > 127 {
		return types.Int128{}, false
	}
	abs := new(big.Int).Abs(b)
	x := types.Int128{Hi: int64(new(big.Int).Rsh(abs, 64).Uint64()), Lo: abs.Uint64()}
	if abs.BitLen() > 64 {
		x.Lo = new(big.Int).And(abs, new(big.Int).SetUint64(^uint64(0))).Uint64()
	}
	if b.Sign() < 0 {
		return x.Neg()
	}
	return x, true
}

func pow10Big(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// roundBig moves an unscaled value to another scale.
func roundBig(b *big.Int, from, to int) (types.Int128, bool) {
	if to >= from {
		return fromBig(b.Mul(b, pow10Big(to-from)))
	}
	return fromBig(divBig(b, pow10Big(from-to)))
}

// divBig divides, rounding half away from zero.
func divBig(n, d *big.Int) *big.Int {
	q, rem := new(big.Int).QuoRem(n, d, new(big.Int))
	if rem.Abs(rem).Lsh(rem, 1).CmpAbs(d) >= 0 {
		q.Add(q, big.NewInt(int64(n.Sign()*d.Sign())))
	}
	return q
}

// decimalAs is the value of an integer or DECIMAL element at a scale.
func decimalAs(v *vec.Vector, i, scale int) types.Int128 {
	x, _ := cast.DecimalAt(v, i).MulPow10(scale - int(v.Type.Scale))
	return x
}
