package logical

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
)

// MapExprs applies f to every expression of a node, not of its inputs. It is the one
// place that knows where nodes keep expressions: every node that has any has a case. A list in
// which f changes nothing is shared with n.
func MapExprs(n Node, f func(expr.Node) expr.Node) Node {
	switch x := n.(type) {
	case *Filter:
		return &Filter{Input: x.Input, Predicate: f(x.Predicate)}
	case *Project:
		return &Project{Input: x.Input, Exprs: mapList(x.Exprs, f), Names: x.Names}
	case *Join:
		c := mapJoin(*x, f)
		return &c
	case *Asof:
		c := *x
		c.LKeys, c.RKeys, c.LTime, c.RTime = mapList(x.LKeys, f), mapList(x.RKeys, f), f(x.LTime), f(x.RTime)
		if x.Void != nil {
			c.Void = f(x.Void)
		}
		return &c
	case *Present:
		c, j := *x, mapJoin(*x.Join(), f)
		c.LKeys, c.RKeys, c.Residual = j.LKeys, j.RKeys, j.Residual
		return &c
	case *Apply:
		c := *x
		c.Join = mapJoin(x.Join, f)
		return &c
	case *Aggregate:
		c := *x
		c.Keys, c.Aggs = mapList(x.Keys, f), MapAggs(x.Aggs, f)
		return &c
	case *Sort:
		c := *x
		c.Keys = MapSortKeys(x.Keys, f)
		return &c
	case *Expand:
		c := *x
		c.Keys = mapList(x.Keys, f)
		return &c
	case *Session:
		c := *x
		c.Time, c.End, c.Partition = f(x.Time), f(x.End), mapList(x.Partition, f)
		return &c
	case *TopN:
		c := *x
		c.PartitionBy, c.Order = mapList(x.PartitionBy, f), MapSortKeys(x.Order, f)
		return &c
	case *Over:
		c := *x
		c.PartitionBy, c.Order = mapList(x.PartitionBy, f), MapSortKeys(x.Order, f)
		c.Funcs = make([]OverFunc, len(x.Funcs))
		for i, g := range x.Funcs {
			c.Funcs[i] = g.Map(f)
		}
		return &c
	case *Unnest:
		c := *x
		c.Args = mapList(x.Args, f)
		return &c
	case *Values:
		c := *x
		c.Rows = make([][]expr.Node, len(x.Rows))
		for i, r := range x.Rows {
			c.Rows[i] = mapList(r, f)
		}
		return &c
	}
	return n
}

func mapJoin(j Join, f func(expr.Node) expr.Node) Join {
	j.LKeys, j.RKeys = mapList(j.LKeys, f), mapList(j.RKeys, f)
	if j.Residual != nil {
		j.Residual = f(j.Residual)
	}
	return j
}

// mapList copies the list where f changes an expression: most of what is mapped is only read.
func mapList(list []expr.Node, f func(expr.Node) expr.Node) []expr.Node {
	out, own := list, false
	for i, e := range list {
		x := f(e)
		if x != e && !own {
			out, own = slices.Clone(list), true
		}
		if own {
			out[i] = x
		}
	}
	return out
}

// MapAggs applies f to the arguments, orders and filters of aggregates.
func MapAggs(aggs []Agg, f func(expr.Node) expr.Node) []Agg {
	out := append([]Agg(nil), aggs...)
	for i := range out {
		out[i].Args, out[i].Order = mapList(out[i].Args, f), MapSortKeys(out[i].Order, f)
		if out[i].Filter != nil {
			out[i].Filter = f(out[i].Filter)
		}
	}
	return out
}

// Varying finds, in the nodes of a plan that is true for, a call that has another value each
// time, such as random(); nil if there is none.
func Varying(n Node, is func(x Node) bool) expr.Node {
	var found expr.Node
	Walk(n, func(x Node) {
		if here := varyingHere(x); found == nil && here != nil && is(x) {
			found = here
		}
	})
	return found
}

// varyingHere looks at the expressions of the node alone.
func varyingHere(n Node) (here expr.Node) {
	MapExprs(n, func(e expr.Node) expr.Node {
		expr.Walk(e, func(part expr.Node) bool {
			varies := expr.Volatility(part) == fn.Volatile
			if varies {
				here = part
			}
			return varies
		})
		return e
	})
	return here
}

// Variation remembers, of each plan that it was asked about and of those below, a call that
// has another value each time; nil for none.
type Variation map[Node]expr.Node

// In is such a call anywhere in a plan; nil if there is none.
func (v Variation) In(n Node) expr.Node {
	found, known := v[n]
	if known {
		return found
	}
	for _, c := range n.Children() {
		if below := v.In(c); found == nil {
			found = below
		}
	}
	if found == nil {
		found = varyingHere(n)
	}
	v[n] = found
	return found
}
