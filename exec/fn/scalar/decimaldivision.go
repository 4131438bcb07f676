package scalar

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func decimalDivisions() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "decimal_division", Group: "Numeric", Syntax: []string{"decimal_division(a, b [, scale])"},
		Doc:      "Divides two DECIMALs without loss in the digits before the point, and rounds the quotient to scale digits (max(6, scale of a + digits of b + 1) by default). A quotient that could need more than 38 digits is refused.",
		Examples: []fn.Example{{SQL: "decimal_division(10.00, 4.00)", Want: "2.500000"}, {SQL: "decimal_division(-2.00, 3.0, 2)", Want: "-0.67"}, {SQL: "decimal_division(NULL, 4.00)", Want: "NULL"}},
		Resolve:  resolveDecimalDivision,
	}}
}

func resolveDecimalDivision(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 3); err != nil {
		return fn.Impl{}, err
	}
	want := argTypes(args)
	for i := range 2 {
		k := args[i].Type.Kind
		if k != types.Decimal && k != types.Null && !args[i].Type.IsInteger() {
			return fn.Impl{}, mismatch(args, i, "DECIMAL")
		}
		if want[i] = digitsOf(args[i].Type, args[i]); k == types.Null {
			want[i] = types.DecimalOf(1, 0)
		}
	}
	a, b := want[0], want[1]
	scale := max(6, int(a.Scale)+int(b.Prec)+1)
	if len(args) > 2 {
		c := args[2].Const
		if c == nil || !c.Type.IsInteger() || c.IsNull(0) || c.Int(0) < 0 || c.Int(0) > types.MaxPrecision {
			return fn.Impl{}, fmt.Errorf("needs a constant from 0 to %d as argument 3", types.MaxPrecision)
		}
		scale = int(c.Int(0))
	}
	digits := int(a.Prec) - int(a.Scale) + int(b.Scale) + scale
	if digits > types.MaxPrecision || scale > types.MaxPrecision {
		return fn.Impl{}, errors.New("would need more than 38 digits for an exact quotient: give fewer as argument 3, or divide with /")
	}
	t := types.DecimalOf(max(digits, 1), scale)
	return fn.Impl{Args: want, Result: t, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		return out, try(rows, func(r int) error {
			x, y := cast.DecimalAt(args[0], r&mask(args[0])), cast.DecimalAt(args[1], r&mask(args[1]))
			if y.IsZero() {
				return c.Fail(out, r, "decimal_division", shown(args[0], r), byZero)
			}
			z, ok := quotientOf(x, y, scale+int(b.Scale)-int(a.Scale))
			if !ok || !types.FitsPrecision(z, int(t.Prec)) {
				return c.Fail(out, r, "decimal_division", shown(args[0], r), t.String()+" "+overflows)
			}
			if out.I128 != nil {
				out.I128[r] = z
			} else {
				out.I64[r] = int64(z.Lo)
			}
			return nil
		})
	}}, nil
}

// quotientOf is x·10^shift/y, rounded.
func quotientOf(x, y types.Int128, shift int) (types.Int128, bool) {
	if shift >= 0 {
		if n, ok := x.MulPow10(shift); ok {
			return n.DivRound(y)
		}
	}
	p, q := toBig(x), toBig(y)
	p.Mul(p, pow10Big(max(shift, 0)))
	q.Mul(q, pow10Big(max(-shift, 0)))
	sum, rest := new(big.Int).QuoRem(p, q, new(big.Int))
	if rest.Lsh(rest, 1).CmpAbs(q) >= 0 {
		sum.Add(sum, big.NewInt(int64(p.Sign()*q.Sign())))
	}
	return fromBig(sum)
}
