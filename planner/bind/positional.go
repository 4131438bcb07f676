package bind

import (
	"math"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// positional binds l POSITIONAL JOIN r: the rows of both sides are numbered, in the order of
// a query that has one, else in that of all their columns, for rows have no other; those of
// one number stand beside each other, and what is left over beside NULLs.
func (b *Binder) positional(x *ast.Join, outer *scope) (logical.Node, *scope) {
	l, ls := b.from(x.L, outer)
	r, rs := b.from(x.R, outer)
	nl, nr := logical.Width(l), logical.Width(r)
	s := ls.join(rs, nl)
	s.parent = outer
	if s.broken {
		return standIn(s), s
	}
	left, right := numbered(l), numbered(r)
	join := &logical.Join{Kind: logical.Full, L: left, R: right, NullSafe: []bool{false}}
	join.LKeys, join.RKeys = append(join.LKeys, logical.Col(left, nl)), append(join.RKeys, logical.Col(right, nr))
	out := &logical.Project{Input: join}
	for i, c := range join.Schema() {
		if i != nl && i != nl+1+nr {
			out.Exprs, out.Names = append(out.Exprs, logical.Col(join, i)), append(out.Names, c.Name)
		}
	}
	return out, s
}

// numbered adds the number of each row.
func numbered(n logical.Node) logical.Node {
	top := &logical.TopN{Input: n, Limit: math.MaxInt64, Rank: "$position"}
	if s, ok := n.(*logical.Sort); ok && s.Limit == logical.NoLimit && s.Offset == 0 {
		top.Input, top.Order = s.Input, s.Keys
	}
	return top
}
