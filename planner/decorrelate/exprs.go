package decorrelate

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// mapExprs applies f to every expression of a node, not of its inputs. It is the one
// place that knows where nodes keep expressions: every node that has any has a case.
func mapExprs(n logical.Node, f func(expr.Node) expr.Node) logical.Node {
	switch x := n.(type) {
	case *logical.Filter:
		return &logical.Filter{Input: x.Input, Predicate: f(x.Predicate)}
	case *logical.Project:
		return &logical.Project{Input: x.Input, Exprs: mapList(x.Exprs, f), Names: x.Names}
	case *logical.Join:
		c := mapJoin(*x, f)
		return &c
	case *logical.Apply:
		c := *x
		c.Join = mapJoin(x.Join, f)
		return &c
	case *logical.Aggregate:
		c := *x
		c.Keys, c.Aggs = mapList(x.Keys, f), mapAggs(x.Aggs, f)
		return &c
	case *logical.Sort:
		c := *x
		c.Keys = mapSort(x.Keys, f)
		return &c
	case *logical.Unnest:
		c := *x
		c.Args = mapList(x.Args, f)
		return &c
	case *logical.Values:
		c := *x
		c.Rows = make([][]expr.Node, len(x.Rows))
		for i, r := range x.Rows {
			c.Rows[i] = mapList(r, f)
		}
		return &c
	}
	return n
}

func mapJoin(j logical.Join, f func(expr.Node) expr.Node) logical.Join {
	j.LKeys, j.RKeys = mapList(j.LKeys, f), mapList(j.RKeys, f)
	if j.Residual != nil {
		j.Residual = f(j.Residual)
	}
	return j
}

func mapList(list []expr.Node, f func(expr.Node) expr.Node) []expr.Node {
	out := make([]expr.Node, len(list))
	for i, e := range list {
		out[i] = f(e)
	}
	return out
}

func mapSort(keys []logical.SortKey, f func(expr.Node) expr.Node) []logical.SortKey {
	out := append([]logical.SortKey(nil), keys...)
	for i := range out {
		out[i].Expr = f(out[i].Expr)
	}
	return out
}

func mapAggs(aggs []logical.Agg, f func(expr.Node) expr.Node) []logical.Agg {
	out := append([]logical.Agg(nil), aggs...)
	for i := range out {
		out[i].Args, out[i].Order = mapList(out[i].Args, f), mapSort(out[i].Order, f)
		if out[i].Filter != nil {
			out[i].Filter = f(out[i].Filter)
		}
	}
	return out
}

// MapOuter rewrites the outer references of a scope anywhere in a plan: f gets each
// expression that has one.
func MapOuter(n logical.Node, scope int, f func(expr.Node) expr.Node) logical.Node {
	return logical.Rewrite(n, func(x logical.Node) logical.Node {
		if !mentionsHere(x, scope) {
			return x
		}
		return mapExprs(x, func(e expr.Node) expr.Node {
			if !refersTo(e, scope) {
				return e
			}
			return f(e)
		})
	})
}
