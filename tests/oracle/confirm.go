package oracle

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// confirm checks our result after each trigger against the reference, over the rows
// that are not late: some choice among the rows behind the watermark, as many as the
// ledger says, must explain all of them.
func (j *judge) confirm(l loose) error {
	last := len(j.w.turns) - 1
	if j.w.mode() != sink.Complete {
		_, sliding, err := j.openWindows(last, 1)
		if err != nil {
			return err
		}
		if sliding {
			return j.agrees(l, nil, true)
		}
	}
	var late int64
	for _, t := range j.w.turns {
		late += t.late.Late
	}
	var err error
	for _, choice := range choose(j.behind, int(late)) {
		if err = j.agrees(l, choice, false); err == nil {
			return nil
		}
	}
	if err == nil {
		err = fmt.Errorf("the ledger counts %d late rows, %d are behind the watermark", late, len(j.behind))
	}
	return err
}

// completes checks an append query without late rows once more after everything so far
// has become final: only rows that the last row had a part in may be missing.
func (j *judge) completes(l loose) error {
	if j.w.mode() != sink.Append || j.w.lateRows() > 0 {
		return nil
	}
	before, err := j.answer(j.plan, len(j.w.turns)-1, nil)
	if err != nil {
		return err
	}
	if some, err := j.w.farFuture(); err != nil || !some {
		return err
	}
	want, err := j.answer(j.plan, len(j.w.turns)-1, nil)
	if err != nil {
		return err
	}
	var ours []row
	for _, t := range j.w.turns {
		ours = append(ours, jsonRows(t.rows)...)
	}
	strange, missing := l.diff(ours, want)
	_, open := l.diff(before, want) // rows that came with the last row
	lost, _ := l.diff(missing, open)
	if len(strange) > 0 || len(lost) > 0 {
		return fmt.Errorf("ten years later the reference disagrees: only we %s, only it %s", show(strange), show(lost))
	}
	return nil
}

// choose lists the ways to take n of the rows.
func choose(rows []lateRow, n int) [][]lateRow {
	const most = 5000
	if n == 0 {
		return [][]lateRow{nil}
	}
	if n > len(rows) {
		return nil
	}
	var out [][]lateRow
	for _, rest := range choose(rows[1:], n-1) {
		out = append(out, append([]lateRow{rows[0]}, rest...))
	}
	out = append(out, choose(rows[1:], n)...)
	return out[:min(len(out), most)]
}

// agrees compares our result after each trigger with the batch answer.
func (j *judge) agrees(l loose, without []lateRow, sliding bool) error {
	acc := j.w.newResult()
	for i, t := range j.w.turns {
		acc.take(t)
		plan := j.plan
		if sliding {
			var err error
			if plan, _, err = j.openWindows(i, 1); err != nil {
				return err
			}
		}
		want, err := j.answer(plan, i, without)
		if err != nil {
			return err
		}
		ours, theirs := l.diff(only(acc.rows, j.steady), only(want, j.steady))
		if len(ours) > 0 || len(theirs) > 0 && !j.mayWait(t) {
			return fmt.Errorf("after trigger %d the reference disagrees: only we %s, only it %s", i, show(ours), show(theirs))
		}
	}
	return nil
}

// mayWait reports that rows of the answer may not be there yet: append mode holds what
// is not final, and a trigger without input does not run.
func (j *judge) mayWait(t turn) bool { return j.w.mode() == sink.Append || !t.ran }

// explains checks that Spark's rows too are the batch answer, over the rows that it did
// not take for late: whatever we say, a recorded row that no choice of late rows gives
// is not explained.
func (j *judge) explains(l loose, r *recorded) error {
	theirs := j.w.newResult()
	for i, rows := range r.rows {
		if k := theirs.key; k != nil && theirs.mode == sink.Update && !distinct(only(rows, k)) {
			return fmt.Errorf("Spark gives a group twice in trigger %d: %s", i, show(rows))
		}
		t := turn{ran: true}
		for _, x := range rows {
			t.rows = append(t.rows, outRow{json: x, weight: 1})
		}
		theirs.take(t)
	}
	plans, choices, err := j.readings()
	if err != nil {
		return err
	}
	for _, plan := range plans {
		for _, without := range choices {
			var want []row
			if want, err = j.answer(plan, len(j.w.turns)-1, without); err != nil {
				return err
			}
			strange, missing := l.diff(theirs.rows, want)
			if len(strange) == 0 && (len(missing) == 0 || j.holdsBack()) {
				return nil
			}
			err = fmt.Errorf("the rows of Spark are no batch answer: only it gives %s, it lacks %s", show(strange), show(missing))
		}
	}
	return err
}

// readings are the plans and the choices of late rows that may stand behind Spark's rows.
func (j *judge) readings() ([]logical.Node, [][]lateRow, error) {
	const most = 10
	lag := 1
	if j.w.lagging() {
		lag = 2
	}
	if j.w.mode() == sink.Complete && !has[*logical.Dedup](j.plan) {
		return []logical.Node{j.theirs}, [][]lateRow{nil}, nil // aggregates keep everything
	}
	plan, sliding, err := j.openWindows(len(j.w.turns)-1, lag)
	if err != nil || sliding {
		return []logical.Node{plan}, [][]lateRow{nil}, err
	}
	rows := j.doubtful[:min(len(j.doubtful), most)]
	var choices [][]lateRow
	for set := range 1 << len(rows) {
		var pick []lateRow
		for i, x := range rows {
			if set>>i&1 == 1 {
				pick = append(pick, x)
			}
		}
		choices = append(choices, pick)
	}
	return []logical.Node{j.theirs}, choices, nil
}

// sameGroups checks that, in append mode, the groups that are out are Spark's: both
// have seen the same last watermark. A group of late rows alone is missing here, and
// one at the watermark waits here (D2).
func (j *judge) sameGroups(r *recorded) error {
	if j.w.mode() != sink.Append {
		return nil
	}
	var ours []row
	turns := j.w.turns
	if j.w.waits() {
		turns = turns[:len(turns)-1] // what the last rows close never comes out
	}
	for _, t := range turns {
		ours = append(ours, jsonRows(t.rows)...)
	}
	key := j.w.q.Plan.Outputs[0].Key
	if key == nil {
		if extra, _ := (loose{}).diff(ours, all(r.rows)); len(extra) > 0 && j.oneFrontier() {
			return fmt.Errorf("rows that Spark does not give: %s", show(extra))
		}
		return nil
	}
	extra, missing := loose{}.diff(only(ours, key), only(all(r.rows), key))
	answer, err := j.answer(j.plan, len(j.w.turns)-1, j.behind)
	if err != nil {
		return err
	}
	_, waiting := loose{}.diff(only(answer, key), missing)
	if len(extra) > 0 && j.oneFrontier() || len(missing)-len(waiting) > 0 && !j.w.onWatermark() {
		return fmt.Errorf("other groups are final: only ours %s, only Spark's %s", show(extra), show(missing))
	}
	return nil
}

// oneFrontier reports that everything waits for all inputs, as in Spark: there is one,
// or a union puts all of them together.
func (j *judge) oneFrontier() bool {
	one := len(j.marks) < 2
	logical.Walk(j.plan, func(n logical.Node) {
		if u, ok := n.(*logical.UnionAll); ok {
			below := map[string]bool{}
			logical.Walk(u, func(n logical.Node) {
				if s, ok := n.(*logical.Scan); ok && j.marks[s.Relation.Name] != nil {
					below[s.Relation.Name] = true
				}
			})
			one = one || len(below) == len(j.marks)
		}
	})
	return one
}

// sameMarks compares the watermarks that the recorded batches tell with those computed
// here, where there is one only, and those computed here with the engine's.
func (j *judge) sameMarks(r *recorded) Verdict {
	if len(j.marks) != 1 {
		return Verdict{Kind: Passed}
	}
	for _, marks := range j.marks {
		for i, m := range marks {
			if got := j.w.turns[i].watermark; got != m {
				return failed("the watermark after trigger %d is %s, by the rows %s", i, markText(got), markText(m))
			}
			if theirs := r.marks[i]; theirs != nil && *theirs > 0 && m > 0 && *theirs != m/1000 {
				if *theirs < m/1000 && has[*logical.Filter](j.plan) {
					return deviation("D4", "every row of the source moves the watermark, which changes no row here")
				}
				return failed("the watermark after trigger %d is %s, Spark's %s", i, markText(m), markText(*theirs*1000))
			}
		}
	}
	return Verdict{Kind: Passed}
}

func markText(us int64) string {
	if us == noWatermark {
		return "none"
	}
	return stamp(us)
}
