package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// explain is EXPLAIN of a statement or of a running query.
func (e *Engine) explain(ctx context.Context, s *ast.Explain) (*Result, error) {
	analyze, err := explainMode(s)
	if err != nil {
		return nil, err
	}
	if s.Query != nil {
		q, err := e.named(s.Query)
		if err != nil {
			return nil, err
		}
		if analyze {
			text, err := q.analyzed(ctx)
			return &Result{Plan: text}, err
		}
		return &Result{Plan: q.Explain()}, nil
	}
	p, err := e.explained(ctx, s.Target)
	if err != nil {
		return nil, err
	}
	if analyze {
		text, err := e.analyze(ctx, s, p)
		return &Result{Plan: text, Notes: p.Diagnostics}, err
	}
	return &Result{Plan: physical.Explain(p), Notes: p.Diagnostics}, nil
}

// explainMode tells whether the statement is to be run and measured, from the word behind
// EXPLAIN and its options.
func explainMode(s *ast.Explain) (analyze bool, err error) {
	switch s.Mode {
	case "LOGICAL":
		return false, refuse(s.Span, "EXPLAIN LOGICAL is not supported: EXPLAIN shows the incremental plan, the only one that runs")
	case "ANALYZE":
		analyze = true
	}
	for _, o := range s.Options {
		lit := o.Value
		on, key := !strings.EqualFold(lit.Text, "false") && !strings.EqualFold(lit.Text, "off"), strings.ToLower(o.Key)
		switch {
		case key == "analyze":
			analyze = on
		case key == "verbose", key == "format" && strings.EqualFold(lit.Text, "text"), !on:
		default:
			return false, diag.NewError(nil, diag.Errorf(diag.NotSupported, o.Span, "EXPLAIN (%s %s) is not supported", key, lit.Text).
				WithHint("EXPLAIN prints text; its option is ANALYZE, which runs the query and measures it"))
		}
	}
	return analyze, nil
}

// explained is the plan of a statement.
func (e *Engine) explained(ctx context.Context, target ast.Statement) (*physical.Query, error) {
	x, ok := target.(*ast.Execute)
	if !ok {
		return e.plan(ctx, target)
	}
	src, stmt, err := e.bound(x)
	if err != nil {
		return nil, err
	}
	p, err := e.plan(ctx, stmt)
	return p, diag.InSource(src, err)
}

// analyze runs a SELECT that ends by itself, without showing its rows, and prints its plan
// with what each node did.
func (e *Engine) analyze(ctx context.Context, s *ast.Explain, p *physical.Query) (text string, err error) {
	if !p.Finite || p.Outputs[0].Target != physical.ToClient {
		return "", diag.NewError(nil, diag.Errorf(diag.NotSupported, s.Span, "EXPLAIN ANALYZE runs a SELECT over tables to its end; this statement reads a stream or writes").
			WithHint("start it, then EXPLAIN ANALYZE QUERY name tells what it has done since"))
	}
	err = e.finish(ctx, p, Target{Sink: &forward{emit: func(*vec.Batch) error { return nil }}}, func(q *trigger.Query) { text = measured(p, q) })
	return text, err
}

// Explain is the text of the query's plan.
func (q *Query) Explain() string { return physical.Explain(q.Plan) }

// analyzed is the plan with what each node has done since the query was started.
func (q *Query) analyzed(ctx context.Context) (text string, err error) {
	err = q.read(ctx, func() error {
		text = measured(q.Plan, q.running())
		return nil
	})
	return text, err
}

// measured prints a plan with what its nodes have done.
func measured(p *physical.Query, q *trigger.Query) string {
	text := physical.ExplainWith(p, func(n physical.Node) string {
		m, op, ok := q.Graph.Measured(n)
		if !ok {
			return ""
		}
		line := fmt.Sprintf("measured: %s, %s", counted(m.Rows, "row"), m.Time.Round(time.Microsecond))
		if op != nil {
			st := op.Stats()
			line += fmt.Sprintf("; it keeps %s, %s", counted(st.Keys, "row"), counted(st.Bytes, "byte"))
		}
		return line
	})
	triggers, busy := q.Totals()
	return text + fmt.Sprintf("Measured: %s, %s; the time of a node is that of all workers\n", counted(triggers, "trigger"), busy.Round(time.Microsecond))
}

func counted(n int64, what string) string {
	return fmt.Sprintf("%d %s", n, cmp.Or(map[int64]string{1: what}[n], what+"s"))
}
