package random

import (
	"context"
	"slices"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/reference"
)

// shrinkRuns bounds the work of one shrinking.
const shrinkRuns = 1500

// Shrink looks for a smaller case that fails in the same way.
func (c *Case) Shrink(ctx context.Context, f *Failure) (*Case, *Failure) {
	s := &shrinker{ctx: ctx, best: c, failure: f, left: shrinkRuns}
	for s.round() && s.left > 0 {
	}
	return s.best, s.failure
}

type shrinker struct {
	ctx     context.Context
	best    *Case
	failure *Failure
	left    int
}

// try takes a candidate if it is valid and fails as the case did.
func (s *shrinker) try(c *Case) bool {
	if s.left == 0 || !c.valid() {
		return false
	}
	s.left--
	_, err := c.Run(s.ctx)
	f, ok := err.(*Failure)
	if !ok || f.Kind != s.failure.Kind {
		return false
	}
	s.best, s.failure = c, f
	return true
}

// round tries every way to make the case smaller once; false if none helped.
func (s *shrinker) round() bool {
	better := s.options()
	better = s.steps() || better
	better = s.query() || better
	return s.changes() || better
}

func (s *shrinker) options() bool {
	better := false
	for _, change := range []func(*Case) bool{
		func(c *Case) bool { old := c.Workers; c.Workers = 1; return old != 1 },
		func(c *Case) bool { old := c.Mode; c.Mode = sink.Changelog; return old != sink.Changelog },
		func(c *Case) bool {
			return c.eachStep(func(t *Step) bool { old := t.Restart; t.Restart = false; return old })
		},
		func(c *Case) bool {
			return c.eachStep(func(t *Step) bool { old := t.Cut; t.Cut = 100; return old != 100 })
		},
		func(c *Case) bool { n := len(c.Tables[0].Rows); c.Tables[0].Rows = nil; return n > 0 },
		func(c *Case) bool { n := len(c.Tables[1].Rows); c.Tables[1].Rows = nil; return n > 0 },
	} {
		c := s.best.copy()
		if change(c) && s.try(c) {
			better = true
		}
	}
	return better
}

func (c *Case) eachStep(f func(*Step) bool) bool {
	changed := false
	for i := range c.Steps {
		changed = f(&c.Steps[i]) || changed
	}
	return changed
}

// steps drops triggers, ends the history early, and joins neighbours.
func (s *shrinker) steps() bool {
	better := false
	if n := s.failure.Step + 1; n > 0 && n < len(s.best.Steps) {
		c := s.best.copy()
		c.Steps = c.Steps[:n]
		better = s.try(c)
	}
	for i := len(s.best.Steps) - 1; i >= 0; i-- {
		c := s.best.copy()
		c.Steps = slices.Delete(c.Steps, i, i+1)
		if s.try(c) {
			better = true
			continue
		}
		if i == 0 {
			continue
		}
		c = s.best.copy()
		for k := range c.Sources {
			c.Steps[i-1].Changes[k] = append(c.Steps[i-1].Changes[k], c.Steps[i].Changes[k]...)
		}
		c.Steps = slices.Delete(c.Steps, i, i+1)
		better = s.try(c) || better
	}
	return better
}

// changes drops rows of sources and tables, and makes values simpler.
func (s *shrinker) changes() bool {
	better := false
	for i := 0; i < len(s.best.Steps); i++ {
		for k := range s.best.Sources {
			for n := len(s.best.Steps[i].Changes[k]) - 1; n >= 0; n-- {
				c := s.best.copy()
				c.Steps[i].Changes[k] = slices.Delete(c.Steps[i].Changes[k], n, n+1)
				better = s.try(c) || better
			}
		}
	}
	for t := range s.best.Tables {
		for n := len(s.best.Tables[t].Rows) - 1; n >= 0; n-- {
			c := s.best.copy()
			c.Tables[t].Rows = slices.Delete(c.Tables[t].Rows, n, n+1)
			better = s.try(c) || better
		}
	}
	return s.nulls() || better
}

// nulls makes whole columns NULL.
func (s *shrinker) nulls() bool {
	better := false
	for k := range s.best.Sources {
		for col := range sourceColumns() {
			c := s.best.copy()
			if c.nullColumn(k, col) && s.try(c) {
				better = true
			}
		}
	}
	return better
}

func (c *Case) nullColumn(source, col int) bool {
	return c.eachStep(func(t *Step) bool {
		changed := false
		for i := range t.Changes[source] {
			ch := &t.Changes[source][i]
			if ch.Values[col] != nil {
				ch.Values = slices.Clone(ch.Values)
				ch.Values[col] = nil
				changed = true
			}
		}
		return changed
	})
}

// copy copies what shrinking changes.
func (c *Case) copy() *Case {
	out := *c
	out.Query = c.Query.clone()
	out.Tables = slices.Clone(c.Tables)
	for i := range out.Tables {
		out.Tables[i].Rows = slices.Clone(out.Tables[i].Rows)
	}
	out.Steps = slices.Clone(c.Steps)
	for i := range out.Steps {
		lists := make([][]reference.Change, len(c.Sources))
		for k := range lists {
			lists[k] = slices.Clone(out.Steps[i].Changes[k])
		}
		out.Steps[i].Changes = lists
	}
	return &out
}

// valid: every deletion finds its row, and, unless rows may be late, none is.
func (c *Case) valid() bool {
	if c.Late && !c.lateShape(c.Query) {
		return false
	}
	for k := range c.Sources {
		var all []reference.Change
		mark := int64(-1 << 62)
		for _, st := range c.Steps {
			before := mark
			for _, ch := range st.Changes[k] {
				t, ok := ch.Values[timeColumn].(int64)
				if ok && t < before && !c.Late {
					return false
				}
				if ok {
					mark = max(mark, t-c.Sources[k].Delay*minute)
				}
			}
			all = append(all, st.Changes[k]...)
		}
		if _, err := reference.Accumulate(all); err != nil {
			return false
		}
	}
	return true
}
