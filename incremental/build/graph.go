// Package build turns a physical plan into a running graph and runs triggers
// through it: scans are read by workers, rows flow through stateless operators
// into stateful ones, then each stateful operator is flushed and advanced, children
// before parents. It has the only switch over kinds of plan nodes (nodes.go). It
// knows plans, operators and sources, but no files, checkpoints or sinks: the trigger
// loop gives it ranges to read and takes what it emits. Open this file first, then
// run.go.
package build

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Env is what a graph needs from its surroundings.
type Env struct {
	Workers int
	// Pool is shared with other graphs; nil = each trigger has all its workers at once.
	Pool *Pool
	// Unlogged: the query has no checkpoint, so that nobody logs what operators keep.
	Unlogged bool
	// Clock times the operators; nil = they are not timed.
	Clock clock.Clock
	// NewCtx makes an evaluation context; each worker has its own.
	NewCtx func() *fn.Ctx
	// Open opens a finite relation: the static side of a join.
	Open func(ctx context.Context, r *catalog.Relation) (source.Source, error)
	// Held bounds the bytes of the rows that a scan's workers keep until it is their turn;
	// 0 = 64 MiB.
	Held int64
	// indexes are the static sides that are read already, while a graph is built: a plan that
	// is shared may stand below many joins.
	indexes map[*physical.StaticJoin]*stateful.StaticIndex
}

// Graph is a plan made of operators. It is used from one goroutine; Run starts
// workers of its own and stops them before it returns.
type Graph struct {
	Query   *physical.Query
	Scans   []*Scan
	Ops     []*Op // stateful operators, children first
	env     Env
	nodes   []*node // children first
	outputs []*node
	workers []*worker
	first   bool // no trigger has run yet: constant rows are due
	lookups []*stateful.Lookup
	tables  []source.Source // of lookups
}

// Scan is a scan of the plan and its watermark.
type Scan struct {
	Key  string // names the scan in checkpoints
	Plan *physical.Scan
	// Watermark is the greatest event time minus the delay, stateful.NoFrontier before
	// the first row. Idle scans hold nobody back.
	Watermark int64
	Idle      bool
	Ended     bool // a finite input that has been read
	// Partitions have watermarks of their own, which Watermark follows; ordered by name, nil
	// = the source has none, or watermark_scope = 'source'.
	Partitions []*Partition
	node       *node
}

// Op is a stateful operator with the name under which its state is kept.
type Op struct {
	ID   string
	Name string // as EXPLAIN prints the node: "Aggregate"
	stateful.Operator
	node *node
}

// node is a plan node at work.
type node struct {
	index    int
	plan     physical.Node
	op       stateful.Operator // stateful nodes
	ordered  bool              // op wants its input in arrival order
	stage    func() stage      // stateless nodes: a new instance for a worker; nil = rows pass
	out      int               // outputs: number, else −1
	fronts   []int64           // frontiers of the output edge
	idle     []bool            // by frontier: all that it comes from is idle
	up       []edge            // who takes the rows
	kids     []*node
	bound    int     // op's bound follows this frontier of its input, −1 = none
	boundOut bool    // … of its own output edge
	advanced []int64 // boundNow when op was advanced last
	scan     *Scan
	scans    []*Scan // it and those below, each once
}

// edge leads to a consumer.
type edge struct {
	to   *node
	port int
}

// stage is a stateless operator of one worker.
type stage interface {
	Process(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error
}

// New builds the graph of a plan. Static sides of joins are read here.
func New(ctx context.Context, q *physical.Query, env Env) (*Graph, error) {
	if env.indexes == nil {
		env.indexes = map[*physical.StaticJoin]*stateful.StaticIndex{}
	}
	g := &Graph{Query: q, env: env, first: true}
	defer func() { g.env.indexes = nil }()
	byPlan := map[physical.Node]*node{}
	for _, p := range q.Nodes() {
		n, err := g.add(ctx, p, byPlan)
		if err != nil {
			return nil, err
		}
		byPlan[p] = n
	}
	for i, o := range q.Outputs {
		byPlan[o].out = i
		g.outputs = append(g.outputs, byPlan[o])
	}
	for i := range max(1, env.Workers) {
		g.workers = append(g.workers, g.newWorker(i))
	}
	return g, g.Refront(0)
}

// Unlogged reports that operators end their triggers by themselves: LogState is not called.
func (g *Graph) Unlogged() bool { return g.env.Unlogged || g.Query.Finite }

func (g *Graph) add(ctx context.Context, p physical.Node, byPlan map[physical.Node]*node) (*node, error) {
	n := &node{index: len(g.nodes), plan: p, out: -1, bound: -1, fronts: make([]int64, len(p.Props().Frontiers)),
		idle: make([]bool, len(p.Props().Frontiers))}
	for i := range n.fronts {
		n.fronts[i] = stateful.NoFrontier
	}
	for port, c := range p.Children() {
		kid, ok := byPlan[c]
		if !ok {
			return nil, fmt.Errorf("build: plan node %s comes before its input", p.ID())
		}
		n.kids = append(n.kids, kid)
		kid.up = append(kid.up, edge{n, port})
	}
	if err := g.fill(ctx, n); err != nil {
		return nil, err
	}
	if n.op != nil && n.byArrival() && n.derived() {
		n.op = stateful.Arrange(n.op, columnTypes(p.Children()[0]))
	}
	n.ordered = n.op != nil && isOrdered(n.op)
	g.nodes = append(g.nodes, n)
	if n.op != nil {
		g.Ops = append(g.Ops, &Op{ID: g.stateID(p.ID()), Name: nodeName(p), Operator: n.op, node: n})
	}
	if s, ok := p.(*physical.Scan); ok {
		n.scan = &Scan{Key: g.scanKey(s.Relation.Name), Plan: s, Watermark: stateful.NoFrontier, node: n}
		g.Scans, n.scans = append(g.Scans, n.scan), []*Scan{n.scan}
	}
	for _, k := range n.kids {
		for _, s := range k.scans {
			if !slices.Contains(n.scans, s) {
				n.scans = append(n.scans, s)
			}
		}
	}
	return n, nil
}

// stateID makes the id of an operator unique: equal subtrees at two places keep two
// states, in plan order.
func (g *Graph) stateID(id string) string {
	same := 0
	for _, o := range g.Ops {
		if o.node.plan.ID() == id {
			same++
		}
	}
	if same == 0 {
		return id
	}
	return fmt.Sprintf("%s-%d", id, same+1)
}

// scanKey names a scan by its relation; further scans of one relation get numbers.
func (g *Graph) scanKey(name string) string {
	same := 0
	for _, s := range g.Scans {
		if s.Plan.Relation.Name == name {
			same++
		}
	}
	if same == 0 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, same+1)
}
