package planner

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// resolveConflicts keeps one row for each key of a sink that asks for it (on_conflict =
// 'latest'), unless the query does that anyway.
func (p *planner) resolveConflicts(o *output, mode sink.Mode) {
	if mode != sink.Update || o.sink == nil || !o.sink.Common.Latest {
		return
	}
	if len(o.sink.Key) == 0 {
		p.errorf(diag.SinkKey, o.span, "on_conflict = 'latest' needs the key of sink %q", o.name).
			WithHint("declare its columns with a PRIMARY KEY")
		return
	}
	root, l := p.try(o, mode)
	if l.Failed() || root.Props().HasKey(o.sink.Key) {
		return
	}
	top := &logical.TopN{Input: o.plan, Limit: 1}
	cols := o.plan.Schema()
	column := func(i int) expr.Node { return &expr.Column{Index: i, Name: cols[i].Name, T: cols[i].Type} }
	for _, k := range o.sink.Key {
		top.PartitionBy = append(top.PartitionBy, column(k))
	}
	if at := p.conflictOrder(o, root); at >= 0 {
		top.Order = []logical.SortKey{{Expr: column(at), Desc: true}}
	}
	o.plan = top
}

// conflictOrder is the column that says which row is the latest, −1 = none does.
func (p *planner) conflictOrder(o *output, root physical.Node) int {
	cols := root.Props().Columns
	if name := o.sink.Common.LatestBy; name != "" {
		var names []string
		for i, c := range cols {
			if names = append(names, c.Name); c.Name == name {
				return i
			}
		}
		p.errorf(diag.UnknownColumn, o.span, "conflict_order of sink %q names an unknown column %q", o.name, name).
			Hint = diag.HintDidYouMean(name, names)
		return -1
	}
	for _, f := range root.Props().Frontiers {
		if len(f.Path) == 0 && cols[f.Col].Type.IsTime() {
			return f.Col
		}
	}
	return -1
}
