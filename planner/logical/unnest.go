package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Unnest appends a generator's columns to each row, once per generated row.
type Unnest struct {
	Input      Node
	Gen        *fn.Generator
	Impl       fn.GenImpl
	Args       []expr.Node
	Names      []string // of the generated columns, with the ordinality last
	Outer      bool
	Ordinality bool
}

// Schema implements Node.
func (u *Unnest) Schema() []types.Column { return schemaOf(u) }

func (u *Unnest) input() Node { return u.Input }

func (u *Unnest) own() []types.Column {
	out := make([]types.Column, 0, len(u.Names))
	for i, c := range u.Impl.Columns {
		out = append(out, types.Column{Name: u.Names[i], Type: c.Type})
	}
	if u.Ordinality {
		out = append(out, types.Column{Name: u.Names[len(u.Names)-1], Type: types.Of(types.Int64)})
	}
	return out
}

// Children implements Node.
func (u *Unnest) Children() []Node { return []Node{u.Input} }

// WithChildren implements Node.
func (u *Unnest) WithChildren(k []Node) Node {
	c := *u
	c.Input = k[0]
	return &c
}

// Text is the call as EXPLAIN shows it.
func (u *Unnest) Text() string {
	text := u.Gen.Name + "(" + exprList(u.Args) + ")"
	if u.Ordinality {
		text += " WITH ORDINALITY"
	}
	return text
}

// Describe implements Node.
func (u *Unnest) Describe() string {
	if u.Outer {
		return "Unnest outer " + u.Text()
	}
	return "Unnest " + u.Text()
}
