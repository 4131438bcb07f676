package build

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// recursive makes the operator of a recursion, whose step is a graph of its own.
func (g *Graph) recursive(ctx context.Context, p *physical.Recursive) (stateful.Operator, error) {
	c := stateful.RecursiveConfig{Name: "recursive query " + p.Name, Types: columnTypes(p), All: p.All, Rounds: p.Rounds, Rows: p.Rows,
		Unlogged: g.Unlogged(), NewStep: func() (stateful.StepGraph, error) { return newStep(ctx, p.Step, g.env) }}
	for _, in := range p.Inputs {
		c.Inputs = append(c.Inputs, columnTypes(in))
	}
	if p.Until != nil {
		c.NewUntil, c.Enough = func() (stateful.StepGraph, error) { return newStep(ctx, p.Until, g.env) }, p.Enough
	}
	if p.Why == "" {
		return stateful.NewRecursive(c)
	}
	if p.Settle != nil {
		c.NewSettle = func() (stateful.StepGraph, error) { return newStep(ctx, p.Settle, g.env) }
	}
	return stateful.NewRounds(c)
}

// step is the step of a recursion at work: a graph that is given its rows.
type step struct {
	g     *Graph
	feeds []*node // Feed nodes, in the order of the graph
}

func newStep(ctx context.Context, root physical.Node, env Env) (*step, error) {
	out := &physical.Output{Input: root, Target: physical.ToClient}
	out.P = *root.Props()
	env.Workers, env.Unlogged = 1, true // the recursion logs what it needs
	g, err := New(ctx, &physical.Query{Outputs: []*physical.Output{out}, Finite: true}, env)
	if err != nil {
		return nil, err
	}
	s := &step{g: g}
	for _, n := range g.nodes {
		if _, ok := n.plan.(*physical.Feed); ok {
			s.feeds = append(s.feeds, n)
		}
	}
	return s, nil
}

// Run implements stateful.StepGraph.
func (s *step) Run(t *stateful.Trigger, feeds [][]*vec.Batch, out stateful.Emit) error {
	w := s.g.workers[0]
	r := &run{ctx: context.Background(), t: Trigger{BatchID: t.BatchID, Now: t.Ctx.Now, Emit: func(_ int, b *vec.Batch) error { return out(b) }}, emitted: make([]int64, 1)}
	w.begin(r)
	for _, n := range s.feeds {
		at := n.plan.(*physical.Feed).Index
		if at == physical.FeedWhole {
			at = len(feeds) - 1
		}
		for _, b := range feeds[at] {
			if err := w.deliver(n, b); err != nil {
				return err
			}
		}
	}
	return s.g.settle(context.Background(), r.t)
}

// Bytes implements stateful.StepGraph.
func (s *step) Bytes() (n int64) {
	for _, o := range s.g.Ops {
		n += o.Stats().Bytes
	}
	return n
}
