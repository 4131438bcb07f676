package rules

import (
	"math"
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// longSeries is from how many rows on a series is cut: shorter ones are made whole, and of
// their rows LIMIT takes the first ones in the order of the whole row.
const longSeries = 1 << 24

// limitSeries cuts a long series of numbers that LIMIT without ORDER BY reads: of
// range(1000000000) LIMIT 3 only three rows are made.
func limitSeries(_ *Context, n logical.Node) logical.Node {
	s, ok := n.(*logical.Sort)
	if !ok || len(s.Keys) > 0 || s.Limit == logical.NoLimit || s.Ties {
		return n
	}
	rows, carry := bits.Add64(uint64(s.Limit), uint64(s.Offset), 0)
	if carry != 0 || rows >= longSeries {
		return n
	}
	in := cutSeries(s.Input, int64(max(rows, 1)))
	if in == nil {
		return n
	}
	out := *s
	out.Input = in
	return &out
}

// cutSeries is a plan whose series has so many rows; nil where it is no long series, with
// projections over it.
func cutSeries(n logical.Node, rows int64) logical.Node {
	switch x := n.(type) {
	case *logical.Project:
		in := cutSeries(x.Input, rows)
		if in == nil {
			return nil
		}
		return x.WithChildren([]logical.Node{in})
	case *logical.Unnest:
		v, ok := x.Input.(*logical.Values)
		if !ok || len(v.Rows) != 1 || x.Gen.Name != "range" && x.Gen.Name != "generate_series" {
			return nil
		}
		at, end := seriesEnd(x, rows)
		if end == nil {
			return nil
		}
		out := *x
		out.Args = append([]expr.Node(nil), x.Args...)
		out.Args[at] = end
		return &out
	}
	return nil
}

// seriesEnd is the argument with the end of an ascending series of constants, and the end
// after so many rows; nil if the series is short, or another.
func seriesEnd(u *logical.Unnest, rows int64) (at int, end expr.Node) {
	from, to, step, ok := constantSeries(u)
	if !ok || step <= 0 || to < from || (uint64(to)-uint64(from))/uint64(step) < longSeries {
		return 0, nil
	}
	at = min(len(u.Args)-1, 1)
	return at, expr.Int(u.Args[at].Type(), from+step*rows)
}

// constantSeries reads the bounds and the step of a series of numbers that are constants.
func constantSeries(u *logical.Unnest) (from, to, step int64, ok bool) {
	nums := []int64{0, 0, 1}
	at := min(len(u.Args)-1, 1)
	for i, a := range u.Args {
		c, ok := a.(*expr.Const)
		if !ok || c.IsNull() || !c.Type().IsInteger() {
			return 0, 0, 0, false
		}
		nums[i+1-at] = c.V.Int(0)
	}
	return nums[0], nums[1], nums[2], true
}

// emptySeries is a series of constants below a condition that is never true: it has no rows.
func emptySeries(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	k, ok := f.Predicate.(*expr.Const)
	if !ok || !k.IsNull() && k.V.IsTrue(0) {
		return n
	}
	u, ok := f.Input.(*logical.Unnest)
	if !ok || u.Gen.Name != "range" && u.Gen.Name != "generate_series" {
		return n
	}
	if _, _, _, ok := constantSeries(u); !ok {
		return n
	}
	if v, ok := u.Input.(*logical.Values); !ok || len(v.Rows) != 1 {
		return n
	}
	return &logical.Values{Columns: n.Schema()}
}

// seriesPiece is how many rows of a long series are made at once.
const seriesPiece = 1 << 12

// splitSeries makes a long series of numbers piece by piece: one of the starts of the
// pieces, and of each the piece. A series whole is made at once, and has a bound.
func splitSeries(c *Context, n logical.Node) logical.Node {
	u, ok := n.(*logical.Unnest)
	if !ok || u.Ordinality || u.Gen.Name != "range" && u.Gen.Name != "generate_series" {
		return n
	}
	if v, ok := u.Input.(*logical.Values); !ok || len(v.Rows) != 1 {
		return n
	}
	from, to, step, ok := constantSeries(u)
	if !ok || step <= 0 || to < from || (uint64(to)-uint64(from))/uint64(step) < longSeries {
		return n
	}
	t := u.Impl.Columns[0].Type
	hop := step * seriesPiece
	if hop/seriesPiece != step || hop > math.MaxInt32 || to > seriesMax(t)-hop { // the end of the last piece would be out of the type
		return n
	}
	width := len(u.Input.Schema())
	starts := seriesNode(u, u.Input, expr.Int(t, from), expr.Int(t, to), expr.Int(t, hop))
	if starts == nil {
		return n
	}
	start := logical.Col(starts, width)
	last := hop
	if u.Gen.Name == "generate_series" {
		last -= step
	}
	end, err := c.Resolver.Resolve("+", start, expr.Int(t, last))
	if err != nil {
		return n
	}
	if end, err = c.Resolver.Resolve("least", end, expr.Int(t, to)); err != nil {
		return n
	}
	rows := seriesNode(u, starts, start, end, expr.Int(t, step))
	if rows == nil || !rows.Impl.Columns[0].Type.Equal(t) {
		return n
	}
	p := &logical.Project{Input: rows}
	for i, col := range u.Schema() {
		at := i
		if i >= width {
			at++
		}
		p.Exprs, p.Names = append(p.Exprs, logical.Col(rows, at)), append(p.Names, col.Name)
	}
	return p
}

// seriesMax is the greatest value of a type of whole numbers.
func seriesMax(t types.Type) int64 {
	switch t.Kind {
	case types.Int32:
		return math.MaxInt32
	case types.Int64:
		return math.MaxInt64
	}
	return 0
}

// seriesNode is a series like u of other bounds over an input; nil if there is none.
func seriesNode(u *logical.Unnest, in logical.Node, args ...expr.Node) *logical.Unnest {
	impl, err := u.Gen.Resolve(expr.Args(args))
	if err != nil {
		return nil
	}
	for i, a := range args {
		if c, ok := a.(*expr.Const); ok && !a.Type().Equal(impl.Args[i]) {
			args[i] = expr.Int(impl.Args[i], c.V.Int(0))
		} else if !a.Type().Equal(impl.Args[i]) {
			return nil
		}
	}
	return &logical.Unnest{Input: in, Gen: u.Gen, Impl: impl, Args: args, Names: u.Names}
}
