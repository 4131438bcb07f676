package lower

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// session brings rows into sessions. Those that are not computed with their groups by an
// Aggregate are kept whole.
func (l *Lowerer) session(s *logical.Session, need []bool) *lowered {
	in, at := l.sessionInput(s, need)
	p := in.props()
	np := len(s.Partition)
	n := &physical.Session{Input: in.node, Partition: at[:np], Time: at[np], End: at[np+1]}
	n.Bound = l.sessionBound(in, n.Time)
	n.EmitOnClose = l.opt.Close && n.Bound != nil
	if !n.EmitOnClose && !l.opt.Finite {
		n.P.Kind = physical.Retract
	}
	if l.opt.Finite {
		n.P.Kind = p.Kind
	}
	width := len(p.Columns)
	t := p.Columns[n.Time].Type
	n.P.Columns = unique(append(append([]types.Column(nil), p.Columns...),
		types.Column{Name: "window_start", Type: t}, types.Column{Name: "window_end", Type: t}))
	n.P.Keys = p.Keys
	out := &lowered{node: n, delay: in.delay, cols: append(append([]int(nil), in.cols...), width, width+1)}
	text := "session of (" + in.id.rows() + ") by " + joinTexts(pick(in.id.cols, n.Partition)) + " from " + in.id.cols[n.Time] + " to " + in.id.cols[n.End]
	out.id = identity{base: text, cols: append(append([]string(nil), in.id.cols...), text+".start", text+".end")}
	if n.Bound != nil {
		sessionFrontiers(&n.P, &out.hard, width+1, []int{width, n.Time}, n.Bound, t)
	}
	n.OpID = hashOf("session", text, joinTexts(in.id.cols))
	return out
}

// sessionInput lowers the input of a session and adds what it computes: at lists the
// columns of its partition, then those of time and end.
func (l *Lowerer) sessionInput(s *logical.Session, need []bool) (*lowered, []int) {
	width := logical.Width(s.Input)
	below := append([]bool(nil), need[:width]...)
	given := append(append([]expr.Node(nil), s.Partition...), s.Time, s.End)
	use(below, given...)
	in := l.node(s.Input, below)
	exprs, names := make([]expr.Node, len(in.props().Columns)), make([]string, len(in.props().Columns))
	for i, c := range in.props().Columns {
		exprs[i], names[i] = column(in, i), c.Name
	}
	have := len(exprs)
	at := make([]int, len(given))
	for i, e := range given {
		e = onto(in, e)
		if at[i] = indexOf(exprs, e); at[i] < 0 {
			at[i] = len(exprs)
			exprs, names = append(exprs, e), append(names, e.String())
		}
	}
	if len(exprs) == have {
		return in, at
	}
	out := l.project(in, exprs, names)
	out.cols = in.cols
	return out, at
}

func indexOf(list []expr.Node, e expr.Node) int {
	for i, x := range list {
		if expr.Equal(x, e) {
			return i
		}
	}
	return -1
}

func pick(texts []string, at []int) []string {
	out := make([]string, len(at))
	for i, c := range at {
		out[i] = texts[c]
	}
	return out
}

// sessionBound is the time of the rows, if it has a frontier. Sessions are late and are
// forgotten in complete mode too.
func (l *Lowerer) sessionBound(in *lowered, time int) *physical.Bound {
	if l.opt.Finite {
		return nil
	}
	if f := in.props().FrontierOf(time); f >= 0 {
		return &physical.Bound{Col: time, Front: f}
	}
	return nil
}

// sessionFrontiers are those behind sessions: every end in a later delta is above the
// frontier of times, and every start, like the times of rows, not below that or the least
// start of an open session.
func sessionFrontiers(p *physical.Props, hard *[]bool, end int, starts []int, b *physical.Bound, t types.Type) {
	front := physical.FrontierInput{Child: 0, Front: b.Front}
	above := front
	above.Expr = call(&timewindow.End, &expr.Column{Index: 0, Name: "time", T: t}, interval(1))
	addFrontiers(p, hard, end, []derived{{rule: above, hard: true}})
	for _, c := range starts {
		p.Frontiers = append(p.Frontiers, physical.Frontier{Col: c, Rules: []physical.FrontierInput{front, {Child: physical.OperatorFront}}})
		*hard = append(*hard, true)
	}
}

// chooseSession decides that an aggregate computes its sessions itself: the keys must be
// the partition of the sessions and one bound at least, no aggregate may look at the
// bounds, and all of them must be mergeable in any order. Rows must only be added.
func (b *aggregateBuilder) chooseSession() {
	s, ok := b.a.Input.(*logical.Session)
	if !ok {
		return
	}
	bounds, others := 0, 0
	for _, k := range b.a.Keys {
		switch {
		case isBoundOf(s, k):
			bounds++
		case indexOf(s.Partition, k) >= 0:
			others++
		default:
			return
		}
	}
	if bounds == 0 || others != len(s.Partition) {
		return
	}
	for _, c := range expr.ColumnsOf(b.arguments()...) {
		if c >= s.Start() {
			return
		}
	}
	for i, g := range b.a.Aggs {
		if b.needAgg(i) && g.Func.Ordered && len(g.Order) == 0 {
			return
		}
	}
	b.session = s
}

// isBoundOf recognises a key that is a bound of sessions.
func isBoundOf(s *logical.Session, key expr.Node) bool {
	c, ok := key.(*expr.Column)
	return ok && c.Index >= s.Start()
}

// keysOfSessions are the unique keys: one bound of a session tells it from the others of
// its partition.
func (b *aggregateBuilder) keysOfSessions(all []int) [][]int {
	var out [][]int
	for _, without := range []int{b.node.Sessions.End, b.node.Sessions.Start} {
		var key []int
		for _, k := range all {
			if k != without {
				key = append(key, k)
			}
		}
		if without < len(all) && len(key) < len(all) && len(all) == len(b.a.Keys) && b.extra == 0 {
			out = append(out, key)
		}
	}
	return append(out, all)
}

// sessionKeys are the keys over the input of the session: its bounds become the time of
// a row and the end of what it covers. A bound that is no key is one of the operator, not
// of the output.
func (b *aggregateBuilder) sessionKeys() []expr.Node {
	s := b.session
	out := append([]expr.Node(nil), b.a.Keys...)
	for i, k := range out {
		if isBoundOf(s, k) {
			out[i] = []expr.Node{s.Time, s.End}[k.(*expr.Column).Index-s.Start()]
		}
	}
	return out
}

// hiddenBounds finds the keys that are the bounds of the session, and adds the one that
// is missing.
func (b *aggregateBuilder) hiddenBounds() {
	s, n := b.session, b.node
	at := [2]int{-1, -1}
	for i, k := range b.a.Keys {
		if isBoundOf(s, k) {
			at[k.(*expr.Column).Index-s.Start()] = i
		}
	}
	for i, e := range []expr.Node{s.Time, s.End} {
		if at[i] < 0 {
			at[i] = len(n.Keys)
			n.Keys = append(n.Keys, b.column(onto(b.in, e)))
			b.extra++
		}
	}
	n.Sessions = &physical.Sessions{Start: at[0], End: at[1]}
}

// sessionText is the meaning of a key that is a bound of sessions.
func (b *aggregateBuilder) sessionText(key int, text string) string {
	if b.session == nil || key != b.node.Sessions.Start && key != b.node.Sessions.End {
		return text
	}
	return "session bound of " + text
}

// sessionBound finds what makes sessions final, and the frontiers of their bounds.
func (b *aggregateBuilder) sessionBound(out *lowered) {
	n := b.node
	s := n.Sessions
	time := n.Keys[s.Start]
	if s.Bound = b.l.sessionBound(b.in, time); s.Bound != nil {
		sessionFrontiers(&n.P, &out.hard, s.End, []int{s.Start}, s.Bound, n.P.Columns[s.Start].Type)
	}
}

// staticBound reports that some key has a frontier that is not dynamic.
func (b *aggregateBuilder) staticBound() bool {
	for _, k := range b.node.Keys {
		if f := b.in.props().FrontierOf(k); f >= 0 && !physical.IsDynamic(b.in.node, f) {
			return true
		}
	}
	return false
}

// soonest is the first frontier that is not dynamic, if there is one.
func soonest(in *lowered, ds []derived) derived {
	for _, d := range ds {
		if d.rule.Child < 0 || !physical.IsDynamic(in.node, d.rule.Front) {
			return d
		}
	}
	return ds[0]
}
