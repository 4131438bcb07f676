package expr

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// And is the conjunction of BOOLEAN expressions, three-valued. A later operand is
// computed only on the rows where the earlier ones are not false.
type And struct{ Args []Node }

// Or is the disjunction; a later operand is computed only on the rows where the
// earlier ones are not true.
type Or struct{ Args []Node }

// Not negates a BOOLEAN expression.
type Not struct{ X Node }

// IsNull tests for NULL, or with Negated for IS NOT NULL.
type IsNull struct {
	X       Node
	Negated bool
}

var boolType = types.Of(types.Bool)

// NewAnd joins BOOLEAN expressions, flattening nested conjunctions and dropping
// constant TRUE; an empty conjunction is TRUE.
func NewAnd(args ...Node) Node {
	flat := flattenLogic(args, true)
	switch len(flat) {
	case 0:
		return Bool(true)
	case 1:
		return flat[0]
	}
	return &And{Args: flat}
}

// NewOr joins BOOLEAN expressions, flattening nested disjunctions and dropping
// constant FALSE; an empty disjunction is FALSE.
func NewOr(args ...Node) Node {
	flat := flattenLogic(args, false)
	switch len(flat) {
	case 0:
		return Bool(false)
	case 1:
		return flat[0]
	}
	return &Or{Args: flat}
}

// flattenLogic drops the neutral constant; the absorbing one (FALSE in AND) decides.
func flattenLogic(args []Node, neutral bool) []Node {
	var flat []Node
	for _, a := range args {
		switch x := a.(type) {
		case *And:
			if neutral {
				flat = append(flat, flattenLogic(x.Args, neutral)...)
				continue
			}
		case *Or:
			if !neutral {
				flat = append(flat, flattenLogic(x.Args, neutral)...)
				continue
			}
		case *Const:
			if x.V.Type.Kind == types.Bool && !x.IsNull() {
				if x.V.IsTrue(0) == neutral {
					continue
				}
				return []Node{x}
			}
		}
		flat = append(flat, a)
	}
	return flat
}

// NewNot negates, undoing a negation and deciding constants.
func NewNot(x Node) Node {
	switch n := x.(type) {
	case *Not:
		return n.X
	case *IsNull:
		return &IsNull{X: n.X, Negated: !n.Negated}
	case *Const:
		if n.IsNull() {
			return Null(boolType)
		}
		return Bool(!n.V.IsTrue(0))
	}
	return &Not{X: x}
}

// NewIsNull tests for NULL; negated for IS NOT NULL.
func NewIsNull(x Node, negated bool) Node {
	if c, ok := x.(*Const); ok {
		return Bool(c.IsNull() != negated)
	}
	return &IsNull{X: x, Negated: negated}
}

// Type implements Node.
func (n *And) Type() types.Type { return boolType }

// Type implements Node.
func (n *Or) Type() types.Type { return boolType }

// Type implements Node.
func (n *Not) Type() types.Type { return boolType }

// Type implements Node.
func (n *IsNull) Type() types.Type { return boolType }

func (n *And) String() string { return joinLogic(n.Args, " AND ") }

func (n *Or) String() string { return joinLogic(n.Args, " OR ") }

func (n *Not) String() string { return "(NOT " + n.X.String() + ")" }

func (n *IsNull) String() string {
	if n.Negated {
		return "(" + n.X.String() + " IS NOT NULL)"
	}
	return "(" + n.X.String() + " IS NULL)"
}

func joinLogic(args []Node, word string) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	return "(" + strings.Join(parts, word) + ")"
}

// Children implements Node.
func (n *And) Children() []Node { return n.Args }

// Children implements Node.
func (n *Or) Children() []Node { return n.Args }

// Children implements Node.
func (n *Not) Children() []Node { return []Node{n.X} }

// Children implements Node.
func (n *IsNull) Children() []Node { return []Node{n.X} }

// WithChildren implements Node.
func (n *And) WithChildren(kids []Node) Node { return &And{Args: kids} }

// WithChildren implements Node.
func (n *Or) WithChildren(kids []Node) Node { return &Or{Args: kids} }

// WithChildren implements Node.
func (n *Not) WithChildren(kids []Node) Node { return &Not{X: kids[0]} }

// WithChildren implements Node.
func (n *IsNull) WithChildren(kids []Node) Node { return &IsNull{X: kids[0], Negated: n.Negated} }

// Eval implements Node.
func (n *And) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	return evalLogic(c, b, n.Args, 0)
}

// Eval implements Node.
func (n *Or) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	return evalLogic(c, b, n.Args, 1)
}

// evalLogic computes a chain in which the value decided (0 for AND, 1 for OR) ends a
// row's evaluation. A row that never meets it is NULL if any operand was.
func evalLogic(c *fn.Ctx, b *vec.Batch, args []Node, decided uint8) (*vec.Vector, error) {
	out := c.New(boolType, b.N)
	for i := range out.Bool {
		out.Bool[i] = 1 - decided
	}
	var nulls []uint64
	open := b.Sel
	for i, a := range args {
		sub := *b
		sub.Sel = open
		v, err := a.Eval(c, &sub)
		if err != nil {
			return nil, err
		}
		left := c.Sel(b.N)[:0]
		left, nulls = logicStep(c, out, v, fn.Rows{N: b.N, Sel: open}, decided, left, nulls)
		if len(left) == 0 || i == len(args)-1 {
			break
		}
		if open == nil && len(left) == b.N {
			continue
		}
		open = left
	}
	if nulls != nil {
		out.Valid = c.Bits(b.N)
		for i := range out.Valid {
			out.Valid[i] = ^nulls[i]
		}
	}
	return out, nil
}

// logicStep folds one operand into out and returns the rows that stay undecided.
func logicStep(c *fn.Ctx, out, v *vec.Vector, rows fn.Rows, decided uint8, left []int32, nulls []uint64) ([]int32, []uint64) {
	if !v.Const && v.Dict == nil && v.Valid == nil && nulls == nil {
		return plainStep(out.Bool, v.Bool, rows, decided, left[:rows.N]), nil
	}
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		if v.IsNull(r) {
			if nulls == nil {
				nulls = c.Bits(rows.N)
			}
			nulls[r>>6] |= 1 << (uint(r) & 63)
			left = append(left, int32(r))
			continue
		}
		f, k := v.At(r)
		if f.Bool[k] == decided {
			out.Bool[r] = decided
			if nulls != nil {
				nulls[r>>6] &^= 1 << (uint(r) & 63)
			}
			continue
		}
		left = append(left, int32(r))
	}
	return left, nulls
}

// plainStep is logicStep where there is no NULL, without branches.
func plainStep(out, in []uint8, rows fn.Rows, decided uint8, left []int32) []int32 {
	k := 0
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		left[k] = int32(r)
		out[r] = in[r]
		k += int(in[r] ^ decided)
	}
	return left[:k]
}

// Eval implements Node.
func (n *Not) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := n.X.Eval(c, b)
	if err != nil {
		return nil, err
	}
	return mapStorage(c, v, boolType, fn.Rows{N: b.N, Sel: b.Sel}, func(src, dst *vec.Vector) {
		in := src.Bool[:len(dst.Bool)]
		for i := range dst.Bool {
			dst.Bool[i] = in[i] ^ 1
		}
	}), nil
}

// Eval implements Node.
func (n *IsNull) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := n.X.Eval(c, b)
	if err != nil {
		return nil, err
	}
	if v.Const && v.Dict == nil {
		return repeat(Bool(v.IsNull(0) != n.Negated).V, b.N), nil
	}
	if !mayBeNull(v) {
		return repeat(Bool(n.Negated).V, b.N), nil
	}
	out := c.New(boolType, b.N)
	for r := range b.N {
		out.Bool[r] = 0
		if v.IsNull(r) != n.Negated {
			out.Bool[r] = 1
		}
	}
	return out, nil
}

// mayBeNull reports whether a vector can have a NULL.
func mayBeNull(v *vec.Vector) bool {
	return v.Valid != nil || v.Type.Kind == types.Null || v.Dict != nil && v.Dict.Valid != nil
}
