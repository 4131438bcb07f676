package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// isProctime reports PROCTIME(), which means the time of the trigger.
func isProctime(x ast.Expr) bool {
	c, ok := x.(*ast.Call)
	return ok && len(c.Args) == 0 && strings.EqualFold(c.Name.String(), "proctime")
}

// atTrigger reports a time that is that of the trigger: PROCTIME(), now() and its like.
func (b *Binder) atTrigger(x ast.Expr, ls *scope) bool {
	if isProctime(x) {
		return true
	}
	if c, ok := x.(*ast.Call); !ok || len(c.Args) > 0 {
		return false
	}
	when, ok := (&env{b: b, scope: ls, clause: inOn}).expr(x).(*expr.Call)
	return ok && len(when.Args) == 0 && when.F.Volatility == fn.Stable
}

// bindPresent binds a join with what the right side is in the trigger of a left row.
func (j *temporalBinder) bindPresent() logical.Node {
	node := &logical.Present{L: j.l, R: j.r, Outer: j.x.Kind == ast.LeftJoin}
	if !node.Outer && j.x.Kind != ast.InnerJoin && j.x.Kind != ast.CrossJoin {
		return j.refuse("write JOIN or LEFT JOIN", "a %s takes no versions", joinName(j.x.Kind))
	}
	if j.x.On != nil && hasSubquery(j.x.On) {
		return j.refuse("put it into WHERE", "a subquery in ON is not supported")
	}
	if !j.condition() {
		return nil
	}
	split := &logical.Join{}
	joinKeys(split, j.conds, len(j.l.Schema()))
	node.LKeys, node.RKeys, node.NullSafe, node.Residual = split.LKeys, split.RKeys, split.NullSafe, split.Residual
	return node
}
