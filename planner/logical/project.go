package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Project computes columns.
type Project struct {
	Input Node
	Exprs []expr.Node
	Names []string
}

// Schema implements Node.
func (p *Project) Schema() []types.Column {
	out := make([]types.Column, len(p.Exprs))
	for i, e := range p.Exprs {
		out[i] = types.Column{Name: p.Names[i], Type: e.Type()}
	}
	return out
}

// Children implements Node.
func (p *Project) Children() []Node { return []Node{p.Input} }

// WithChildren implements Node.
func (p *Project) WithChildren(k []Node) Node {
	return &Project{Input: k[0], Exprs: p.Exprs, Names: p.Names}
}

// Describe implements Node.
func (p *Project) Describe() string {
	text := "Project "
	for i, e := range p.Exprs {
		if i > 0 {
			text += ", "
		}
		text += e.String()
		if e.String() != p.Names[i] {
			text += " AS " + p.Names[i]
		}
	}
	return text
}
