package expr

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Case is CASE WHEN Conds[i] THEN Thens[i] … ELSE Else END. Every branch has the
// type of the whole, and is computed only on the rows that take it.
type Case struct {
	Conds, Thens []Node
	Else         Node
}

// NewCase builds a CASE whose branches already have one type; a nil otherwise is
// NULL. Use Resolver.Case to have the type found.
func NewCase(conds, thens []Node, otherwise Node) *Case {
	if otherwise == nil {
		otherwise = Null(thens[0].Type())
	}
	return &Case{Conds: conds, Thens: thens, Else: otherwise}
}

// Type implements Node.
func (n *Case) Type() types.Type { return n.Else.Type() }

// Children implements Node.
func (n *Case) Children() []Node {
	kids := make([]Node, 0, 2*len(n.Conds)+1)
	for i, c := range n.Conds {
		kids = append(kids, c, n.Thens[i])
	}
	return append(kids, n.Else)
}

// WithChildren implements Node.
func (n *Case) WithChildren(kids []Node) Node {
	c := &Case{Else: kids[len(kids)-1]}
	for i := 0; i+1 < len(kids); i += 2 {
		c.Conds, c.Thens = append(c.Conds, kids[i]), append(c.Thens, kids[i+1])
	}
	return c
}

func (n *Case) String() string {
	var s strings.Builder
	s.WriteString("CASE")
	for i, c := range n.Conds {
		s.WriteString(" WHEN " + c.String() + " THEN " + n.Thens[i].String())
	}
	if e, ok := n.Else.(*Const); !ok || !e.IsNull() {
		s.WriteString(" ELSE " + n.Else.String())
	}
	return s.String() + " END"
}

// Eval implements Node.
func (n *Case) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	m := newMerger(c, n.Type(), b.N)
	open := *b
	for i, cond := range n.Conds {
		v, err := cond.Eval(c, &open)
		if err != nil {
			return nil, err
		}
		if out := n.blend(c, b, v); out != nil {
			return out, nil
		}
		taken, rest := split(c, v, fn.Rows{N: b.N, Sel: open.Sel})
		if err := m.branch(c, n.Thens[i], &open, taken); err != nil {
			return nil, err
		}
		if open.Sel = rest; len(rest) == 0 {
			return m.result()
		}
	}
	if err := m.branch(c, n.Else, &open, open.Sel); err != nil {
		return nil, err
	}
	return m.result()
}

// split divides the rows by a condition: true, and false or NULL. Neither list is
// nil.
func split(c *fn.Ctx, cond *vec.Vector, rows fn.Rows) (taken, rest []int32) {
	taken, rest = c.Sel(rows.N)[:0], c.Sel(rows.N)[:0]
	if !cond.Const && cond.Dict == nil && cond.Valid == nil {
		return splitBools(cond.Bool, rows, taken[:rows.N], rest[:rows.N])
	}
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		if cond.IsTrue(r) {
			taken = append(taken, int32(r))
		} else {
			rest = append(rest, int32(r))
		}
	}
	return taken, rest
}

// splitBools divides without branches.
func splitBools(bits []uint8, rows fn.Rows, taken, rest []int32) ([]int32, []int32) {
	t, f := 0, 0
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		taken[t], rest[f] = int32(r), int32(r)
		t += int(bits[r])
		f += int(bits[r] ^ 1)
	}
	return taken[:t], rest[:f]
}

// Coalesce is the first argument that is not NULL. All have the same type; a later
// one is computed only on the rows that need it.
type Coalesce struct{ Args []Node }

// Type implements Node.
func (n *Coalesce) Type() types.Type { return n.Args[0].Type() }

// Children implements Node.
func (n *Coalesce) Children() []Node { return n.Args }

// WithChildren implements Node.
func (n *Coalesce) WithChildren(kids []Node) Node { return &Coalesce{Args: kids} }

func (n *Coalesce) String() string { return "coalesce(" + joinNodes(n.Args) + ")" }

// Eval implements Node.
func (n *Coalesce) Eval(c *fn.Ctx, b *vec.Batch) (*vec.Vector, error) {
	first, err := n.Args[0].Eval(c, b)
	if err != nil || !mayBeNull(first) {
		return first, err
	}
	m := newMerger(c, n.Type(), b.N)
	open := *b
	v := first
	for i := range n.Args {
		if i > 0 {
			if v, err = n.Args[i].Eval(c, &open); err != nil {
				return nil, err
			}
		}
		present, absent := splitNull(c, v, fn.Rows{N: b.N, Sel: open.Sel})
		m.take(v, present)
		if open.Sel = absent; len(absent) == 0 {
			break
		}
	}
	m.take(vec.Nulls(n.Type(), b.N), open.Sel)
	return m.result()
}

func splitNull(c *fn.Ctx, v *vec.Vector, rows fn.Rows) (present, absent []int32) {
	present, absent = c.Sel(rows.N)[:0], c.Sel(rows.N)[:0]
	if v.Valid != nil && !v.Const && v.Dict == nil {
		return splitValid(v.Valid, rows, present[:rows.N], absent[:rows.N])
	}
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		if v.IsNull(r) {
			absent = append(absent, int32(r))
		} else {
			present = append(present, int32(r))
		}
	}
	return present, absent
}

// splitValid divides by a bitmap without branches.
func splitValid(valid []uint64, rows fn.Rows, present, absent []int32) ([]int32, []int32) {
	p, a := 0, 0
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		present[p], absent[a] = int32(r), int32(r)
		bit := int(valid[r>>6] >> (uint(r) & 63) & 1)
		p += bit
		a += bit ^ 1
	}
	return present[:p], absent[:a]
}
