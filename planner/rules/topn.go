package rules

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// overTopN keeps the first rows of each partition instead of numbering all of them: where
// row_number, rank or dense_rank is compared with a constant from above. The condition
// stays unless it is ≤ or < alone, for the numbers of the rows do not change: of = 2, rows
// 1 and 2 are kept, and the first is left out afterwards.
func overTopN(c *Context, n logical.Node) logical.Node {
	f, ok := n.(*logical.Filter)
	if !ok {
		return n
	}
	if p, ok := f.Input.(*logical.Project); ok {
		if _, ok := p.Input.(*logical.Over); ok { // a subquery that selects its columns
			return pushFilterProject(c, n)
		}
	}
	o, ok := f.Input.(*logical.Over)
	if !ok || len(o.Funcs) != 1 {
		return n
	}
	ranking, ok := rankingOf(o.Funcs[0])
	if !ok {
		return n
	}
	at := logical.Width(o.Input)
	limit, stay := int64(math.MaxInt64), []expr.Node(nil)
	for _, c := range conjuncts(f.Predicate) {
		most, exact := atMost(c, at)
		limit = min(limit, most)
		if !exact {
			stay = append(stay, c)
		}
	}
	if limit == math.MaxInt64 {
		return n
	}
	top := &logical.TopN{Input: o.Input, PartitionBy: o.PartitionBy, Order: ownOrder(o.PartitionBy, o.Order), Ranking: ranking, Limit: max(limit, 0)}
	out := numbered(top, o.Schema()[at].Name)
	if len(stay) > 0 {
		out = &logical.Filter{Input: out, Predicate: expr.NewAnd(stay...)}
	}
	return out
}

// numbered adds the number of the rows to a TopN; the first row has a constant.
func numbered(top *logical.TopN, name string) logical.Node {
	if top.Limit > 1 {
		top.Rank = name
		return top
	}
	exprs := append(logical.Columns(top), expr.Int(types.Of(types.Int64), 1))
	var names []string
	for _, c := range top.Schema() {
		names = append(names, c.Name)
	}
	return &logical.Project{Input: top, Exprs: exprs, Names: append(names, name)}
}

func rankingOf(f logical.OverFunc) (logical.Ranking, bool) {
	if f.Window == nil || len(f.Order) > 0 {
		return 0, false
	}
	switch f.Window.Kind {
	case fn.RowNumber:
		return logical.ByPosition, true
	case fn.Rank:
		return logical.ByRank, true
	case fn.DenseRank:
		return logical.ByGroup, true
	}
	return 0, false
}

// atMost is the greatest value of a column for which a condition can be true, MaxInt64
// if none is known; exact when the condition says no more.
func atMost(n expr.Node, col int) (most int64, exact bool) {
	c, ok := n.(*expr.Call)
	if !ok || len(c.Args) != 2 {
		return math.MaxInt64, false
	}
	name, x, y := c.F.Name, c.Args[0], c.Args[1]
	if _, swapped := y.(*expr.Column); swapped {
		x, y = y, x
		name = map[string]string{">=": "<=", ">": "<", "=": "="}[name]
	}
	ref, isCol := x.(*expr.Column)
	k, isConst := y.(*expr.Const)
	if !isCol || !isConst || ref.Index != col || k.IsNull() || !k.Type().IsInteger() {
		return math.MaxInt64, false
	}
	switch v := k.V.Int(0); name {
	case "<=":
		return v, true
	case "<":
		return max(v, math.MinInt64+1) - 1, true
	case "=":
		return v, v == 1
	}
	return math.MaxInt64, false
}

// ownOrder leaves out order keys that are the same for all rows of a partition.
func ownOrder(partition []expr.Node, order []logical.SortKey) []logical.SortKey {
	var out []logical.SortKey
	for _, k := range order {
		if !contains(partition, k.Expr) {
			out = append(out, k)
		}
	}
	return out
}
