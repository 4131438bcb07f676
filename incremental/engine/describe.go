package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// description is what DESCRIBE tells of an object or a query.
type description struct {
	what  string      // "ev is a stream"
	rows  [][]string  // column, type, note
	about [][2]string // for DESCRIBE EXTENDED
}

// columns is the result: the columns whose name is like a pattern.
func (d *description) columns(like string) *Result {
	var rows [][]string
	for _, r := range d.rows {
		if matches(r[0], like) {
			rows = append(rows, r)
		}
	}
	r := rowsResult([]string{"column", "type", "note"}, rows)
	r.Message = d.what
	return r
}

// describe is DESCRIBE of an object or a query.
func (e *Engine) describe(ctx context.Context, s *ast.Describe) (*Result, error) {
	if s.Object == ast.ObjectFunction {
		return e.describeFunction(s)
	}
	d, err := e.description(ctx, s)
	if err != nil {
		return nil, err
	}
	if s.Extended {
		for _, a := range d.about {
			if a[1] != "" {
				d.rows = append(d.rows, []string{"# " + a[0], a[1], ""})
			}
		}
	}
	return d.columns(""), nil
}

func (e *Engine) description(ctx context.Context, s *ast.Describe) (*description, error) {
	if s.Query != nil {
		return e.describeQuery(ctx, s.Query, "the result", nil)
	}
	o, err := e.find(*s.Name, s.Object)
	if err != nil {
		return nil, err
	}
	return e.describeObject(ctx, o)
}

func (e *Engine) describeObject(ctx context.Context, o catalog.Object) (*description, error) {
	d := &description{}
	switch o := o.(type) {
	case *catalog.View:
		d, err := e.describeQuery(ctx, o.Query, o.Name, o.Columns)
		if err != nil {
			return nil, diag.InSource(*o.Source, err)
		}
		return d, nil
	case *catalog.Relation:
		d.relation(o)
		return d, nil
	case *catalog.MaterializedView:
		d.list(o.Columns)
		d.is(o.Name, false)
	case *catalog.Sink:
		d.list(o.Columns)
		d.what = o.Name + " is a sink"
		d.about = [][2]string{{"kind", "sink"}, {"connector", o.Connector}}
	default:
		return nil, fmt.Errorf("engine: DESCRIBE of a %T", o)
	}
	return d, nil
}

// describeQuery describes the result of a query, whose columns may have other names.
func (e *Engine) describeQuery(ctx context.Context, q *ast.Query, what string, names []string) (*description, error) {
	p, err := e.plan(ctx, &ast.QueryStmt{Span: q.Span, Query: q})
	if err != nil {
		return nil, err
	}
	cols := append([]types.Column(nil), p.Outputs[0].OutputColumns()...)
	for i, n := range names {
		cols[i].Name = n
	}
	d := &description{}
	d.list(cols)
	d.is(what, !p.Finite)
	return d, nil
}

// is says whether what is described is a stream or a table.
func (d *description) is(what string, stream bool) {
	kind := "table"
	if stream {
		kind = "stream"
	}
	d.what, d.about = what+" is a "+kind, append(d.about, [2]string{"kind", kind})
}

func (d *description) list(cols []types.Column) {
	for _, c := range cols {
		d.rows = append(d.rows, []string{c.Name, c.Type.String(), ""})
	}
}

// relation describes a source or a table.
func (d *description) relation(r *catalog.Relation) {
	key := map[int]bool{}
	for _, k := range r.Key {
		key[k] = true
	}
	for i, c := range r.Columns {
		notes := []string{[...]string{"", "metadata", "partition", "computed"}[c.Kind]}
		if w := r.Watermark; w != nil && w.Column == i {
			notes = append(notes, "watermark "+w.Delay.String())
		}
		if c.NotNull {
			notes = append(notes, "not null")
		}
		if key[i] {
			notes = append(notes, "primary key")
		}
		if c.Comment != "" {
			notes = append(notes, "-- "+c.Comment)
		}
		d.rows = append(d.rows, []string{c.Name, c.Type.String(), strings.TrimSpace(strings.Join(notes, " "))})
	}
	d.is(r.Name, r.Streaming)
	d.about = append(d.about, [2]string{"connector", r.Connector}, [2]string{"format", r.Format}, [2]string{"comment", r.Comment})
}
