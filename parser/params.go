package parser

import (
	"reflect"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// Params lists the parameters of a statement, in the order of the text.
func Params(s ast.Statement) []*ast.Param {
	var list []*ast.Param
	substitute(reflect.ValueOf(&s).Elem(), func(p *ast.Param) ast.Expr {
		list = append(list, p)
		return nil
	})
	return list
}

// WithParams is a copy of a statement with expressions in the place of its parameters; nil
// leaves one as it is.
func WithParams(s ast.Statement, value func(*ast.Param) ast.Expr) ast.Statement {
	return substitute(reflect.ValueOf(&s).Elem(), value).Interface().(ast.Statement)
}

// IsConstant reports an expression that reads neither columns nor tables nor parameters.
func IsConstant(x ast.Expr) bool {
	constant := true
	look(reflect.ValueOf(&x).Elem(), func(n any) {
		switch n.(type) {
		case *ast.ColumnRef, *ast.Place, *ast.Query, *ast.Param, *ast.Star:
			constant = false
		}
	})
	return constant
}

// look visits every pointer of a tree.
func look(v reflect.Value, visit func(any)) {
	switch v.Kind() {
	case reflect.Interface:
		look(v.Elem(), visit)
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Interface())
			look(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			look(v.Field(i), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			look(v.Index(i), visit)
		}
	}
}

// substitute copies a tree, and asks for what stands in the place of its parameters.
func substitute(v reflect.Value, value func(*ast.Param) ast.Expr) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		if p, ok := v.Interface().(*ast.Param); ok {
			if x := value(p); x != nil {
				return reflect.ValueOf(x)
			}
		}
		return substitute(v.Elem(), value)
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(substitute(v.Elem(), value))
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			out.Field(i).Set(substitute(v.Field(i), value))
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(substitute(v.Index(i), value))
		}
		return out
	}
	return v
}
