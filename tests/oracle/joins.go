package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// This file has what is special to joins of streams.

// joins reports that the query joins streams.
func (w *world) joins() bool {
	return len(w.c.streams()) > 1 && strings.Contains(strings.ToLower(w.sql), " join ")
}

// nullsMatch is D7: a FULL join of Spark matches NULL keys.
func (w *world) nullsMatch(r *recorded) (Verdict, bool) {
	j, err := w.newJudge()
	if err != nil {
		return Verdict{}, false
	}
	full := false
	j.theirs = logical.Rewrite(j.plan, func(n logical.Node) logical.Node {
		x, ok := n.(*logical.Join)
		if !ok || x.Kind != logical.Full {
			return n
		}
		full = true
		c := *x
		c.NullSafe = slices.Repeat([]bool{true}, len(x.LKeys))
		return &c
	})
	if !full {
		return Verdict{}, false
	}
	l := w.loose()
	if j.confirm(l) != nil || j.explains(l, r) != nil || j.noneLost(l, r) != nil {
		return Verdict{}, false // it may be another one
	}
	return deviation("D7", "Spark's FULL join matches NULL keys; the reference agrees"), true
}

// neverEvicted is D13 for an outer join with a watermark on one input only. Spark holds the
// rows without a match for ever; here they come out when no match can come any more.
func (w *world) neverEvicted(r *recorded) (Verdict, bool) {
	j, err := w.newJudge()
	if err != nil || !w.joins() || len(j.marks) != 1 || w.mode() != sink.Append {
		return Verdict{}, false
	}
	l := w.loose()
	var ours []row
	for _, t := range w.turns {
		ours = append(ours, jsonRows(t.rows)...)
	}
	extra, missing := l.diff(ours, all(r.rows))
	unmatched := func(x row) bool { return slices.Contains(x, nil) }
	if len(extra) == 0 || len(missing) > 0 || !slices.ContainsFunc(extra, unmatched) {
		return Verdict{}, false
	}
	for _, x := range extra {
		if !unmatched(x) {
			return failed("a row with a match that Spark does not give: %s", show([]row{x})), true
		}
	}
	if err := j.confirm(l); err != nil {
		return failed("D13 might explain it, but %v", err), true
	}
	return deviation("D13", "each input has its own frontier: rows without a match come when none can come any more; the reference agrees"), true
}

// holdsBack reports that append mode may hold rows of the answer back.
func (j *judge) holdsBack() bool {
	if j.w.mode() != sink.Append {
		return false
	}
	if !j.w.joins() {
		return true
	}
	held := false
	logical.Walk(j.plan, func(n logical.Node) {
		switch n := n.(type) {
		case *logical.Aggregate, *logical.Distinct, *logical.Dedup:
			held = true
		case *logical.Join:
			held = held || n.Kind != logical.Inner && n.Kind != logical.Semi
		}
	})
	return held
}

// widest is longer than every range of time in the conditions of the cases.
const widest = int64(time.Hour / time.Microsecond)

// noneLost checks joins of several streams, of which each waits on its own here: rows that
// come from input that is far behind all watermarks must be among Spark's.
func (j *judge) noneLost(l loose, r *recorded) error {
	if !j.w.joins() || len(j.marks) < 2 || j.w.mode() != sink.Append || has[*logical.Aggregate](j.plan) {
		return nil
	}
	last := len(j.w.turns) - 1
	least := int64(1 << 62)
	for _, marks := range j.marks {
		least = min(least, marks[last])
	}
	without := slices.Clone(j.behind)
	for _, x := range j.times {
		if x.time >= least-widest {
			without = append(without, x.lateRow)
		}
	}
	final, err := j.answer(j.theirs, last, without)
	if err != nil {
		return err
	}
	for _, other := range [][]lateRow{nil, j.behind} { // late or not, later rows do not change them
		rows, err := j.answer(j.theirs, last, other)
		if err != nil {
			return err
		}
		changed, _ := l.diff(final, rows)
		final, _ = l.diff(final, changed)
	}
	if lost, _ := l.diff(final, all(r.rows)); len(lost) > 0 {
		return fmt.Errorf("rows that are final by every watermark, and Spark does not give: %s", show(lost))
	}
	return nil
}
