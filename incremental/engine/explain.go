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

// explaining is how a plan is shown.
type explaining struct{ analyze, json bool }

// explain is EXPLAIN of a statement or of a running query.
func (e *Engine) explain(ctx context.Context, s *ast.Explain) (*Result, error) {
	x, err := explainMode(s)
	if err != nil {
		return nil, err
	}
	if s.Query != nil {
		q, err := e.named(s.Query)
		if err != nil {
			return nil, err
		}
		if !x.analyze {
			return &Result{Plan: x.text(q.Plan, nil)}, nil
		}
		text := ""
		err = q.read(ctx, func() error {
			text = x.text(q.Plan, q.running())
			return nil
		})
		return &Result{Plan: text}, err
	}
	p, err := e.explained(ctx, s.Target)
	if err != nil {
		return nil, err
	}
	text := ""
	if x.analyze {
		text, err = e.analyze(ctx, s, p, x)
	} else {
		text = x.text(p, nil)
	}
	return &Result{Plan: text, Notes: p.Diagnostics}, err
}

// explainMode is how the word behind EXPLAIN and its options want the plan.
func explainMode(s *ast.Explain) (x explaining, err error) {
	if s.Mode == "LOGICAL" {
		return x, refuse(s.Span, "EXPLAIN LOGICAL is not supported: EXPLAIN shows the incremental plan, the only one that runs")
	}
	x.analyze = s.Mode == "ANALYZE"
	for _, o := range s.Options {
		key, value := strings.ToLower(o.Key), strings.ToLower(o.Value.Text)
		off := value == "false" || value == "off"
		switch {
		case key == "analyze":
			x.analyze = !off
		case key == "format" && (value == "json" || value == "text"):
			x.json = value == "json"
		case key == "verbose", off:
		default:
			return x, diag.NewError(nil, diag.Errorf(diag.NotSupported, o.Span, "EXPLAIN (%s %s) is not supported", key, value).
				WithHint("the options are ANALYZE, which runs the query and measures it, and FORMAT JSON"))
		}
	}
	return x, nil
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
func (e *Engine) analyze(ctx context.Context, s *ast.Explain, p *physical.Query, x explaining) (text string, err error) {
	if !p.Finite || p.Outputs[0].Target != physical.ToClient {
		return "", diag.NewError(nil, diag.Errorf(diag.NotSupported, s.Span, "EXPLAIN ANALYZE runs a SELECT over tables to its end; this statement reads a stream or writes").
			WithHint("start it, then EXPLAIN ANALYZE QUERY name tells what it has done since"))
	}
	err = e.finish(ctx, p, Target{Sink: &forward{emit: func(*vec.Batch) error { return nil }}}, func(q *trigger.Query) { text = x.text(p, q) })
	return text, err
}

// Explain is the text of the query's plan.
func (q *Query) Explain() string { return physical.Explain(q.Plan) }

// text is the plan, with what its nodes have done in a query; ran is nil where that is not
// asked.
func (x explaining) text(p *physical.Query, ran *trigger.Query) string {
	measured := func(n physical.Node) *physical.NodeMeasure {
		m, op, ok := ran.Graph.Measured(n)
		if !ok {
			return nil
		}
		out := &physical.NodeMeasure{Rows: m.Rows, Micros: m.Time.Microseconds()}
		if op != nil {
			st := op.Stats()
			out.Kept, out.Bytes = &st.Keys, &st.Bytes
		}
		return out
	}
	switch {
	case ran == nil && x.json:
		return physical.ExplainJSON(p, nil)
	case ran == nil:
		return physical.Explain(p)
	case x.json:
		return physical.ExplainJSON(p, measured)
	}
	triggers, busy := ran.Totals()
	return physical.ExplainWith(p, func(n physical.Node) string { return measureText(measured(n)) }) +
		fmt.Sprintf("Measured: %s, %s; the time of a node is that of all workers\n", counted(triggers, "trigger"), busy.Round(time.Microsecond))
}

func measureText(m *physical.NodeMeasure) string {
	if m == nil {
		return ""
	}
	line := fmt.Sprintf("measured: %s, %s", counted(m.Rows, "row"), time.Duration(m.Micros)*time.Microsecond)
	if m.Kept != nil {
		line += fmt.Sprintf("; it keeps %s, %s", counted(*m.Kept, "row"), counted(*m.Bytes, "byte"))
	}
	return line
}

func counted(n int64, what string) string {
	return fmt.Sprintf("%d %s", n, cmp.Or(map[int64]string{1: what}[n], what+"s"))
}
