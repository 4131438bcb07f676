package parser

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// dump shows a tree as nested names, without spans, source texts and zero fields:
//
//	(Binary Op:+ L:a R:1)
func dump(n any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(n))
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case ast.Ident:
		b.WriteString(x.Name)
		return
	case ast.Name:
		b.WriteString(x.String())
		return
	case ast.ColumnRef:
		b.WriteString(ast.Name{Parts: x.Parts}.String())
		return
	case ast.Literal:
		dumpLiteral(b, x)
		return
	case fmt.Stringer:
		b.WriteString(x.String())
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		dumpStruct(b, v)
	case reflect.Slice:
		dumpSlice(b, v)
	default:
		fmt.Fprint(b, v.Interface())
	}
}

func dumpLiteral(b *strings.Builder, x ast.Literal) {
	switch x.Kind {
	case ast.LitNull:
		b.WriteString("NULL")
	case ast.LitBool, ast.LitInt, ast.LitDecimal:
		b.WriteString(x.Text + x.Suffix)
	case ast.LitDouble:
		b.WriteString("double " + x.Text + x.Suffix)
	case ast.LitString:
		fmt.Fprintf(b, "%q", x.Text)
	default:
		fmt.Fprintf(b, "lit%d %q", x.Kind, x.Text)
	}
}

func dumpStruct(b *strings.Builder, v reflect.Value) {
	b.WriteString("(" + v.Type().Name())
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Type == reflect.TypeFor[diag.Span]() || f.Name == "Text" || f.Name != "Op" && v.Field(i).IsZero() || isEmptySlice(v.Field(i)) {
			continue
		}
		b.WriteString(" " + f.Name + ":")
		dumpValue(b, v.Field(i))
	}
	b.WriteString(")")
}

func dumpSlice(b *strings.Builder, v reflect.Value) {
	b.WriteString("[")
	for i := range v.Len() {
		if i > 0 {
			b.WriteString(" ")
		}
		dumpValue(b, v.Index(i))
	}
	b.WriteString("]")
}

func isEmptySlice(v reflect.Value) bool { return v.Kind() == reflect.Slice && v.Len() == 0 }
