package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// join chooses between the two joins: beside a table on the right nothing need be kept,
// unless its rows come out for their own sake.
func (l *Lowerer) join(j *logical.Join, need []bool) *lowered {
	if nl := logical.Width(j.L); j.Kind == logical.Mark && !need[nl] {
		out := *l.node(j.L, need[:nl]) // nobody asks
		out.cols = append(slices.Clone(out.cols), -1)
		return &out
	}
	if logical.IsFinite(j.R) && j.Kind != logical.Full && !changes(j.R) && !l.sharesVarying(j.R) {
		return l.staticJoin(j, need)
	}
	return l.streamJoin(j, need)
}

// changes reports that deletions are below: of a changelog that is read as a table.
func changes(n logical.Node) bool {
	found := false
	logical.Walk(n, func(n logical.Node) {
		if s, ok := n.(*logical.Scan); ok {
			found = found || s.Relation.Changelog
		}
	})
	return found
}

// sharesVarying reports a shared query with random() or its like below: a static side runs on its
// own, where it would have other values than for those who read it elsewhere.
func (l *Lowerer) sharesVarying(n logical.Node) bool {
	found := false
	logical.Walk(n, func(n logical.Node) {
		if s, ok := n.(*logical.Shared); ok {
			found = found || l.varies.In(s) != nil
		}
	})
	return found
}

// joinNeeds are the columns of both sides that are read above or by the condition.
func joinNeeds(j *logical.Join, need []bool) (lneed, rneed []bool) {
	nl := logical.Width(j.L)
	lneed, rneed = slices.Clone(need[:nl]), make([]bool, logical.Width(j.R))
	if bothSides(physical.JoinKind(j.Kind)) {
		copy(rneed, need[nl:])
	}
	use(lneed, j.LKeys...)
	use(rneed, j.RKeys...)
	if j.Residual != nil {
		for _, c := range expr.ColumnsOf(j.Residual) {
			if c < nl {
				lneed[c] = true
			} else {
				rneed[c-nl] = true
			}
		}
	}
	return lneed, rneed
}

// bothSides reports that a join has the columns of both sides.
func bothSides(k physical.JoinKind) bool {
	return k == physical.Inner || k == physical.Left || k == physical.Full
}

// keyColumns appends what is not a column yet.
func (l *Lowerer) keyColumns(in *lowered, keys []expr.Node) (*lowered, []int) {
	moved := make([]expr.Node, len(keys))
	for i, k := range keys {
		moved[i] = onto(in, k)
	}
	return l.withColumns(in, moved)
}

// withColumns appends the expressions over an edge that are not columns of it, each once.
func (l *Lowerer) withColumns(in *lowered, want []expr.Node) (*lowered, []int) {
	p := in.props()
	exprs := make([]expr.Node, len(p.Columns))
	names := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		exprs[i], names[i] = column(in, i), c.Name
	}
	at := make([]int, len(want))
	var found expr.Finder
	for i, e := range want {
		if c, ok := e.(*expr.Column); ok {
			at[i] = c.Index
			continue
		}
		at[i] = found.FindExpr(exprs, e)
		if at[i] < 0 {
			at[i] = len(exprs)
			exprs, names = append(exprs, e), append(names, e.String())
		}
	}
	if len(exprs) == len(p.Columns) {
		return in, at
	}
	out := l.project(in, exprs, names)
	out.cols = in.cols
	return out, at
}

func containsAll(set, list []int) bool {
	in := map[int]bool{}
	for _, c := range set {
		in[c] = true
	}
	for _, c := range list {
		if !in[c] {
			return false
		}
	}
	return true
}
