package random

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// Outcome counts what a run did.
type Outcome struct {
	Triggers int
	Refused  bool // the mode was refused, and changelog taken instead
	Mode     sink.Mode
	Late     int64
	Rows     int // of the last answer
	Errors   bool
	Drained  bool     // everything was deleted at the end
	Plan     []string // the kinds of operators
}

// Run plays a case and compares after every trigger; the error is a *Failure.
func (c *Case) Run(ctx context.Context) (out Outcome, err error) {
	r := &run{c: c, ctx: ctx, step: -1, out: &out}
	defer func() {
		if x := recover(); x != nil {
			err = &Failure{Kind: fmt.Sprintf("panic: %v", x), Step: r.step, Text: string(debug.Stack())}
		}
		if r.m != nil {
			r.m.stop()
		}
	}()
	return out, r.play()
}

// run is a case under way.
type run struct {
	c     *Case
	ctx   context.Context
	m     *machine
	plan  logical.Node
	out   *Outcome
	step  int
	quiet bool // nothing came that the query reads

	fed    [][]reference.Change // by source, in order of arrival
	marks  []int64              // watermark of each source after the last trigger
	sum    accumulated
	output *physical.Output
}

func (r *run) play() error {
	if err := r.open(); err != nil {
		return err
	}
	steps := r.c.Steps
	if r.output.Mode == sink.Append {
		steps = append(slices.Clone(steps), r.c.farFuture())
	}
	for i, s := range steps {
		r.step = i
		r.out.Triggers++
		stop, err := r.trigger(s)
		if err != nil || stop {
			return err
		}
	}
	if r.output.Mode == sink.Append {
		if err := r.allFinal(); err != nil {
			return err
		}
	}
	if r.c.Batch {
		return r.batch()
	}
	if r.output.Mode != sink.Append && !r.c.Late {
		return r.drain()
	}
	return nil
}

// open starts the query in its mode, or as a changelog if the mode is refused.
func (r *run) open() error {
	r.fed = make([][]reference.Change, len(r.c.Sources))
	r.marks = make([]int64, len(r.c.Sources))
	for i := range r.marks {
		r.marks[i] = math.MinInt64
	}
	r.m = newMachine(r.ctx, r.c, r.c.Mode)
	err := r.m.start()
	if r.c.Mode != sink.Changelog && refusesMode(err) {
		r.out.Refused = true
		r.m.stop()
		r.unordered()
		r.m = newMachine(r.ctx, r.c, sink.Changelog)
		err = r.m.start()
	}
	if err != nil {
		return r.fail("plan "+code(err), "%v", err)
	}
	r.output = r.m.q.Plan.Outputs[0]
	r.out.Mode, r.out.Plan = r.output.Mode, operatorsOf(r.output)
	r.sum = newAccumulated(r.output)
	if r.plan, err = r.bind(); err != nil {
		return r.fail("bind", "%v", err)
	}
	return nil
}

// unordered takes ORDER BY away, which only complete mode may have.
func (r *run) unordered() {
	c := r.c.copy()
	c.Query.Order, c.Query.Limit = nil, 0
	r.c = c
}

// bind makes the logical plan without the planner's rules.
func (r *run) bind() (logical.Node, error) {
	sql, _ := r.c.Query.SQL(Ours)
	q, err := parser.ParseQuery(diag.Source{Name: "query", Text: sql})
	if err != nil {
		return nil, err
	}
	res, err := bind.New(r.m.e.Catalog(), bind.Settings{Zone: r.c.location()}).Query(q)
	if err != nil {
		return nil, err
	}
	return res.Plan, nil
}

// refusesMode tells that another mode may be planned.
func refusesMode(err error) bool {
	return slices.Contains([]string{string(diag.NeverFinal), string(diag.NoKey), string(diag.CompleteUnbounded)}, code(err))
}

// code is the code of a diagnostic.
func code(err error) string {
	var d *diag.Error
	if errors.As(err, &d) && len(d.Diagnostics) > 0 {
		return string(d.Diagnostics[0].Code)
	}
	return ""
}

func (r *run) fail(kind, format string, args ...any) error {
	return &Failure{Kind: kind, Step: r.step, Text: fmt.Sprintf(format, args...)}
}

// trigger plays one step; stop tells that both sides agree on an error.
func (r *run) trigger(s Step) (stop bool, err error) {
	p, engineErr := r.m.step(s)
	r.feed(s)
	r.quiet = true
	for i, src := range r.c.Sources {
		r.quiet = r.quiet && (len(s.Changes[i]) == 0 || !r.reads(src.Name))
	}
	want, refErr := r.answer()
	if refErr != nil && engineErr != nil && isData(engineErr) {
		r.out.Errors = true
		return true, nil
	}
	if engineErr != nil {
		return false, r.fail("engine", "%v", engineErr)
	}
	if refErr != nil {
		return false, r.fail("reference", "the engine goes on where the reference says: %v", refErr)
	}
	if err := r.progress(s, p); err != nil {
		return false, err
	}
	if err := r.compare(p, want); err != nil {
		return false, err
	}
	if s.Restart {
		if err := r.m.restart(); err != nil {
			return false, r.fail("restart", "%v", err)
		}
	}
	return false, nil
}

// isData tells errors of values, which both sides must have, from broken invariants.
func isData(err error) bool { return !strings.Contains(err.Error(), "internal error") }

// feed notes what arrived, with the watermark before the trigger.
func (r *run) feed(s Step) {
	now := r.m.clock.Now().UnixMicro()
	for i, list := range s.Changes {
		mark := r.marks[i]
		for _, c := range list {
			c.Moment = reference.Moment{Batch: int64(r.step), Now: now, Watermark: mark}
			r.fed[i] = append(r.fed[i], c)
			if t, ok := c.Values[timeColumn].(int64); ok {
				r.marks[i] = max(r.marks[i], t-r.c.Sources[i].Delay*minute)
			}
		}
	}
}

// answer is what the reference says to all that was fed.
func (r *run) answer() ([]reference.Row, error) {
	q := reference.Question{Plan: r.plan, Inputs: func(s *logical.Scan) ([]reference.Change, error) { return r.input(s.Relation) }}
	if r.c.Late && r.c.Size > 0 && r.output.Mode != sink.Complete {
		q.Refuse = refuse
	}
	return q.Answer(&fn.Ctx{Zone: r.c.location(), Now: r.m.clock.Now().UnixMicro()})
}

// joins tells that the plan has a join that refuses rows: one that can never match does not.
func (r *run) joins() bool {
	found := false
	physical.Walk(r.output, func(n physical.Node) {
		switch j := n.(type) {
		case *physical.Join:
			found = found || j.Sides[0].Late != nil
		case *physical.Asof:
			found = found || j.Late[0] != nil
		}
	})
	return found
}

func (r *run) input(rel *catalog.Relation) ([]reference.Change, error) {
	for i, s := range r.c.Sources {
		late := s.Name == rel.Name && r.c.Late && r.output.Mode != sink.Complete
		if late && r.c.Size == 0 && r.joins() {
			return since(r.fed[i]), nil
		}
		if late && r.c.Size > 0 && s.Changelog {
			return onTime(r.fed[i], r.c.Size), nil
		}
		if s.Name == rel.Name {
			return r.fed[i], nil
		}
	}
	for _, t := range r.c.Tables {
		if t.Name == rel.Name {
			out := make([]reference.Change, len(t.Rows))
			for i, row := range t.Rows {
				out[i] = reference.Change{Values: row, Weight: 1}
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("no input %q", rel.Name)
}
