package parser

import (
	"reflect"
	"testing"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// TestSpans takes every expression of the corpus, cuts its text out by its span,
// and parses that alone: it must give the same expression.
func TestSpans(t *testing.T) {
	checked := 0
	for _, c := range readCorpus(t) {
		src := diag.Source{Text: c.text}
		stmts, _ := Parse(src)
		for _, s := range stmts {
			walk(reflect.ValueOf(s), func(e ast.Expr) {
				checked++
				text := src.Slice(e.Pos())
				again, err := ParseExpr(diag.Source{Text: text})
				if err != nil {
					t.Errorf("%s: the text of %s is %q: %v", c.id, dump(e), text, err)
				} else if got, want := dump(again), dump(e); got != want {
					t.Errorf("%s: the text %q gives %s, want %s", c.id, text, got, want)
				}
			})
		}
	}
	if checked < 50 {
		t.Errorf("only %d expressions", checked)
	}
}

// walk visits the expressions that can stand alone, with those inside them.
func walk(v reflect.Value, visit func(ast.Expr)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			if e, ok := v.Interface().(ast.Expr); ok && v.Kind() == reflect.Interface && standsAlone(e) {
				visit(e)
			}
			walk(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	}
}

// standsAlone leaves out what has its meaning from its place: a star, a lambda,
// arguments of table functions, keywords turned into text, numbered parameters.
func standsAlone(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Star, *ast.Lambda, *ast.Descriptor, *ast.TableArg, *ast.Param:
		return false
	case *ast.Literal:
		return e.Kind != ast.LitString && e.Kind != ast.LitBool
	case *ast.Binary:
		return e.Op != ast.JSONGet
	case *ast.Call:
		return !e.Name.Last().Is("explode") && !e.Name.Last().Is("trim")
	}
	return true
}
