package oracle

import (
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/reference"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// judge asks the naive interpreter what the query answers over the rows that are not
// late. It shares nothing with the engine but scalar expressions: the watermark and
// which rows are behind it are computed here from the rows alone.
type judge struct {
	w    *world
	plan logical.Node // as bound, before any rule
	// theirs is what Spark answers: the same, but for a deviation.
	theirs logical.Node
	// steady are the output columns that are no matter of chance.
	steady []int
	// marks has, by relation, the watermark after each trigger.
	marks map[string][]int64
	// behind are the rows that came behind the watermark of the trigger before theirs.
	behind []lateRow
	// doubtful are those that Spark may take for late: at the watermark too, and before
	// 1970.
	doubtful []lateRow
	times    []timedRow // of all rows of streams with a watermark
}

// timedRow is a row with its event time.
type timedRow struct {
	lateRow
	time int64
}

// lateRow is a row of a relation that may be late.
type lateRow struct {
	relation string
	index    int // of what was fed
	trigger  int
}

// newJudge binds the query again and follows the watermarks.
func (w *world) newJudge() (*judge, error) {
	if w.unread {
		return nil, fmt.Errorf("some rows of the files are not known here")
	}
	q, err := parser.ParseQuery(diag.Source{Name: "query", Text: w.sql})
	if err != nil {
		return nil, err
	}
	res, err := bind.New(w.e.Catalog(), bind.Settings{Zone: w.e.Zone()}).Query(q)
	if err != nil {
		return nil, err
	}
	j := &judge{w: w, plan: res.Plan, theirs: res.Plan, marks: map[string][]int64{}}
	for i := range res.Plan.Schema() {
		if !chance(res.Plan, i) {
			j.steady = append(j.steady, i)
		}
	}
	logical.Walk(res.Plan, func(n logical.Node) {
		if s, ok := n.(*logical.Scan); ok && !s.Finite && s.Watermark != nil && err == nil {
			err = j.follow(s)
		}
	})
	return j, err
}

// follow computes the watermark of a scan after each trigger, and which rows were
// behind it.
func (j *judge) follow(s *logical.Scan) error {
	name := s.Relation.Name
	if j.marks[name] != nil {
		return nil
	}
	rows, err := reference.Question{Plan: s, Inputs: func(*logical.Scan) ([]reference.Change, error) { return j.w.fed[name], nil }}.Answer(j.ctx())
	if err != nil {
		return err
	}
	mark := int64(noWatermark)
	delay := length(s.Watermark.Delay)
	at := 0
	for i := range len(j.w.turns) {
		before := mark
		for ; at < len(rows) && triggerOf(rows[at].Moment) <= i; at++ {
			t, ok := rows[at].Values[s.Watermark.Col].(int64)
			if !ok {
				continue
			}
			j.times = append(j.times, timedRow{lateRow{name, at, i}, t})
			if t < before {
				j.behind = append(j.behind, lateRow{name, at, i})
			}
			if t < max(before, 0) || t == before && j.w.byTime(j.plan) || j.w.greatestMark() {
				j.doubtful = append(j.doubtful, lateRow{name, at, i})
			}
			mark = max(mark, t-delay)
		}
		j.marks[name] = append(j.marks[name], mark)
	}
	return nil
}

// length of a delay; a month is 31 days, as in Spark.
func length(v types.IntervalValue) int64 {
	const day = 86_400_000_000
	return (int64(v.Months)*31+int64(v.Days))*day + v.Micros
}

// triggerOf is the trigger in which a row came: each has a minute of its own.
func triggerOf(m reference.Moment) int {
	return int((m.Now-start.UnixMicro())/time.Minute.Microseconds()) - 1
}

func (j *judge) ctx() *fn.Ctx {
	return &fn.Ctx{Zone: j.w.e.Zone(), Now: j.w.clock.Now().UnixMicro(), NullOnError: !j.w.c.ansi()}
}

// answer is the batch answer over what came up to a trigger, without some rows.
func (j *judge) answer(plan logical.Node, upTo int, without []lateRow) ([]row, error) {
	rows, err := j.ask(plan, upTo, without)
	if err != nil {
		return nil, err
	}
	schema := plan.Schema()
	out := make([]row, len(rows))
	for i, r := range rows {
		for k, v := range r.Values {
			out[i] = append(out[i], toJSON(v, schema[k].Type))
		}
	}
	return out, nil
}

func (j *judge) ask(plan logical.Node, upTo int, without []lateRow) ([]reference.Row, error) {
	in := func(s *logical.Scan) ([]reference.Change, error) { return j.given(s, upTo, without), nil }
	return reference.Question{Plan: plan, Inputs: in}.Answer(j.ctx())
}

func (j *judge) given(s *logical.Scan, upTo int, without []lateRow) []reference.Change {
	var out []reference.Change
	for i, c := range j.w.fed[s.Relation.Name] {
		late := false
		for _, l := range without {
			late = late || l.relation == s.Relation.Name && l.index == i
		}
		if late || !s.Finite && triggerOf(c.Moment) > upTo {
			continue
		}
		out = append(out, c)
	}
	return out
}

// openWindows replaces sliding windows by what the reference says they give, less the
// windows that were closed when their row came: such a row can count in some of its
// windows only.
// They are closed by the watermark lag triggers before.
func (j *judge) openWindows(upTo, lag int) (logical.Node, bool, error) {
	var failed error
	sliding := false
	plan := logical.Rewrite(j.plan, func(n logical.Node) logical.Node {
		h, ok := n.(*logical.Hop)
		if !ok || failed != nil {
			return n
		}
		marks := j.marksBelow(h)
		if marks == nil {
			return n
		}
		sliding = true
		rows, err := j.ask(h, upTo, nil)
		if err != nil {
			failed = err
			return n
		}
		v := &logical.Values{Columns: h.Schema()}
		for _, r := range rows {
			i := triggerOf(r.Moment) - lag
			start := r.Values[len(r.Values)-1].(int64)
			if i < 0 || marks[i] == noWatermark || start+h.Size > marks[i] {
				v.Rows = append(v.Rows, constants(v.Columns, r.Values))
			}
		}
		return v
	})
	return plan, sliding, failed
}

// marksBelow are the watermarks of the only stream below a node.
func (j *judge) marksBelow(n logical.Node) (marks []int64) {
	logical.Walk(n, func(n logical.Node) {
		if s, ok := n.(*logical.Scan); ok && !s.Finite {
			marks = j.marks[s.Relation.Name]
		}
	})
	return marks
}

func constants(cols []types.Column, values []any) []expr.Node {
	out := make([]expr.Node, len(cols))
	for i, c := range cols {
		out[i] = expr.NewConst(vec.FromAny(c.Type, values[i]))
	}
	return out
}
