package build

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/stateful"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Measure is what a node has done since its graph was built.
type Measure struct {
	Rows int64         // that it gave on, retractions among them
	Time time.Duration // spent in it, all workers added up; what takes its rows is not in it
}

// Measured is what a node of the plan has done, and its operator, nil if it has none; ok is
// false for a node that is read once, before the first trigger. It is for the goroutine of
// Run, between triggers.
func (g *Graph) Measured(p physical.Node) (m Measure, op stateful.Operator, ok bool) {
	for i, n := range g.nodes {
		if n.plan != p {
			continue
		}
		for _, w := range g.workers {
			m.Rows += w.watch.nodes[i].Rows
			m.Time += w.watch.nodes[i].Time
		}
		return m, n.op, true
	}
	return m, nil, false
}

// nowhere is where a stopwatch stands between triggers and while its worker waits.
const nowhere = -1

// stopwatch tells for how long a worker was at each node, and how many rows each gave on.
// It reads its clock twice a batch and node.
type stopwatch struct {
	clock clock.Clock // nil = times stay 0
	at    int         // node
	since time.Time
	nodes []Measure
}

func newStopwatch(c clock.Clock, nodes int) stopwatch {
	return stopwatch{clock: c, at: nowhere, nodes: make([]Measure, nodes)}
}

// to goes to a node, and tells from which.
func (s *stopwatch) to(node int) (from int) {
	from = s.at
	if s.clock == nil || from == node {
		return from
	}
	now := s.clock.Now()
	if from != nowhere {
		s.nodes[from].Time += now.Sub(s.since)
	}
	s.at, s.since = node, now
	return from
}
