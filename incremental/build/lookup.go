package build

import (
	"context"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// lookup makes the table's side of a join that asks for rows by key: each question runs
// the plan of the static side over the rows that the source finds.
func (g *Graph) lookup(ctx context.Context, p *physical.StaticJoin) (*stateful.Lookup, error) {
	var scan *physical.Scan
	physical.Walk(p.Static, func(n physical.Node) {
		if s, ok := n.(*physical.Scan); ok {
			scan = s
		}
	})
	opened, err := g.env.Open(ctx, scan.Relation)
	if err != nil {
		return nil, err
	}
	src, ok := opened.(source.Lookup)
	if !ok {
		return nil, errors.Join(fmt.Errorf("table %q: its connector finds no single rows", scan.Relation.Name), opened.Close())
	}
	g.tables = append(g.tables, src)
	env := g.env
	env.Workers = 1
	find := func(ctx context.Context, keys []*vec.Vector, n int) ([]*vec.Batch, error) {
		return runFinite(ctx, p.Static, env, func(s *Scan) (Input, func(), error) {
			splits, err := src.Find(ctx, p.LookupBy, keys, n)
			return Input{Scan: s, Splits: splits, Last: true}, func() {}, err
		})
	}
	c := scan.Relation.Common.Lookup
	l := stateful.NewLookup(staticConfig(p), find, c.Rows, c.TTL)
	g.lookups = append(g.lookups, l)
	return l, nil
}

// Close closes the tables that are asked for rows.
func (g *Graph) Close() error {
	var errs []error
	for _, t := range g.tables {
		errs = append(errs, t.Close())
	}
	g.tables = nil
	return errors.Join(errs...)
}
