package random

import (
	"math"
	"strings"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// This file has what is checked after a trigger.

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
	if p != nil && !(len(want) > 0 && r.shownBefore()) {
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

// shownBefore tells that complete mode showed nothing because nothing has come: what it
// showed last still holds.
func (r *run) shownBefore() bool {
	return r.output.Mode == sink.Complete && r.quiet && len(r.m.sink.rows) == 0
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
		case *physical.Session:
			held = held || n.EmitOnClose
		case *physical.Join:
			held = held || n.EmitOnExpiry
		case *physical.Asof:
			held = held || n.EmitOnClose
		case *physical.SetOp:
			held = held || n.EmitOnClose
		case *physical.TopN:
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
const future = epoch + 1_000_000*minute

// farFuture is a step that moves every watermark past all windows.
func (c *Case) farFuture() Step {
	s := Step{Cut: 1}
	for _, src := range c.Sources {
		row := make([]any, len(sourceColumns()))
		row[timeColumn] = future
		if src.Keyed {
			row[0] = int64(-1) // a key of its own
		}
		s.Changes = append(s.Changes, []reference.Change{{Values: row, Weight: 1}})
	}
	return s
}

// allFinal checks after farFuture, where every event time that came before it is past:
// the answer without it must have been emitted. A NULL is never final; where one can be
// among the times nothing is checked.
func (r *run) allFinal() error {
	if r.c.nullTimes() || r.padsTimes() {
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

// padsTimes tells that an outer join makes rows with NULL as time, for something that
// waits for the end of times.
func (r *run) padsTimes() bool {
	pads, waits := false, false
	physical.Walk(r.output, func(n physical.Node) {
		switch n := n.(type) {
		case *physical.Join:
			pads = pads || n.Kind == physical.Left || n.Kind == physical.Full
		case *physical.Asof:
			pads = pads || n.Outer
		case *physical.Close, *physical.Aggregate, *physical.SetOp, *physical.Session, *physical.TopN:
			waits = true
		}
	})
	return pads && waits
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
