package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Result is what a statement gave. At most one of Rows and Query is set.
type Result struct {
	Message string // "source clicks created"
	Notes   []*diag.Diagnostic
	Columns []types.Column
	// Rows runs a finite query and gives its rows to emit, in batches that it must not keep.
	Rows  func(ctx context.Context, emit func(*vec.Batch) error) error
	Query *Query // a continuous query that was started
	// Plan is the text of EXPLAIN and SHOW CREATE: lines, not a table.
	Plan string
	last bool // the statement ends with Query: the next one finds what that has written
}

// Exec runs the statements of a script one after another and gives each result to
// each, before the next statement runs. A syntax error anywhere runs nothing. The first
// failing statement ends the script.
func (e *Engine) Exec(ctx context.Context, src diag.Source, each func(*Result) error) error {
	stmts, err := parser.Parse(src)
	src = e.mask.source(src)
	if err != nil {
		return diag.Showing(src, err)
	}
	for _, s := range stmts {
		r, err := e.Statement(ctx, src, s)
		if err != nil {
			return diag.InSource(src, err)
		}
		if err := each(r); err != nil {
			return diag.InSource(src, err)
		}
	}
	return nil
}

// Statement runs one parsed statement of src.
func (e *Engine) Statement(ctx context.Context, src diag.Source, s ast.Statement) (res *Result, err error) {
	defer recovered(&err, "statement") // other queries go on
	if res, err = e.byTurn(ctx, src, s); err == nil && res.last {
		err = res.end(ctx)
	}
	return res, err
}

// byTurn runs a statement while no other one that may change something does.
func (e *Engine) byTurn(ctx context.Context, src diag.Source, s ast.Statement) (*Result, error) {
	if !waits(s) {
		release, err := e.turn.take(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	return e.statement(ctx, e.mask.source(src), s)
}

// end waits for the query of the statement, and ends it when nobody waits any more.
func (r *Result) end(ctx context.Context) error {
	q := r.Query
	err := q.Await(ctx)
	if ctx.Err() != nil {
		q.Kill()
	}
	r.Query, r.last = nil, false
	return err
}

// waits reports a statement that changes nothing that others see, and may take long.
func waits(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.QueryControl:
		return s.Action != ast.StartQuery
	case *ast.RunTrigger, *ast.Refresh:
		return true
	}
	return false
}

func (e *Engine) statement(ctx context.Context, src diag.Source, s ast.Statement) (*Result, error) {
	switch s := s.(type) {
	case *ast.QueryStmt:
		return e.query(ctx, src, s)
	case *ast.Insert:
		return e.insert(ctx, src, s)
	case *ast.StatementSet:
		return e.statementSet(ctx, src, s)
	case *ast.CreateSource, *ast.CreateTable, *ast.CreateView, *ast.CreateMaterializedView, *ast.CreateSink:
		return e.create(ctx, src, s)
	case *ast.CreateFunction:
		return e.createFunction(ctx, src, s)
	case *ast.Explain:
		return e.explain(ctx, s)
	case *ast.Show:
		return e.show(ctx, s)
	case *ast.Describe:
		return e.describe(ctx, s)
	case *ast.Set:
		return e.setting(s)
	case *ast.Reset:
		return e.reset(s)
	case *ast.Drop:
		return e.drop(s)
	case *ast.QueryControl:
		return e.control(ctx, s)
	case *ast.RunTrigger:
		return e.runTrigger(ctx, s)
	case *ast.Unsupported:
		d := diag.Errorf(diag.NotSupported, s.Span, "%s is not supported", s.What)
		d.Hint = unsupportedHints[s.What]
		return nil, diag.NewError(&src, d)
	}
	return e.other(ctx, src, s)
}

var unsupportedHints = map[string]string{
	"USE":               "there is one space of names: write sales.orders for a table of another system's database",
	"CREATE DATABASE":   "there is one space of names: an object may be called sales.orders",
	"EXPLAIN ROW":       "SELECT … FROM state('query', 'operator') shows what an operator keeps",
	"CREATE SCHEMA":     "there is one space of names: an object may be called sales.orders",
	"CREATE CATALOG":    "declare each table and source with its connector",
	"CREATE SECRET":     "write ${NAME} or ${file:path} in the value of an option",
	"CREATE CONNECTION": "its options stand in WITH (…) of each source and sink",
	"CREATE AGGREGATE":  "write CREATE FUNCTION f(x) RETURN with aggregates in the expression, or register a Go aggregate",
}

// other runs the statements on prepared statements and objects.
func (e *Engine) other(ctx context.Context, src diag.Source, s ast.Statement) (*Result, error) {
	switch s := s.(type) {
	case *ast.Prepare:
		return e.prepare(src, s)
	case *ast.Execute:
		return e.execute(ctx, s)
	case *ast.Deallocate:
		return e.deallocate(s)
	case *ast.Alter:
		return e.alter(ctx, s)
	case *ast.Copy:
		return e.copyTo(ctx, src, s)
	case *ast.Refresh:
		return e.refresh(ctx, s)
	}
	return nil, fmt.Errorf("engine: there is no way to run a %T", s)
}

// text is a statement as it was written.
func text(src diag.Source, span diag.Span) string {
	return strings.TrimSpace(src.Text[span.Start:span.End])
}

// rowsResult is a table of text that a statement made up.
func rowsResult(columns []string, rows [][]string) *Result {
	cols := make([]types.Column, len(columns))
	b := &vec.Batch{N: len(rows), Cols: make([]*vec.Vector, len(columns))}
	for i, name := range columns {
		cols[i] = types.Column{Name: name, Type: types.Of(types.String)}
		v := make([]string, len(rows))
		for r, row := range rows {
			v[r] = row[i]
		}
		b.Cols[i] = vec.FromStrings(v)
	}
	return &Result{Columns: cols, Rows: func(_ context.Context, emit func(*vec.Batch) error) error {
		if b.N == 0 {
			return nil
		}
		return emit(b)
	}}
}
