package build

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sqlstream/sqlstream/exec/op"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// fill makes the operator of a plan node: the only switch over kinds of nodes.
func (g *Graph) fill(ctx context.Context, n *node) (err error) {
	switch p := n.plan.(type) {
	case *physical.Scan, *physical.Values, *physical.UnionAll, *physical.Feed:
	case *physical.Recursive:
		n.op, err = g.recursive(ctx, p)
	case *physical.Output:
		if p.Target == physical.ToView { // the view's rows live here
			n.op, err = stateful.NewMaterialize(stateful.MaterializeConfig{Name: "View " + p.Name, Types: columnTypes(p), Limit: -1, Unlogged: g.Unlogged()})
		}
	case *physical.Close:
		n.bound = p.Bound.Front
		n.op, err = stateful.NewClose(stateful.CloseConfig{Name: opName(p), Types: columnTypes(p.Input), Bound: p.Bound.Col,
			Front: p.Bound.Front, Unlogged: g.Unlogged()})
	case *physical.Limit:
		n.op = stateful.NewLimit(stateful.LimitConfig{Name: opName(p), Limit: p.Limit, Offset: p.Offset})
	case *physical.TopN:
		n.bound = front(p.Bound)
		n.op, err = stateful.NewTopN(g.topN(p))
	case *physical.Materialize:
		n.op, err = stateful.NewMaterialize(g.materialize(p))
	case *physical.Filter:
		n.stage = func() stage { return op.NewFilter(p.Predicate) }
	case *physical.Upsert:
		c := stateful.UpsertConfig{Name: opName(p), Types: columnTypes(p), Keys: p.Keys, Bound: -1, Unlogged: g.Unlogged()}
		if n.bound = front(p.Bound); p.Bound != nil {
			c.Bound, c.Front = p.Bound.Col, p.Bound.Front
		}
		n.op, err = stateful.NewUpsert(c)
	case *physical.Refresh:
		n.op = stateful.NewRefresh(stateful.RefreshConfig{Name: opName(p), Types: columnTypes(p), Unlogged: g.Unlogged()})
	case *physical.Temporal:
		n.op, err = stateful.NewTemporal(stateful.TemporalConfig{Name: opName(p), Types: columnTypes(p), Col: p.Col, Bound: p.Bound,
			Past: p.Past, Leaves: p.Leaves, Unlogged: g.Unlogged()})
	case *physical.Moving:
		n.op = stateful.NewMoving(stateful.MovingConfig{Name: opName(p), Types: columnTypes(p.Input), Exprs: p.Exprs, Unlogged: g.Unlogged()})
	case *physical.Versions:
		n.stage = func() stage { return op.NewVersions() }
	case *physical.Project:
		n.stage = func() stage { return op.NewProject(p.Exprs) }
	case *physical.Unnest:
		n.stage = func() stage {
			return op.NewUnnest(op.UnnestConfig{Gen: p.Gen, Args: p.Args, Outer: p.Outer, Ordinality: p.Ordinality})
		}
	case *physical.Hop:
		t := columnTypes(p.Input)[p.Time]
		if p.By != nil {
			n.stage = func() stage { return op.NewWindows(p.Time, p.By.Of, t) }
			break
		}
		n.stage = func() stage { return op.NewHop(p.Time, p.Window.Size, p.Window.Slide, p.Window.Offset, t) }
	case *physical.Expand:
		n.stage = func() stage { return op.NewExpand(p.Cols, expandSets(p)) }
	case *physical.Session:
		n.bound = front(p.Bound)
		n.op, err = stateful.NewSession(g.session(p))
	case *physical.Aggregate:
		if p.Sessions != nil {
			n.bound = front(p.Sessions.Bound)
			n.op, err = stateful.NewSessionAggregate(g.sessionAggregate(p))
			break
		}
		n.bound, n.boundOut = front(p.Bound), true
		n.op, err = stateful.NewAggregate(g.aggregate(p))
	case *physical.StaticJoin:
		if len(p.LookupBy) > 0 {
			l, err := g.lookup(ctx, p)
			if err != nil {
				return err
			}
			n.stage = func() stage { return l.Stage() }
			break
		}
		ix, err := g.static(ctx, p)
		if err != nil {
			return err
		}
		n.stage = func() stage { return ix.Stage() }
	case *physical.Join:
		n.op, err = stateful.NewJoin(g.join(p))
	case *physical.Asof:
		n.op, err = stateful.NewAsof(g.asof(p))
	case *physical.Present:
		n.op, err = stateful.NewPresent(g.present(p))
	case *physical.Changelog:
		n.op = stateful.NewChangelog(stateful.ChangelogConfig{Name: opName(p), Types: columnTypes(p.Input), Key: p.Key})
	case *physical.Distinct:
		n.bound = front(p.Bound)
		n.op, err = stateful.NewDistinct(g.distinct(p))
	case *physical.SetOp:
		n.bound, n.boundOut = front(p.Bound), true
		n.op, err = stateful.NewSetOp(g.setOp(p))
	case *physical.Over:
		n.bound = front(p.Bound)
		n.op, err = stateful.NewOver(g.over(p))
	case *physical.Dedup:
		if p.Clean || p.Within {
			n.bound = front(p.Bound)
		}
		n.op, err = stateful.NewDedup(g.dedup(p))
	default:
		return fmt.Errorf("build: there is no operator for %T", p)
	}
	return err
}

// front is the frontier that a bound follows, −1 = none.
func front(b *physical.Bound) int {
	if b == nil {
		return -1
	}
	return b.Front
}

func expandSets(p *physical.Expand) []op.ExpandSet {
	sets := make([]op.ExpandSet, len(p.Sets))
	for i, s := range p.Sets {
		sets[i] = op.ExpandSet{ID: s.ID, In: s.In}
	}
	return sets
}

func (g *Graph) aggregate(p *physical.Aggregate) stateful.AggregateConfig {
	in := columnTypes(p.Input)
	c := stateful.AggregateConfig{Name: opName(p), Keys: p.Keys, Retract: p.Retract, Bound: -1, Front: -1, Keep: p.Keep,
		EmitOnClose: p.EmitOnClose, Global: p.Global, Unlogged: g.Unlogged()}
	for _, k := range p.Keys {
		c.KeyTypes = append(c.KeyTypes, in[k])
	}
	if p.Bound != nil {
		c.Bound, c.Front = p.Bound.Col, p.Bound.Front
		c.Width = bucketWidth(p.Input, p.Keys[p.Bound.Col])
	}
	if w := p.Panes; w != nil {
		c.Bound = w.Key
		c.Panes = &stateful.PaneConfig{Size: w.Window.Size, Slide: w.Window.Slide, Offset: w.Window.Offset, Pane: w.Pane}
	}
	c.Aggs = aggregateSpecs(p, in)
	return c
}

func aggregateSpecs(p *physical.Aggregate, in []types.Type) []stateful.AggregateSpec {
	var out []stateful.AggregateSpec
	for _, a := range p.Aggs {
		s := stateful.AggregateSpec{Impl: a.Impl, Text: a.Text, Args: a.Args, Filter: a.Filter, Distinct: a.Distinct, Ordered: a.Ordered}
		for _, k := range a.Order {
			s.OrderBy = append(s.OrderBy, stateful.OrderColumn{Col: k.Col, Type: in[k.Col], Order: order(k)})
		}
		out = append(out, s)
	}
	return out
}

func (g *Graph) distinct(p *physical.Distinct) stateful.DistinctConfig {
	c := stateful.DistinctConfig{Name: opName(p), Types: columnTypes(p.Input), Retract: p.Retract, Bound: -1, Unlogged: g.Unlogged()}
	if p.Bound != nil {
		c.Bound, c.Front = p.Bound.Col, p.Bound.Front
		c.Width = bucketWidth(p.Input, p.Bound.Col)
	}
	return c
}

func (g *Graph) setOp(p *physical.SetOp) stateful.SetOpConfig {
	c := stateful.SetOpConfig{Name: opName(p), Types: columnTypes(p.L), Intersect: p.Intersect, All: p.All, EmitOnClose: p.EmitOnClose,
		Bound: -1, Unlogged: g.Unlogged()}
	if p.Bound != nil {
		c.Bound, c.Front = p.Bound.Col, p.Bound.Front
	}
	return c
}

func (g *Graph) materialize(p *physical.Materialize) stateful.MaterializeConfig {
	c := stateful.MaterializeConfig{Name: opName(p), Types: columnTypes(p.Input), Limit: p.Limit, Offset: p.Offset, Whole: true, Unlogged: g.Unlogged()}
	for _, k := range p.Order {
		c.Order = append(c.Order, stateful.OrderColumn{Col: k.Col, Type: c.Types[k.Col], Order: order(k)})
	}
	return c
}

func (g *Graph) dedup(p *physical.Dedup) stateful.DedupConfig {
	in := columnTypes(p.Input)
	c := stateful.DedupConfig{Name: opName(p), Keys: p.Keys, Bound: -1, Clean: p.Clean, Unlogged: g.Unlogged()}
	for _, k := range p.Keys {
		c.KeyTypes = append(c.KeyTypes, in[k])
	}
	if p.Bound != nil {
		c.Bound, c.Front = p.Bound.Col, p.Bound.Front
	}
	if p.Within {
		zone := g.env.NewCtx().Zone
		c.Expires = func(first int64) int64 {
			t, ok := p.Delay.AddToTimestamp(first, zone)
			if !ok {
				return math.MaxInt64
			}
			return t
		}
	}
	return c
}

func (g *Graph) topN(p *physical.TopN) stateful.TopNConfig {
	c := stateful.TopNConfig{Name: opName(p), Types: columnTypes(p.Input), Partition: p.Partition, Ranking: stateful.Ranking(p.Ranking),
		Limit: p.Limit, Offset: p.Offset, Carry: p.Carry, Retract: p.Retract, Bound: -1, EmitOnClose: p.EmitOnClose, Unlogged: g.Unlogged()}
	for _, k := range p.Order {
		c.Order = append(c.Order, stateful.OrderColumn{Col: k.Col, Type: c.Types[k.Col], Order: order(k)})
	}
	if p.Bound != nil {
		c.Bound, c.Front = p.Bound.Col, p.Bound.Front
		c.Width = bucketWidth(p.Input, p.Bound.Col)
	}
	return c
}

func order(k physical.SortKey) vec.Order {
	o := vec.Order{Desc: k.Desc, Nulls: vec.NullsLast}
	if k.NullsFirst {
		o.Nulls = vec.NullsFirst
	}
	return o
}

func columnTypes(n physical.Node) []types.Type {
	cols := n.Props().Columns
	out := make([]types.Type, len(cols))
	for i, c := range cols {
		out[i] = c.Type
	}
	return out
}

// opName names an operator in messages and late rows: "Aggregate a91f".
func opName(p physical.Node) string { return nodeName(p) + " " + p.ID() }

// blamed is an error that names the operator it comes from.
type blamed struct{ error }

func (e blamed) Unwrap() error { return e.error }

// blame names the operator of an error, once: not again the operators above it, whose
// steps passed the rows down, and not what has put its name there itself.
func blame(n *node, err error) error {
	if b := (blamed{}); errors.As(err, &b) {
		return err
	}
	name := opName(n.plan)
	if strings.HasPrefix(err.Error(), name+": ") {
		return blamed{err}
	}
	return blamed{fmt.Errorf("%s: %w", name, err)}
}

// nodeName is the kind of a node as EXPLAIN prints it.
func nodeName(p physical.Node) string {
	s := fmt.Sprintf("%T", p)
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return s[i+1:]
		}
	}
	return s
}

// Text describes the operator's part of the plan, for messages.
func (o *Op) Text() string { return opName(o.node.plan) }

// Summary says in a few words what the operator does, and over what.
func (o *Op) Summary() string {
	text := physical.Summary(o.node.plan) + " (" + physical.ShortID(o.node.plan) + ")"
	for n := o.node; len(n.kids) == 1 && n.kids[0].op == nil; {
		n = n.kids[0]
		if s, ok := n.plan.(*physical.Scan); ok {
			return text + " ← " + s.Relation.Name
		}
		text += " ← " + physical.Summary(n.plan)
	}
	return text
}

// Columns are those of the rows that the operator emits.
func (o *Op) Columns() []types.Column { return o.node.plan.Props().Columns }

// Root is the operator that keeps the rows of an output: of a materialised view; nil
// for other outputs.
func (g *Graph) Root(output int) stateful.Operator { return g.outputs[output].op }

// InputColumns are the columns of the rows that an operator takes, by the name that
// late rows come with; nil if there is no such operator.
func (g *Graph) InputColumns(operator string) []types.Column {
	for _, o := range g.Ops {
		if len(o.node.kids) > 0 && o.Text() == operator {
			return o.node.kids[0].plan.Props().Columns
		}
	}
	return nil
}
