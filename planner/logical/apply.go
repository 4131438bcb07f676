package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Apply is a dependent join: R is computed for each row of L, whose columns it reads by
// outer references with the Apply's scope. It exists between binding and decorrelation
// only (planner/decorrelate), which makes joins of it.
type Apply struct {
	Join
	Scope int       // of the outer references in R that mean columns of L
	Span  diag.Span // of the subquery, for refusals
}

// WithChildren implements Node.
func (a *Apply) WithChildren(k []Node) Node {
	c := *a
	c.L, c.R = k[0], k[1]
	return &c
}

// Describe implements Node.
func (a *Apply) Describe() string {
	text := "Apply " + a.Kind.String() + a.Flags()
	if c := a.Condition(); c != "" {
		text += " on " + c
	}
	return text
}

// Outer references are columns with numbers from here on: a scope and a column of it.
const (
	outerBase   = 1 << 40
	outerStride = 1 << 26 // of aggregates as well, until their SELECT is built
)

// OuterIndex is the number of a column of a query around.
func OuterIndex(scope, col int) int { return outerBase + scope*outerStride + col }

// Outer tells which column of which scope a number means, if it is an outer reference.
func Outer(index int) (scope, col int, ok bool) {
	if index < outerBase {
		return 0, 0, false
	}
	return (index - outerBase) / outerStride, (index - outerBase) % outerStride, true
}

// HasOuter reports an outer reference of any scope.
func HasOuter(n expr.Node) bool {
	found := false
	expr.Walk(n, func(x expr.Node) bool {
		c, ok := x.(*expr.Column)
		found = found || ok && c.Index >= outerBase
		return !found
	})
	return found
}

// RefersTo reports outer references of a scope in an expression.
func RefersTo(n expr.Node, scope int) bool {
	found := false
	expr.Walk(n, func(x expr.Node) bool {
		if c, ok := x.(*expr.Column); ok && c.Index >= outerBase {
			s, _, _ := Outer(c.Index)
			found = found || s == scope
		}
		return !found
	})
	return found
}

// Correlated reports a plan that reads columns of a query around it.
func Correlated(n Node) bool {
	own, read := map[int]bool{}, map[int]bool{}
	Walk(n, func(x Node) {
		if a, ok := x.(*Apply); ok {
			own[a.Scope] = true
		}
		MapExprs(x, func(e expr.Node) expr.Node {
			expr.Walk(e, func(part expr.Node) bool {
				if c, ok := part.(*expr.Column); ok && c.Index >= outerBase {
					s, _, _ := Outer(c.Index)
					read[s] = true
				}
				return true
			})
			return e
		})
	})
	for s := range read {
		if !own[s] {
			return true
		}
	}
	return false
}

// Mentions reports outer references of a scope in a plan.
func Mentions(n Node, scope int) bool {
	found := false
	Walk(n, func(x Node) { found = found || MentionsHere(x, scope) })
	return found
}

// MentionsHere looks at the expressions of the node alone.
func MentionsHere(n Node, scope int) bool {
	found := false
	MapExprs(n, func(e expr.Node) expr.Node {
		found = found || RefersTo(e, scope)
		return e
	})
	return found
}

// MapOuter rewrites the expressions of a plan that have outer references of a scope.
func MapOuter(n Node, scope int, f func(expr.Node) expr.Node) Node {
	return Rewrite(n, func(x Node) Node {
		if !MentionsHere(x, scope) {
			return x
		}
		return MapExprs(x, func(e expr.Node) expr.Node {
			if !RefersTo(e, scope) {
				return e
			}
			return f(e)
		})
	})
}
