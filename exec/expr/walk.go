package expr

import (
	"sort"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Walk calls visit for n and, if that returns true, for its sub-expressions, in
// order.
func Walk(n Node, visit func(Node) bool) {
	if !visit(n) {
		return
	}
	for _, k := range n.Children() {
		Walk(k, visit)
	}
}

// Rewrite rebuilds an expression from the leaves up: change gets each node with its
// children already rewritten. A node whose children did not change is not copied.
func Rewrite(n Node, change func(Node) Node) Node {
	kids := n.Children()
	var fresh []Node
	for i, k := range kids {
		r := Rewrite(k, change)
		if r != k && fresh == nil {
			fresh = append([]Node(nil), kids...)
		}
		if fresh != nil {
			fresh[i] = r
		}
	}
	if fresh != nil {
		n = n.WithChildren(fresh)
	}
	return change(n)
}

// ColumnsOf lists the columns that an expression reads, ascending, each once.
func ColumnsOf(nodes ...Node) []int {
	seen := map[int]bool{}
	for _, n := range nodes {
		Walk(n, func(x Node) bool {
			if c, ok := x.(*Column); ok {
				seen[c.Index] = true
			}
			return true
		})
	}
	cols := make([]int, 0, len(seen))
	for c := range seen {
		cols = append(cols, c)
	}
	sort.Ints(cols)
	return cols
}

// MapColumns replaces column numbers: column i becomes column to(i).
func MapColumns(n Node, to func(i int) int) Node {
	return Rewrite(n, func(x Node) Node {
		if c, ok := x.(*Column); ok {
			moved := *c
			moved.Index = to(c.Index)
			return &moved
		}
		return x
	})
}

// Substitute replaces every column by an expression: column i by with[i].
func Substitute(n Node, with []Node) Node {
	return Rewrite(n, func(x Node) Node {
		if c, ok := x.(*Column); ok {
			return with[c.Index]
		}
		return x
	})
}

// IsConst reports a constant.
func IsConst(n Node) bool {
	_, ok := n.(*Const)
	return ok
}

// ConstValue returns a constant's one-row vector, or nil.
func ConstValue(n Node) *vec.Vector {
	if c, ok := n.(*Const); ok {
		return c.V
	}
	return nil
}

// Volatility is the greatest of the functions in an expression.
func Volatility(n Node) fn.Volatility {
	worst := fn.Immutable
	Walk(n, func(x Node) bool {
		if c, ok := x.(*Call); ok {
			worst = max(worst, c.Volatility())
		}
		return true
	})
	return worst
}

// Equal reports whether two expressions over the same input compute the same: the
// same structure, functions, types and constants.
func Equal(a, b Node) bool {
	if ca, ok := a.(*Column); ok {
		cb, ok := b.(*Column)
		return ok && ca.Index == cb.Index
	}
	ka, kb := a.Children(), b.Children()
	if len(ka) != len(kb) || !sameNode(a, b) || !a.Type().Equal(b.Type()) {
		return false
	}
	for i := range ka {
		if !Equal(ka[i], kb[i]) {
			return false
		}
	}
	return true
}

// sameNode compares two nodes without their children.
func sameNode(a, b Node) bool {
	switch x := a.(type) {
	case *Const:
		y, ok := b.(*Const)
		return ok && x.V.Type.Equal(y.V.Type) && vec.Equal(x.V, 0, y.V, 0)
	case *Call:
		y, ok := b.(*Call)
		return ok && x.F == y.F && x.Volatility() != fn.Volatile
	case *Param:
		y, ok := b.(*Param)
		return ok && x.ID == y.ID
	case *Cast:
		y, ok := b.(*Cast)
		return ok && x.Try == y.Try
	case *Field:
		y, ok := b.(*Field)
		return ok && x.Index == y.Index
	case *IsNull:
		y, ok := b.(*IsNull)
		return ok && x.Negated == y.Negated
	case *In:
		y, ok := b.(*In)
		return ok && sameList(x.List, y.List)
	case *Lambda:
		y, ok := b.(*Lambda)
		return ok && x.First == y.First && len(x.Names) == len(y.Names)
	case *And:
		_, ok := b.(*And)
		return ok
	case *Or:
		_, ok := b.(*Or)
		return ok
	case *Not:
		_, ok := b.(*Not)
		return ok
	case *Case:
		_, ok := b.(*Case)
		return ok
	case *Coalesce:
		_, ok := b.(*Coalesce)
		return ok
	case *Try:
		_, ok := b.(*Try)
		return ok
	}
	return false
}

func sameList(a, b []*Const) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Type().Equal(b[i].Type()) || !vec.Equal(a[i].V, 0, b[i].V, 0) {
			return false
		}
	}
	return true
}
