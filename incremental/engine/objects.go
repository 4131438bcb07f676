package engine

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// find looks an object up, with did-you-mean.
func (e *Engine) find(n ast.Name, kind ast.Object) (catalog.Object, error) {
	o, err := e.cat.Find(n.String())
	if err != nil {
		return nil, diag.NewError(nil, diag.Errorf(diag.AmbiguousName, n.Span, "%s", err))
	}
	if o == nil {
		d := diag.Errorf(diag.UnknownTable, n.Span, "there is no %s named %q", kindWord(kind), n.String())
		if best := diag.DidYouMean(n.String(), e.cat.Names()); best != "" {
			d = d.WithHint("did you mean %q?", best)
		}
		return nil, diag.NewError(nil, d)
	}
	if kind != ast.ObjectAny && o.ObjectKind() != kind {
		return nil, diag.NewError(nil, diag.Errorf(diag.WrongObject, n.Span, "%q is a %s, not a %s", o.ObjectName(),
			kindWord(o.ObjectKind()), kindWord(kind)).WithHint("write %s", o.ObjectKind()))
	}
	return o, nil
}

func kindWord(k ast.Object) string {
	if k == ast.ObjectAny {
		return "object"
	}
	return strings.ToLower(k.String())
}

// drop is DROP of an object that no running query uses. That of a materialised view ends
// the view's own query.
func (e *Engine) drop(s *ast.Drop) (*Result, error) {
	if s.Object == ast.ObjectQuery {
		return nil, refuse(s.Span, "DROP QUERY is not supported: STOP QUERY %s ends it", s.Name.String())
	}
	if s.Object == ast.ObjectFunction {
		return e.dropFunction(s)
	}
	o, err := e.found(s)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return &Result{Message: fmt.Sprintf("there is no %s %s", kindWord(s.Object), s.Name.String())}, nil
	}
	if err := e.unused(o, s.Name.Span); err != nil {
		return nil, err
	}
	if v, ok := o.(*catalog.MaterializedView); ok {
		if q := e.viewQuery(v.Name); q != nil && !q.over() {
			if err := q.Stop(); err != nil {
				return nil, err
			}
		}
	}
	e.cat.Drop(o.ObjectName())
	e.forget(o.ObjectName())
	return &Result{Message: fmt.Sprintf("%s %s dropped", kindWord(o.ObjectKind()), o.ObjectName())}, nil
}

// found is the object of a DROP; nil if there is none and IF EXISTS allows that.
func (e *Engine) found(s *ast.Drop) (catalog.Object, error) {
	if o, err := e.cat.Find(s.Name.String()); err == nil && o == nil && s.IfExists {
		return nil, nil
	}
	return e.find(s.Name, s.Object)
}

// unused refuses to take away what a running query uses.
func (e *Engine) unused(o catalog.Object, span diag.Span) error {
	for _, q := range e.Active() {
		if uses(q, o) {
			return diag.NewError(nil, diag.Errorf(diag.ObjectInUse, span, "%s %q is used by the running query %q",
				kindWord(o.ObjectKind()), o.ObjectName(), q.Name).WithHint("STOP QUERY %s first", q.Name))
		}
	}
	return nil
}

// uses reports whether a running query reads or writes an object, or keeps its refused
// rows there. A finite relation that a join has read at the start is not in use.
func uses(q *Query, o catalog.Object) bool {
	for _, s := range q.Plan.Scans() {
		r := s.Relation
		if catalog.Object(r) == o || isTable(o) && (r.Common.BadRows == o.ObjectName() || r.Common.LateRows == o.ObjectName()) {
			return true
		}
	}
	for _, out := range q.Plan.Outputs {
		if out.Sink != nil && catalog.Object(out.Sink) == o || out.Table != nil && catalog.Object(out.Table) == o {
			return true
		}
	}
	return false
}

func isTable(o catalog.Object) bool {
	_, ok := o.(*catalog.Relation)
	return ok
}

// show is SHOW.
func (e *Engine) show(ctx context.Context, s *ast.Show) (*Result, error) {
	like := ""
	if s.Like != nil {
		like = s.Like.Text
	}
	switch s.Kind {
	case ast.ShowQueries:
		return e.showQueries(like), nil
	case ast.ShowProgress, ast.ShowWatermarks, ast.ShowState:
		return e.showRunning(s)
	case ast.ShowSettings:
		return e.showSettings(like), nil
	case ast.ShowFunctions:
		return e.showFunctions(like), nil
	case ast.ShowCreate:
		return e.showCreate(s)
	case ast.ShowColumns:
		o, err := e.find(*s.Name, ast.ObjectAny)
		if err != nil {
			return nil, err
		}
		d, err := e.describeObject(ctx, o)
		if err != nil {
			return nil, err
		}
		d.what = ""
		return d.columns(like), nil
	}
	return e.showObjects(s.Kind, like), nil
}

func (e *Engine) showObjects(k ast.ShowKind, like string) *Result {
	want := map[ast.ShowKind]ast.Object{ast.ShowSources: ast.ObjectSource, ast.ShowSinks: ast.ObjectSink,
		ast.ShowViews: ast.ObjectView, ast.ShowMaterializedViews: ast.ObjectMaterializedView}
	kind, only := want[k]
	var rows [][]string
	for _, o := range e.cat.Objects() {
		if only && o.ObjectKind() != kind || !matches(o.ObjectName(), like) {
			continue
		}
		rows = append(rows, []string{o.ObjectName(), kindWord(o.ObjectKind())})
	}
	return rowsResult([]string{"name", "kind"}, rows)
}

// matches is LIKE without regard to case, or Spark's pattern with *; an empty pattern matches
// everything.
func matches(name, like string) bool {
	if like == "" {
		return true
	}
	if !strings.Contains(like, "%") {
		like = strings.ReplaceAll(like, "*", "%")
	}
	return likeMatch([]rune(strings.ToLower(name)), []rune(strings.ToLower(like)))
}

func likeMatch(s, p []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '%':
		return likeMatch(s, p[1:]) || len(s) > 0 && likeMatch(s[1:], p)
	case len(s) == 0:
		return false
	}
	return (p[0] == '_' || p[0] == s[0]) && likeMatch(s[1:], p[1:])
}

func (e *Engine) showQueries(like string) *Result {
	var rows [][]string
	for _, q := range e.Queries() {
		if !matches(q.Name, like) {
			continue
		}
		last := ""
		if p := q.LastProgress(); p != nil {
			last = fmt.Sprint(p.BatchID)
		}
		rows = append(rows, []string{q.Name, q.ID, q.RunID(), string(q.Status()), last, errText(q.Err())})
	}
	return rowsResult([]string{"name", "id", "run_id", "status", "last_batch", "error"}, rows)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// showRunning is SHOW PROGRESS, WATERMARKS and STATE.
func (e *Engine) showRunning(s *ast.Show) (*Result, error) {
	queries := e.Queries()
	if s.Name != nil {
		q, err := e.named(s.Name)
		if err != nil {
			return nil, err
		}
		queries = []*Query{q}
	}
	var rows [][]string
	for _, q := range queries {
		p := q.LastProgress()
		if p == nil {
			continue
		}
		switch s.Kind {
		case ast.ShowProgress:
			rows = append(rows, progressRow(q, p))
		case ast.ShowWatermarks:
			rows = append(rows, watermarkRows(q, p)...)
		default:
			for _, o := range p.Operators {
				rows = append(rows, []string{q.Name, o.Operator, o.ID, fmt.Sprint(o.Total), fmt.Sprint(o.Memory)})
			}
		}
	}
	switch s.Kind {
	case ast.ShowProgress:
		return rowsResult([]string{"query", "batch", "time", "ms", "input", "contributed", "filtered", "late", "bad", "errors", "watermark"}, rows), nil
	case ast.ShowWatermarks:
		return rowsResult([]string{"query", "source", "watermark", "idle", "holds_back"}, rows), nil
	}
	return rowsResult([]string{"query", "operator", "id", "keys", "bytes"}, rows), nil
}

// watermarkRows are the watermarks of a query's sources. Of those that are not idle, the
// least one holds the query's back.
func watermarkRows(q *Query, p *trigger.Progress) (rows [][]string) {
	least, n := "", 0
	for _, src := range p.Sources {
		if src.Watermark != "" && !src.Idle {
			if n++; n == 1 || src.Watermark < least {
				least = src.Watermark
			}
		}
	}
	for _, src := range p.Sources {
		holds := n > 1 && !src.Idle && src.Watermark == least
		rows = append(rows, []string{q.Name, src.Name, src.Watermark, fmt.Sprint(src.Idle), fmt.Sprint(holds)})
		rows = append(rows, partitionRows(q, src)...)
	}
	return rows
}

// partitionRows are the watermarks of the partitions of a source: the least one that is not
// idle holds back the source's.
func partitionRows(q *Query, src trigger.SourceProgress) (rows [][]string) {
	least, any := "", false
	for _, p := range src.Partitions {
		if !p.Idle && (!any || p.Watermark < least) {
			least, any = p.Watermark, true
		}
	}
	for _, p := range src.Partitions {
		holds := len(src.Partitions) > 1 && !p.Idle && p.Watermark == least
		rows = append(rows, []string{q.Name, src.Name + " " + p.Name, p.Watermark, fmt.Sprint(p.Idle), fmt.Sprint(holds)})
	}
	return rows
}

func progressRow(q *Query, p *trigger.Progress) []string {
	w := ""
	if p.EventTime != nil {
		w = p.EventTime.Watermark
	}
	r := p.Rows
	return []string{q.Name, fmt.Sprint(p.BatchID), p.Timestamp, fmt.Sprint(p.BatchDuration), fmt.Sprint(r.Input),
		fmt.Sprint(r.Contributed), fmt.Sprint(r.Filtered), fmt.Sprint(r.Late), fmt.Sprint(r.Bad), fmt.Sprint(r.Errors), w}
}

func (e *Engine) showFunctions(like string) *Result {
	return rowsResult([]string{"name", "kind", "syntax", "description"}, e.functions(like))
}

// functions lists those whose name is like a pattern; aliases too where there is one.
func (e *Engine) functions(like string) (rows [][]string) {
	add := func(name, kind, doc string, syntax []string, aliases ...string) {
		if like == "" {
			aliases = nil
		}
		for _, n := range append([]string{name}, aliases...) {
			if matches(n, like) {
				rows = append(rows, []string{n, kind, strings.Join(syntax, "; "), doc})
			}
		}
	}
	for _, f := range e.cat.Functions.Scalars() {
		if !f.Hidden {
			add(f.Name, "scalar", f.Doc, f.Syntax, f.Aliases...)
		}
	}
	for _, f := range e.cat.Functions.Aggregates() {
		add(f.Name, "aggregate", f.Doc, f.Syntax, f.Aliases...)
	}
	for _, f := range e.cat.Functions.Windows() {
		if _, both := e.cat.Functions.Aggregate(f.Name); !both {
			add(f.Name, "window", f.Doc, f.Syntax, f.Aliases...)
		}
	}
	for _, f := range e.cat.Functions.Generators() {
		if !f.Hidden {
			add(f.Name, "table", f.Doc, f.Syntax, f.Aliases...)
		}
	}
	for _, f := range e.cat.SQLFunctions() {
		kind := "scalar"
		if f.Query != nil {
			kind = "table"
		}
		add(f.Name, kind, "Written in SQL: "+f.Text, []string{f.Syntax()})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i][0] < rows[j][0] })
	return rows
}

func (e *Engine) showCreate(s *ast.Show) (*Result, error) {
	if s.Object == ast.ObjectFunction {
		f, err := e.sqlFunction(*s.Name)
		if err != nil {
			return nil, err
		}
		return &Result{Plan: f.Text}, nil
	}
	o, err := e.find(*s.Name, s.Object)
	if err != nil {
		return nil, err
	}
	switch o := o.(type) {
	case *catalog.Relation:
		return &Result{Plan: o.Text}, nil
	case *catalog.View:
		return &Result{Plan: o.Text}, nil
	case *catalog.MaterializedView:
		return &Result{Plan: o.Text}, nil
	case *catalog.Sink:
		return &Result{Plan: o.Text}, nil
	}
	return nil, fmt.Errorf("engine: SHOW CREATE of a %T", o)
}

// appendEncoded adds encoded batches to a table in memory.
func (e *Engine) appendEncoded(r *catalog.Relation, payload []byte) error {
	cols, _ := r.Inputs()
	ts := make([]types.Type, len(cols))
	for i, c := range cols {
		ts[i] = c.Type
	}
	store := e.opt.Builtin.Stores.Get(r.Name)
	for len(payload) > 0 {
		b, rest, err := vec.DecodeBatch(payload, ts)
		if err != nil {
			return fmt.Errorf("table %q: %w", r.Name, err)
		}
		if err := store.Append(b); err != nil {
			return err
		}
		payload = rest
	}
	return nil
}
