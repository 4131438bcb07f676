package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Operators tell rows apart by the bytes of their keys, so that 1 day and 24:00:00 would
// be two keys. What = calls equal is one key: the length of an interval is the key, also
// inside a nested value, and of a group the least of its intervals is shown.

func isInterval(e expr.Node) bool { return e.Type().HasInterval() }

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
	out.Funcs = slices.Clone(o.Funcs)
	for i := range out.Funcs {
		out.Funcs[i].Order = orderLengths(out.Funcs[i].Order)
	}
	for _, f := range o.Funcs {
		if f.Frame.Start.Limit != nil || f.Frame.End.Limit != nil {
			return &out
		}
	}
	out.Order = orderLengths(o.Order)
	return &out
}

// orderLengths are sort keys with the lengths of intervals: those of one length are peers,
// and the next key decides.
func orderLengths(keys []logical.SortKey) []logical.SortKey {
	return logical.MapSortKeys(keys, func(e expr.Node) expr.Node {
		if isInterval(e) {
			return call(&timewindow.Length, e)
		}
		return e
	})
}

// topNLengths is a top-n whose partitions and order are those of the lengths of intervals.
func topNLengths(t *logical.TopN) *logical.TopN {
	out := *t
	out.PartitionBy, out.Order = lengths(t.PartitionBy), orderLengths(t.Order)
	return &out
}

// asofLengths is an ASOF join whose keys are the lengths of intervals.
func asofLengths(a *logical.Asof) *logical.Asof {
	out := *a
	out.LKeys, out.RKeys = lengths(a.LKeys), lengths(a.RKeys)
	return &out
}

// sessionLengths is a session window for the lengths of intervals.
func sessionLengths(s *logical.Session) *logical.Session {
	out := *s
	out.Partition = lengths(s.Partition)
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

// countLengths is an aggregate that counts different intervals by their lengths.
func countLengths(a *logical.Aggregate) *logical.Aggregate {
	out := *a
	out.Aggs = slices.Clone(a.Aggs)
	for i, g := range out.Aggs {
		if !(g.Distinct && g.Func.Name == "count" || g.Func.Name == "approx_count_distinct") || !slices.ContainsFunc(g.Args, isInterval) {
			continue
		}
		g.Args = lengths(g.Args)
		impl, err := g.Func.Resolve(expr.Args(g.Args))
		if err != nil {
			panic("lower: " + g.Func.Name + ": " + err.Error())
		}
		g.Impl = impl
		out.Aggs[i] = g
	}
	return &out
}

// least is min(x), of maps too.
func least(x expr.Node) logical.Agg {
	return logical.Agg{Func: &agg.Min, Impl: agg.Least(x.Type()), Args: []expr.Node{x}}
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
	first := &logical.Dedup{Name: "DISTINCT", Keys: make([]int, len(cols))}
	for i := range cols {
		first.Keys[i] = i
	}
	return dedupLengths(first, d.Input)
}

// dedupLengths is a Dedup over input whose keys are the lengths of intervals, nil if it has
// no intervals as keys.
func dedupLengths(d *logical.Dedup, input logical.Node) logical.Node {
	cols, schema := logical.Columns(input), input.Schema()
	wide := &logical.Project{Input: input, Exprs: slices.Clone(cols)}
	for _, c := range schema {
		wide.Names = append(wide.Names, c.Name)
	}
	names := slices.Clone(wide.Names)
	out := *d
	out.Keys = slices.Clone(d.Keys)
	for i, k := range d.Keys {
		if isInterval(cols[k]) {
			out.Keys[i] = len(wide.Exprs)
			wide.Exprs, wide.Names = append(wide.Exprs, call(&timewindow.Length, cols[k])), append(wide.Names, names[k])
		}
	}
	if len(wide.Exprs) == len(cols) {
		return nil
	}
	out.Input = wide
	return &logical.Project{Input: &out, Exprs: logical.Columns(&out)[:len(cols)], Names: names}
}

// setLengths is INTERSECT or EXCEPT over rows with intervals, nil if there are none: the left
// rows, each once or, with ALL, numbered among their equals, that have an equal right one,
// or have none.
func setLengths(s *logical.SetOp) logical.Node {
	cols := logical.Columns(s.L)
	if !slices.ContainsFunc(cols, isInterval) {
		return nil
	}
	l, r := s.L, s.R
	if s.All {
		l, r = numbered(l), numbered(r)
	} else {
		l = &logical.Distinct{Input: l}
	}
	kind := logical.Anti
	if s.Intersect {
		kind = logical.Semi
	}
	j := &logical.Join{Kind: kind, L: l, R: r, LKeys: logical.Columns(l), RKeys: logical.Columns(r)}
	j.NullSafe = slices.Repeat([]bool{true}, len(j.LKeys))
	p := &logical.Project{Input: j, Exprs: logical.Columns(j)[:len(cols)]}
	for _, c := range s.L.Schema() {
		p.Names = append(p.Names, c.Name)
	}
	return p
}

// numbered adds the number of each row among its equals, in the order of the whole rows.
func numbered(n logical.Node) logical.Node {
	number := logical.OverFunc{Window: &fn.Window{Name: "row_number", Kind: fn.RowNumber}, Impl: fn.WindowImpl{Result: types.Of(types.Int64)}}
	return &logical.Over{Input: n, PartitionBy: logical.Columns(n), Funcs: []logical.OverFunc{number}}
}
