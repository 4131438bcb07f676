package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// pushFilterJoin tests the rows of one side before they are joined: those of the left,
// unless the join also keeps right rows without a match, and of the right of an inner join.
func pushFilterJoin(_ *Context, n logical.Node) logical.Node {
	f, j := filterOverJoin(n)
	if j == nil || j.Kind == logical.Full {
		return n
	}
	if out := pushBelow(f, j.L, func(below logical.Node) logical.Node { return j.WithChildren([]logical.Node{below, j.R}) }); out != logical.Node(f) {
		return out
	}
	if j.Kind != logical.Inner || j.Single {
		return n
	}
	width := logical.Width(j.L)
	stay, left, right := split(f.Predicate, width, fn.Immutable)
	if len(right) == 0 {
		return n
	}
	return filtered(j.WithChildren([]logical.Node{filtered(j.L, left), filtered(j.R, right)}), stay)
}

func filterOverJoin(n logical.Node) (*logical.Filter, *logical.Join) {
	f, ok := n.(*logical.Filter)
	if !ok {
		return nil, nil
	}
	j, _ := f.Input.(*logical.Join)
	return f, j
}

func filtered(n logical.Node, conds []expr.Node) logical.Node {
	if len(conds) == 0 {
		return n
	}
	return &logical.Filter{Input: n, Predicate: expr.NewAnd(conds...)}
}

// split sorts conditions over both sides of a join into those of one side alone, moved to
// its columns, and the rest. What is more volatile than most stays.
func split(pred expr.Node, width int, most fn.Volatility) (stay, left, right []expr.Node) {
	for _, c := range conjuncts(pred) {
		switch s := logical.SideOf(c, width); {
		case s == 0 || expr.Volatility(c) > most:
			stay = append(stay, c)
		case s == 1:
			left = append(left, c)
		default:
			right = append(right, expr.MapColumns(c, func(i int) int { return i - width }))
		}
	}
	return stay, left, right
}

// pushJoinCondition tests what ON says of one side alone before the rows are joined, where
// a row that fails it is not kept for its own sake.
func pushJoinCondition(_ *Context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Residual == nil {
		return n
	}
	stay, left, right := split(j.Residual, logical.Width(j.L), fn.Stable)
	switch j.Kind {
	case logical.Inner, logical.Semi:
	case logical.Left, logical.Anti, logical.Mark:
		stay, left = append(stay, left...), nil
	default:
		return n
	}
	if len(left)+len(right) == 0 {
		return n
	}
	out := *j
	out.L, out.R, out.Residual = filtered(j.L, left), filtered(j.R, right), nil
	if len(stay) > 0 {
		out.Residual = expr.NewAnd(stay...)
	}
	return &out
}

// joinResidual joins by conditions above an inner join of streams that read both sides:
// FROM a, b WHERE a.ts < b.ts. They say how long rows are kept.
func joinResidual(_ *Context, n logical.Node) logical.Node {
	f, j := filterOverJoin(n)
	if j == nil || j.Kind != logical.Inner || j.Single || logical.IsFinite(j.R) {
		return n
	}
	var stay, down []expr.Node
	width := logical.Width(j.L)
	for _, c := range conjuncts(f.Predicate) {
		if _, _, key := sides(c, width); !key && readsBoth(c, width) && expr.Volatility(c) == fn.Immutable {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	if len(down) == 0 {
		return n
	}
	out := *j
	if j.Residual != nil {
		down = append(append([]expr.Node(nil), conjuncts(j.Residual)...), down...)
	}
	out.Residual = expr.NewAnd(down...)
	return filtered(&out, stay)
}

func readsBoth(n expr.Node, width int) bool {
	cols := expr.ColumnsOf(n)
	return len(cols) > 1 && cols[0] < width && cols[len(cols)-1] >= width
}

// joinKeys makes keys of equalities above an inner join: FROM a, b WHERE a.k = b.k. Those of
// a subquery used as a value stay: it has too many rows whatever its rows are compared with.
func joinKeys(_ *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	j, ok := f.Input.(*logical.Join)
	if !ok || j.Kind != logical.Inner || j.Single {
		return n
	}
	out := *j
	out.LKeys, out.RKeys, out.NullSafe = append([]expr.Node(nil), j.LKeys...), append([]expr.Node(nil), j.RKeys...), append([]bool(nil), j.NullSafe...)
	width := logical.Width(j.L)
	var stay []expr.Node
	for _, c := range conjuncts(f.Predicate) {
		l, r, ok := sides(c, width)
		if !ok {
			stay = append(stay, c)
			continue
		}
		out.LKeys = append(out.LKeys, l)
		out.RKeys = append(out.RKeys, expr.MapColumns(r, func(i int) int { return i - width }))
		out.NullSafe = append(out.NullSafe, false)
	}
	if len(stay) == len(conjuncts(f.Predicate)) {
		return n
	}
	if len(stay) == 0 {
		return &out
	}
	return &logical.Filter{Input: &out, Predicate: expr.NewAnd(stay...)}
}

// sides recognises an equality, one that NULL does not meet, between the inputs of a join.
func sides(n expr.Node, width int) (l, r expr.Node, ok bool) {
	l, r, nullSafe, ok := logical.Equality(n, width)
	return l, r, ok && !nullSafe
}
