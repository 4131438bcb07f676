package physical

// Session appends the bounds of its session to each row: a row covers [Time, End), and
// rows of one partition that overlap are one session. Start and end are the last two
// columns of the output.
//
// A session is final once its end is not above the frontier of Time, and is forgotten
// then; a row is late when its Time was below that frontier after the former trigger,
// whatever the mode.
type Session struct {
	Base
	Input     Node
	Partition []int // input columns
	Time, End int   // input columns
	// Bound: Col is Time, Front is of the input edge. nil = no session is ever final.
	Bound *Bound
	// EmitOnClose: the rows of a session are emitted once, when it is final.
	EmitOnClose bool
}

// Children implements Node.
func (s *Session) Children() []Node { return []Node{s.Input} }

// Stateful implements Node.
func (s *Session) Stateful() bool { return true }

func (s *Session) explain() explained {
	in := s.Input.Props()
	text := in.Columns[s.Time].Name + " to " + in.Columns[s.End].Name
	if len(s.Partition) > 0 {
		text += " by " + keyText(in, s.Partition)
	}
	state := "state: one entry per row of an open session; "
	x := explained{summary: text}
	x.sessions(state, in, s.Bound, s.EmitOnClose)
	return x
}

// sessions is what EXPLAIN says of an operator that keeps sessions.
func (x *explained) sessions(state string, in *Props, b *Bound, onClose bool) {
	if b == nil {
		x.details = []string{state + "never cleaned: no watermark bounds the time of the sessions"}
		x.kept, x.way = "sessions: no watermark bounds their time", "declare a watermark on the time of the sessions in the source"
		return
	}
	state += "cleaned when window_end <= F(" + in.Columns[b.Col].Name + ")"
	if onClose {
		state += "; emits when closed"
	}
	x.details, x.late = []string{state}, lateText(in, b)
}

// Sessions says that two keys of an Aggregate are the bounds of sessions: the rows of
// the other keys that overlap, each covering from Keys[Start] to Keys[End] of the input,
// are one group, with the bounds of the session in these columns.
type Sessions struct {
	Start, End int // indexes into Keys
	// Bound: Col is the input column of the rows' times, Front is of the input edge.
	Bound *Bound
}

// OperatorFront as FrontierInput.Child stands for the frontier that the operator itself
// knows at run time: the least start of a session that is open.
const OperatorFront = -2

// IsDynamic reports a frontier that depends on the state of an operator: another one of
// the same rows makes them final sooner.
func IsDynamic(n Node, front int) bool {
	type edge struct {
		n     Node
		front int
	}
	seen := map[edge]bool{} // what is shared is looked at once
	var dynamic func(e edge) bool
	dynamic = func(e edge) bool {
		if seen[e] {
			return false
		}
		seen[e] = true
		for _, r := range e.n.Props().Frontiers[e.front].Rules {
			if r.Child == OperatorFront || r.Child >= 0 && r.Front >= 0 && dynamic(edge{e.n.Children()[r.Child], r.Front}) {
				return true
			}
		}
		return false
	}
	return dynamic(edge{n, front})
}
