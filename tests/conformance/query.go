package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// query runs a query and compares its rows.
func (r *runner) query(s *step, sql string) outcome {
	if err := r.sync(sql); err != nil {
		return failure(err)
	}
	toks := tokens(sql)
	if givesCount(toks) {
		return r.changeQuery(s, sql, toks)
	}
	res, err := rowsOf(r.ctx, r.batch, sql)
	if err != nil {
		return failure(err)
	}
	sort := s.sort
	if sort == noSort && !s.hashed && !ordered(toks) && r.d.noViews { // rows without ORDER BY have no order
		sort = rowSort
	}
	if err := r.judge(s, res, sort); err != nil && !r.undecided(s, sql, res) && !r.asInDuckDB(s, sql, res, sort) {
		return failure(err)
	}
	if r.s == asGiven {
		return outcome{}
	}
	return r.continuous(s, sql, res)
}

// changeQuery is a change of rows that gives rows, or their number.
func (r *runner) changeQuery(s *step, sql string, toks []token) outcome {
	if err := r.statement(sql); err != nil {
		return failure(err)
	}
	if !hasWords(toks, "returning") {
		return r.counted(s, toks)
	}
	res, err := rowsOf(r.ctx, r.batch, returned(sql, toks))
	if err != nil {
		return failure(err)
	}
	if err := r.judge(s, res, rowSort); err != nil {
		return failure(err)
	}
	return outcome{}
}

// givesCount reports a statement that can stand where a query does, for what it changes.
func givesCount(toks []token) bool {
	for i, x := range toks {
		if i > 0 && !toks[0].is("with") {
			break
		}
		if x.depth == 0 && (x.is("insert") || x.is("update") || x.is("delete") || x.is("create") && i == 0 || x.is("truncate") && i == 0 || x.is("merge")) {
			return true
		}
	}
	return false
}

// counted compares the number of rows that a statement has changed.
func (r *runner) counted(s *step, toks []token) outcome {
	n, err := strconv.Atoi(strings.Join(s.want, ""))
	if err != nil || toks[0].is("create") || toks[0].is("merge") || n == r.world.changed {
		return outcome{}
	}
	return failure(&wrongError{fmt.Sprintf("%d rows changed", r.world.changed), s.want, nil})
}

// changed compares the change of a view since the last step.
func (r *runner) changed(s *step, name string) outcome {
	if name == "" {
		return outcome{verdict: notApplicable, rule: "program"}
	}
	if err := r.sync(name); err != nil {
		return failure(err)
	}
	res, err := rowsOf(r.ctx, r.batch, "SELECT * FROM "+quote(name))
	if err != nil {
		return failure(err)
	}
	now := r.d.lines(res, s)
	weights := map[string]int{}
	for _, l := range now {
		weights[l]++
	}
	for _, l := range r.before {
		weights[l]--
	}
	r.before = now
	net := *s
	net.want = withWeights(weightsOf(s.want))
	if r.d.blankNull {
		net.want = lowerBytes(net.want, res.cols)
	}
	if err := r.d.compare(&net, withWeights(weights), len(res.cols)+1, rowSort); err != nil {
		return failure(err)
	}
	return outcome{}
}

// weightsOf sums the lines of a change whose rows are the same: the weight is the last cell.
func weightsOf(lines []string) map[string]int {
	out := map[string]int{}
	for _, l := range lines {
		i := strings.LastIndex(l, "\t")
		n, _ := strconv.Atoi(strings.ReplaceAll(l[i+1:], "+", ""))
		out[l[:max(i, 0)]] += n
	}
	return out
}

func withWeights(weights map[string]int) []string {
	var out []string
	for l, n := range weights {
		if n != 0 {
			out = append(out, fmt.Sprintf("%s\t%d", l, n))
		}
	}
	return out
}

// judge compares rows with what is expected, and with those of other queries of the label.
func (r *runner) judge(s *step, res *result, sort sortMode) error {
	lines := r.d.lines(res, s)
	if s.label != "" && len(s.want) == 0 {
		key := strings.Join(lines, "\n")
		if old, ok := r.labels[s.label]; ok && old != key {
			return &wrongError{"other rows than the query of the same label", nil, nil}
		}
		r.labels[s.label] = key
		return nil
	}
	t := *s
	t.floats = slices.ContainsFunc(res.cols, func(c types.Column) bool { return hasFloat(c.Type) })
	if r.d.blankNull {
		t.want = lowerBytes(s.want, res.cols)
	}
	return r.d.compare(&t, lines, len(res.cols), sort)
}

// continuous runs a query as a continuous one over all changes of its tables: it gives the
// rows that the batch query gave.
func (r *runner) continuous(s *step, sql string, batch *result) outcome {
	res, why, err := r.accumulated(sql)
	if err == nil && why == "" {
		r.n.continuous++
		t, d := *s, *r.d
		d.sortedMaps = true
		t.want, t.hashed = d.lines(batch, s), false
		err = d.compare(&t, d.lines(res, s), len(res.cols), rowSort)
	}
	if why != "" {
		r.n.leave(why)
	}
	if err != nil {
		o := failure(err)
		o.message = "as a continuous query: " + o.message
		return o
	}
	return outcome{}
}

func (n *counts) leave(why string) {
	if n.batchOnly == nil {
		n.batchOnly = map[string]int{}
	}
	n.batchOnly[why]++
}

// every is which of the queries of a file run as continuous ones: each, or every n-th where
// they would take too many triggers in all.
func (r *runner) every() int {
	triggers := 1
	if r.cut > 0 {
		triggers = 1 + r.n.fed/r.cut
	}
	return 1 + r.queries*triggers/maxQueryTriggers
}

// accumulated starts a continuous query, lets it take all changes, and sums what it
// gives. why is set if there is no such query.
func (r *runner) accumulated(sql string) (res *result, why string, err error) {
	names := r.named(sql)
	if len(names) == 0 {
		return nil, "it reads no table", nil
	}
	if slices.ContainsFunc(names, func(n string) bool { return r.views[n] != nil && r.views[n].emit != "" }) {
		return nil, "it reads a materialised view of final rows, as a continuous query through its query", nil
	}
	if r.arrives(sql) || slices.ContainsFunc(names, func(n string) bool { return r.late[n] }) {
		return nil, "it depends on when rows come", nil
	}
	if r.n.asked++; r.n.asked%r.every() != 0 {
		return nil, "the file has many queries and many changes", nil
	}
	sql = withoutOrder(sql)
	r.serial++
	c := &capture{}
	opt := engine.StartOptions{Name: fmt.Sprintf("q%d", r.serial), Mode: ast.EmitChangelog, Manual: true, Checkpoint: fmt.Sprintf("/q/%d", r.serial), Sink: c}
	q, err := r.start(sql, opt)
	if err != nil {
		return nil, "the planner refuses it over changing rows", nil
	}
	defer func() { q.Kill() }()
	cols := q.Plan.Outputs[0].OutputColumns()
	sum := newSum()
	for turn := 0; ; turn++ {
		p, err := q.RunTrigger(r.ctx)
		if errors.Is(err, engine.ErrStopped) {
			err = nil // it has read all that it ever will
		}
		if err != nil {
			return nil, "", err
		}
		sum.take(c.take(), len(cols))
		if p == nil {
			break
		}
		if r.s == withRestarts && turn < maxRestarts {
			q.Kill()
			if q, err = r.start(sql, opt); err != nil {
				return nil, "", fmt.Errorf("restart: %w", err)
			}
		}
	}
	rows, err := sum.rows()
	if err != nil {
		return nil, "", err
	}
	n := len(cols)
	if n > 0 && cols[n-1].Name == "weight" && len(rows) > 0 && len(rows[0].Cols) < n {
		cols = cols[:n-1]
	}
	return &result{cols: cols, rows: rows}, "", nil
}

// start starts a continuous query. Materialised views are read through their queries.
func (r *runner) start(sql string, opt engine.StartOptions) (*engine.Query, error) {
	return r.stream.Start(r.ctx, diag.Source{Name: "test", Text: sql}, opt)
}

// sum adds the changes of a query's result up.
type sum struct {
	byCode map[string]*weighted
	order  []string
}

type weighted struct {
	row *vec.Batch
	n   int64
}

func newSum() *sum { return &sum{byCode: map[string]*weighted{}} }

// take adds the rows of a trigger: n columns, then the weight, if there is one more.
func (s *sum) take(list []*vec.Batch, n int) {
	for _, b := range list {
		b.Each(func(row int) {
			one := vec.Batch{N: b.N, Sel: []int32{int32(row)}, Cols: b.Cols[:min(n, len(b.Cols))]}
			single := one.Clone()
			k := code(single, nil)
			x := s.byCode[k]
			if x == nil {
				x = &weighted{row: single}
				s.byCode[k] = x
				s.order = append(s.order, k)
			}
			x.n += weightOf(b, row, n)
		})
	}
}

func weightOf(b *vec.Batch, row, n int) int64 {
	if len(b.Cols) > n {
		return b.Cols[n].Int(row)
	}
	return b.Weight(row)
}

func (s *sum) rows() ([]*vec.Batch, error) {
	var out []*vec.Batch
	for _, k := range s.order {
		x := s.byCode[k]
		if x.n < 0 {
			return nil, &wrongError{"a row is taken away that is not there", nil, nil}
		}
		for range x.n {
			out = append(out, x.row)
		}
	}
	return out, nil
}

// capture is the sink of a continuous query: it keeps the rows of the last trigger.
type capture struct{ rows []*vec.Batch }

// Marker implements sink.Sink.
func (*capture) Marker(context.Context) (sink.Marker, error) { return sink.Marker{}, nil }

// Stage implements sink.Sink.
func (c *capture) Stage(_ context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	c.rows = nil
	return nil, rows(func(b *vec.Batch) error {
		c.rows = append(c.rows, b.Clone())
		return nil
	})
}

// Publish implements sink.Sink.
func (*capture) Publish(context.Context, sink.Batch, []byte) error { return nil }

// Discard implements sink.Sink.
func (*capture) Discard(context.Context, sink.Batch) error { return nil }

// Description implements sink.Sink.
func (*capture) Description() string { return "Test" }

// Close implements sink.Sink.
func (*capture) Close() error { return nil }

func (c *capture) take() []*vec.Batch {
	rows := c.rows
	c.rows = nil
	return rows
}
