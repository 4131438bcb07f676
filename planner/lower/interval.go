package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Operators tell rows apart by the bytes of their keys, so that 1 day and 24:00:00 would
// be two keys. What = calls equal is one key: the length of an interval is the key, and
// of a group the least of its intervals is shown.

func isInterval(e expr.Node) bool { return e.Type().Kind == types.Interval }

// lengths are keys with the lengths of intervals; the list itself where there are none.
func lengths(keys []expr.Node) []expr.Node {
	if !slices.ContainsFunc(keys, isInterval) {
		return keys
	}
	out := slices.Clone(keys)
	for i, k := range out {
		if isInterval(k) {
			out[i] = call(&timewindow.Length, k)
		}
	}
	return out
}

// joinLengths is a join whose keys are the lengths of intervals.
func joinLengths(j *logical.Join) *logical.Join {
	if !slices.ContainsFunc(j.LKeys, isInterval) {
		return j
	}
	out := *j
	out.LKeys, out.RKeys = lengths(j.LKeys), lengths(j.RKeys)
	return &out
}

// overLengths is a window whose partitions and peers are told apart by the lengths of
// intervals. Frames with RANGE bounds compute with the order key: it stays.
func overLengths(o *logical.Over) *logical.Over {
	out := *o
	out.PartitionBy = lengths(o.PartitionBy)
	for _, f := range o.Funcs {
		if f.Frame.Start.Limit != nil || f.Frame.End.Limit != nil {
			return &out
		}
	}
	out.Order = slices.Clone(o.Order)
	for i, k := range out.Order {
		if isInterval(k.Expr) {
			out.Order[i].Expr = call(&timewindow.Length, k.Expr)
		}
	}
	return &out
}

// groupLengths is an aggregate whose keys are the lengths of intervals; nil if it has no
// intervals as keys.
func groupLengths(a *logical.Aggregate) logical.Node {
	if !slices.ContainsFunc(a.Keys, isInterval) {
		return nil
	}
	out := *a
	out.Keys, out.Aggs = lengths(a.Keys), slices.Clone(a.Aggs)
	shown := make([]int, len(a.Keys)+len(a.Aggs))
	for i := range shown {
		shown[i] = i
	}
	for i, k := range a.Keys {
		if isInterval(k) {
			shown[i] = len(out.Keys) + len(out.Aggs)
			out.Aggs = append(out.Aggs, least(k))
		}
	}
	p := &logical.Project{Input: &out}
	for i, c := range a.Schema() {
		p.Exprs, p.Names = append(p.Exprs, logical.Col(&out, shown[i])), append(p.Names, c.Name)
	}
	return p
}

// countLengths is an aggregate that counts distinct intervals by their lengths.
func countLengths(a *logical.Aggregate) *logical.Aggregate {
	out := *a
	out.Aggs = slices.Clone(a.Aggs)
	for i, g := range out.Aggs {
		if !g.Distinct || g.Func.Name != "count" || !slices.ContainsFunc(g.Args, isInterval) {
			continue
		}
		g.Args = lengths(g.Args)
		impl, err := g.Func.Resolve(expr.Args(g.Args))
		if err != nil {
			panic("lower: count: " + err.Error())
		}
		g.Impl = impl
		out.Aggs[i] = g
	}
	return &out
}

// least is min(x).
func least(x expr.Node) logical.Agg {
	impl, err := agg.Min.Resolve(expr.Args([]expr.Node{x}))
	if err != nil {
		panic("lower: min: " + err.Error())
	}
	return logical.Agg{Func: &agg.Min, Impl: impl, Args: []expr.Node{x}}
}

// distinctLengths is DISTINCT over rows with intervals, nil if there are none: of rows
// that are only added the first of those that are equal, else their least.
func (l *Lowerer) distinctLengths(d *logical.Distinct, in *lowered) logical.Node {
	cols := logical.Columns(d.Input)
	if !slices.ContainsFunc(cols, isInterval) {
		return nil
	}
	names := make([]string, len(cols))
	for i, c := range d.Input.Schema() {
		names[i] = c.Name
	}
	if in.props().Kind != physical.AppendOnly {
		return &logical.Aggregate{Input: d.Input, Keys: cols, KeyNames: names}
	}
	wide := &logical.Project{Input: d.Input, Exprs: slices.Clone(cols), Names: slices.Clone(names)}
	first := &logical.Dedup{Input: wide, Name: "DISTINCT"}
	for i, k := range lengths(cols) {
		if !isInterval(cols[i]) {
			first.Keys = append(first.Keys, i)
			continue
		}
		first.Keys = append(first.Keys, len(wide.Exprs))
		wide.Exprs, wide.Names = append(wide.Exprs, k), append(wide.Names, names[i])
	}
	return &logical.Project{Input: first, Exprs: logical.Columns(first)[:len(cols)], Names: names}
}
