package bind

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// withMissing adds, to each side of BY NAME, the columns that only the other one has: NULL.
func (b *Binder) withMissing(l *relation, r logical.Node) (*relation, logical.Node) {
	add := func(plan, other logical.Node) logical.Node {
		s := newScope("", plan)
		exprs, names := logical.Columns(plan), columnNames(plan)
		for _, c := range other.Schema() {
			if len(s.find("", c.Name)) == 0 {
				exprs, names = append(exprs, expr.Null(c.Type)), append(names, c.Name)
			}
		}
		if len(exprs) == len(s.cols) {
			return plan
		}
		return &logical.Project{Input: plan, Exprs: exprs, Names: names}
	}
	return &relation{plan: add(l.plan, r), spans: l.spans}, add(r, l.plan)
}

// byName orders the columns of the right side like the left.
func (b *Binder) byName(x *ast.SetOp, l, r logical.Node) logical.Node {
	rs := newScope("", r)
	var exprs []expr.Node
	var names []string
	for _, c := range l.Schema() {
		m := rs.find("", c.Name)
		if len(m) != 1 {
			b.errorf(diag.UnknownColumn, x.R.Pos(), "%s BY NAME: the second query has no column %q", x.Op, c.Name)
			return nil
		}
		exprs, names = append(exprs, rs.ref(m[0])), append(names, c.Name)
	}
	if len(exprs) != len(r.Schema()) {
		b.errorf(diag.ColumnCount, x.R.Pos(), "%s BY NAME of queries with %d and %d columns", x.Op, len(exprs), len(r.Schema()))
		return nil
	}
	return &logical.Project{Input: r, Exprs: exprs, Names: names}
}

// corresponding leaves the columns that both sides have, in the order of the left one, or
// those that are listed; nil after an error.
func (b *Binder) corresponding(x *ast.SetOp, l *relation, r logical.Node) (*relation, logical.Node) {
	ls, rs := newScope("", l.plan), newScope("", r)
	by := x.By
	if by == nil {
		for _, c := range l.plan.Schema() {
			if len(rs.find("", c.Name)) > 0 {
				by = append(by, ast.Ident{Span: x.R.Pos(), Name: c.Name})
			}
		}
	}
	var out [2]logical.Project
	for _, id := range by {
		for side, s := range []*scope{ls, rs} {
			m := s.find("", id.Name)
			if len(m) != 1 {
				many := map[bool]string{true: "no column", false: "several columns"}[len(m) == 0]
				b.errorf(diag.UnknownColumn, id.Span, "%s CORRESPONDING: the %s query has %s %q", x.Op, []string{"first", "second"}[side], many, id.Name).
					Hint = diag.HintDidYouMean(id.Name, s.names())
				return nil, nil
			}
			out[side].Exprs, out[side].Names = append(out[side].Exprs, s.ref(m[0])), append(out[side].Names, id.Name)
		}
	}
	if len(by) == 0 {
		b.errorf(diag.ColumnCount, x.R.Pos(), "%s CORRESPONDING of queries without a column of one name", x.Op).
			WithHint("they are (%s) and (%s)", columnList(l.plan.Schema()), columnList(r.Schema()))
		return nil, nil
	}
	out[0].Input, out[1].Input = l.plan, r
	return &relation{plan: &out[0]}, &out[1]
}
