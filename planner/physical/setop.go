package physical

// SetOp is INTERSECT and EXCEPT over two inputs with the same columns: port 0 is the
// left one.
type SetOp struct {
	Base
	L, R      Node
	Intersect bool // else EXCEPT
	All       bool
	// Bound: Col and Front are of the output edge, whose frontier is the smaller of both
	// inputs. Rows below it are late, and forgotten. nil = never cleaned.
	Bound *Bound
	// EmitOnClose: a row is emitted once, when it is final. Otherwise its changes are
	// emitted in each trigger.
	EmitOnClose bool
	// Keep: nothing is late and nothing is forgotten (complete mode). Bound is nil then.
	Keep bool
}

// Children implements Node.
func (s *SetOp) Children() []Node { return []Node{s.L, s.R} }

// Stateful implements Node.
func (s *SetOp) Stateful() bool { return true }

// Name is the operator in SQL.
func (s *SetOp) Name() string {
	text := "EXCEPT"
	if s.Intersect {
		text = "INTERSECT"
	}
	if s.All {
		text += " ALL"
	}
	return text
}

func (s *SetOp) explain() explained {
	x := explained{summary: s.Name()}
	state := "state: two weights per distinct row; "
	switch {
	case s.Keep:
		state += "kept whole"
	default:
		state += cleaned(&s.P, s.Bound)
	}
	if s.EmitOnClose {
		state += "; emits when closed"
	}
	x.details = []string{state}
	switch {
	case s.Bound != nil:
		x.late = lateText(&s.P, s.Bound)
	case !s.Keep:
		x.kept = "rows: no column is bounded by a watermark of both inputs"
		x.way = "select a column with a watermark in both inputs"
	}
	return x
}
