package fn

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Infinity is what a function makes of infinite times.
type Infinity uint8

// What becomes of infinite times. The zero value leaves it to the function's family: those of
// times keep them, others take them as any value.
const (
	InfinityByFamily Infinity = iota
	KeepInfinity              // it stays infinite, a text is that of infinity; what would have to count is NULL
	NoInfinity                // the result is NULL: infinity has none such
	FailInfinity              // as KeepInfinity, but a difference is an error
)

// Infinite makes a function of times keep to what PostgreSQL and DuckDB say of infinite
// ones: a time that is moved, cut or converted stays as it is, a text is that of infinity, and
// what would have to count (a field, a name, a difference) is NULL. Functions whose result is
// a BOOLEAN or nested compare or pass times on, and stay as they are.
func Infinite(f *Scalar, rule Infinity) {
	resolve := f.Resolve
	f.Resolve = func(args []Arg) (Impl, error) {
		impl, err := resolve(args)
		if err != nil || impl.Eval == nil || impl.Result.Kind == types.Bool || impl.Result.IsNested() {
			return impl, err
		}
		g := &infinite{f: f, rule: rule, fails: impl.Result.Kind == types.Interval && rule == FailInfinity, result: impl.Result, eval: impl.Eval}
		for i, t := range impl.Args {
			if t.IsTime() {
				g.at = append(g.at, i)
			}
		}
		if g.at == nil {
			return impl, nil
		}
		impl.Total, impl.Safe = impl.Total && !g.fails, impl.Safe && !g.fails
		impl.Eval = func(c *Ctx, args []*vec.Vector, rows Rows) (*vec.Vector, error) {
			if !anyInfinite(args, g.at) {
				return g.eval(c, args, rows)
			}
			return apart(c, g, args, rows)
		}
		return impl, nil
	}
}

// infinite is a function for fixed argument types, those at the places at are times.
type infinite struct {
	f      *Scalar
	rule   Infinity
	fails  bool
	at     []int
	result types.Type
	eval   Kernel
}

// anyInfinite looks at all rows, those that do not count too.
func anyInfinite(args []*vec.Vector, at []int) bool {
	for _, i := range at {
		low, high := args[i].Type.Kind.Infinity(-1), args[i].Type.Kind.Infinity(1)
		for _, x := range args[i].I64 {
			if x == low || x == high {
				return true
			}
		}
	}
	return false
}

// apart computes the rows of finite times alone, then the others.
func apart(c *Ctx, g *infinite, args []*vec.Vector, rows Rows) (*vec.Vector, error) {
	var finite []int32
	signs, first := make([]int, rows.N), make([]bool, rows.N)
	for i := range rows.Len() {
		r := rows.At(i)
		if signs[r], first[r] = g.sign(args, r); signs[r] == 0 {
			finite = append(finite, int32(r))
		}
	}
	v := vec.Nulls(g.result, rows.N)
	if len(finite) > 0 {
		var err error
		if v, err = g.eval(c, args, Rows{N: rows.N, Sel: finite}); err != nil {
			return nil, err
		}
	}
	out := vec.NewBuilder(g.result)
	for r, sign := range signs {
		if sign == 0 {
			out.AppendFrom(v, r)
			continue
		}
		if g.fails {
			if err := c.Fail(vec.Nulls(g.result, rows.N), r, g.f.Name, types.InfiniteText(sign), "an infinite time is no distance from another"); err != nil {
				return nil, err
			}
		}
		if first[r] {
			g.append(out, sign)
		} else {
			out.AppendNull()
		}
	}
	return out.Finish(), nil
}

// sign is that of the first argument that is infinite, 0 if none is, and whether it is the
// time that is moved: the first.
func (g *infinite) sign(args []*vec.Vector, r int) (sign int, first bool) {
	for n, k := range g.at {
		if a := args[k]; !a.IsNull(r) {
			if sign := a.Type.Kind.Infinite(a.Int(r)); sign != 0 {
				return sign, n == 0
			}
		}
	}
	return 0, false
}

// append adds the result for an infinite time.
func (g *infinite) append(out *vec.Builder, sign int) {
	switch {
	case g.rule == NoInfinity:
		out.AppendNull()
	case g.result.IsTime():
		out.AppendInt(g.result.Kind.Infinity(sign))
	case g.result.Kind == types.String:
		out.AppendString(types.InfiniteText(sign))
	default:
		out.AppendNull()
	}
}
