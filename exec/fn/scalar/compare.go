package scalar

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

type compareOp uint8

const (
	cmpEq compareOp = iota
	cmpNe
	cmpLt
	cmpLe
	cmpGt
	cmpGe
)

var compareNames = [...]string{"=", "<>", "<", "<=", ">", ">="}

func comparisons() []*fn.Scalar {
	docs := [...]string{
		"Is true where both sides are equal. NaN equals NaN, and 0.0 equals -0.0.",
		"Is true where the sides differ.",
		"Is true where the left side is smaller. NaN is greater than every number.",
		"Is true where the left side is smaller or equal.",
		"Is true where the left side is greater.",
		"Is true where the left side is greater or equal.",
	}
	aliases := [...][]string{{"=="}, {"!="}, nil, nil, nil, nil}
	wants := [...]string{"false", "true", "true", "true", "false", "false"}
	var all []*fn.Scalar
	for i, name := range compareNames {
		op := compareOp(i)
		all = append(all, &fn.Scalar{
			Name: name, Aliases: aliases[i], Group: "Operators", Syntax: []string{"a " + name + " b"}, Doc: docs[i],
			Examples: []fn.Example{{SQL: "1 " + name + " 2", Want: wants[i]}, {SQL: "NULL " + name + " 1", Want: "NULL"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveCompare(op, args) },
		})
	}
	return append(all, nullSafe()...)
}

func nullSafe() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "<=>", Aliases: []string{"equal_null", "is_not_distinct", "$is_not_distinct"}, Group: "Operators", Nulls: fn.Custom,
			Syntax:   []string{"a <=> b", "a IS NOT DISTINCT FROM b", "equal_null(a, b)"},
			Doc:      "Compares like =, but NULL equals NULL and nothing else: the result is never NULL.",
			Examples: []fn.Example{{SQL: "equal_null(NULL, NULL)", Want: "true"}, {SQL: "equal_null(1, NULL)", Want: "false"}, {SQL: "equal_null(1, 1)", Want: "true"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveDistinct(args, true) },
		},
		{
			Name: "$is_distinct", Aliases: []string{"is_distinct"}, Group: "Operators", Nulls: fn.Custom, Hidden: true,
			Syntax:   []string{"a IS DISTINCT FROM b"},
			Doc:      "Compares like <>, but NULL differs from everything except NULL.",
			Examples: []fn.Example{{SQL: "is_distinct(1, NULL)", Want: "true"}, {SQL: "is_distinct(NULL, NULL)", Want: "false"}},
			Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveDistinct(args, false) },
		},
	}
}

// comparable finds the type in which two arguments are compared.
func comparable(args []fn.Arg) (types.Type, error) {
	if err := arity(args, 2, 2); err != nil {
		return null, err
	}
	t, ok := types.ComparisonType(narrowed(args[0]), narrowed(args[1]))
	if !ok {
		msg := fmt.Sprintf("cannot compare %s with %s", args[0].Type, args[1].Type)
		if args[0].Type.Kind == types.JSON || args[1].Type.Kind == types.JSON {
			msg += "; cast the JSON value to that type, or take its text with ->>"
		}
		return null, errors.New(msg)
	}
	return t, nil
}

// narrowed is the type of an argument; of a DECIMAL constant, with the digits that it has:
// a literal beyond BIGINT is DECIMAL(38, 0), which leaves the other side no digits behind
// the point.
func narrowed(a fn.Arg) types.Type {
	if a.Const == nil || a.Type.Kind != types.Decimal || a.Const.IsNull(0) {
		return a.Type
	}
	digits := 0
	for _, c := range vec.RowString(a.Const, 0, time.UTC) {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return types.DecimalOf(min(max(digits, int(a.Type.Scale), 1), int(a.Type.Prec)), int(a.Type.Scale))
}

func resolveCompare(op compareOp, args []fn.Arg) (fn.Impl, error) {
	t, err := comparable(args)
	if err != nil {
		return fn.Impl{}, err
	}
	if err := ordered(t); err != nil && op > cmpNe {
		return fn.Impl{}, err
	}
	impl := fn.Impl{Args: []types.Type{t, t}, Result: boolean}
	switch t.Phys() {
	case types.PhysInt64:
		impl.Eval, impl.Total = intCompare(op), true
	case types.PhysFloat64:
		impl.Eval, impl.Total = floatCompare(op), true
	case types.PhysString:
		impl.Eval, impl.Safe = textCompare(op), true
	case types.PhysInt128:
		impl.Eval, impl.Total = wideCompare(op), true
	case types.PhysInterval:
		impl.Eval, impl.Total = intervalCompare(op), true
	default:
		impl.Eval = anyCompare(op)
	}
	return impl, nil
}

// flip says how operators reduce to = and <: swap the sides, negate the result.
func (o compareOp) flip() (base compareOp, swap bool, negate uint8) {
	switch o {
	case cmpNe:
		return cmpEq, false, 1
	case cmpGe:
		return cmpLt, false, 1
	case cmpGt:
		return cmpLt, true, 0
	case cmpLe:
		return cmpLt, true, 1
	}
	return o, false, 0
}

func intCompare(op compareOp) fn.Kernel {
	base, swap, neg := op.flip()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		a, b := args[0], args[1]
		if swap {
			a, b = b, a
		}
		switch {
		case base == cmpEq && a.Const:
			eqConst(out.Bool, b.I64, a.I64[0], neg)
		case base == cmpEq && b.Const:
			eqConst(out.Bool, a.I64, b.I64[0], neg)
		case base == cmpEq:
			eqInts(out.Bool, a.I64, b.I64, neg)
		case b.Const:
			ltConst(out.Bool, a.I64, b.I64[0], neg)
		case a.Const:
			gtConst(out.Bool, b.I64, a.I64[0], neg)
		default:
			ltInts(out.Bool, a.I64, b.I64, neg)
		}
		return out, nil
	}
}

func eqConst(dst []uint8, x []int64, k int64, neg uint8) {
	x = x[:len(dst)]
	for i, v := range x {
		var b uint8
		if v == k {
			b = 1
		}
		dst[i] = b ^ neg
	}
}

func eqInts(dst []uint8, x, y []int64, neg uint8) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i, v := range x {
		var b uint8
		if v == y[i] {
			b = 1
		}
		dst[i] = b ^ neg
	}
}

func ltConst(dst []uint8, x []int64, k int64, neg uint8) {
	x = x[:len(dst)]
	for i, v := range x {
		var b uint8
		if v < k {
			b = 1
		}
		dst[i] = b ^ neg
	}
}

func gtConst(dst []uint8, x []int64, k int64, neg uint8) {
	x = x[:len(dst)]
	for i, v := range x {
		var b uint8
		if v > k {
			b = 1
		}
		dst[i] = b ^ neg
	}
}

func ltInts(dst []uint8, x, y []int64, neg uint8) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i, v := range x {
		var b uint8
		if v < y[i] {
			b = 1
		}
		dst[i] = b ^ neg
	}
}

// floatCompare orders NaN above everything and equal to itself.
func floatCompare(op compareOp) fn.Kernel {
	base, swap, neg := op.flip()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		a, b := args[0], args[1]
		if swap {
			a, b = b, a
		}
		x, y, mx, my := a.F64, b.F64, mask(a), mask(b)
		if base == cmpEq {
			for i := range out.Bool {
				p, q := x[i&mx], y[i&my]
				out.Bool[i] = truth(p == q || p != p && q != q) ^ neg
			}
			return out, nil
		}
		for i := range out.Bool {
			p, q := x[i&mx], y[i&my]
			out.Bool[i] = truth(p < q || q != q && p == p) ^ neg
		}
		return out, nil
	}
}

func textCompare(op compareOp) fn.Kernel {
	base, swap, neg := op.flip()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		a, b := args[0], args[1]
		if swap {
			a, b = b, a
		}
		ma, mb := mask(a), mask(b)
		each(rows, func(r int) {
			p, q := a.Str[r&ma], b.Str[r&mb]
			var v uint8
			if base == cmpEq {
				v = truth(p.Len == q.Len && string(a.Buf[p.Off:p.Off+p.Len]) == string(b.Buf[q.Off:q.Off+q.Len]))
			} else {
				v = truth(bytes.Compare(a.Buf[p.Off:p.Off+p.Len], b.Buf[q.Off:q.Off+q.Len]) < 0)
			}
			out.Bool[r] = v ^ neg
		})
		return out, nil
	}
}

// wideCompare compares DECIMALs of more than 18 digits.
func wideCompare(op compareOp) fn.Kernel {
	base, swap, neg := op.flip()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		a, b := args[0], args[1]
		if swap {
			a, b = b, a
		}
		x, y, mx, my := a.I128, b.I128, mask(a), mask(b)
		if base == cmpEq {
			for i := range out.Bool {
				out.Bool[i] = truth(x[i&mx] == y[i&my]) ^ neg
			}
			return out, nil
		}
		for i := range out.Bool {
			p, q := x[i&mx], y[i&my]
			out.Bool[i] = truth(p.Hi < q.Hi || p.Hi == q.Hi && p.Lo < q.Lo) ^ neg
		}
		return out, nil
	}
}

func anyCompare(op compareOp) fn.Kernel {
	base, swap, neg := op.flip()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		a, b := args[0], args[1]
		if swap {
			a, b = b, a
		}
		each(rows, func(r int) {
			if base == cmpEq {
				out.Bool[r] = truth(vec.Same(a, r, b, r)) ^ neg
				return
			}
			out.Bool[r] = truth(vec.Rank(a, r, b, r) < 0) ^ neg
		})
		return out, nil
	}
}

// resolveDistinct is the comparison in which NULL is a value.
func resolveDistinct(args []fn.Arg, equal bool) (fn.Impl, error) {
	t, err := comparable(args)
	if err != nil {
		return fn.Impl{}, err
	}
	eval := bools(func(args []*vec.Vector, r int) bool { return vec.Same(args[0], r, args[1], r) == equal })
	return fn.Impl{Args: []types.Type{t, t}, Result: boolean, Eval: eval}, nil
}

// intervalCompare compares lengths, so that 24 hours equal a day.
func intervalCompare(op compareOp) fn.Kernel {
	base, swap, neg := op.flip()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		a, b := args[0], args[1]
		if swap {
			a, b = b, a
		}
		ma, mb := mask(a), mask(b)
		for i := range out.Bool {
			order := a.Iv[i&ma].Span().Cmp(b.Iv[i&mb].Span())
			hit := order < 0
			if base == cmpEq {
				hit = order == 0
			}
			out.Bool[i] = truth(hit) ^ neg
		}
		return out, nil
	}
}
