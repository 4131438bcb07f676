package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// Function binds CREATE FUNCTION. The body is checked as far as the types of the parameters
// are known.
func (b *Binder) Function(s *ast.CreateFunction) (*catalog.Function, error) {
	if s.External != nil && s.Language != nil && s.Language.Is("sql") {
		b.errorf(diag.NotSupported, s.Span, "a function whose body stands in quotes is not supported").
			WithHint("write CREATE FUNCTION %s(…) RETURN expression, or RETURN (SELECT …), without quotes", s.Name)
		return nil, b.Err()
	}
	if s.External != nil || s.Language != nil && !s.Language.Is("sql") {
		b.errorf(diag.NotSupported, s.Span, "a function in another language is not supported").
			WithHint("write CREATE FUNCTION %s(…) RETURN expression, or register a Go function with Engine.RegisterFunction", s.Name)
		return nil, b.Err()
	}
	f := &catalog.Function{Name: s.Name.String(), Body: s.Body, Query: s.Query}
	if b.cat.KnowsFunction(f.Name) {
		b.errorf(diag.ObjectExists, s.Name.Span, "%q is a built-in function", f.Name).WithHint("give this one another name")
	}
	b.functionTypes(s, f)
	if b.Err() == nil {
		b.checkBody(f)
	}
	return f, b.Err()
}

// functionTypes fills the parameters and what the function returns.
func (b *Binder) functionTypes(s *ast.CreateFunction, f *catalog.Function) {
	for i, a := range s.Params {
		p := catalog.Param{Name: a.Name.Name, Default: a.Default, Type: b.optionalType(a.Type)}
		if slices.ContainsFunc(f.Params, func(o catalog.Param) bool { return strings.EqualFold(o.Name, p.Name) }) {
			b.errorf(diag.DuplicateColumn, a.Span, "parameter %q is given twice", p.Name)
		}
		if p.Default == nil && i > 0 && s.Params[i-1].Default != nil {
			b.errorf(diag.WrongArguments, a.Span, "parameter %q needs a default, since the one before it has one", p.Name)
		}
		f.Params = append(f.Params, p)
	}
	f.Returns = b.optionalType(s.Returns)
	for _, c := range s.Columns {
		if t := b.optionalType(c.Type); t != nil {
			f.Columns = append(f.Columns, types.Column{Name: c.Name.Name, Type: *t})
		}
	}
}

func (b *Binder) optionalType(t *ast.TypeName) *types.Type {
	if t == nil {
		return nil
	}
	if out, ok := b.typeOf(t); ok {
		return &out
	}
	return nil
}

// checkBody binds the body over parameters of their types. Where a type is not known, only
// unknown names count.
func (b *Binder) checkBody(f *catalog.Function) {
	fr := &invocation{f: f, used: make([]int, len(f.Params)), caller: &scope{}, defining: true}
	typed := true
	for i, p := range f.Params {
		t := types.Of(types.Null)
		if p.Type != nil {
			t = *p.Type
		}
		typed = typed && p.Type != nil
		fr.args = append(fr.args, &expr.Param{ID: i, Name: p.Name, T: t})
	}
	before := len(b.diags)
	b.inBody(fr, diag.Span{}, func() { b.checkFrame(fr) })
	fr.args = nil
	for _, p := range f.Params {
		if p.Default != nil {
			e := &env{b: b, scope: &scope{invoked: fr}}
			b.inBody(fr, diag.Span{}, func() { b.toParam(f, p, e.expr(p.Default), p.Default.Pos()) })
		}
	}
	found := b.diags[before:]
	b.diags = b.diags[:before:before]
	for _, d := range found {
		if ofNames(d.Code) || typed && !strings.Contains(d.Message, "constant") { // an argument may be one
			b.diags = append(b.diags, d)
		}
	}
}

// ofNames tells errors that no type of an argument can cure.
func ofNames(c diag.Code) bool {
	return c == diag.UnknownColumn || c == diag.UnknownFunction || c == diag.UnknownTable || c == diag.Recursion || c == diag.NotPlanned
}

func (b *Binder) checkFrame(fr *invocation) {
	f := fr.f
	if f.Query != nil {
		b.tableBody(fr)
		return
	}
	span := f.Body.Pos()
	item := ast.SelectItem{Span: span, Expr: f.Body, Text: f.Name}
	r := b.query(&ast.Query{Span: span, Body: &ast.Select{Span: span, Items: []ast.SelectItem{item}}}, &scope{invoked: fr})
	if r == nil || f.Returns == nil {
		return
	}
	if have := r.plan.Schema()[0].Type; !Storable(have, *f.Returns) && have.Kind != types.Null {
		b.errorf(diag.TypeMismatch, span, "the function returns %s, but its body gives %s", *f.Returns, have).
			WithHint("write CAST(… AS %s)", *f.Returns)
	}
}
