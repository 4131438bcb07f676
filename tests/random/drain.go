package random

import (
	"slices"

	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// drain deletes every row that is left, and expects the operators to hold no more than
// those of a query that saw nothing. It is for queries over changelogs alone, and says
// nothing if the watermark has passed a row: its deletion would be late.
func (r *run) drain() error {
	s, ok := r.deletions()
	if !ok {
		return nil
	}
	r.step++
	r.out.Drained = true
	p, err := r.m.step(s)
	if err != nil || p == nil {
		return err
	}
	r.feed(s)
	want, err := r.answer()
	if err != nil {
		return r.fail("reference", "%v", err)
	}
	if err := r.compare(p, want); err != nil {
		return err
	}
	return r.empty(p)
}

// deletions is a step that deletes all; false if that is not possible.
func (r *run) deletions() (Step, bool) {
	s := Step{Cut: 100}
	some := false
	for i, src := range r.c.Sources {
		if !r.reads(src.Name) {
			s.Changes = append(s.Changes, nil)
			continue
		}
		rows, err := src.rows(r.fed[i])
		if err != nil || !src.Changelog {
			return s, false
		}
		var list []reference.Change
		for _, row := range rows {
			if t, ok := row.Values[timeColumn].(int64); ok && t < r.marks[i] {
				return s, false
			}
			list = append(list, reference.Change{Values: row.Values, Weight: -1})
			some = true
		}
		s.Changes = append(s.Changes, list)
	}
	return s, some
}

func (r *run) reads(name string) bool {
	return slices.ContainsFunc(r.m.q.Plan.Scans(), func(s *physical.Scan) bool { return s.Relation.Name == name })
}

// empty compares the number of entries of every operator with that of a new query.
func (r *run) empty(p *trigger.Progress) error {
	fresh := newMachine(r.ctx, r.c, r.output.Mode)
	defer fresh.stop()
	if err := fresh.start(); err != nil {
		return err
	}
	first, err := fresh.step(Step{Changes: make([][]reference.Change, len(r.c.Sources))})
	if err != nil {
		return err
	}
	for i, o := range p.Operators {
		base, bytes := int64(0), int64(0)
		if first != nil {
			base, bytes = first.Operators[i].Total, first.Operators[i].Memory
		}
		if o.Total > base {
			return r.fail("leak", "%s %s holds %d entries after all rows were deleted, %d when new", o.Operator, o.ID, o.Total, base)
		}
		if o.Memory > bytes+16_384*int64(r.c.Workers) {
			return r.fail("leak of bytes", "%s %s takes %d bytes after all rows were deleted, %d when new", o.Operator, o.ID, o.Memory, bytes)
		}
	}
	return nil
}
