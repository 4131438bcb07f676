// Package planner turns a statement into what the engine runs or keeps: a physical
// query, or a catalog object. It owns the order of the stages (bind → decorrelate → rules → lower →
// mode) and the choice of the output mode, with every refusal that a mode can have. It
// knows neither operators nor connectors, only their descriptions.
//
// Open this file first: Plan and Define are the whole API. target.go and insert.go say
// where rows go, mode.go chooses the output mode, check.go and reason.go refuse what a
// mode cannot have, options.go reads WITH (…).
package planner

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/decorrelate"
	"github.com/sqlstream/sqlstream/planner/logical"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/planner/rules"
)

// Settings are what the session gives a statement.
type Settings struct {
	bind.Settings
	// RefuseUnbounded is SET allow_unbounded_state = false.
	RefuseUnbounded bool
	// Mode is the mode of a statement without EMIT (golden test files); the default if
	// it is not set.
	Mode ast.EmitMode
	// RuleFired, if set, is told of every rewrite rule that changed something.
	RuleFired func(rule string)
	// Run runs a finite query whose rows decide what a statement means, as those of PIVOT
	// without a list of values do; nil = such statements are refused.
	Run func(q *physical.Query) ([]*vec.Batch, error)
	// RuleOff, if set, names rewrite rules that are left out.
	RuleOff func(rule string) bool
}

// Plan plans a query statement: SELECT, INSERT … SELECT, CREATE MATERIALIZED VIEW,
// CREATE SINK … AS, CREATE TABLE … AS, EXECUTE STATEMENT SET. Errors are *diag.Error
// without Source.
func Plan(stmt ast.Statement, cat *catalog.Catalog, set Settings) (*physical.Query, error) {
	q, _, err := planLogical(stmt, cat, set)
	return q, err
}

// Logical plans a statement and returns, beside the query, the logical plan of each
// output after the rules: what incremental/reference interprets.
func Logical(stmt ast.Statement, cat *catalog.Catalog, set Settings) (*physical.Query, []logical.Node, error) {
	return planLogical(stmt, cat, set)
}

// Explain plans a statement and prints the plan.
func Explain(stmt ast.Statement, cat *catalog.Catalog, set Settings) (string, error) {
	q, err := Plan(stmt, cat, set)
	if err != nil {
		return "", err
	}
	return physical.Explain(q), nil
}

func planLogical(stmt ast.Statement, cat *catalog.Catalog, set Settings) (*physical.Query, []logical.Node, error) {
	set.Rows = rowsOf(stmt, cat, set)
	p := &planner{cat: cat, set: set, b: bind.New(cat, set.Settings)}
	if err := p.targets(stmt); err != nil {
		return nil, nil, err
	}
	if err := p.decorrelate(); err != nil {
		return nil, nil, err
	}
	p.refresh()
	p.optimise()
	q, err := p.physical()
	if err != nil {
		return nil, nil, err
	}
	var plans []logical.Node
	for _, o := range p.outs {
		plans = append(plans, o.plan)
	}
	return q, plans, nil
}

// rowsOf is how a statement reads the rows that decide what it means: one that is planned
// once, for there they cannot change.
func rowsOf(stmt ast.Statement, cat *catalog.Catalog, set Settings) func(logical.Node) ([]*vec.Batch, error) {
	switch s := stmt.(type) {
	case *ast.Explain:
		return rowsOf(s.Target, cat, set)
	case *ast.QueryStmt, *ast.CreateTable:
	default:
		return nil
	}
	if set.Run == nil {
		return nil
	}
	return func(plan logical.Node) ([]*vec.Batch, error) {
		inner := set
		inner.Mode = 0
		p := &planner{cat: cat, set: inner, b: bind.New(cat, set.Settings), span: stmt.Pos()}
		p.outs = []*output{{plan: plan, target: physical.ToClient, span: stmt.Pos(), finite: true}}
		if err := p.decorrelate(); err != nil {
			return nil, err
		}
		p.optimise()
		q, err := p.physical()
		if err != nil {
			return nil, err
		}
		return set.Run(q)
	}
}

// planner plans one statement.
type planner struct {
	cat   *catalog.Catalog
	set   Settings
	b     *bind.Binder
	outs  []*output
	emit  *ast.Emit
	span  diag.Span
	opts  queryOptions
	diags []*diag.Diagnostic
}

// output is one query of the statement and where its rows go.
type output struct {
	plan   logical.Node
	spans  []diag.Span
	finite bool
	target physical.TargetKind
	name   string
	sink   *catalog.Sink
	table  *catalog.Relation
	span   diag.Span
	emit   *ast.Emit
}

// decorrelate makes joins of dependent joins. It is no rule: every plan needs it.
func (p *planner) decorrelate() error {
	for _, o := range p.outs {
		plan, refused := decorrelate.Plan(o.plan, &expr.Resolver{Functions: p.cat.Functions, Zone: p.set.Zone})
		if refused != nil {
			return diag.NewError(nil, refused)
		}
		o.plan = plan
	}
	return nil
}

// optimise rewrites every plan.
func (p *planner) optimise() {
	c := &rules.Context{Resolver: &expr.Resolver{Functions: p.cat.Functions, Zone: p.set.Zone}, Fired: p.set.RuleFired,
		Off: p.set.RuleOff}
	for _, o := range p.outs {
		o.plan = rules.Run(c, o.plan)
	}
}

// Define makes the catalog object of CREATE SOURCE, TABLE, VIEW or SINK; the caller
// puts it into the catalog. text is the statement as written. If the object exists and
// IF NOT EXISTS was given, it is returned as it is.
func Define(stmt ast.Statement, text string, cat *catalog.Catalog, set Settings) (catalog.Object, error) {
	set.Rows = rowsOf(stmt, cat, set)
	b := bind.New(cat, set.Settings)
	switch s := stmt.(type) {
	case *ast.CreateSource:
		return define(b, cat, &s.Definition, func() (catalog.Object, error) { return relation(b.Source(s))(text) })
	case *ast.CreateTable:
		return define(b, cat, &s.Definition, func() (catalog.Object, error) { return relation(b.Table(s))(text) })
	case *ast.CreateSink:
		if s.Into != nil {
			return nil, diag.NewError(nil, diag.Errorf(diag.NotPlanned, s.Into.Span, "CREATE SINK … INTO a table is not supported").
				WithHint("write INSERT INTO %s SELECT …", s.Into))
		}
		return define(b, cat, &s.Definition, func() (catalog.Object, error) {
			o, err := b.Sink(s)
			if err != nil {
				return nil, err
			}
			o.Text = text
			return o, nil
		})
	case *ast.CreateView:
		d := &ast.Definition{OrReplace: s.OrReplace, IfNotExists: s.IfNotExists, Name: s.Name}
		return define(b, cat, d, func() (catalog.Object, error) {
			o, err := b.View(s)
			if err != nil {
				return nil, err
			}
			o.Text = text
			return o, nil
		})
	}
	return nil, errors.New("planner: not a definition")
}

// DefineFunction makes the function of CREATE FUNCTION; the caller puts it into the catalog.
// src is the text in which the statement stands. If the function exists and IF NOT EXISTS was
// given, it is returned as it is.
func DefineFunction(s *ast.CreateFunction, text string, src *diag.Source, cat *catalog.Catalog, set Settings) (*catalog.Function, error) {
	old := cat.Function(s.Name.String())
	if old != nil && s.IfNotExists {
		return old, nil
	}
	if old != nil && !s.OrReplace {
		return nil, diag.NewError(nil, diag.Errorf(diag.ObjectExists, s.Name.Span, "function %q exists already", old.Name).
			WithHint("write CREATE OR REPLACE, or drop it first"))
	}
	f, err := bind.New(cat, set.Settings).Function(s)
	if err != nil {
		return nil, err
	}
	f.Text, f.Source = text, src
	return f, nil
}

func relation(r *catalog.Relation, err error) func(text string) (catalog.Object, error) {
	return func(text string) (catalog.Object, error) {
		if err != nil {
			return nil, err
		}
		r.Text = text
		return r, nil
	}
}

// define checks that the name is free.
func define(b *bind.Binder, cat *catalog.Catalog, d *ast.Definition, make func() (catalog.Object, error)) (catalog.Object, error) {
	old, err := cat.Find(d.Name.String())
	if err == nil && old != nil && d.IfNotExists {
		return old, nil
	}
	o, err2 := make()
	if err == nil && old != nil && !d.OrReplace {
		e := diag.Errorf(diag.ObjectExists, d.Name.Span, "%q exists already", old.ObjectName()).
			WithHint("write CREATE OR REPLACE, or drop it first")
		if r, ok := old.(*catalog.Relation); ok && r.Made {
			e.WithHint("it was made for the refused rows of a source: leave the statement out, or put it before that source")
		}
		return nil, joinErrors(e, err2)
	}
	return o, err2
}

// joinErrors puts a diagnostic before those of an error.
func joinErrors(d *diag.Diagnostic, err error) error {
	list := []*diag.Diagnostic{d}
	var more *diag.Error
	if errors.As(err, &more) {
		list = append(list, more.Diagnostics...)
	}
	return diag.NewError(nil, list...)
}
