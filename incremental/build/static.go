package build

import (
	"context"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// static reads the static side of a join, by a graph of its own, and indexes it.
func (g *Graph) static(ctx context.Context, p *physical.StaticJoin) (*stateful.StaticIndex, error) {
	if ix := g.env.indexes[p]; ix != nil {
		return ix, nil
	}
	c := staticConfig(p)
	rows, err := RunFinite(ctx, p.Static, g.env)
	if err != nil {
		return nil, fmt.Errorf("static side of %s: %w", c.Name, err)
	}
	ix, err := stateful.NewStaticIndex(c, rows)
	g.env.indexes[p] = ix
	return ix, err
}

func staticConfig(p *physical.StaticJoin) stateful.StaticJoinConfig {
	c := stateful.StaticJoinConfig{Name: opName(p), Kind: joinKind(p.Kind), InputKeys: p.InputKeys, StaticKeys: p.StaticKeys,
		NullSafe: p.NullSafe, StaticTypes: columnTypes(p.Static), Residual: p.Residual, NullAware: p.NullAware, Single: p.Single}
	for _, k := range p.StaticKeys {
		c.KeyTypes = append(c.KeyTypes, c.StaticTypes[k])
	}
	return c
}

// joinKind translates the plan's kind.
func joinKind(k physical.JoinKind) stateful.JoinKind {
	return [...]stateful.JoinKind{physical.Inner: stateful.InnerJoin, physical.Left: stateful.LeftJoin,
		physical.Semi: stateful.SemiJoin, physical.Anti: stateful.AntiJoin, physical.Full: stateful.FullJoin, physical.Mark: stateful.MarkJoin}[k]
}

// RunFinite runs a plan over finite inputs once and returns its rows.
func RunFinite(ctx context.Context, root physical.Node, env Env) (rows []*vec.Batch, err error) {
	return runFinite(ctx, root, env, func(s *Scan) (Input, func(), error) { return openFinite(ctx, s, env) })
}

// runFinite runs a plan once over what open gives for each scan.
func runFinite(ctx context.Context, root physical.Node, env Env, open func(*Scan) (Input, func(), error)) (rows []*vec.Batch, err error) {
	out := &physical.Output{Input: root, Target: physical.ToClient}
	out.P = *root.Props()
	out.P.Frontiers = nil // their rules speak of the inputs of root
	env.Pool = nil        // who starts a query waits for it, and has no seat
	g, err := New(ctx, &physical.Query{Outputs: []*physical.Output{out}, Finite: true}, env)
	if err != nil {
		return nil, err
	}
	t := Trigger{Now: env.NewCtx().Now, Emit: func(_ int, b *vec.Batch) error {
		rows = append(rows, b.Clone())
		return nil
	}}
	for _, s := range g.Scans {
		in, done, err := open(s)
		if err != nil {
			return nil, err
		}
		defer done()
		t.Inputs = append(t.Inputs, in)
	}
	_, err = g.Run(ctx, t)
	return rows, err
}

// openFinite plans everything that a finite scan has as one range.
func openFinite(ctx context.Context, s *Scan, env Env) (in Input, done func(), err error) {
	src, err := env.Open(ctx, s.Plan.Relation)
	if err != nil {
		return in, nil, err
	}
	done = func() { src.Close() }
	in = Input{Scan: s, Last: true}
	for {
		r, ok, err := src.Plan(ctx, s.Plan.Relation.Common.Limits, nil)
		if err != nil {
			done()
			return in, nil, err
		}
		if !ok {
			return in, done, nil
		}
		splits, err := src.Splits(ctx, r)
		if err != nil {
			done()
			return in, nil, err
		}
		in.Splits = append(in.Splits, splits...)
	}
}
