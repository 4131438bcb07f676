package decorrelate

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// aggregate groups by the domain. Without keys of its own it has a row for every value of
// the domain, over no rows too.
func (p *pusher) aggregate(x *logical.Aggregate) logical.Node {
	k := len(p.params)
	out := &logical.Aggregate{Input: p.push(x.Input), Keys: append(p.domainCols(), p.overAll(x.Keys, plus(k))...),
		KeyNames: p.named(x.KeyNames), Aggs: logical.MapAggs(x.Aggs, func(e expr.Node) expr.Node { return p.over(e, plus(k)) })}
	if len(x.Keys) > 0 || x == p.bare {
		return out
	}
	j := &logical.Join{Kind: logical.Left, L: p.domain, R: out, LKeys: p.domainCols(), RKeys: p.domainCols()}
	for i := range p.params {
		p.nullable[i] = true
		j.NullSafe = append(j.NullSafe, true)
	}
	exprs := p.domainCols()
	for i, a := range x.Aggs {
		exprs = append(exprs, p.orEmpty(logical.Col(j, 2*k+i), a))
	}
	return &logical.Project{Input: j, Exprs: exprs, Names: p.named(columnNames(x))}
}

// orEmpty is the result of an aggregate, or what it is over no rows.
func (p *pusher) orEmpty(result expr.Node, a logical.Agg) expr.Node {
	empty := a.Empty()
	if empty.IsNull() || mutant.On("the count of nothing is NULL") {
		return result
	}
	return &expr.Coalesce{Args: []expr.Node{result, empty}}
}

// emptyGroup recognises a subquery that is one row computed from an aggregate: the left
// join above makes its empty groups, so that no join with the domain is needed. It
// returns the columns of the subquery over no rows, as expressions over outer
// references; nil if it is another subquery.
func (p *pusher) emptyGroup() []expr.Node {
	j := &p.a.Join
	if j.Kind != logical.Left && j.Kind != logical.Inner || len(j.LKeys) > 0 || j.Residual != nil {
		return nil
	}
	return p.emptyRow(p.a.R)
}

func (p *pusher) emptyRow(n logical.Node) []expr.Node {
	switch x := n.(type) {
	case *logical.Project:
		in := p.emptyRow(x.Input)
		if in == nil {
			return nil
		}
		return mapList(x.Exprs, func(e expr.Node) expr.Node { return p.d.fold(substitute(e, in)) })
	case *logical.Aggregate:
		if len(x.Keys) > 0 {
			return nil
		}
		p.bare = x
		out := make([]expr.Node, len(x.Aggs))
		for i, a := range x.Aggs {
			out[i] = a.Empty()
		}
		return out
	}
	return nil
}

func (d *decorrelator) fold(e expr.Node) expr.Node {
	return expr.Rewrite(e, d.res.Fold)
}

// padded is a left join whose unmatched rows have the values of the empty group.
func (p *pusher) padded(j *logical.Join, empty []expr.Node) logical.Node {
	nl, k := logical.Width(j.L), len(p.params)
	exprs, names := logical.Columns(j.L), columnNames(j.L)
	j.Kind, j.Single = logical.Left, false
	matched := p.matched(j, empty)
	for i, c := range p.a.R.Schema() {
		var e expr.Node = &expr.Column{Index: nl + k + i, Name: c.Name, T: c.Type}
		if !isNull(empty[i]) && !mutant.On("the count of nothing is NULL") {
			n, err := p.d.res.Case([]expr.Node{matched}, []expr.Node{e}, move(empty[i], p.a.Scope, same, same))
			if err != nil {
				p.d.refuse(p.a, "write it as a join", "a correlated subquery: %s", err)
				return p.a
			}
			e = n
		}
		exprs, names = append(exprs, e), append(names, c.Name)
	}
	return &logical.Project{Input: j, Exprs: exprs, Names: names}
}

// matched adds a column that is NULL for rows without a match, if one is needed.
func (p *pusher) matched(j *logical.Join, empty []expr.Node) expr.Node {
	for _, e := range empty {
		if isNull(e) {
			continue
		}
		r, matched := marked(j.R, logical.Width(j.L))
		j.R = r
		return matched
	}
	return nil
}

func isNull(e expr.Node) bool {
	c, ok := e.(*expr.Const)
	return ok && c.IsNull()
}
