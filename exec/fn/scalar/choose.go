package scalar

import (
	"fmt"
	"math"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// choices pick one of several values, or count where one is.
func choices() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "elt", Group: "Conditional", Nulls: fn.Custom, Syntax: []string{"elt(n, a, b, ...)"}, Doc: "Is the n-th of the values behind n, from 1, as text (or BYTES if all are); an error if there is none.",
			Examples: []fn.Example{{SQL: "elt(2, 'a', 'b')", Want: "b"}, {SQL: "elt(NULL, 'a')", Want: "NULL"}},
			Resolve:  resolveElt,
		},
		{
			Name: "find_in_set", Group: "Text", Syntax: []string{"find_in_set(a, list)"}, Doc: "Is the place, from 1, of a text in a list separated by commas; 0 if it is not there or has a comma.",
			Examples: []fn.Example{{SQL: "find_in_set('b', 'a,b')", Want: "2"}, {SQL: "find_in_set('c', 'a,b')", Want: "0"}, {SQL: "find_in_set(NULL, 'a')", Want: "NULL"}},
			Resolve:  fixed(integer, ints(integer, findInSet), text, text),
		},
		{
			Name: "nullifzero", Group: "Conditional", Syntax: []string{"nullifzero(a)"}, Doc: "Is NULL where a number is zero, otherwise the number.",
			Examples: []fn.Example{{SQL: "nullifzero(0)", Want: "NULL"}, {SQL: "nullifzero(2)", Want: "2"}},
			Resolve:  zeros(func(b *vec.Builder, v *vec.Vector, r int) { appendUnless(b, v, r, isZero(v, r)) }),
		},
		{
			Name: "zeroifnull", Group: "Conditional", Nulls: fn.Custom, Syntax: []string{"zeroifnull(a)"}, Doc: "Is 0 where a number is NULL, otherwise the number.",
			Examples: []fn.Example{{SQL: "zeroifnull(NULL)", Want: "0"}, {SQL: "zeroifnull(2)", Want: "2"}},
			Resolve:  zeros(appendOrZero),
		},
		signCall("negative", opSub, "Is the number or interval with the opposite sign.", "-2"),
		signCall("positive", opAdd, "Is the number or interval itself.", "2"),
		{
			Name: "log1p", Group: "Numeric", Syntax: []string{"log1p(a)"}, Doc: "Is ln(1 + a), exact near zero; NULL where 1 + a is not positive.",
			Examples: []fn.Example{{SQL: "log1p(0)", Want: "0.0"}, {SQL: "log1p(-1)", Want: "NULL"}},
			Resolve:  fixed(double, log1p, double),
		},
	}
}

func resolveElt(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, -1); err != nil {
		return fn.Impl{}, err
	}
	if !types.CanCoerce(args[0].Type, bigint) {
		return fn.Impl{}, mismatch(args, 0, "INT")
	}
	t := blob
	for _, a := range args[1:] {
		if a.Type.Kind != types.Bytes {
			t = text
		}
	}
	if err := matches(args[1:], same(t, len(args)-1)); err != nil {
		return fn.Impl{}, err
	}
	return fn.Impl{Args: append([]types.Type{bigint}, same(t, len(args)-1)...), Result: t, Eval: tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error {
		n := args[0]
		switch {
		case n.IsNull(r):
			b.AppendNull()
		case n.Int(r) < 1 || n.Int(r) >= int64(len(args)):
			return &fn.DataError{Func: "elt", Value: shown(n, r), Row: r, Msg: fmt.Sprintf("there are %d values", len(args)-1)}
		default:
			b.AppendFrom(args[n.Int(r)], r)
		}
		return nil
	})}, nil
}

func findInSet(args []*vec.Vector, r int) int64 {
	a := args[0].Text(r)
	if strings.Contains(a, ",") {
		return 0
	}
	for i, x := range strings.Split(args[1].Text(r), ",") {
		if x == a {
			return int64(i + 1)
		}
	}
	return 0
}

// zeros resolves a function of one number that gives the same type.
func zeros(f func(b *vec.Builder, v *vec.Vector, r int)) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 1, 1); err != nil {
			return fn.Impl{}, err
		}
		t := args[0].Type
		if t.Kind == types.Null {
			t = integer
		}
		if !t.IsNumeric() {
			return fn.Impl{}, mismatch(args, 0, "number")
		}
		return fn.Impl{Args: []types.Type{t}, Result: t, Eval: built(t, func(b *vec.Builder, args []*vec.Vector, r int) { f(b, args[0], r) })}, nil
	}
}

func isZero(v *vec.Vector, r int) bool {
	f, i := v.At(r)
	switch v.Type.Phys() {
	case types.PhysFloat64:
		return f.F64[i] == 0
	case types.PhysInt128:
		return f.I128[i] == types.Int128{}
	}
	return f.I64[i] == 0
}

func appendUnless(b *vec.Builder, v *vec.Vector, r int, null bool) {
	if null {
		b.AppendNull()
		return
	}
	b.AppendFrom(v, r)
}

func appendOrZero(b *vec.Builder, v *vec.Vector, r int) {
	switch {
	case !v.IsNull(r):
		b.AppendFrom(v, r)
	case v.Type.IsFloat():
		b.AppendFloat(0)
	case v.Type.Phys() == types.PhysInt128:
		b.AppendInt128(types.Int128{})
	default:
		b.AppendInt(0)
	}
}

func signCall(name string, op arithOp, doc, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Numeric", Syntax: []string{name + "(a)"}, Doc: doc,
		Examples: []fn.Example{{SQL: name + "(2)", Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if err := arity(args, 1, 1); err != nil {
				return fn.Impl{}, err
			}
			return resolveSign(op, args)
		},
	}
}

func log1p(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(double, rows.N)
	each(rows, func(r int) {
		if x := args[0].Float(r); x > -1 || x != x {
			out.F64[r] = math.Log1p(x)
			return
		}
		out.SetNull(r)
	})
	return out, nil
}
