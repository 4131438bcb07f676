package planner

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// insert is INSERT INTO a sink or a table.
func (p *planner) insert(s *ast.Insert) {
	o := p.insertTarget(s)
	p.want(s, o)
	p.query(s.Source, o)
	p.fit(s, o)
}

// want tells the binder what the columns of INSERT … VALUES are stored as.
func (p *planner) want(s *ast.Insert, o *output) {
	v, ok := s.Source.Query.Body.(*ast.Values)
	cols := targetColumns(o)
	if !ok || cols == nil {
		return
	}
	var list []types.Type
	var defaults []expr.Node
	for i, c := range cols {
		list, defaults = append(list, c.Type), append(defaults, defaultOf(o, i, c))
	}
	if len(s.Columns) > 0 {
		list, defaults = nil, nil
		for _, id := range s.Columns {
			i := findName(cols, id.Name)
			if i < 0 {
				return // reported by fit
			}
			list, defaults = append(list, cols[i].Type), append(defaults, defaultOf(o, i, cols[i]))
		}
	}
	p.b.Want(v, list)
	p.b.Default(v, defaults)
}

func (p *planner) insertTarget(s *ast.Insert) *output {
	o := &output{target: physical.ToSink, span: s.Table.Span, name: s.Table.String()}
	if s.Overwrite {
		p.errorf(diag.NotPlanned, diag.Span{Start: s.Span.Start, End: s.Table.Span.End}, "INSERT OVERWRITE is not supported").
			WithHint("write CREATE OR REPLACE TABLE %s AS SELECT …, or EMIT COMPLETE into a sink", s.Table)
	}
	if len(s.Partition) > 0 {
		key := s.Partition[0]
		value := key.Value.Text
		if key.Value.Kind == ast.LitString {
			value = "'" + value + "'"
		}
		p.errorf(diag.NotPlanned, diag.Join(key.KeySpan, s.Partition[len(s.Partition)-1].Span), "PARTITION of INSERT is not supported").
			WithHint("give the values in the rows: INSERT INTO %s (…, %s) SELECT …, %s", s.Table, key.Key, value)
		return o
	}
	found, err := p.cat.Find(s.Table.String())
	if err != nil {
		p.errorf(diag.AmbiguousName, s.Table.Span, "%s", err.Error())
		return o
	}
	switch t := found.(type) {
	case *catalog.Sink:
		o.sink, o.name = t, t.Name
	case *catalog.Relation:
		p.insertRelation(s, t, o)
	case nil:
		d := p.errorf(diag.UnknownTable, s.Table.Span, "unknown sink or table %q", s.Table.String())
		if d.Hint = diag.HintDidYouMean(s.Table.String(), p.cat.Names()); d.Hint == "" {
			d.WithHint("declare it before: CREATE SINK %s WITH (connector = …)", s.Table.String())
		}
	default:
		p.errorf(diag.WrongObject, s.Table.Span, "%q is a view and takes no rows", s.Table.String())
	}
	return o
}

// insertRelation: tables and memory sources take rows.
func (p *planner) insertRelation(s *ast.Insert, t *catalog.Relation, o *output) {
	o.target, o.table, o.name = physical.ToTable, t, t.Name
	if t.Connector != "memory" {
		what := "table"
		if t.Streaming {
			what = "source"
		}
		p.errorf(diag.WrongObject, s.Table.Span, "%s %q is read with connector %s and takes no INSERT", what, t.Name, t.Connector).
			WithHint("declare a sink: CREATE SINK name WITH (connector = '%s', …), and INSERT INTO that", t.Connector)
	}
}

// fit brings the query's columns to those of the target: by position, or by the list
// of names in INSERT.
func (p *planner) fit(s *ast.Insert, o *output) {
	if o.plan == nil {
		return
	}
	if s.ByName {
		named := *s
		for _, c := range o.plan.Schema() {
			named.Columns = append(named.Columns, ast.Ident{Span: s.Source.Span, Name: c.Name})
		}
		s = &named
	}
	want := targetColumns(o)
	if want == nil {
		if len(s.Columns) > 0 {
			p.renameColumns(s, o)
		}
		return
	}
	at := make([]int, len(want)) // target column → query column, −1 = NULL
	have := o.plan.Schema()
	if len(s.Columns) == 0 {
		if len(have) != len(want) {
			p.errorf(diag.ColumnCount, s.Source.Span, "%q has %d columns, but the query gives %d", o.name, len(want), len(have)).
				WithHint("its columns are %s; a list names those that are given: INSERT INTO %s (%s) …", columnList(want), o.name, want[0].Name)
			return
		}
		for i := range at {
			at[i] = i
		}
	} else if !p.byList(s, o, want, at) {
		return
	}
	p.convert(o, want, at)
}

func targetColumns(o *output) []types.Column {
	if o.sink != nil {
		return o.sink.Columns
	}
	if o.table != nil {
		var out []types.Column
		for _, c := range o.table.Columns {
			if c.Kind != catalog.Computed {
				out = append(out, c.Column)
			}
		}
		return out
	}
	return nil
}

func (p *planner) byList(s *ast.Insert, o *output, want []types.Column, at []int) bool {
	if len(s.Columns) != len(o.plan.Schema()) {
		p.errorf(diag.ColumnCount, s.Source.Span, "INSERT lists %d columns, but the query gives %d", len(s.Columns), len(o.plan.Schema()))
		return false
	}
	for i := range at {
		at[i] = -1
	}
	for i, id := range s.Columns {
		j := findName(want, id.Name)
		if j < 0 {
			p.errorf(diag.UnknownColumn, id.Span, "%q has no column %q", o.name, id.Name).
				Hint = diag.HintDidYouMean(id.Name, names(want))
			return false
		}
		if at[j] >= 0 {
			p.errorf(diag.DuplicateColumn, id.Span, "column %q is listed twice", id.Name)
			return false
		}
		at[j] = i
	}
	return true
}

// renameColumns names the columns of a sink that takes what it gets.
func (p *planner) renameColumns(s *ast.Insert, o *output) {
	have := o.plan.Schema()
	if len(s.Columns) != len(have) {
		p.errorf(diag.ColumnCount, s.Source.Span, "INSERT lists %d columns, but the query gives %d", len(s.Columns), len(have))
		return
	}
	list := make([]string, len(have))
	for i, id := range s.Columns {
		list[i] = id.Name
	}
	o.plan = &logical.Project{Input: o.plan, Exprs: logical.Columns(o.plan), Names: list}
}

// convert casts to the target's types, as far as that needs no CAST in the query.
func (p *planner) convert(o *output, want []types.Column, at []int) {
	have := o.plan.Schema()
	exprs := make([]expr.Node, len(want))
	list := make([]string, len(want))
	res := &expr.Resolver{Functions: p.cat.Functions, Zone: p.set.Zone}
	for i, c := range want {
		list[i] = c.Name
		if at[i] < 0 {
			exprs[i] = defaultOf(o, i, c)
			continue
		}
		from := have[at[i]].Type
		if !bind.Storable(from, c.Type) {
			p.errorf(diag.WrongColumns, o.columnSpan(at[i]), "column %q of %q is %s, but the query gives %s", c.Name, o.name, c.Type, from).
				WithHint("write CAST(… AS %s)", c.Type)
			continue
		}
		n, err := res.Cast(logical.Col(o.plan, at[i]), c.Type, false)
		if err != nil {
			p.errorf(diag.WrongColumns, o.columnSpan(at[i]), "%s", err.Error())
			continue
		}
		exprs[i] = n
	}
	if len(p.diags) == 0 {
		o.plan = &logical.Project{Input: o.plan, Exprs: exprs, Names: list}
	}
}

// defaultOf is what is stored in a column that INSERT leaves out.
func defaultOf(o *output, i int, c types.Column) expr.Node {
	if o.table != nil {
		for _, col := range o.table.Columns {
			if col.Kind == catalog.Computed {
				continue
			}
			if i--; i < 0 && col.Default != nil {
				return col.Default
			} else if i < 0 {
				break
			}
		}
	}
	return expr.Null(c.Type)
}

func (o *output) columnSpan(i int) diag.Span {
	if i < len(o.spans) && !o.spans[i].IsZero() {
		return o.spans[i]
	}
	return o.span
}

func columnList(cols []types.Column) string {
	text := ""
	for i, c := range cols {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", c.Name, c.Type)
	}
	return text
}

func names(cols []types.Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// findName finds a column: the exact spelling, else the first that differs in case.
func findName(cols []types.Column, name string) int {
	folded := -1
	for i, c := range cols {
		if c.Name == name {
			return i
		}
		if folded < 0 && strings.EqualFold(c.Name, name) {
			folded = i
		}
	}
	return folded
}
