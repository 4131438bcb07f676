package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// postJoin is a scalar subquery that is joined after grouping. Its column c has the
// number postBase + k·postStride + c until then.
type postJoin struct {
	join *logical.Join // without L
	span diag.Span
}

const postStride = 64

// farColumn separates the columns of the two sides while the left one is not final.
const farColumn = 1 << 20

// scalar joins a scalar subquery and returns its value. In a grouped SELECT it is
// joined after grouping, so that it may be compared with aggregates.
func (sel *selectBinder) scalar(e *env, in *inner) expr.Node {
	node := &logical.Join{Kind: logical.Left, Single: true}
	joinKeys(node, in.conditions(farColumn), farColumn)
	if node.Residual != nil {
		sel.b.notYet(diag.CorrelatedSubquery, in.span, "a scalar subquery with a correlation that is not an equality")
		return nil
	}
	value := sel.rightSide(node, in)
	if value == nil {
		return nil
	}
	if sel.grouped && !e.inAgg && (e.clause == inSelect || e.clause == inHaving || e.clause == inOrderBy) {
		sel.posts = append(sel.posts, postJoin{join: node, span: in.span})
		base := postBase + (len(sel.posts)-1)*postStride
		return expr.MapColumns(value, func(i int) int { return base + i })
	}
	base := len(sel.input.Schema())
	node.L = sel.input
	sel.input = node
	return expr.MapColumns(value, func(i int) int { return base + i })
}

// rightSide makes the right input of the join, with RKeys over it, and returns the
// value over its columns.
func (sel *selectBinder) rightSide(node *logical.Join, in *inner) expr.Node {
	if in.sel == nil {
		p := &logical.Project{Input: in.plan, Exprs: in.exprs[:1], Names: []string{valueNameOf(in)}}
		p.Exprs = append(append([]expr.Node(nil), p.Exprs...), node.RKeys...)
		for _, k := range node.RKeys {
			p.Names = append(p.Names, k.String())
		}
		node.R = p
		for i := range node.RKeys {
			node.RKeys[i] = logical.Col(p, i+1)
		}
		return logical.Col(p, 0)
	}
	return sel.aggregateSide(node, in)
}

func valueNameOf(in *inner) string {
	if in.names[0] != "" {
		return in.names[0]
	}
	return "value"
}

// aggregateSide groups a correlated aggregate by the correlation. A left row without
// a group gets what the aggregate is over no rows: 0 for counts, else NULL.
func (sel *selectBinder) aggregateSide(node *logical.Join, in *inner) expr.Node {
	s := in.sel
	s.keys, s.keyNames = append([]expr.Node(nil), node.RKeys...), make([]string, len(node.RKeys))
	for i, k := range s.keys {
		s.keyNames[i] = k.String()
	}
	agg := &logical.Aggregate{Input: in.plan, Keys: s.keys, KeyNames: s.keyNames, Aggs: s.aggs}
	value := s.regroup(in.exprs[0], in.span)
	if value == nil {
		return nil
	}
	p := &logical.Project{Input: agg, Exprs: []expr.Node{value}, Names: []string{valueNameOf(in)}}
	for i := range s.keys {
		p.Exprs, p.Names = append(p.Exprs, logical.Col(agg, i)), append(p.Names, s.keyNames[i])
	}
	p.Exprs, p.Names = append(p.Exprs, expr.Bool(true)), append(p.Names, "matched")
	node.R = p
	for i := range node.RKeys {
		node.RKeys[i] = logical.Col(p, i+1)
	}
	empty := expr.Rewrite(in.exprs[0], func(n expr.Node) expr.Node {
		c, ok := n.(*expr.Column)
		if !ok {
			return n
		}
		return emptyValue(s.aggs[c.Index-aggBase])
	})
	found := expr.NewIsNull(logical.Col(p, len(p.Exprs)-1), true)
	n, err := sel.b.res.Case([]expr.Node{found}, []expr.Node{logical.Col(p, 0)}, sel.b.res.Fold(empty))
	if err != nil {
		sel.b.report(err, in.span)
		return nil
	}
	return n
}

// emptyValue is the result of an aggregate over no rows.
func emptyValue(a logical.Agg) expr.Node {
	switch a.Func.Name {
	case "count", "count_if", "approx_count_distinct":
		if a.Impl.Result.Kind == types.Int64 {
			return expr.Int(a.Impl.Result, 0)
		}
	}
	return expr.Null(a.Impl.Result)
}

// regroupPosts moves the correlations of scalar subqueries onto the Aggregate.
func (sel *selectBinder) regroupPosts() bool {
	ok := true
	for _, p := range sel.posts {
		for i, k := range p.join.LKeys {
			if p.join.LKeys[i] = sel.regroup(k, p.span); p.join.LKeys[i] == nil {
				ok = false
			}
		}
	}
	return ok
}

// joinPosts joins the scalar subqueries, and returns how expressions find their
// columns.
func (sel *selectBinder) joinPosts(plan logical.Node) (logical.Node, func(expr.Node) expr.Node) {
	base := make([]int, len(sel.posts))
	for k, p := range sel.posts {
		base[k] = len(plan.Schema())
		node := *p.join
		node.L = plan
		plan = &node
	}
	shift := func(n expr.Node) expr.Node {
		if len(base) == 0 {
			return n
		}
		return expr.MapColumns(n, func(i int) int {
			if i < postBase || i >= overBase {
				return i
			}
			return base[(i-postBase)/postStride] + (i-postBase)%postStride
		})
	}
	return plan, shift
}
