package build

import (
	"context"
	"sync"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/incremental/stateful"
)

// crew lends the graph's workers to operators, in Flush and Advance. The worker that
// settles the graph is the first of them.
type crew struct {
	ctx     context.Context // of the trigger
	workers []*worker
	seat    *seat // of the trigger; nil = there is no pool
}

// lend makes the workers available to operators.
func (g *Graph) lend(ctx context.Context, s *seat) {
	if len(g.workers) == 1 {
		return
	}
	c := &crew{ctx, g.workers, s}
	for i, w := range g.workers {
		w.trigger.Workers, w.trigger.Worker = c, i
		w.trigger.HasInput = g.workers[0].trigger.HasInput
	}
}

// opens tells the workers who takes the rows of a node that is about to be flushed, if they
// may all emit at the same time.
func (g *Graph) opens(n *node, t *Trigger) {
	ordered := false
	for _, e := range n.up {
		operators, outputs := e.to.takers(t)
		ordered = ordered || operators || outputs
	}
	ordered = ordered || n.out >= 0 && !t.concurrent(n.out)
	for _, w := range g.workers {
		w.trigger.Out = nil
		if !ordered {
			w.trigger.Out = w.emits[n.index]
		}
	}
}

// Count implements stateful.Workers.
func (c *crew) Count() int { return len(c.workers) }

// Share implements stateful.Workers.
func (c *crew) Share(n int, work func(t *stateful.Trigger, i int) error) error {
	s := sharing{n: n}
	one := func(w *worker) {
		for i := s.next(c.ctx); i >= 0; i = s.next(c.ctx) {
			s.ended(i, guarded(func() error { return work(&w.trigger, i) }))
		}
	}
	var wg sync.WaitGroup
	helpers := c.seat.help(min(len(c.workers), max(n, 1)) - 1)
	defer c.seat.dismiss(helpers)
	for _, w := range c.workers[1 : 1+helpers] {
		wg.Go(func() { one(w) })
	}
	one(c.workers[0])
	wg.Wait()
	return s.err
}

// sharing is what a Share has left to do, and its first error in the order of the work.
type sharing struct {
	mu     sync.Mutex
	n      int
	begun  int
	err    error
	failed int
}

// next gives out a piece of work; −1 = there is none.
func (s *sharing) next(ctx context.Context) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.begun < s.n && ctx.Err() != nil {
		s.err, s.failed = ctx.Err(), s.begun
	}
	if s.err != nil || s.begun == s.n {
		return -1
	}
	s.begun++
	return s.begun - 1
}

func (s *sharing) ended(i int, err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || i < s.failed {
		s.err, s.failed = err, i
	}
}

// guarded makes an error of a panic: a broken invariant ends the query, not the program.
func guarded(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = invariant.Recovered(r)
		}
	}()
	return work()
}
