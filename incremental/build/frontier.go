package build

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// idle stands for the frontier of an idle input while others are derived from it: it
// holds nobody back, and where all inputs are idle the frontier stands.
const idle = math.MaxInt64 - 1

// Refront computes the frontiers of every edge from the scans' watermarks without
// advancing any operator: after a restart.
func (g *Graph) Refront(now int64) error {
	for _, s := range g.Scans {
		s.front()
	}
	for _, n := range g.nodes {
		if err := g.derive(n, now); err != nil {
			return err
		}
		n.advanced = n.boundNow()
	}
	return nil
}

// Fronts are the frontiers that the scans' watermarks do not tell, for a checkpoint: a
// frontier never retreats, so one that moved on without an idle input stays ahead of it
// when that input wakes. Nil where no input can be idle.
func (g *Graph) Fronts() map[string][]int64 {
	out := map[string][]int64{}
	idles := false
	for _, s := range g.Scans {
		idles = idles || s.Plan.Watermark != nil && s.Plan.Watermark.IdleTimeout > 0
	}
	if !idles || len(g.Scans) < 2 {
		return nil
	}
	for _, n := range g.nodes {
		if _, scan := n.plan.(*physical.Scan); !scan && len(n.fronts) > 0 {
			out[n.frontKey(out)] = n.fronts
		}
	}
	return out
}

// frontKey names a node in a checkpoint: equal subtrees get numbers.
func (n *node) frontKey(taken map[string][]int64) string {
	for key, i := n.plan.ID(), 2; ; i++ {
		if _, ok := taken[key]; !ok {
			return key
		}
		key = fmt.Sprintf("%s-%d", n.plan.ID(), i)
	}
}

// SetFronts restores what Fronts gave, before Resume.
func (g *Graph) SetFronts(fronts map[string][]int64) {
	seen := map[string][]int64{}
	for _, n := range g.nodes {
		if _, scan := n.plan.(*physical.Scan); scan || len(n.fronts) == 0 {
			continue
		}
		key := n.frontKey(seen)
		seen[key] = nil
		if f := fronts[key]; len(f) == len(n.fronts) {
			copy(n.fronts, f)
		}
	}
}

// front sets the frontiers of the scan's edge.
func (s *Scan) front() {
	w := s.Plan.Watermark
	for i := range s.node.fronts {
		switch {
		case s.Ended:
			s.node.fronts[i] = stateful.EndOfInput
		case w != nil && i == w.Front:
			s.node.fronts[i], s.node.idle[i] = s.Watermark, s.Idle
		}
	}
}

// derive computes the frontiers of a node's output edge from its inputs. They never
// retreat.
func (g *Graph) derive(n *node, now int64) error {
	if _, ok := n.plan.(*physical.Scan); ok {
		return nil
	}
	for i, f := range n.plan.Props().Frontiers {
		v, err := g.frontier(n, f, now)
		if err != nil {
			return err
		}
		n.idle[i] = v == idle
		if v != idle && v > n.fronts[i] {
			n.fronts[i] = v
		}
	}
	return nil
}

// Due reports whether the passing of time alone would let an operator close or forget
// something: windows over now() that have ended.
func (g *Graph) Due(now int64) bool {
	if !g.Query.TimeDriven {
		return false
	}
	defer g.keepFronts()()
	for _, n := range g.nodes {
		if err := g.derive(n, now); err != nil {
			return true // the trigger will tell
		}
		if n.op != nil && slices.Compare(n.boundNow(), n.advanced) > 0 && n.op.Stats().Keys > 0 {
			return true
		}
		if t, ok := n.op.(timed); ok && t.Due(g.ctxAt(now)) {
			return true
		}
	}
	return false
}

// timed is an operator for which the passing of time alone may make work.
type timed interface{ Due(c *fn.Ctx) bool }

func (g *Graph) ctxAt(now int64) *fn.Ctx {
	c := g.env.NewCtx()
	c.Now = now
	return c
}

// keepFronts returns a function that makes the frontiers as they are now.
func (g *Graph) keepFronts() (restore func()) {
	fronts, idles := make([][]int64, len(g.nodes)), make([][]bool, len(g.nodes))
	for i, n := range g.nodes {
		fronts[i], idles[i] = slices.Clone(n.fronts), slices.Clone(n.idle)
	}
	return func() {
		for i, n := range g.nodes {
			copy(n.fronts, fronts[i])
			copy(n.idle, idles[i])
		}
	}
}

// boundNow are the frontiers that the operator's bounds follow; one without a bound
// follows none.
func (n *node) boundNow() []int64 {
	if n.isJoin() {
		return slices.Concat(n.advanceBy()...)
	}
	if n.bound < 0 {
		return nil
	}
	return []int64{n.advanceBy()[0][n.bound]}
}

// isJoin tells an operator that follows all frontiers of its inputs, and their ends.
func (n *node) isJoin() bool {
	switch n.plan.(type) {
	case *physical.Join, *physical.Asof:
		return true
	}
	return false
}

// frontier is the minimum over the rules of one frontier. Nothing ended promises that
// all has ended only if every input has.
func (g *Graph) frontier(n *node, f physical.Frontier, now int64) (int64, error) {
	least := int64(math.MaxInt64)
	for _, r := range f.Rules {
		v, err := g.rule(n, r, now)
		if err != nil {
			return 0, err
		}
		least = min(least, v)
	}
	return least, nil
}

func (g *Graph) rule(n *node, r physical.FrontierInput, now int64) (int64, error) {
	if r.Child == physical.OperatorFront {
		return n.op.(stateful.Fronted).OwnFront(), nil
	}
	v, t := now, types.Of(types.Timestamp)
	if r.Child != physical.TriggerTime {
		kid := n.kids[r.Child]
		if r.Front == physical.Ended {
			return kid.end(), nil
		}
		if v, t = kid.fronts[r.Front], frontType(kid.plan.Props(), r.Front); kid.idle[r.Front] {
			return idle, nil
		}
	} else if n.ended() {
		return stateful.EndOfInput, nil
	}
	if v == stateful.NoFrontier || v >= idle {
		return v, nil
	}
	if r.Expr == nil {
		return shifted(v, r.Shift), nil
	}
	b := &vec.Batch{N: 1, Cols: []*vec.Vector{{Type: t, N: 1, I64: []int64{v}}}}
	c := g.env.NewCtx()
	c.Now = now
	res, err := r.Expr.Eval(c, b)
	if err != nil {
		return 0, fmt.Errorf("frontier %s: %w", r.Expr, err)
	}
	if res.IsNull(0) {
		return stateful.NoFrontier, nil
	}
	return shifted(res.Int(0), r.Shift), nil
}

// shifted moves a frontier; one that leaves the range of numbers promises nothing.
func shifted(v, by int64) int64 {
	s := v + by
	if (by < 0) != (s < v) && by != 0 || s >= idle {
		return stateful.NoFrontier
	}
	return s
}

// end is the frontier that stands for the end of a node's rows.
func (n *node) end() int64 {
	if n.ended() {
		return stateful.EndOfInput
	}
	return stateful.NoFrontier
}

// ended reports that no scan below n can deliver rows any more.
func (n *node) ended() bool {
	return !slices.ContainsFunc(n.scans, func(s *Scan) bool { return !s.Ended })
}

func frontType(p *physical.Props, front int) types.Type {
	f := p.Frontiers[front]
	t := p.Columns[f.Col].Type
	for _, i := range f.Path {
		t = t.Fields[i].Type
	}
	return t
}
