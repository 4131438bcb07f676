package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// derived is a frontier of an expression.
type derived struct {
	path []int
	rule physical.FrontierInput
	hard bool
}

// frontiersOf finds what an expression over an input inherits: a column all its
// frontiers, a struct those of its fields, a monotone expression the image of one.
func (l *Lowerer) frontiersOf(in *lowered, e expr.Node) []derived {
	p := in.props()
	if col, path, ok := access(e); ok {
		return accessed(in, col, path)
	}
	if fields := structFields(e); fields != nil {
		var out []derived
		for f, x := range fields {
			for _, d := range l.frontiersOf(in, x) {
				d.path = append([]int{f}, d.path...)
				out = append(out, d)
			}
		}
		return out
	}
	if d, ok := l.monotone(in, e); ok {
		return []derived{d}
	}
	if isTriggerTime(e) && p.Kind == physical.AppendOnly && !l.opt.Finite {
		l.dynamic = true
		return []derived{{rule: physical.FrontierInput{Child: physical.TriggerTime, Expr: overTrigger(e)}, hard: true}}
	}
	return nil
}

// access recognises a column or a field of one.
func access(e expr.Node) (col int, path []int, ok bool) {
	switch x := e.(type) {
	case *expr.Column:
		return x.Index, nil, true
	case *expr.Field:
		col, path, ok = access(x.X)
		return col, append(append([]int(nil), path...), x.Index), ok
	}
	return 0, nil, false
}

// accessed lists the frontiers of a column at or below a path.
func accessed(in *lowered, col int, path []int) []derived {
	var out []derived
	for i, f := range in.props().Frontiers {
		if f.Col != col || len(f.Path) < len(path) || !samePath(f.Path[:len(path)], path) {
			continue
		}
		out = append(out, derived{path: f.Path[len(path):], rule: physical.FrontierInput{Child: 0, Front: i}, hard: in.hard[i]})
	}
	return out
}

func samePath(a, b []int) bool {
	for i := range b {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// structFields are the values of a struct that is built on the spot.
func structFields(e expr.Node) []expr.Node {
	c, ok := e.(*expr.Call)
	if !ok {
		return nil
	}
	if c.F == &timewindow.Pair {
		return c.Args
	}
	if c.F.Name != "named_struct" {
		return nil
	}
	var out []expr.Node
	for i := 1; i < len(c.Args); i += 2 {
		out = append(out, c.Args[i])
	}
	return out
}

// monotone finds the one column or field that an expression never decreases in.
func (l *Lowerer) monotone(in *lowered, e expr.Node) (derived, bool) {
	if e.Type().Phys() != types.PhysInt64 {
		return derived{}, false
	}
	front := -1
	single := true
	replaced := replaceAccess(e, func(x expr.Node) expr.Node {
		col, path, _ := access(x)
		i := in.props().FrontierOf(col, path...)
		if i < 0 || front >= 0 && front != i {
			single = false
			return x
		}
		front = i
		return &expr.Column{Index: 0, Name: x.String(), T: x.Type()}
	})
	if !single || front < 0 {
		return derived{}, false
	}
	if _, ok := expr.MonotoneIn(replaced, fixedZone(l.opt.Zone)); !ok {
		return derived{}, false
	}
	return derived{rule: physical.FrontierInput{Child: 0, Front: front, Expr: replaced}, hard: in.hard[front]}, true
}

// replaceAccess replaces columns and chains of fields, largest first.
func replaceAccess(e expr.Node, f func(expr.Node) expr.Node) expr.Node {
	if _, _, ok := access(e); ok {
		return f(e)
	}
	kids := e.Children()
	next := make([]expr.Node, len(kids))
	changed := false
	for i, k := range kids {
		next[i] = replaceAccess(k, f)
		changed = changed || next[i] != k
	}
	if !changed {
		return e
	}
	return e.WithChildren(next)
}

// isNow reports a call of now() or one of its names.
func isNow(e expr.Node) bool {
	c, ok := e.(*expr.Call)
	return ok && len(c.Args) == 0 && c.F.Volatility == fn.Stable && c.Type().Kind == types.Timestamp
}

// isTriggerTime reports a monotone function of now().
func isTriggerTime(e expr.Node) bool {
	if len(expr.ColumnsOf(e)) > 0 || e.Type().Phys() != types.PhysInt64 || expr.Volatility(e) != fn.Stable {
		return false
	}
	_, ok := expr.MonotoneIn(withoutNow(e), true)
	return ok
}

func withoutNow(e expr.Node) expr.Node {
	return expr.Rewrite(e, func(x expr.Node) expr.Node {
		if isNow(x) {
			return &expr.Column{Index: 0, Name: "now()", T: x.Type()}
		}
		return x
	})
}

// overTrigger is the expression over the trigger's time, nil for now() itself.
func overTrigger(e expr.Node) expr.Node {
	if isNow(e) {
		return nil
	}
	return withoutNow(e)
}

// addFrontiers puts the frontiers of an output column on an edge.
func addFrontiers(p *physical.Props, hard *[]bool, col int, ds []derived) {
	for _, d := range ds {
		p.Frontiers = append(p.Frontiers, physical.Frontier{Col: col, Path: d.path, Rules: []physical.FrontierInput{d.rule}})
		*hard = append(*hard, d.hard)
	}
}

// passAll takes over all frontiers of the input, whose columns come first.
func passAll(in *lowered, p *physical.Props, hard *[]bool) {
	for i, f := range in.props().Frontiers {
		addFrontiers(p, hard, f.Col, []derived{{path: f.Path, rule: physical.FrontierInput{Child: 0, Front: i}, hard: in.hard[i]}})
	}
}
