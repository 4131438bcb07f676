package random

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/incremental/trigger"
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
	c    *Case
	ctx  context.Context
	m    *machine
	plan logical.Node
	out  *Outcome
	step int

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
	r.out.Mode = r.output.Mode
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
	res, err := bind.New(r.m.e.Catalog(), bind.Settings{}).Query(q)
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
	if r.c.Late && r.output.Mode != sink.Complete {
		q.Refuse = refuse
	}
	return q.Answer(&fn.Ctx{Zone: time.UTC, Now: r.m.clock.Now().UnixMicro()})
}

func (r *run) input(rel *catalog.Relation) ([]reference.Change, error) {
	for i, s := range r.c.Sources {
		if s.Name == rel.Name && s.Changelog && r.c.Late && r.output.Mode != sink.Complete {
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

// progress checks the ledger of a trigger.
func (r *run) progress(s Step, p *trigger.Progress) error {
	if p == nil {
		return nil
	}
	if !p.Rows.Balanced() {
		return r.fail("ledger", "the ledger does not balance: %+v", p.Rows)
	}
	if got, want := p.Watermark, r.watermark(); (got == nil) != (want == nil) || got != nil && *got != *want {
		return r.fail("watermark", "the watermark is %v, want %v", show(got), show(want))
	}
	late := p.Rows.Late + p.Rows.Partial
	for _, o := range p.Operators { // a row may be late in one branch alone
		late += o.Late
	}
	r.out.Late += late
	if !r.c.Late && late > 0 {
		return r.fail("late", "rows within the delay were refused: %+v %+v", p.Rows, p.Operators)
	}
	return nil
}

// watermark is the least of the sources that the query reads, nil without one.
func (r *run) watermark() *int64 {
	var out *int64
	for _, s := range r.m.q.Plan.Scans() {
		for i, src := range r.c.Sources {
			if src.Name == s.Relation.Name && (out == nil || r.marks[i] < *out) {
				out = &r.marks[i]
			}
		}
	}
	if out != nil && *out == math.MinInt64 {
		return nil
	}
	return out
}

func show(us *int64) string {
	if us == nil {
		return "not set"
	}
	return timeText(*us)
}

// compare takes what was published and holds it to the answer.
func (r *run) compare(p *trigger.Progress, want []reference.Row) error {
	if p == nil && r.output.Mode == sink.Complete && r.step == 0 {
		return nil // nothing came, nothing is shown
	}
	if p != nil {
		if err := r.sum.take(r.m.sink.rows); err != nil {
			return r.fail("weights", "%v", err)
		}
		if err := r.ordered(want); err != nil {
			return err
		}
		r.m.sink.rows = nil
	}
	r.out.Rows = len(want)
	got, bag := r.sum.bag(), reference.BagOf(want)
	if r.holdsBack() {
		if extra := minus(got, bag); len(extra) > 0 {
			return r.fail("mismatch", "these rows were called final, but are not in the answer:\n%s\nthe answer is\n%s", extra, bag)
		}
		if final, ok := r.finalNow(want); ok && !got.Equal(final) {
			return r.fail("mismatch", "final and emitted so far\n%s\nwant\n%s", got, final)
		}
		return nil
	}
	if !got.Equal(bag) {
		return r.fail("mismatch", "got\n%s\nwant\n%s", got, bag)
	}
	return nil
}

// ordered checks the order of what complete mode showed.
func (r *run) ordered(want []reference.Row) error {
	if len(r.c.Query.Order) == 0 {
		return nil
	}
	for i, row := range r.m.sink.rows {
		if i >= len(want) || reference.Text(row.Values) != reference.Text(want[i].Values) || row.Weight != 1 {
			return r.fail("order", "row %d is %s with weight %d; the answer in order is\n%s", i, reference.Text(row.Values), row.Weight, inOrder(want))
		}
	}
	return nil
}

func inOrder(rows []reference.Row) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(reference.Text(row.Values) + "\n")
	}
	return b.String()
}

// holdsBack tells that rows are emitted when they are final.
func (r *run) holdsBack() bool {
	if r.output.Mode != sink.Append {
		return false
	}
	held := false
	physical.Walk(r.output, func(n physical.Node) {
		switch n := n.(type) {
		case *physical.Close:
			held = true
		case *physical.Aggregate:
			held = held || n.EmitOnClose
		}
	})
	return held
}

func minus(a, b reference.Bag) reference.Bag {
	out := reference.Bag{}
	for k, w := range a {
		if w > b[k] {
			out[k] = w - b[k]
		}
	}
	return out
}

// future is an event time after which everything before is final.
const future = epoch + 100_000*minute

// farFuture is a step that moves every watermark past all windows.
func (c *Case) farFuture() Step {
	s := Step{Cut: 1}
	for range c.Sources {
		row := make([]any, len(sourceColumns()))
		row[timeColumn] = future
		s.Changes = append(s.Changes, []reference.Change{{Values: row, Weight: 1}})
	}
	return s
}

// allFinal checks after farFuture, where every event time that came before it is past:
// the answer without it must have been emitted. A NULL is never final; where one can be
// among the times nothing is checked.
func (r *run) allFinal() error {
	if r.c.nullTimes() {
		return nil
	}
	for i := range r.fed {
		r.fed[i] = r.fed[i][:len(r.fed[i])-1]
	}
	want, err := r.answer()
	if err != nil {
		return nil
	}
	if missing := minus(reference.BagOf(want), r.sum.bag()); len(missing) > 0 {
		return r.fail("missing", "these rows are final, and were not emitted:\n%s", missing)
	}
	return nil
}

// nullTimes tells that some time may be NULL.
func (c *Case) nullTimes() bool {
	for _, s := range c.Steps {
		for _, list := range s.Changes {
			for _, ch := range list {
				if ch.Values[timeColumn] == nil {
					return true
				}
			}
		}
	}
	sql, _ := c.Query.SQL(Ours)
	return strings.Contains(sql, "CAST(NULL AS TIMESTAMP)")
}
