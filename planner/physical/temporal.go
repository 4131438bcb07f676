package physical

import "github.com/sqlstream/sqlstream/exec/expr"

// Temporal is a filter that compares a column with a function of the trigger's time, which
// never retreats: rows enter and leave as time passes. Its columns are those of the input.
type Temporal struct {
	Base
	Input Node
	Col   int       // the compared column
	Bound expr.Node // over now() alone
	// Past: the bound itself is on the other side (>, ≤).
	Past bool
	// Leaves: rows are in the result while Col ≥ Bound (> with Past); otherwise once
	// Col < Bound (≤ with Past).
	Leaves bool
}

// Children implements Node.
func (t *Temporal) Children() []Node { return []Node{t.Input} }

// Stateful implements Node.
func (t *Temporal) Stateful() bool { return true }

func (t *Temporal) explain() explained {
	name := t.Input.Props().Columns[t.Col].Name
	text := t.Bound.String()
	x := explained{summary: name + " " + t.operator() + " " + text}
	if t.Leaves {
		x.details = []string{"state: every row in the result; it leaves, and is forgotten, when " + text + " has passed its " + name}
	} else {
		x.details = []string{"state: every row still to come; it enters, and is forgotten, when " + text + " has passed its " + name}
	}
	return x
}

func (t *Temporal) operator() string {
	switch {
	case t.Leaves && t.Past:
		return ">"
	case t.Leaves:
		return ">="
	case t.Past:
		return "<="
	}
	return "<"
}
