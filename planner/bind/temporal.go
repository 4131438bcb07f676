package bind

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// temporal binds a join with a stream FOR SYSTEM_TIME AS OF a time of the left side: the
// version of a key that was valid then is its last row not after it; of the time of
// processing, it is what the stream's rows are in the trigger of the left row. ok is false
// for tables, whose rows are those at the trigger.
func (b *Binder) temporal(x *ast.Join, t *ast.TableName, l logical.Node, ls, outer *scope) (plan logical.Node, s *scope, ok bool) {
	plan = b.named(t.Name)
	if plan == nil {
		s := &scope{broken: true}
		return &logical.Values{}, s, true
	}
	if !readsStream(plan) {
		return nil, nil, false
	}
	r, rs := b.aliased(plan, t.Alias, t.Name.Last().Name, t.Watermark)
	present := b.atTrigger(t.AsOf, ls)
	j := &temporalBinder{joinBinder: joinBinder{b: b, x: x, l: l, r: r, ls: ls, rs: rs, scope: ls.join(rs, len(l.Schema()))}, t: t}
	if ls.broken || rs.broken {
		j.scope.broken = true
		return standIn(j.scope), j.scope, true
	}
	j.scope.parent = outer
	bind := j.bindTemporal
	if present {
		bind = j.bindPresent
	}
	if out := bind(); out != nil {
		return out, j.scope, true
	}
	j.scope.broken = true
	return standIn(j.scope), j.scope, true
}

// timeOfTable checks the time of FOR SYSTEM_TIME AS OF a table, whose rows are those at the
// trigger: a constant asks for older ones, which nobody has kept.
func (b *Binder) timeOfTable(x *ast.Join, ls, outer *scope) {
	t, ok := x.R.(*ast.TableName)
	if !ok || t.AsOf == nil || ls.broken {
		return
	}
	if isProctime(t.AsOf) {
		return
	}
	s := *ls
	s.parent = outer
	e := &env{b: b, scope: &s, clause: inOn}
	when := e.expr(t.AsOf)
	if when != nil && !when.Type().IsTime() && when.Type().Kind != types.Null {
		b.errorf(diag.AsofJoin, t.AsOf.Pos(), "FOR SYSTEM_TIME AS OF takes a time, got %s", when.Type()).
			WithHint("name a time of the left side, as in FOR SYSTEM_TIME AS OF l.ts")
	}
}

// olderTable refuses the rows that a table had at a given time.
func (b *Binder) olderTable(x *ast.TableName) bool {
	if lit, ok := x.AsOf.(*ast.Literal); !ok || lit.Kind == ast.LitNull {
		return false
	}
	b.errorf(diag.AsofJoin, x.AsOf.Pos(), "FOR SYSTEM_TIME AS OF: %q is a table, of which there are no older rows", x.Name).
		WithHint("leave it out; versions by time have a source with PRIMARY KEY and a watermark, joined FOR SYSTEM_TIME AS OF l.ts")
	return true
}

// readsStream reports a source below, be it read as a stream or, in a batch, as a table.
func readsStream(n logical.Node) bool {
	found := false
	logical.Walk(n, func(n logical.Node) {
		if s, ok := n.(*logical.Scan); ok && s.Relation.Streaming {
			found = true
		}
	})
	return found
}

type temporalBinder struct {
	joinBinder
	t *ast.TableName
}

func (j *temporalBinder) refuse(hint, text string, args ...any) logical.Node {
	j.b.errorf(diag.AsofJoin, j.t.AsOf.Pos(), "FOR SYSTEM_TIME AS OF: "+text, args...).WithHint("%s", hint)
	return nil
}

func (j *temporalBinder) bindTemporal() logical.Node {
	nl := len(j.l.Schema())
	node := &logical.Asof{L: j.l, R: j.r, Outer: j.x.Kind == ast.LeftJoin}
	if !node.Outer && j.x.Kind != ast.InnerJoin {
		return j.refuse("write JOIN or LEFT JOIN", "a %s takes no versions", joinName(j.x.Kind))
	}
	if j.x.On != nil && hasSubquery(j.x.On) {
		return j.refuse("put it into WHERE", "a subquery in ON is not supported")
	}
	at := timeOf(j.r)
	if at < 0 {
		return j.refuse("declare it: WATERMARK FOR ts AS ts - INTERVAL '…'", "the event time of %q is not known, because it has no watermark", j.t.Name)
	}
	if !j.condition() {
		return nil
	}
	e := &env{b: j.b, scope: j.ls, clause: inOn}
	when := e.expr(j.t.AsOf)
	cmp := j.b.resolve(j.t.AsOf.Pos(), ">=", when, &expr.Column{Index: at + nl, Name: j.r.Schema()[at].Name, T: j.r.Schema()[at].Type})
	if cmp == nil {
		return nil
	}
	if !j.compares(node, cmp, nl) {
		return j.refuse("name a column, as in FOR SYSTEM_TIME AS OF l.ts", "the time must be one of the left side")
	}
	return j.versions(node, at)
}

// versions chooses the keys, by which there is one version at a time; other conditions
// are tested above.
func (j *temporalBinder) versions(node *logical.Asof, at int) logical.Node {
	nl := len(j.l.Schema())
	pk, keyed, ok := keysOf(j.r)
	if !ok {
		return j.refuse("join the source itself", "%q has versions by key, and is computed from them", j.t.Name)
	}
	var keys, rest []expr.Node
	for _, c := range j.conds {
		_, r, _, equal := logical.Equality(c, nl)
		if col, plain := r.(*expr.Column); equal && !logical.HasOuter(c) && (!keyed || plain && slices.Contains(pk, col.Index-nl)) {
			keys = append(keys, c)
		} else {
			rest = append(rest, c)
		}
	}
	split := &logical.Join{}
	joinKeys(split, keys, nl)
	node.LKeys, node.RKeys, node.NullSafe = split.LKeys, split.RKeys, split.NullSafe
	for _, k := range pk {
		if !slices.ContainsFunc(node.RKeys, func(e expr.Node) bool { return e.(*expr.Column).Index == k }) {
			return j.refuse("add it to ON", "the join needs an equality with the key column %q of %q", j.r.Schema()[k].Name, j.t.Name)
		}
	}
	if keyed {
		node.R, node.Void = versionsOf(j.r)
	}
	if len(rest) == 0 {
		return node
	}
	if node.Outer {
		return j.refuse("put it into WHERE", "LEFT JOIN is by the key alone, not by %s", rest[0])
	}
	return &logical.Filter{Input: node, Predicate: expr.NewAnd(rest...)}
}

// timeOf is the column with the watermark of a scan below filters and projections, −1 = none.
func timeOf(n logical.Node) int {
	switch x := n.(type) {
	case *logical.Scan:
		if x.Watermark != nil {
			return x.Watermark.Col
		}
	case *logical.Filter:
		return timeOf(x.Input)
	case *logical.Project:
		at := timeOf(x.Input)
		return slices.IndexFunc(x.Exprs, func(e expr.Node) bool {
			c, ok := e.(*expr.Column)
			return ok && c.Index == at
		})
	}
	return -1
}

// keysOf are the columns of the primary key of a source, read as it is; ok is false if a
// keyed source is read in another way.
func keysOf(n logical.Node) (pk []int, keyed, ok bool) {
	switch x := n.(type) {
	case *logical.Scan:
		if !x.Relation.Upserts() {
			return nil, false, true
		}
		return x.Relation.Key, true, true
	case *logical.Project:
		if s, ok := x.Input.(*logical.Scan); ok && s.Relation.Upserts() && len(x.Exprs) == len(s.Schema()) {
			return s.Relation.Key, true, slices.IndexFunc(x.Exprs, func(e expr.Node) bool { _, ok := e.(*expr.Column); return !ok }) < 0
		}
	}
	logical.Walk(n, func(n logical.Node) {
		if s, ok := n.(*logical.Scan); ok && s.Relation.Upserts() {
			keyed = true
		}
	})
	return nil, keyed, !keyed
}

// versionsOf reads all rows of a keyed source, with whether each deletes its key.
func versionsOf(n logical.Node) (logical.Node, expr.Node) {
	if p, ok := n.(*logical.Project); ok {
		in, gone := versionsOf(p.Input)
		out := &logical.Project{Input: in, Exprs: append(slices.Clone(p.Exprs), gone), Names: append(slices.Clone(p.Names), logical.DeletedColumn)}
		return out, logical.Col(out, len(out.Exprs)-1)
	}
	s := *n.(*logical.Scan)
	s.Versions = true
	return &s, logical.Col(&s, len(s.Schema())-1)
}
