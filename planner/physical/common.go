package physical

import (
	"reflect"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Common makes one node of equal subtrees that keep state: what several branches or
// outputs compute in the same way is computed, and kept, once. It changes the inputs of the
// nodes, which the caller must own, and returns the roots; shared tells of how many
// nodes there was another one. Nodes that hold a whole result stay apart: each belongs to
// its output.
func Common(roots []Node) (out []Node, shared int) {
	s := &sharer{first: map[string][]Node{}, of: map[Node]Node{}, state: map[Node]bool{}}
	out = make([]Node, len(roots))
	for i, r := range roots {
		Walk(r, s.visit)
		out[i] = s.instead(r)
	}
	return out, s.shared
}

// sharer knows, of each class of equal subtrees, the first one.
type sharer struct {
	first  map[string][]Node // by operator id
	of     map[Node]Node     // node → first of its class
	state  map[Node]bool     // there is state in the subtree
	shared int
}

// visit gets every node after its inputs.
func (s *sharer) visit(n Node) {
	if s.of[n] != nil {
		return
	}
	state := n.Stateful()
	for _, at := range inputsOf(n) {
		state = state || s.state[*at]
		*at = s.instead(*at)
	}
	if j, ok := n.(*StaticJoin); ok {
		Walk(j.Static, s.visit)
	}
	s.state[n] = state
	s.of[n] = n
	if _, ok := n.(*Materialize); ok {
		return
	}
	for _, other := range s.first[n.ID()] {
		if s.same(reflect.ValueOf(other), reflect.ValueOf(n)) {
			s.of[n] = other
			if state {
				s.shared++
			}
			return
		}
	}
	s.first[n.ID()] = append(s.first[n.ID()], n)
}

// instead is the node to read in the place of another.
func (s *sharer) instead(n Node) Node {
	if s.state[n] {
		return s.of[n]
	}
	return n
}

// inputsOf are the inputs of a node, port by port, to be replaced.
func inputsOf(n Node) []*Node {
	switch x := n.(type) {
	case *Aggregate:
		return []*Node{&x.Input}
	case *Asof:
		return []*Node{&x.L, &x.R}
	case *Changelog:
		return []*Node{&x.Input}
	case *Distinct:
		return []*Node{&x.Input}
	case *Dedup:
		return []*Node{&x.Input}
	case *Expand:
		return []*Node{&x.Input}
	case *Join:
		return []*Node{&x.L, &x.R}
	case *Limit:
		return []*Node{&x.Input}
	case *Close:
		return []*Node{&x.Input}
	case *Materialize:
		return []*Node{&x.Input}
	case *Output:
		return []*Node{&x.Input}
	case *Over:
		return []*Node{&x.Input}
	case *Session:
		return []*Node{&x.Input}
	case *SetOp:
		return []*Node{&x.L, &x.R}
	case *Filter:
		return []*Node{&x.Input}
	case *Project:
		return []*Node{&x.Input}
	case *Unnest:
		return []*Node{&x.Input}
	case *Hop:
		return []*Node{&x.Input}
	case *UnionAll:
		out := make([]*Node, len(x.Inputs))
		for i := range x.Inputs {
			out[i] = &x.Inputs[i]
		}
		return out
	case *Present:
		return []*Node{&x.L, &x.R}
	case *StaticJoin:
		return []*Node{&x.Input}
	case *Temporal:
		return []*Node{&x.Input}
	case *Moving:
		return []*Node{&x.Input}
	case *TopN:
		return []*Node{&x.Input}
	case *Upsert:
		return []*Node{&x.Input}
	case *Refresh:
		return []*Node{&x.Input}
	case *Versions:
		return []*Node{&x.Input}
	}
	return nil // a leaf, or a node that is never shared
}

var (
	exprType = reflect.TypeFor[expr.Node]()
	nodeType = reflect.TypeFor[Node]()
	typeType = reflect.TypeFor[types.Type]()
)

// same compares what two nodes are made of. Inputs are the same if they are of one class.
// Functions are not compared: the id of the operator, and the texts beside them, name them.
func (s *sharer) same(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Type() {
	case exprType:
		return sameExpr(a, b)
	case nodeType:
		return s.sameInput(a, b)
	case typeType:
		return a.Interface().(types.Type).Equal(b.Interface().(types.Type))
	}
	switch a.Kind() {
	case reflect.Func:
		return a.IsNil() == b.IsNil()
	case reflect.Pointer:
		return s.samePointer(a, b)
	case reflect.Struct:
		return s.sameFields(a, b)
	case reflect.Slice, reflect.Array:
		return s.sameList(a, b)
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		return s.same(a.Elem(), b.Elem())
	case reflect.Map:
		return a.Len() == 0 && b.Len() == 0
	}
	return a.Equal(b)
}

func sameExpr(a, b reflect.Value) bool {
	if a.IsNil() || b.IsNil() {
		return a.IsNil() && b.IsNil()
	}
	return expr.Equal(a.Interface().(expr.Node), b.Interface().(expr.Node))
}

func (s *sharer) sameInput(a, b reflect.Value) bool {
	if a.IsNil() || b.IsNil() {
		return a.IsNil() && b.IsNil()
	}
	x, y := a.Interface().(Node), b.Interface().(Node)
	return x == y || s.of[x] != nil && s.of[x] == s.of[y]
}

// samePointer looks into what this package owns; other things are the same if they are one.
func (s *sharer) samePointer(a, b reflect.Value) bool {
	if a.Pointer() == b.Pointer() {
		return true
	}
	return !a.IsNil() && !b.IsNil() && a.Type().Elem().PkgPath() == nodeType.PkgPath() && s.same(a.Elem(), b.Elem())
}

func (s *sharer) sameFields(a, b reflect.Value) bool {
	for i := range a.NumField() {
		if !s.same(a.Field(i), b.Field(i)) {
			return false
		}
	}
	return true
}

func (s *sharer) sameList(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !s.same(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}
