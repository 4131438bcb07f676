package oracle

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn/timewindow"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// sessions is D6, and D26: Spark's sessions take late rows by the rows' own end, and two
// that only touch are one. Ours must be the reference's sessions over the rows that are
// not behind the watermark, in append mode just those that have ended; Spark's must be
// the reference's, with or without touching, over the rows that it did not take for late.
func (w *world) sessions(r *recorded) (Verdict, bool) {
	j, err := w.newJudge()
	if err != nil || !has[*logical.Session](j.plan) {
		return Verdict{}, false
	}
	if err = j.ownSessions(); err != nil {
		return failed("%v; %s", err, w.firstDifference(r)), true
	}
	touching, err := j.theirSessions(r)
	switch {
	case err != nil:
		return failed("%v; %s", err, w.firstDifference(r)), true
	case touching && w.lateRows() == 0:
		return deviation("D26", "for Spark sessions that touch are one"), true
	}
	return deviation("D6", "a row before the watermark is late for sessions; the reference agrees"), true
}

// ownSessions checks our rows against the reference.
func (j *judge) ownSessions() error {
	l := j.w.loose()
	if err := j.confirm(l); err != nil {
		return err
	}
	acc := j.w.newResult()
	for _, t := range j.w.turns {
		acc.take(t)
	}
	want, err := j.answer(j.ended(j.plan), len(j.w.turns)-1, j.behind)
	if err != nil {
		return err
	}
	ours, its := l.diff(acc.rows, want)
	if len(ours) > 0 || len(its) > 0 {
		return fmt.Errorf("the reference disagrees in the end: only we %s, only it %s", show(ours), show(its))
	}
	return nil
}

// theirSessions checks Spark's rows, and tells whether touching sessions must be one for
// that.
func (j *judge) theirSessions(r *recorded) (touching bool, err error) {
	theirs := j.w.newResult()
	for _, rows := range r.rows {
		t := turn{ran: true}
		for _, x := range rows {
			t.rows = append(t.rows, outRow{json: x, weight: 1})
		}
		theirs.take(t)
	}
	for _, touching := range []bool{false, true} {
		plan := j.plan
		if touching {
			plan = touch(plan)
		}
		for _, without := range subsets(j.behind) {
			want, err := j.answer(j.ended(plan), len(j.w.turns)-1, without)
			if err != nil {
				return false, err
			}
			if j.w.loose().sameBag(theirs.rows, want) {
				return touching, nil
			}
		}
	}
	return false, fmt.Errorf("the sessions of Spark are no answer of the reference: %s", show(theirs.rows))
}

// subsets lists the ways to choose among some rows.
func subsets(rows []lateRow) [][]lateRow {
	const most = 10
	out := [][]lateRow{nil}
	for _, x := range rows[:min(len(rows), most)] {
		for _, o := range out[:len(out):len(out)] {
			out = append(out, append(append([]lateRow(nil), o...), x))
		}
	}
	return out
}

// ended keeps, in append mode, the sessions that have ended by the last watermark.
func (j *judge) ended(plan logical.Node) logical.Node {
	if j.w.mode() != sink.Append {
		return plan
	}
	return logical.Rewrite(plan, func(n logical.Node) logical.Node {
		a, ok := n.(*logical.Aggregate)
		if !ok || !has[*logical.Session](a.Input) || has[*logical.Aggregate](a.Input) {
			return n
		}
		marks := j.marksBelow(n)
		end := len(a.Input.Schema()) - 1
		for i, c := range a.Input.Schema() {
			if c.Name == "window_end" {
				end = i
			}
		}
		mark := marks[len(marks)-1]
		if j.w.waits() {
			mark = marks[len(marks)-2]
		}
		limit := expr.NewConst(vec.FromAny(types.Of(types.Timestamp), mark))
		res := expr.Resolver{Functions: j.w.e.Catalog().Functions}
		final, err := res.Resolve("<=", logical.Col(a.Input, end), limit)
		if err != nil {
			return n
		}
		return a.WithChildren([]logical.Node{&logical.Filter{Input: a.Input, Predicate: final}})
	})
}

// touch makes sessions of a plan one that only touch: each lasts a microsecond longer
// while they are formed.
func touch(plan logical.Node) logical.Node {
	return logical.Rewrite(plan, func(n logical.Node) logical.Node {
		s, ok := n.(*logical.Session)
		if !ok {
			return n
		}
		c := *s
		c.End = later(s.End, 1)
		exprs := logical.Columns(&c)
		last := len(exprs) - 1
		exprs[last] = later(exprs[last], -1)
		names := make([]string, len(exprs))
		for i, col := range c.Schema() {
			names[i] = col.Name
		}
		return &logical.Project{Input: &c, Exprs: exprs, Names: names}
	})
}

func later(t expr.Node, micros int64) expr.Node {
	args := []expr.Node{t, expr.Interval(types.IntervalValue{Micros: micros})}
	impl, err := timewindow.End.Resolve(expr.Args(args))
	if err != nil {
		panic(err)
	}
	return expr.NewCall(&timewindow.End, impl, args)
}
