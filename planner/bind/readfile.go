package bind

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// readFile is DuckDB's read_csv('path', header = true) and its like: the path in FROM,
// read in the format of the name, with the options that CREATE TABLE takes.
func (b *Binder) readFile(x *ast.TableFunc, name string) (logical.Node, *scope) {
	path, ok := readPath(x.Call)
	if !ok {
		b.errorf(diag.WrongArguments, x.Span, "%s takes one path, as a text", x.Call.Name).
			WithHint("a pattern names several files: %s('in/*.%s')", x.Call.Name, fileFormat(name))
		return broken()
	}
	d := &ast.Definition{Name: ast.Name{Span: path.Span, Parts: []ast.Ident{{Span: path.Span, Name: path.Text}}}}
	if d.Options, ok = b.readOptions(x.Call); !ok {
		return broken()
	}
	file := &ast.File{Span: x.Span, Path: path.Text, Watermark: x.Watermark, Alias: x.Alias}
	f := b.formatByPath(path.Text)
	plain := f != nil && f.Name == fileFormat(name) || path.Text == "-" || path.Text == "stdin" || strings.Contains(path.Text, "kafka://")
	if len(d.Options) == 0 && plain {
		return b.file(file)
	}
	format := &ast.Literal{Span: x.Call.Name.Span, Kind: ast.LitString, Text: fileFormat(name)}
	d.Options = append(d.Options, ast.Option{Span: x.Span, Key: "path", KeySpan: path.Span, Value: path},
		ast.Option{Span: x.Span, Key: "format", KeySpan: format.Span, Value: format})
	r, err := b.relation(d, x.Span, false, nil)
	if err != nil {
		return broken()
	}
	alias := fileAlias(path.Text)
	return b.aliased(b.scan(r, alias), x.Alias, alias, x.Watermark)
}

// fileAlias is what a file is called in the query: its name to the first dot.
func fileAlias(path string) string {
	name := path[strings.LastIndexAny(path, "/\\")+1:]
	if dot := strings.IndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	return name
}

// readPath is the path of such a call, false if its first argument is none or if there
// are more.
func readPath(call *ast.Call) (*ast.Literal, bool) {
	for i, a := range call.Args {
		if _, _, option := optionArg(a); i > 0 && !option {
			return nil, false
		}
	}
	if len(call.Args) == 0 {
		return nil, false
	}
	l, ok := call.Args[0].(*ast.Literal)
	return l, ok && l.Kind == ast.LitString
}

// readOptions are the arguments behind the path: header => true, or header = true.
func (b *Binder) readOptions(call *ast.Call) ([]ast.Option, bool) {
	named := append([]ast.NamedArg(nil), call.Named...)
	for _, a := range call.Args[1:] {
		name, value, _ := optionArg(a)
		named = append(named, ast.NamedArg{Name: name, Value: value})
	}
	var out []ast.Option
	for _, n := range named {
		l, ok := n.Value.(*ast.Literal)
		if !ok {
			b.errorf(diag.WrongArguments, n.Value.Pos(), "the option %q of %s is no constant", n.Name.Name, call.Name).
				WithHint("columns are declared: CREATE TABLE t (a INT, …) WITH (path = '…', format = '%s')", fileFormat(call.Name.String()))
			return nil, false
		}
		out = append(out, ast.Option{Span: l.Span, Key: n.Name.Name, KeySpan: n.Name.Span, Value: l})
	}
	return out, true
}

// optionArg takes header = true apart.
func optionArg(x ast.Expr) (name ast.Ident, value ast.Expr, ok bool) {
	eq, ok := x.(*ast.Binary)
	if !ok || eq.Op != ast.Eq {
		return name, nil, false
	}
	ref, ok := eq.L.(*ast.ColumnRef)
	if !ok || len(ref.Parts) != 1 {
		return name, nil, false
	}
	return ref.Parts[0], eq.R, true
}

// fileFormat is the format that read_csv, parquet_scan and their like read.
func fileFormat(function string) string {
	for _, format := range []string{"parquet", "csv"} {
		if strings.Contains(strings.ToLower(function), format) {
			return format
		}
	}
	return "json"
}

// namedByPlace adds to a hint that the columns of a CSV file are called by their places
// because nobody said that its first line has their names.
func namedByPlace(names []string) string {
	for i, n := range names {
		if n != fmt.Sprintf("_c%d", i) {
			return ""
		}
	}
	return "; header = true takes them from the first line: FROM read_csv('path', header = true)"
}
