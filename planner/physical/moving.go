package physical

import "github.com/sqlstream/sqlstream/exec/expr"

// Moving is a projection that reads the trigger's time over all rows at all times: what it
// gives for a row changes as time passes.
type Moving struct {
	Base
	Input Node
	Exprs []expr.Node
}

// Children implements Node.
func (m *Moving) Children() []Node { return []Node{m.Input} }

// Stateful implements Node.
func (m *Moving) Stateful() bool { return true }

func (m *Moving) explain() explained {
	p := &Project{Base: m.Base, Input: m.Input, Exprs: m.Exprs}
	x := explained{summary: p.explain().summary, details: []string{"state: every row; when the time has moved, all are computed again"}}
	if m.Input.Props().Kind == AppendOnly {
		x.kept = "every row: what is computed of it changes with the time"
		x.way = "compare a column with now(), or with now() and an interval: WHERE ts > now() - INTERVAL '1' HOUR; join such conditions by AND"
	}
	return x
}
