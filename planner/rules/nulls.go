package rules

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// outerToInner keeps no rows for their own sake that the filter above would drop: those
// without a match have NULLs, and the condition is not true of NULLs.
func outerToInner(_ *Context, n logical.Node) logical.Node {
	f, j := filterOverJoin(n)
	if j == nil || j.Kind != logical.Left && j.Kind != logical.Full {
		return n
	}
	width := logical.Width(j.L)
	kind := j.Kind
	for _, c := range conjuncts(f.Predicate) {
		switch {
		case kind == logical.Left && rejects(c, func(col int) bool { return col >= width }):
			kind = logical.Inner
		case kind == logical.Full && rejects(c, func(col int) bool { return col < width }):
			kind = logical.Left
		}
	}
	out := *j
	out.Kind = kind
	if kind == logical.Full && !j.Single && rejects(f.Predicate, func(col int) bool { return col >= width }) {
		return &logical.Filter{Input: swapped(&out, logical.Left), Predicate: f.Predicate}
	}
	if kind == j.Kind {
		return n
	}
	return &logical.Filter{Input: &out, Predicate: f.Predicate}
}

// swapped is a join of the other kind with its sides exchanged, below a projection that
// restores the order of the columns.
func swapped(j *logical.Join, kind logical.JoinKind) logical.Node {
	nl, nr := logical.Width(j.L), logical.Width(j.R)
	out := *j
	out.Kind, out.L, out.R, out.LKeys, out.RKeys = kind, j.R, j.L, j.RKeys, j.LKeys
	if j.Residual != nil {
		out.Residual = expr.MapColumns(j.Residual, func(i int) int {
			if i < nl {
				return i + nr
			}
			return i - nl
		})
	}
	p := &logical.Project{Input: &out}
	for i, c := range j.Schema() {
		at := i - nl
		if i < nl {
			at = i + nr
		}
		p.Exprs, p.Names = append(p.Exprs, logical.Col(&out, at)), append(p.Names, c.Name)
	}
	return p
}

// rejects reports that a condition is not true when the given columns are NULL.
func rejects(c expr.Node, null func(col int) bool) bool {
	switch x := c.(type) {
	case *expr.IsNull:
		return x.Negated && strict(x.X, null)
	case *expr.Not:
		return strict(x.X, null)
	case *expr.And:
		for _, a := range x.Args {
			if rejects(a, null) {
				return true
			}
		}
		return false
	case *expr.Or:
		for _, a := range x.Args {
			if !rejects(a, null) {
				return false
			}
		}
		return true
	}
	if mutant.On("no condition is true of NULLs") {
		return len(expr.ColumnsOf(c)) > 0
	}
	return strict(c, null)
}

// strict reports that an expression is NULL when the given columns are.
func strict(e expr.Node, null func(col int) bool) bool {
	switch x := e.(type) {
	case *expr.Column:
		return null(x.Index)
	case *expr.Const:
		return x.IsNull()
	case *expr.Cast:
		return strict(x.X, null)
	case *expr.Field:
		return strict(x.X, null)
	case *expr.In:
		return strict(x.X, null)
	case *expr.Not:
		return strict(x.X, null)
	case *expr.Call:
		if x.F.Nulls != fn.Propagate {
			return false
		}
		for _, a := range x.Args {
			if strict(a, null) {
				return true
			}
		}
	}
	return false
}

// knownIn makes a plain anti or mark join of NOT IN and IN whose values are never NULL:
// nothing is unknown, so that the join need not know how many NULLs there are.
func knownIn(_ *Context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.NullAware == 0 {
		return n
	}
	for i := range j.NullAware {
		if !notNull(j.L, j.LKeys[i]) || !notNull(j.R, j.RKeys[i]) {
			return n
		}
	}
	out := *j
	out.NullAware = 0
	return &out
}

// notNull reports that an expression over a plan is never NULL.
func notNull(n logical.Node, e expr.Node) bool {
	switch x := e.(type) {
	case *expr.Const:
		return !x.IsNull()
	case *expr.Column:
		return notNullColumn(n, x.Index)
	}
	return false
}

func notNullColumn(n logical.Node, col int) bool {
	switch x := n.(type) {
	case *logical.Scan:
		return col < len(x.Relation.Columns) && x.Relation.Columns[col].NotNull
	case *logical.Filter:
		return rejects(x.Predicate, func(c int) bool { return c == col }) || notNullColumn(x.Input, col)
	case *logical.Project:
		return notNull(x.Input, x.Exprs[col])
	case *logical.Distinct:
		return notNullColumn(x.Input, col)
	case *logical.Aggregate:
		if col < len(x.Keys) {
			return notNull(x.Input, x.Keys[col])
		}
		return x.Aggs[col-len(x.Keys)].Func.Name == "count"
	case *logical.Join:
		width := logical.Width(x.L)
		switch {
		case col < width:
			return x.Kind != logical.Full && notNullColumn(x.L, col)
		case x.Kind == logical.Inner:
			return notNullColumn(x.R, col-width)
		}
	}
	return false
}
