package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// In tests membership in a list of constants of the same type: NULL if there is no
// match and the list has a NULL.
type In struct {
	X    Node
	List []*Const

	impl fn.Impl
}

// NewIn tests x against constants of x's type.
func NewIn(x Node, list []*Const) *In {
	n := &In{X: x, List: list}
	set := newSet(x.Type(), list)
	n.impl = fn.Impl{Args: []types.Type{x.Type()}, Result: boolType, Eval: set.contains, Total: true}
	return n
}

// inFunction stands for every IN where exec/fn wants a function.
var inFunction = &fn.Scalar{Name: "in", Nulls: fn.Propagate}

// Type implements Node.
func (n *In) Type() types.Type { return boolType }

// Children implements Node.
func (n *In) Children() []Node { return []Node{n.X} }

// WithChildren implements Node.
func (n *In) WithChildren(kids []Node) Node {
	c := *n
	c.X = kids[0]
	return &c
}

func (n *In) String() string {
	nodes := make([]Node, len(n.List))
	for i, c := range n.List {
		nodes[i] = c
	}
	return "(" + n.X.String() + " IN (" + joinNodes(nodes) + "))"
}

// Eval implements Node.
func (n *In) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	v, err := n.X.Eval(c, b)
	if err != nil {
		return nil, err
	}
	return Apply(c, inFunction, &n.impl, []*vec.Vector{v}, fn.Rows{N: b.N, Sel: b.Sel})
}

// set is a list of constants prepared for look-up.
type set struct {
	hasNull bool
	ints    map[int64]struct{}
	few     []int64 // instead of ints when the list is short
	texts   map[string]struct{}
	words   []string      // instead of texts when the list is short
	other   []*vec.Vector // any other type: compared one by one
}

// fewest is the length from which a hash table beats comparing one by one.
const fewest = 8

func newSet(t types.Type, list []*Const) *set {
	s := &set{}
	phys := t.Phys()
	for _, c := range list {
		switch {
		case c.IsNull():
			s.hasNull = true
		case phys == types.PhysInt64:
			s.few = append(s.few, c.V.Int(0))
		case phys == types.PhysString:
			s.words = append(s.words, c.V.Text(0))
		default:
			s.other = append(s.other, c.V)
		}
	}
	if len(s.few) >= fewest {
		s.ints = make(map[int64]struct{}, len(s.few))
		for _, x := range s.few {
			s.ints[x] = struct{}{}
		}
		s.few = nil
	}
	if len(s.words) >= fewest {
		s.texts = make(map[string]struct{}, len(s.words))
		for _, w := range s.words {
			s.texts[w] = struct{}{}
		}
		s.words = nil
	}
	return s
}

// contains is a kernel.
func (s *set) contains(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	v := args[0]
	out := c.New(boolType, rows.N)
	clear(out.Bool)
	n := rows.Len()
	for i := range n {
		r := rows.At(i)
		if !v.IsNull(r) && s.has(v, v.Index(r)) {
			out.Bool[r] = 1
		}
	}
	if s.hasNull {
		out.Valid = c.Bits(rows.N)
		for r, b := range out.Bool {
			out.Valid[r>>6] |= uint64(b) << (uint(r) & 63)
		}
	}
	return out, nil
}

func (s *set) has(v *vec.Vector, i int) bool {
	switch {
	case s.few != nil:
		for _, x := range s.few {
			if x == v.I64[i] {
				return true
			}
		}
	case s.ints != nil:
		_, ok := s.ints[v.I64[i]]
		return ok
	case s.words != nil:
		r := v.Str[i]
		b := v.Buf[r.Off : r.Off+r.Len]
		for _, w := range s.words {
			if string(b) == w {
				return true
			}
		}
	case s.texts != nil:
		r := v.Str[i]
		_, ok := s.texts[string(v.Buf[r.Off:r.Off+r.Len])]
		return ok
	default:
		for _, x := range s.other {
			if vec.Same(v, i, x, 0) {
				return true
			}
		}
	}
	return false
}
