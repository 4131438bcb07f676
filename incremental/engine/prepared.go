package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Params are the values of the parameters of a script: of ? and $1 by number ("1"), of
// :name by name. Values are nil, bool, integers, floats, json.Number (what the number is in
// SQL), string, []byte, time.Time, time.Duration, and []any of these, an array.
type Params map[string]any

// ExecParams is Exec of a script with parameters. A value is never part of the text: no
// text in it can be read as SQL.
func (e *Engine) ExecParams(ctx context.Context, src diag.Source, values Params, each func(*Result) error) error {
	stmts, err := parser.Parse(src)
	if err != nil {
		return diag.Showing(e.mask.source(src), err)
	}
	literals, err := values.Literals()
	if err != nil {
		return err
	}
	for _, s := range stmts {
		in, s, err := literals.Bind(src, s)
		if err != nil {
			return diag.InSource(e.mask.source(src), err)
		}
		r, err := e.Statement(ctx, in, s)
		if err == nil {
			err = each(r)
		}
		if err != nil {
			return diag.InSource(e.mask.source(in), err)
		}
	}
	return nil
}

// Literals are parameters as they stand in statements, by name in lower case.
type Literals map[string]ast.Expr

// Literals makes literals of values, or tells which one is no value of SQL.
func (p Params) Literals() (Literals, error) {
	out := Literals{}
	for name, v := range p {
		x, err := literalOf(v)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		out[strings.ToLower(name)] = x
	}
	return out, nil
}

// Bind puts values in the place of the parameters of a statement. The source is that of the
// statement as it runs: the one given, if it has none.
func (l Literals) Bind(src diag.Source, s ast.Statement) (diag.Source, ast.Statement, error) {
	if len(parser.Params(s)) == 0 {
		return src, s, nil
	}
	return withValues("", src, s, func(p *ast.Param) (ast.Expr, bool) {
		x, ok := l[ParamKey(p)]
		return x, ok
	})
}

// ParamKey is the name of a parameter among values: its number, or its name.
func ParamKey(p *ast.Param) string { return strings.ToLower(p.Name) }

// literalOf is a Go value as a literal of SQL.
func literalOf(v any) (ast.Expr, error) {
	switch v := v.(type) {
	case nil:
		return &ast.Literal{Kind: ast.LitNull}, nil
	case bool:
		return &ast.Literal{Kind: ast.LitBool, Text: strconv.FormatBool(v)}, nil
	case string:
		return &ast.Literal{Kind: ast.LitString, Text: v}, nil
	case []byte:
		return &ast.Literal{Kind: ast.LitBytes, Text: string(v)}, nil
	case time.Time:
		return &ast.Literal{Kind: ast.LitTimestamp, Text: v.UTC().Format("2006-01-02 15:04:05.999999Z")}, nil
	case time.Duration:
		return &ast.Interval{Micros: v.Microseconds()}, nil
	case float64:
		return number(v), nil
	case float32:
		return number(float64(v)), nil
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return signed(ast.LitInt, fmt.Sprint(v)), nil
	case json.Number:
		return written(string(v)), nil
	case []any:
		return arrayOf(v)
	}
	return nil, fmt.Errorf("a %T is no value of SQL here", v)
}

// number is a DOUBLE; what no digits can say is cast from text.
func number(f float64) ast.Expr {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return &ast.Cast{X: &ast.Literal{Kind: ast.LitString, Text: strconv.FormatFloat(f, 'g', -1, 64)}, Type: &ast.TypeName{Name: "DOUBLE"}}
	}
	return signed(ast.LitDouble, strconv.FormatFloat(f, 'e', -1, 64))
}

// written is a number as SQL reads it: 1.50 is exact, 1e3 a DOUBLE.
func written(text string) ast.Expr {
	switch {
	case strings.ContainsAny(text, "eE"):
		return signed(ast.LitDouble, text)
	case strings.Contains(text, "."):
		return signed(ast.LitDecimal, text)
	}
	return signed(ast.LitInt, text)
}

func arrayOf(list []any) (ast.Expr, error) {
	out := &ast.Array{}
	for _, v := range list {
		x, err := literalOf(v)
		if err != nil {
			return nil, err
		}
		out.Elems = append(out.Elems, x)
	}
	return out, nil
}

func signed(kind ast.LiteralKind, text string) ast.Expr {
	if digits, negative := strings.CutPrefix(text, "-"); negative {
		return &ast.Unary{Op: ast.Neg, X: &ast.Literal{Kind: kind, Text: digits}}
	}
	return &ast.Literal{Kind: kind, Text: text}
}

// withValues puts values in the place of parameters. The statement is written and read
// anew, so that messages show it as it runs.
func withValues(name string, src diag.Source, s ast.Statement, value func(*ast.Param) (ast.Expr, bool)) (diag.Source, ast.Statement, error) {
	var missing []*diag.Diagnostic
	bound := parser.WithParams(s, func(p *ast.Param) ast.Expr {
		x, ok := value(p)
		if !ok {
			missing = append(missing, diag.Errorf(diag.NoValue, p.Span, "parameter %s has no value", paramName(p)).
				WithHint("PREPARE name AS …, then EXECUTE name (values)"))
			return nil
		}
		return x
	})
	if missing != nil {
		return src, nil, diag.NewError(&src, missing...)
	}
	out := diag.Source{Name: name, Text: parser.Print(bound)}
	stmts, err := parser.Parse(out)
	if err != nil || len(stmts) != 1 {
		return src, nil, diag.Showing(out, err)
	}
	return out, stmts[0], nil
}

// paramName is a parameter as it was written.
func paramName(p *ast.Param) string {
	if p.Name[0] >= '0' && p.Name[0] <= '9' {
		return "$" + p.Name
	}
	return ":" + p.Name
}

// prepared is a statement of PREPARE.
type prepared struct {
	src    diag.Source
	stmt   *ast.Prepare
	params []string // names of distinct parameters, in the order of values
}

// prepare is PREPARE: it keeps the statement, which is planned with its values.
func (e *Engine) prepare(src diag.Source, s *ast.Prepare) (*Result, error) {
	key := strings.ToLower(s.Name.Name)
	if _, ok := e.prepared[key]; ok {
		return nil, diag.NewError(nil, diag.Errorf(diag.ObjectExists, s.Name.Span, "a statement named %q is prepared already", s.Name.Name).
			WithHint("DEALLOCATE %s first", s.Name.Name))
	}
	p := &prepared{src: src, stmt: s}
	count, named := 0, map[string]bool{}
	for _, x := range parser.Params(s.Statement) {
		if n, err := strconv.Atoi(x.Name); err == nil {
			count = max(count, n)
		} else if low := strings.ToLower(x.Name); !named[low] {
			named[low] = true
			p.params = append(p.params, low)
		}
	}
	if count > 0 && len(named) > 0 {
		return nil, refuse(s.Span, "numbered and named parameters in one statement are not supported: write $1, $2 or :a, :b")
	}
	for i := range count {
		p.params = append(p.params, strconv.Itoa(i+1))
	}
	e.prepared[key] = p
	return &Result{Message: fmt.Sprintf("statement %s prepared with %d parameters", s.Name.Name, len(p.params))}, nil
}

// values are the arguments of EXECUTE, by parameter.
func (p *prepared) values(s *ast.Execute) (map[string]ast.Expr, error) {
	if len(s.Args)+len(s.Named) != len(p.params) {
		return nil, diag.NewError(nil, diag.Errorf(diag.WrongArguments, s.Span, "%s has %d parameters, got %d values", s.Name.Name, len(p.params), len(s.Args)+len(s.Named)))
	}
	out := map[string]ast.Expr{}
	for i, x := range s.Args {
		out[p.params[i]] = p.typed(i, x)
	}
	for _, n := range s.Named {
		low := strings.ToLower(n.Name.Name)
		if _, twice := out[low]; twice {
			return nil, diag.NewError(nil, diag.Errorf(diag.WrongArguments, n.Name.Span, "parameter %q is given twice", n.Name.Name))
		}
		out[low] = n.Value
	}
	for name, x := range out {
		if !parser.IsConstant(x) {
			return nil, diag.NewError(nil, diag.Errorf(diag.WrongArguments, x.Pos(), "the value of parameter %s must be a constant", name))
		}
	}
	return out, nil
}

// typed casts a value to the type that PREPARE gave the parameter.
func (p *prepared) typed(i int, x ast.Expr) ast.Expr {
	if i < len(p.stmt.Types) {
		return &ast.Cast{Span: x.Pos(), X: x, Type: p.stmt.Types[i]}
	}
	return x
}

// bound is the statement of EXECUTE with its values.
func (e *Engine) bound(s *ast.Execute) (diag.Source, ast.Statement, error) {
	p, ok := e.prepared[strings.ToLower(s.Name.Name)]
	if !ok {
		d := diag.Errorf(diag.UnknownQuery, s.Name.Span, "no statement named %q is prepared", s.Name.Name)
		var names []string
		for _, p := range e.prepared {
			names = append(names, p.stmt.Name.Name)
		}
		d.Hint = diag.HintDidYouMean(s.Name.Name, names)
		return diag.Source{}, nil, diag.NewError(nil, d)
	}
	values, err := p.values(s)
	if err != nil {
		return diag.Source{}, nil, err
	}
	return withValues(p.stmt.Name.Name, p.src, p.stmt.Statement, func(x *ast.Param) (ast.Expr, bool) {
		v, ok := values[ParamKey(x)]
		return v, ok
	})
}

// execute is EXECUTE.
func (e *Engine) execute(ctx context.Context, s *ast.Execute) (*Result, error) {
	src, stmt, err := e.bound(s)
	if err != nil {
		return nil, err
	}
	src = e.mask.source(src)
	r, err := e.statement(ctx, src, stmt)
	return r, diag.InSource(src, err)
}

// deallocate is DEALLOCATE.
func (e *Engine) deallocate(s *ast.Deallocate) (*Result, error) {
	if s.Name == nil {
		clear(e.prepared)
		return &Result{Message: "all prepared statements are gone"}, nil
	}
	key := strings.ToLower(s.Name.Name)
	if _, ok := e.prepared[key]; !ok {
		return nil, diag.NewError(nil, diag.Errorf(diag.UnknownQuery, s.Name.Span, "no statement named %q is prepared", s.Name.Name))
	}
	delete(e.prepared, key)
	return &Result{Message: fmt.Sprintf("statement %s is gone", s.Name.Name)}, nil
}
