package scalar

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// floatArith is an operator on DOUBLE, or on FLOAT if both sides are.
func floatArith(op arithOp, a, b types.Type) fn.Impl {
	t := double
	if a.Kind == types.Float32 && b.Kind == types.Float32 && op != opDiv {
		t = float
	}
	impl := fn.Impl{Args: []types.Type{t, t}, Result: t}
	switch op {
	case opAdd, opSub, opMul:
		impl.Eval, impl.Total = floatTotal(op, t), true
	case opIntDiv:
		impl.Result, impl.Eval = bigint, floatIntDiv
	default:
		impl.Eval = floatDivision(op, t)
	}
	return impl
}

func floatTotal(op arithOp, t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		x, y, mx, my := args[0].F64, args[1].F64, mask(args[0]), mask(args[1])
		dst := out.F64
		switch op {
		case opAdd:
			for i := range dst {
				dst[i] = x[i&mx] + y[i&my]
			}
		case opSub:
			for i := range dst {
				dst[i] = x[i&mx] - y[i&my]
			}
		default:
			for i := range dst {
				dst[i] = x[i&mx] * y[i&my]
			}
		}
		single(t, dst)
		return out, nil
	}
}

// single rounds the values of a FLOAT.
func single(t types.Type, dst []float64) {
	if t.Kind != types.Float32 {
		return
	}
	for i, x := range dst {
		dst[i] = float64(float32(x))
	}
}

func floatDivision(op arithOp, t types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		x, y, mx, my := args[0].F64, args[1].F64, mask(args[0]), mask(args[1])
		err := try(rows, func(r int) error {
			p, q := x[r&mx], y[r&my]
			switch {
			case q == 0:
				return c.Fail(out, r, op.String(), showFloat(p)+" "+op.String()+" 0", byZero)
			case op == opMod:
				out.F64[r] = math.Mod(p, q)
			default:
				out.F64[r] = p / q
			}
			return nil
		})
		return out, err
	}
}

func floatIntDiv(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(bigint, rows.N)
	x, y, mx, my := args[0].F64, args[1].F64, mask(args[0]), mask(args[1])
	err := try(rows, func(r int) error {
		p, q := x[r&mx], y[r&my]
		if q == 0 {
			return c.Fail(out, r, "div", showFloat(p)+" div 0", byZero)
		}
		z := math.Trunc(p / q)
		if !(z >= -0x1p63 && z < 0x1p63) {
			return c.Fail(out, r, "div", showFloat(p)+" div "+showFloat(q), "BIGINT "+overflows)
		}
		out.I64[r] = int64(z)
		return nil
	})
	return out, err
}

func showFloat(f float64) string { return string(vec.AppendFloat(nil, f, 64)) }
