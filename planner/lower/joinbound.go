package lower

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// boundPlan is what the condition of a join lets derive, in terms of variables. A later
// row of the other side has y ≥ F(y), and rows match only if x − y ≥ k: so x is bounded
// from below by F(y) + k where a later row is matched, and a row with x − k < F(y) meets
// no later one.
type boundPlan struct {
	d     *differences
	front []int // by variable: its frontier on its own side's edge, −1 = none
	keep  [2]*pairBound
	late  [2]int // variable, −1 = none
	width int
}

// pairBound is x − y ≥ k of two variables; y has a frontier.
type pairBound struct {
	x, y int
	k    int64
}

// planBounds chooses how long the rows of each side are kept and what makes them late.
func (b *joinBuilder) planBounds(d *differences) boundPlan {
	p := boundPlan{d: d, width: b.width(), late: [2]int{-1, -1}}
	b.namedTimes(d)
	d.close()
	for _, v := range d.vars {
		p.front = append(p.front, -1)
		side := sideOf(v, p.width)
		for i, f := range b.l.frontiersOf(b.in[side], p.own(v)) {
			if len(f.path) == 0 && p.front[len(p.front)-1] < 0 {
				p.front[len(p.front)-1] = i
			}
		}
	}
	if b.l.opt.Keep {
		return p
	}
	for side := range p.keep {
		p.keep[side] = p.tightest(side)
	}
	for side := range p.late {
		p.late[side] = b.lateVariable(&p, side)
	}
	return p
}

// namedTimes makes variables of all columns and fields that have a frontier.
func (b *joinBuilder) namedTimes(d *differences) {
	for side, in := range b.in {
		for _, f := range in.props().Frontiers {
			e := expr.Node(column(in, f.Col))
			for _, x := range f.Path {
				e = expr.NewField(e, x)
			}
			if t := e.Type(); !t.IsTime() && !t.IsInteger() {
				continue
			}
			if side == 1 {
				e = b.moved(e)
			}
			d.variable(e)
		}
	}
}

// own is a variable over the columns of its side.
func (p *boundPlan) own(v expr.Node) expr.Node {
	if sideOf(v, p.width) == 0 {
		return v
	}
	return expr.MapColumns(v, func(i int) int { return i - p.width })
}

func (p *boundPlan) sideOf(v int) int { return sideOf(p.d.vars[v], p.width) }

// tightest is the bound that lets the rows of a side go first, nil if there is none.
func (p *boundPlan) tightest(side int) *pairBound {
	var best *pairBound
	for x := range p.d.vars {
		for y := range p.d.vars {
			k := p.d.least[x][y]
			if p.sideOf(x) != side || p.sideOf(y) == side || p.front[y] < 0 || k == unbounded {
				continue
			}
			if best == nil || k > best.k {
				best = &pairBound{x, y, k}
			}
		}
	}
	return best
}

// lateVariable is the time by which rows of a side are late: the one against which rows of
// the other are forgotten, else any that bounds the output or must be passed before a
// retracted row is forgotten.
func (b *joinBuilder) lateVariable(p *boundPlan, side int) int {
	if k := p.keep[1-side]; k != nil && !b.ended[side] {
		return k.y
	}
	if b.ended[side] {
		return -1
	}
	changes := b.in[side].props().Kind != physical.AppendOnly && p.keep[side] != nil
	for v := range p.d.vars {
		if p.sideOf(v) != side || p.front[v] < 0 {
			continue
		}
		if changes || p.fromOther(v) != nil || p.boundsOther(v) {
			return v
		}
	}
	return -1
}

// fromOther is the bound of a variable where a later row of the other side is matched.
func (p *boundPlan) fromOther(x int) *pairBound {
	var best *pairBound
	keep := p.keep[p.sideOf(x)]
	for y := range p.d.vars {
		k := p.d.least[x][y]
		if p.sideOf(y) == p.sideOf(x) || p.front[y] < 0 || k == unbounded {
			continue
		}
		if best == nil || keep != nil && keep.y == y {
			best = &pairBound{x, y, k}
		}
	}
	return best
}

// boundsOther tells that a variable with a frontier of the other side follows from y.
func (p *boundPlan) boundsOther(y int) bool {
	for x := range p.d.vars {
		if p.sideOf(x) != p.sideOf(y) && p.front[x] >= 0 {
			if f := p.fromOther(x); f != nil && f.y == y {
				return true
			}
		}
	}
	return false
}

// columns are the expressions that must be columns of each side, beside the keys.
func (p *boundPlan) columns() (out [2][]expr.Node) {
	if p.d == nil {
		return out
	}
	for side := range out {
		var vars []int
		if k := p.keep[side]; k != nil {
			vars = append(vars, k.x)
		}
		if k := p.keep[1-side]; k != nil {
			vars = append(vars, k.y)
		}
		if v := p.late[side]; v >= 0 {
			vars = append(vars, v)
		}
		for _, v := range vars {
			out[side] = append(out[side], p.own(p.d.vars[v]))
		}
	}
	return out
}

// place finds the column of a variable on its side, which columns has made.
func (b *joinBuilder) place(v int) (side, col int) {
	side = b.plan.sideOf(v)
	e := b.plan.own(b.plan.d.vars[v])
	i := slices.IndexFunc(b.keys[side], func(x expr.Node) bool { return expr.Equal(x, e) })
	return side, b.at[side][i]
}

// frontOf is the frontier of a variable on its side's edge.
func (b *joinBuilder) frontOf(v int) (side, front int) {
	side, col := b.place(v)
	return side, b.in[side].props().FrontierOf(col)
}

// sides turns the plan of the bounds into columns and frontiers.
func (b *joinBuilder) sides() {
	for side := range b.node.Sides {
		s := &b.node.Sides[side]
		s.Retract = b.in[side].props().Kind != physical.AppendOnly
		if b.l.opt.Finite {
			continue
		}
		if b.ended[1-side] {
			s.Keep = &physical.Retention{Col: -1, Front: physical.Ended}
		} else if k := b.plan.keep[side]; k != nil {
			_, col := b.place(k.x)
			_, front := b.frontOf(k.y)
			s.Keep = &physical.Retention{Col: col, Front: front, Shift: -k.k}
		}
		if v := b.plan.late[side]; v >= 0 {
			_, col := b.place(v)
			_, front := b.frontOf(v)
			s.Late = &physical.Bound{Col: col, Front: front}
		}
	}
}

// frontiers of the output: the lesser of what holds for a new row of the own side and for
// an old one that a new row of the other side touches.
func (b *joinBuilder) frontiers(out *lowered) {
	if b.l.opt.Finite || b.l.opt.Keep {
		return
	}
	for side, in := range b.in {
		if side == 1 && !bothSides(b.node.Kind) {
			return
		}
		if b.neverThere(side) {
			continue
		}
		shift := side * b.width()
		for i, f := range in.props().Frontiers {
			rules, ok := b.outputRules(side, i)
			if !ok {
				continue
			}
			b.node.P.Frontiers = append(b.node.P.Frontiers, physical.Frontier{Col: f.Col + shift, Path: f.Path, Rules: rules})
			out.hard = append(out.hard, true)
		}
	}
}

// neverThere reports that rows which may yet change have NULLs in the place of a side:
// what holds rows until a time of that side is past would hold those for ever.
func (b *joinBuilder) neverThere(side int) bool {
	n := b.node
	return b.l.opt.Close && n.P.Kind != physical.AppendOnly && (n.Kind == physical.Full || n.Kind == physical.Left && side == 1)
}

func (b *joinBuilder) outputRules(side, front int) ([]physical.FrontierInput, bool) {
	x := b.frontVariable(side, front)
	own, ok := b.ownRule(side, front, x)
	if !ok {
		return nil, false
	}
	if b.ended[1-side] {
		return []physical.FrontierInput{own, {Child: 1 - side, Front: physical.Ended}}, true
	}
	if x < 0 {
		return nil, false
	}
	rules := []physical.FrontierInput{own}
	for _, f := range b.otherBounds(side, x) {
		at := -1
		if f != nil {
			at = b.edgeFront(f.y)
		}
		if at < 0 || !b.promised(1-side, at) {
			return nil, false
		}
		rules = append(rules, physical.FrontierInput{Child: 1 - side, Front: at, Shift: f.k})
	}
	return rules, true
}

// ownRule is the frontier for new rows of the own side: the one of its edge, or what
// follows from the time by which rows are late.
func (b *joinBuilder) ownRule(side, front, x int) (physical.FrontierInput, bool) {
	if b.promised(side, front) {
		return physical.FrontierInput{Child: side, Front: front}, true
	}
	late := b.plan.late[side]
	if x < 0 || late < 0 || b.plan.d.every[x][late] == unbounded {
		return physical.FrontierInput{}, false
	}
	_, at := b.frontOf(late)
	return physical.FrontierInput{Child: side, Front: at, Shift: b.plan.d.every[x][late]}, true
}

// otherBounds are what holds for rows that a new row of the other side touches, and for
// those that come out when their wait is over.
func (b *joinBuilder) otherBounds(side, x int) []*pairBound {
	f := b.plan.fromOther(x)
	if f == nil || !b.node.EmitOnExpiry || !padded(b.node.Kind, side) {
		return []*pairBound{f}
	}
	keep := b.plan.keep[side]
	k := b.plan.d.every[x][keep.x]
	switch {
	case k == unbounded:
		return []*pairBound{nil}
	case f.y == keep.y:
		return []*pairBound{{x, f.y, min(f.k, add(k, keep.k))}}
	}
	return []*pairBound{f, {x, keep.y, add(k, keep.k)}}
}

// frontVariable is the variable of a frontier of a side's edge.
func (b *joinBuilder) frontVariable(side, front int) int {
	in := b.in[side]
	f := in.props().Frontiers[front]
	for v, e := range b.plan.d.vars {
		if b.plan.sideOf(v) != side {
			continue
		}
		if col, path, ok := access(b.plan.own(e)); ok && col == f.Col && slices.Equal(path, f.Path) {
			return v
		}
		if i := slices.IndexFunc(b.keys[side], func(x expr.Node) bool { return expr.Equal(x, b.plan.own(e)) }); i >= 0 && b.at[side][i] == f.Col && len(f.Path) == 0 {
			return v
		}
	}
	return -1
}

// edgeFront is the frontier of a variable on its side's edge, be it a column or not, −1 if
// it is none.
func (b *joinBuilder) edgeFront(v int) int {
	side := b.plan.sideOf(v)
	for i := range b.in[side].props().Frontiers {
		if b.frontVariable(side, i) == v {
			return i
		}
	}
	return -1
}

// promised reports that a frontier of a side holds for the rows that the join takes: it
// held before, or follows from what makes rows late.
func (b *joinBuilder) promised(side, front int) bool {
	if b.in[side].hard[front] {
		return true
	}
	late := b.node.Sides[side].Late
	if late == nil {
		return false
	}
	return follows(b.in[side].node, front, late.Front)
}

// follows reports that a frontier of an edge is computed, row by row, from the very time
// of another: what is below it is below the other.
func follows(n physical.Node, front, from int) bool {
	base := origins(n, from)
	plain := slices.IndexFunc(base, func(o origin) bool { return o.computed })
	if plain < 0 {
		plain = len(base)
	}
	for _, o := range origins(n, front) {
		for _, b := range base[:plain] {
			if o.node == b.node && o.front == b.front {
				return true
			}
		}
	}
	return false
}

// origin is a frontier of a node from which another comes; computed tells that something
// was computed above it.
type origin struct {
	node     physical.Node
	front    int
	computed bool
}

// origins goes down from a frontier as long as it comes from one other.
func origins(n physical.Node, front int) []origin {
	out := []origin{{node: n, front: front}}
	for {
		o := out[len(out)-1]
		rules := o.node.Props().Frontiers[o.front].Rules
		if len(rules) != 1 || rules[0].Child < 0 || rules[0].Front < 0 || rules[0].Shift != 0 {
			return out
		}
		r := rules[0]
		out = append(out, origin{o.node.Children()[r.Child], r.Front, o.computed || r.Expr != nil})
	}
}
