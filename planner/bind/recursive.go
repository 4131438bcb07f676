package bind

import (
	"cmp"
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// The limits of recursive queries, unless they are set.
const (
	RecursionRounds = 100_000
	RecursionRows   = 10_000_000
)

// recurring is the schema of the names by which the step of a recursive query reads all of
// its rows so far.
const recurring = "recurring"

// recursionScope is what the parts of a recursive query read of it.
type recursionScope struct {
	of        *logical.Recursion
	last, all []types.Column
	settling  bool // its USING KEY is bound
}

// read is what the name of the recursive query means.
func (r *recursionScope) read() *logical.RecursiveRef {
	if r.settling {
		cols := append(slices.Clone(r.of.Columns), types.Column{Name: roundColumn, Type: types.Of(types.Int64)})
		return &logical.RecursiveRef{Of: r.of, Part: logical.Given, Columns: cols}
	}
	return &logical.RecursiveRef{Of: r.of, Part: logical.LastRound, Columns: r.last}
}

// recurring is recurring.r within the step of r, nil if the name is another one.
func (b *Binder) recurring(name ast.Name) logical.Node {
	if len(name.Parts) != 2 || !name.Parts[0].Is(recurring) {
		return nil
	}
	for c := b.ctes; c != nil; c = c.next {
		if c.ref != nil && !c.ref.settling && c.cte.Name.Is(name.Parts[1].Name) {
			return &logical.RecursiveRef{Of: c.ref.of, Part: logical.AllRounds, Columns: c.ref.all}
		}
	}
	return nil
}

// recursive binds a common table expression that reads itself, or has a key: a UNION of
// queries that do not read it, and of queries that do.
func (b *Binder) recursive(c *cteScope, name ast.Name) logical.Node {
	q := c.cte.Query
	var base, step []ast.Body
	all, ok := false, false
	if op, isOp := q.Body.(*ast.SetOp); isOp && op.Op == ast.Union {
		all, ok = op.All, true
		b.branches(op, op.All, func(x ast.Body) {
			if mentionedIn(x, c.cte.Name.Name) {
				step = append(step, x)
			} else {
				base = append(base, x)
			}
		})
	}
	if !ok || len(base) == 0 || len(step) == 0 && len(c.cte.Key) == 0 || len(q.OrderBy) > 0 || q.Limit != nil || q.Offset != nil {
		b.errorf(diag.Recursion, c.cte.Name.Span, "a recursive query is a query that does not read %q, UNION or UNION ALL one that does", c.cte.Name.Name).
			WithHint("WITH RECURSIVE r AS (SELECT … UNION SELECT … FROM r JOIN …) SELECT … FROM r ORDER BY …")
		return nil
	}
	saved := b.ctes
	defer func() { b.ctes, c.busy, c.ref = saved, false, nil }()
	b.ctes, c.busy = c.around, true
	if q.With != nil {
		b.pushWith(q, c.outer)
	}
	in := b.unionOf(q, base, c.outer)
	if in == nil {
		return nil
	}
	if in = b.renamed(in, c.cte.Columns, name.Span, c.cte.Name.Name); in == nil {
		return nil
	}
	return b.fixpoint(c, q, in, step, all)
}

// branches lists the queries that a chain of UNION, all of one kind, brings together.
func (b *Binder) branches(x ast.Body, all bool, visit func(ast.Body)) {
	if op, ok := x.(*ast.SetOp); ok && op.Op == ast.Union && op.All == all && !op.ByName && !op.Corresponding {
		b.branches(op.L, all, visit)
		b.branches(op.R, all, visit)
		return
	}
	visit(x)
}

func mentionedIn(x ast.Body, name string) bool {
	return mentions(&ast.Query{Body: x}, name)
}

// unionOf binds queries side by side; nil after an error.
func (b *Binder) unionOf(q *ast.Query, bodies []ast.Body, outer *scope) logical.Node {
	first := b.body(bodies[0], outer)
	if first == nil {
		return nil
	}
	plan := first.plan
	for _, x := range bodies[1:] {
		r := b.body(x, outer)
		if r == nil {
			return nil
		}
		left, right := b.sameTypes(&ast.SetOp{Span: q.Span, All: true}, &relation{plan: plan, spans: first.spans}, r.plan)
		if left == nil || right == nil {
			return nil
		}
		plan = &logical.UnionAll{Inputs: append(unionInputs(left), unionInputs(right)...)}
	}
	return plan
}

// fixpoint binds the step over the columns of the base, whose types widen to those of the
// step.
func (b *Binder) fixpoint(c *cteScope, q *ast.Query, base logical.Node, step []ast.Body, all bool) logical.Node {
	for range 4 {
		of := &logical.Recursion{Name: c.cte.Name.Name, Columns: base.Schema(), Rounds: cmp.Or(b.set.RecursionRounds, RecursionRounds),
			Rows: cmp.Or(b.set.RecursionRows, RecursionRows)}
		c.ref = &recursionScope{of: of, last: of.Columns, all: of.Columns}
		out := &logical.Recursive{Of: of, All: all}
		if len(c.cte.Key) > 0 {
			if out.Settle = b.settle(c); out.Settle == nil {
				return nil
			}
			if c.ref.all = out.Settle.Schema(); !all {
				c.ref.last = c.ref.all
			}
		}
		plan := b.stepOf(c, q, step)
		if plan == nil {
			return nil
		}
		left, right := b.sameTypes(&ast.SetOp{Span: c.cte.Name.Span}, &relation{plan: base}, plan)
		if left == nil || right == nil {
			return nil
		}
		if sameTypesAs(left, of.Columns) {
			out.Base, out.Step = left, right
			return out
		}
		base = left
	}
	b.errorf(diag.TypeMismatch, c.cte.Name.Span, "the types of the columns of %q grow with each round", c.cte.Name.Name).
		WithHint("CAST the columns of both queries to the types that they are to have")
	return nil
}

// stepOf binds the step. Without one there are no rows but those of the base.
func (b *Binder) stepOf(c *cteScope, q *ast.Query, step []ast.Body) logical.Node {
	if len(step) == 0 {
		return &logical.Values{Columns: c.ref.of.Columns}
	}
	return b.unionOf(q, step, c.outer)
}

func sameTypesAs(n logical.Node, cols []types.Column) bool {
	for i, c := range n.Schema() {
		if !c.Type.Equal(cols[i].Type) {
			return false
		}
	}
	return true
}
