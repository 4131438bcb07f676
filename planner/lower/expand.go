package lower

import (
	"strconv"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// expand gives a row for each grouping set. The copies of keys have no frontiers: a total
// over all of time is never final.
func (l *Lowerer) expand(x *logical.Expand, need []bool) *lowered {
	width := logical.Width(x.Input)
	below := append([]bool(nil), need[:width]...)
	use(below, x.Keys...)
	in, keys := l.withKeys(l.node(x.Input, below), x)
	p := in.props()
	n := &physical.Expand{Input: in.node}
	n.Text = x.SetText(func(i int) string { return p.Columns[keys[i]].Name })
	text := "expand " + x.SetText(func(i int) string { return in.id.cols[keys[i]] }) + setIDs(x)
	out := &lowered{node: n, delay: in.delay, cols: append([]int(nil), in.cols[:width]...), id: identity{base: in.id.base + " " + text, filters: in.id.filters}}
	out.id.cols = append([]string(nil), in.id.cols...)
	cols := append([]types.Column(nil), p.Columns...)
	for i, at := range keys {
		out.cols = append(out.cols, len(cols))
		n.Cols = append(n.Cols, at)
		cols = append(cols, types.Column{Name: x.KeyNames[i], Type: x.Keys[i].Type()})
		out.id.cols = append(out.id.cols, text+"."+itoa(i))
	}
	set := len(cols)
	n.P.Columns = unique(append(cols, types.Column{Name: logical.SetColumn, Type: types.Of(types.Int64)}))
	out.cols, out.id.cols = append(out.cols, set), append(out.id.cols, text+".id")
	for _, s := range x.Sets {
		n.Sets = append(n.Sets, physical.ExpandSet{ID: s.ID, In: s.In})
	}
	n.P.Kind = p.Kind
	for _, key := range p.Keys {
		n.P.Keys = append(n.P.Keys, append(append([]int(nil), key...), set))
	}
	passAll(in, &n.P, &out.hard)
	n.OpID = hashOf("expand", out.id.rows())
	return out
}

// withKeys computes the keys that are no columns, and tells where all of them are.
func (l *Lowerer) withKeys(in *lowered, x *logical.Expand) (*lowered, []int) {
	var exprs []expr.Node
	var names []string
	for i, c := range in.props().Columns {
		exprs, names = append(exprs, column(in, i)), append(names, c.Name)
	}
	width := len(exprs)
	at := make([]int, len(x.Keys))
	for i, k := range x.Keys {
		e := onto(in, k)
		if c, ok := e.(*expr.Column); ok {
			at[i] = c.Index
			continue
		}
		at[i] = len(exprs)
		exprs, names = append(exprs, e), append(names, x.KeyNames[i])
	}
	if len(exprs) == width {
		return in, at
	}
	out := l.project(in, exprs, names)
	out.cols = in.cols
	return out, at
}

// setIDs are the ids of the sets: which keys of GROUP BY they are about.
func setIDs(x *logical.Expand) string {
	text := ""
	for _, s := range x.Sets {
		text += " " + strconv.FormatInt(s.ID, 10)
	}
	return text
}
