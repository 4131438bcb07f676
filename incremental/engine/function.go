package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// createFunction is CREATE FUNCTION and CREATE MACRO. Running queries keep the function
// that they were planned with.
func (e *Engine) createFunction(ctx context.Context, src diag.Source, s *ast.CreateFunction) (*Result, error) {
	old := e.cat.Function(s.Name.String())
	f, err := planner.DefineFunction(s, text(src, s.Span), &src, e.cat, e.planSettings(ctx))
	if err != nil {
		return nil, err
	}
	if f == old {
		return &Result{Message: fmt.Sprintf("function %s exists already", f.Name)}, nil
	}
	e.cat.PutFunction(f)
	return &Result{Message: fmt.Sprintf("function %s created", f.Name)}, nil
}

// sqlFunction finds a function that is written in SQL.
func (e *Engine) sqlFunction(n ast.Name) (*catalog.Function, error) {
	f := e.cat.Function(n.String())
	switch {
	case f != nil:
		return f, nil
	case e.cat.KnowsFunction(n.String()):
		return nil, diag.NewError(nil, diag.Errorf(diag.WrongObject, n.Span, "%q is a built-in function", n.String()))
	}
	d := diag.Errorf(diag.UnknownFunction, n.Span, "there is no function named %q", n.String())
	d.Hint = diag.HintDidYouMean(n.String(), e.cat.FunctionNames())
	return nil, diag.NewError(nil, d)
}

func (e *Engine) dropFunction(s *ast.Drop) (*Result, error) {
	if s.IfExists && e.cat.Function(s.Name.String()) == nil && !e.cat.KnowsFunction(s.Name.String()) {
		return &Result{Message: fmt.Sprintf("there is no function %s", s.Name.String())}, nil
	}
	f, err := e.sqlFunction(s.Name)
	if err != nil {
		return nil, err
	}
	e.cat.DropFunction(f.Name)
	return &Result{Message: fmt.Sprintf("function %s dropped", f.Name)}, nil
}

// describeFunction is DESCRIBE FUNCTION: of one written in SQL its parameters, of a built-in
// one how it is written.
func (e *Engine) describeFunction(s *ast.Describe) (*Result, error) {
	name := strings.ToLower(s.Name.String())
	if f := e.cat.Function(name); f != nil {
		return describeSQL(f), nil
	}
	for _, row := range e.functions("") {
		if row[0] == name {
			return rowsResult([]string{"name", "kind", "syntax", "description"}, [][]string{row}), nil
		}
	}
	if f, ok := e.cat.Functions.Scalar(name); ok {
		return rowsResult([]string{"name", "kind", "syntax", "description"},
			[][]string{{f.Name, "scalar", strings.Join(f.Syntax, "; "), f.Doc}}), nil
	}
	_, err := e.sqlFunction(*s.Name)
	return nil, err
}

func describeSQL(f *catalog.Function) *Result {
	var rows [][]string
	for _, p := range f.Params {
		row := []string{p.Name, "any", ""}
		if p.Type != nil {
			row[1] = p.Type.String()
		}
		if p.Default != nil {
			row[2] = "default " + parser.Print(p.Default)
		}
		rows = append(rows, row)
	}
	returns := []string{"", "as its body", "returns"}
	switch {
	case f.Returns != nil:
		returns[1] = f.Returns.String()
	case f.Query != nil:
		returns[1] = "rows"
		if f.Columns != nil {
			returns[1] = "rows (" + columnText(f.Columns) + ")"
		}
	}
	return rowsResult([]string{"parameter", "type", "note"}, append(rows, returns))
}
