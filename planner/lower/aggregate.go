package lower

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// aggregateBuilder lays out an aggregate: a projection of keys, arguments and filters
// below, the operator above.
type aggregateBuilder struct {
	l     *Lowerer
	a     *logical.Aggregate
	need  []bool // of the logical schema
	hop   *logical.Hop
	panes *physical.Panes
	// session is computed with the groups; nil = there is none, or it is below.
	session *logical.Session
	in      *lowered
	exprs   []expr.Node // columns of the operator's input
	found   expr.Finder // of exprs
	names   []string
	node    *physical.Aggregate
	kept    []int // logical aggregates that are read
	extra   int   // hidden keys after the logical ones: times inside struct keys
}

func (l *Lowerer) aggregate(a *logical.Aggregate, need []bool) *lowered {
	b := &aggregateBuilder{l: l, a: a, need: need, node: &physical.Aggregate{}}
	b.choosePanes()
	b.chooseSession()
	b.lowerInput()
	b.columns()
	return b.finish()
}

// choosePanes decides between panes and one row a window: panes need every use of the
// window to be the key itself, and aggregates that can be merged.
func (b *aggregateBuilder) choosePanes() {
	h, ok := b.a.Input.(*logical.Hop)
	if !ok || h.By != nil {
		return
	}
	at, keys := logical.Width(h)-1, 0
	others := b.arguments()
	for i, k := range b.a.Keys {
		if c, ok := k.(*expr.Column); ok && c.Index == at {
			keys++
			b.panes = &physical.Panes{Key: i}
			continue
		}
		others = append(others, k)
	}
	for _, c := range expr.ColumnsOf(others...) {
		if c == at {
			keys = 0
		}
	}
	for i, g := range b.a.Aggs {
		if b.needAgg(i) && (g.Distinct || g.Func.Ordered || len(g.Order) > 0) {
			keys = 0
		}
	}
	if keys != 1 {
		b.panes = nil
		return
	}
	b.hop = h
	b.panes.Window = physical.Window{Size: h.Size, Slide: h.Slide, Offset: h.Offset}
	b.panes.Pane = gcd(h.Size, h.Slide)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (b *aggregateBuilder) needAgg(i int) bool { return b.need[len(b.a.Keys)+i] }

func (b *aggregateBuilder) arguments() []expr.Node {
	var out []expr.Node
	for i, g := range b.a.Aggs {
		if !b.needAgg(i) {
			continue
		}
		out = append(out, g.Args...)
		if g.Filter != nil {
			out = append(out, g.Filter)
		}
		for _, o := range g.Order {
			out = append(out, o.Expr)
		}
	}
	return out
}

// keyExprs are the keys over the logical input; with panes, the window's start is the
// start of a pane over the Hop's input.
func (b *aggregateBuilder) keyExprs() []expr.Node {
	if b.session != nil {
		return b.sessionKeys()
	}
	if b.panes == nil {
		return b.a.Keys
	}
	out := append([]expr.Node(nil), b.a.Keys...)
	t := logical.Col(b.hop.Input, b.hop.Time)
	args := []expr.Node{t, interval(b.panes.Pane)}
	if off := b.panes.Window.Offset % b.panes.Pane; off != 0 {
		args = append(args, interval(off))
	}
	out[b.panes.Key] = call(&timewindow.Start, args...)
	return out
}

func (b *aggregateBuilder) lowerInput() {
	input := b.a.Input
	if b.panes != nil {
		input = &logical.Filter{Input: b.hop.Input, Predicate: expr.NewIsNull(logical.Col(b.hop.Input, b.hop.Time), true)}
	}
	if b.session != nil {
		input = b.session.Input
	}
	below := make([]bool, logical.Width(input))
	use(below, b.keyExprs()...)
	use(below, b.arguments()...)
	if b.session != nil {
		use(below, b.session.Time, b.session.End)
	}
	b.in = b.l.node(input, below)
	if b.session != nil && b.in.props().Kind != physical.AppendOnly {
		b.session = nil // removal splits sessions: their rows are needed
		b.lowerInput()
	}
}

// columns projects keys and arguments, each expression once.
func (b *aggregateBuilder) columns() {
	for i, k := range b.keyExprs() {
		at := b.column(onto(b.in, k))
		if b.session == nil || !isBoundOf(b.session, b.a.Keys[i]) {
			b.names[at] = b.a.KeyNames[i]
		}
		if b.panes != nil && b.panes.Key == i {
			b.names[at] = "pane"
		}
		b.node.Keys = append(b.node.Keys, at)
	}
	if b.session != nil {
		b.hiddenBounds()
	} else {
		b.hiddenKeys()
	}
	for i, g := range b.a.Aggs {
		if b.needAgg(i) {
			b.kept = append(b.kept, i)
			b.node.Aggs = append(b.node.Aggs, b.agg(g))
		}
	}
	if at := columnsOnly(b.exprs); at != nil {
		b.direct(at)
		return
	}
	b.in = b.l.project(b.in, b.exprs, b.names)
}

// column finds or adds a column of the operator's input.
func (b *aggregateBuilder) column(e expr.Node) int {
	if i := b.found.FindExpr(b.exprs, e); i >= 0 {
		return i
	}
	b.exprs, b.names = append(b.exprs, e), append(b.names, e.String())
	return len(b.exprs) - 1
}

// direct reads the input without a projection.
func (b *aggregateBuilder) direct(at []int) {
	for i, k := range b.node.Keys {
		b.node.Keys[i] = at[k]
	}
	for i := range b.node.Aggs {
		g := &b.node.Aggs[i]
		for j, c := range g.Args {
			g.Args[j] = at[c]
		}
		if g.Filter >= 0 {
			g.Filter = at[g.Filter]
		}
		for j := range g.Order {
			g.Order[j].Col = at[g.Order[j].Col]
		}
	}
}

func (b *aggregateBuilder) agg(g logical.Agg) physical.Agg {
	out := physical.Agg{Name: g.Func.Name, Impl: g.Impl, Filter: -1, Distinct: g.Distinct,
		Ordered: g.Func.Ordered && len(g.Order) == 0, Text: g.String()}
	for _, a := range g.Args {
		out.Args = append(out.Args, b.column(onto(b.in, a)))
	}
	if g.Filter != nil {
		out.Filter = b.column(onto(b.in, g.Filter))
	}
	for _, o := range g.Order {
		out.Order = append(out.Order, physical.SortKey{Col: b.column(onto(b.in, o.Expr)), Desc: o.Desc, NullsFirst: o.NullsFirst})
	}
	return out
}

// hiddenKeys adds the time inside a struct key as a key of its own, when no key is a
// time with a frontier: it follows from the struct, and makes groups final.
func (b *aggregateBuilder) hiddenKeys() {
	if b.l.opt.Keep {
		return
	}
	for _, k := range b.node.Keys {
		if ds := b.l.frontiersOf(b.in, b.exprs[k]); len(ds) > 0 && len(ds[0].path) == 0 {
			return
		}
	}
	for _, k := range append([]int(nil), b.node.Keys...) {
		ds := b.l.frontiersOf(b.in, b.exprs[k])
		if len(ds) == 0 {
			continue
		}
		e := b.exprs[k]
		for _, f := range soonest(b.in, ds).path {
			e = expr.NewField(e, f)
		}
		b.node.Keys = append(b.node.Keys, b.column(e))
		b.extra++
		return
	}
}

// finish derives the properties of the output.
func (b *aggregateBuilder) finish() *lowered {
	n, l := b.node, b.l
	n.Input, n.Panes, n.Keep = b.in.node, b.panes, l.opt.Keep
	n.Global = len(b.a.Keys) == 0
	n.Retract = b.in.props().Kind != physical.AppendOnly
	out := &lowered{node: n, delay: b.in.delay}
	b.outputs(out)
	if b.session != nil {
		b.sessionBound(out)
		n.EmitOnClose = l.opt.Close && n.Sessions.Bound != nil
	} else {
		b.bound(out)
		n.EmitOnClose = l.opt.Close && n.Bound != nil
	}
	switch {
	case n.EmitOnClose:
		n.P.Kind = physical.AppendOnly
	case n.Retract && !n.Global, n.Sessions != nil && !l.opt.Finite:
		n.P.Kind = physical.Retract
	default:
		n.P.Kind = physical.NoDelete
	}
	return out
}

// outputs lays out the columns: keys, hidden keys, aggregates.
func (b *aggregateBuilder) outputs(out *lowered) {
	n, in := b.node, b.in
	schema := b.a.Schema()
	out.cols = make([]int, len(schema))
	var key []int
	var keyTexts []string
	for i, k := range n.Keys {
		c := types.Column{Name: in.props().Columns[k].Name, Type: in.props().Columns[k].Type}
		if i < len(b.a.Keys) {
			out.cols[i] = i
			c.Name = schema[i].Name
			key = append(key, i)
		}
		text := in.id.cols[k]
		if b.panes != nil && i == b.panes.Key {
			text = "window " + b.a.Input.Describe() + " of " + text
		}
		text = b.sessionText(i, text)
		n.P.Columns = append(n.P.Columns, c)
		out.id.cols = append(out.id.cols, text)
		keyTexts = append(keyTexts, text+" "+c.Type.String())
	}
	n.P.Keys = [][]int{key}
	if key == nil {
		n.P.Keys = [][]int{{}}
	}
	if b.session != nil {
		n.P.Keys = b.keysOfSessions(key)
	}
	for i := range b.a.Aggs {
		out.cols[len(b.a.Keys)+i] = -1
	}
	base := "aggregate of (" + in.id.rows() + ") by " + joinTexts(keyTexts)
	var id strings.Builder
	id.WriteString(base)
	begin := beginning{text: base}
	for j, i := range b.kept {
		text := b.aggText(n.Aggs[j])
		out.cols[len(b.a.Keys)+i] = len(n.P.Columns)
		n.P.Columns = append(n.P.Columns, types.Column{Name: b.a.Aggs[i].String(), Type: b.a.Aggs[i].Impl.Result})
		out.id.cols = append(out.id.cols, begin.with("."+text))
		id.WriteString(" " + text)
	}
	n.P.Columns = unique(n.P.Columns)
	out.id.base = base
	n.OpID = hashOf("aggregate", id.String())
}

// aggText is an aggregate in terms of the sources.
func (b *aggregateBuilder) aggText(g physical.Agg) string {
	text := g.Name + "("
	for _, a := range g.Args {
		text += b.in.id.cols[a] + ","
	}
	if g.Distinct {
		text += " distinct"
	}
	for _, o := range g.Order {
		text += " order " + b.in.id.cols[o.Col]
	}
	if g.Filter >= 0 {
		text += " filter " + b.in.id.cols[g.Filter]
	}
	return text + ")"
}

// bound finds the key that makes groups final, and the frontiers of the output: that
// of the bound key, and others that are promises already.
func (b *aggregateBuilder) bound(out *lowered) {
	n := b.node
	if n.Keep {
		return
	}
	for i, k := range n.Keys {
		for at, f := range b.in.props().Frontiers {
			if f.Col != k {
				continue
			}
			d := derived{path: f.Path, rule: physical.FrontierInput{Child: 0, Front: at}, hard: true}
			pane := n.Panes != nil && n.Panes.Key == i
			if pane {
				d.rule.Expr = b.firstOpen(i)
			}
			mayBind := n.Bound == nil && len(f.Path) == 0 && (n.Panes == nil || pane) &&
				(!physical.IsDynamic(b.in.node, at) || !b.staticBound())
			if mayBind {
				n.Bound = &physical.Bound{Col: i, Front: len(n.P.Frontiers)}
			} else if !b.in.hard[at] && !b.follows(k, f.Path) {
				continue
			}
			addFrontiers(&n.P, &out.hard, i, []derived{d})
		}
	}
}

// follows reports that a field of a struct key is the bound itself, as a hidden key.
func (b *aggregateBuilder) follows(key int, path []int) bool {
	if b.extra == 0 || len(path) == 0 {
		return false
	}
	e := b.exprs[key]
	for _, f := range path {
		e = expr.NewField(e, f)
	}
	hidden := b.exprs[len(b.exprs)-1]
	for i := range b.exprs {
		if expr.Equal(b.exprs[i], e) {
			hidden = b.exprs[i]
		}
	}
	return expr.Equal(hidden, e)
}

// firstOpen is the start of the first window that is still open, over the frontier of
// panes.
func (b *aggregateBuilder) firstOpen(i int) expr.Node {
	t := b.in.props().Columns[b.node.Keys[i]].Type
	pane := &expr.Column{Index: 0, Name: "pane", T: t}
	w := b.panes.Window
	return call(&timewindow.FirstOpen, pane, interval(w.Size), interval(w.Slide), interval(w.Offset))
}
