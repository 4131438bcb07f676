package bind

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// tableFunc binds a function in FROM.
func (b *Binder) tableFunc(x *ast.TableFunc, outer *scope) (logical.Node, *scope) {
	name := strings.ToLower(x.Call.Name.String())
	switch name {
	case "tumble", "hop", "cumulate":
		return b.windowTable(x, name)
	case "session":
		return b.sessionTable(x)
	case "read_parquet", "parquet_scan", "read_csv", "read_csv_auto", "read_json", "read_json_auto", "read_ndjson":
		return b.readFile(x, name)
	case "drop_duplicates", "drop_duplicates_within_watermark":
		return b.dropDuplicates(x, name)
	case "changelog":
		return b.changelog(x)
	case "gap_fill":
		return b.gapFill(x)
	}
	if _, ok := b.cat.Functions.Generator(name); ok {
		return b.generatorTable(x, outer)
	}
	if f := b.cat.Function(name); f != nil {
		plan := b.sqlTable(x.Call, f, &scope{parent: outer})
		if plan == nil {
			return broken()
		}
		return b.aliased(plan, x.Alias, name, x.Watermark)
	}
	return b.hostTable(x, name)
}

// hostTable reads what the engine knows: state('q', 'op'), checkpoint('path').
func (b *Binder) hostTable(x *ast.TableFunc, name string) (logical.Node, *scope) {
	if b.set.TableFunction == nil {
		b.unknownTableFunc(x)
		return broken()
	}
	var args []string
	for _, a := range x.Call.Args {
		l, ok := a.(*ast.Literal)
		if !ok || l.Kind != ast.LitString && l.Kind != ast.LitInt {
			b.unknownTableFunc(x)
			return broken()
		}
		args = append(args, l.Text)
	}
	at := int64(-1)
	if x.AtBatch != nil {
		at, _ = strconv.ParseInt(x.AtBatch.Text, 10, 64)
	}
	r, err := b.set.TableFunction(name, args, at)
	if err != nil {
		b.errorf(diag.UnknownTable, x.Span, "%s", err.Error())
		return broken()
	}
	if r == nil {
		b.unknownTableFunc(x)
		return broken()
	}
	return b.aliased(b.scan(r, name), x.Alias, name, x.Watermark)
}

// relations are the functions that take a relation and give one.
var relations = []string{"tumble", "hop", "cumulate", "session", "drop_duplicates", "drop_duplicates_within_watermark", "changelog", "gap_fill"}

func (b *Binder) unknownTableFunc(x *ast.TableFunc) {
	known := append(append([]string{"state", "checkpoint"}, relations...), b.cat.FunctionNames()...)
	b.errorf(diag.UnknownFunction, x.Call.Name.Span, "unknown table function %q", x.Call.Name.String()).
		Hint = suggestName(x.Call.Name.Last().Name, tableFunctions, known)
}

// tableArgs are the arguments of a table function, in the order of its parameters.
type tableArgs struct {
	b    *Binder
	call *ast.Call
	args []ast.Expr
}

// arguments brings named arguments (DATA => …) into order.
func (b *Binder) arguments(x *ast.Call, params ...string) *tableArgs {
	t := &tableArgs{b: b, call: x, args: make([]ast.Expr, len(params))}
	if len(x.Args) > len(params) {
		b.errorf(diag.WrongArguments, x.Span, "%s takes at most %d arguments, got %d", x.Name, len(params), len(x.Args))
		return nil
	}
	copy(t.args, x.Args)
	for _, n := range x.Named {
		at := -1
		for i, p := range params {
			if strings.EqualFold(p, n.Name.Name) {
				at = i
			}
		}
		if at < 0 {
			b.errorf(diag.WrongArguments, n.Name.Span, "%s has no parameter %q", x.Name, n.Name.Name).
				WithHint("its parameters are %s", strings.Join(params, ", "))
			return nil
		}
		t.args[at] = n.Value
	}
	return t
}

// input binds the table argument.
func (t *tableArgs) input() (logical.Node, *scope) {
	switch x := t.args[0].(type) {
	case *ast.TableArg:
		if len(x.PartitionBy) > 0 || len(x.OrderBy) > 0 {
			t.b.errorf(diag.NotPlanned, x.Span, "%s does not take PARTITION BY or ORDER BY", t.call.Name)
			return broken()
		}
		if x.Table != nil {
			return t.b.tableName(&ast.TableName{Span: x.Table.Span, Name: *x.Table})
		}
		return t.b.derived(&ast.Derived{Span: x.Span, Query: x.Query}, nil)
	case *ast.Subquery:
		return t.b.derived(&ast.Derived{Span: x.Span, Query: x.Query}, nil)
	case *ast.ColumnRef:
		return t.b.tableName(&ast.TableName{Span: x.Span, Name: ast.Name{Span: x.Span, Parts: x.Parts}})
	}
	t.b.errorf(diag.WrongArguments, t.call.Span, "%s needs a table as its first argument", t.call.Name).
		WithHint("write %s(TABLE t, …)", t.call.Name)
	return broken()
}

// columns binds DESCRIPTOR(a, b), or plain column names.
func (t *tableArgs) columns(s *scope, args ...ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, a := range args {
		if d, ok := a.(*ast.Descriptor); ok {
			for _, c := range d.Columns {
				out = append(out, &ast.ColumnRef{Span: c.Span, Parts: c.Parts})
			}
			continue
		}
		if a != nil {
			out = append(out, a)
		}
	}
	return out
}

// windowTable is TUMBLE(TABLE t, DESCRIPTOR(ts), size [, offset]), HOP(TABLE t, DESCRIPTOR(ts),
// slide, size [, offset]) and CUMULATE(…, step, size [, offset]): the rows with three more columns.
func (b *Binder) windowTable(x *ast.TableFunc, kind string) (logical.Node, *scope) {
	params := []string{"data", "timecol", "size", "offset"}
	switch kind {
	case "hop":
		params = []string{"data", "timecol", "slide", "size", "offset"}
	case "cumulate":
		params = []string{"data", "timecol", "step", "size", "offset"}
	}
	t := b.arguments(x.Call, params...)
	if t == nil {
		return broken()
	}
	plan, s := t.input()
	if s.broken {
		return plan, s
	}
	cols := t.columns(s, t.args[1])
	rest := t.args[2:]
	for len(rest) > 0 && rest[len(rest)-1] == nil {
		rest = rest[:len(rest)-1]
	}
	if len(cols) != 1 || len(rest) < len(params)-3 || slices.Contains(rest, nil) {
		b.errorf(diag.BadWindow, x.Span, "%s needs a table, a time column and a duration", strings.ToUpper(kind)).
			WithHint("write %s(TABLE t, DESCRIPTOR(ts), %s)", strings.ToUpper(kind), map[string]string{"tumble": "'10 minutes'", "hop": "slide, size", "cumulate": "step, size"}[kind])
		return broken()
	}
	sel := &selectBinder{b: b, scope: s, input: plan, timed: map[string]bool{}, hops: map[string]int{}, spans: map[*expr.Column]diag.Span{}, within: len(b.calls)}
	e := &env{b: b, scope: s, sel: sel, clause: inOther}
	w := e.windowOver(x.Call, cols[0], flinkOrder(kind, rest), kind == "cumulate")
	if w == nil {
		return broken()
	}
	return b.windowColumns(x, sel, w, len(plan.Schema()))
}

// windowColumns appends window_start, window_end and window_time to the first n
// columns of an input.
func (b *Binder) windowColumns(x *ast.TableFunc, sel *selectBinder, w *timeWindow, n int) (logical.Node, *scope) {
	last := b.lastMoment(x.Span, w.end)
	exprs := append(append([]expr.Node(nil), logical.Columns(sel.input)[:n]...), w.start, w.end, last)
	names := append(columnNames(sel.input)[:n:n], "window_start", "window_end", "window_time")
	plan, s := b.aliased(&logical.Project{Input: sel.input, Exprs: exprs, Names: names}, x.Alias, tableArgName(x.Call), x.Watermark)
	if !s.broken {
		s.window = &timeWindow{start: logical.Col(plan, n), end: logical.Col(plan, n+1)}
	}
	return plan, s
}

// tableArgName is the name of the table in a table function without an alias.
func tableArgName(x *ast.Call) string {
	if len(x.Args) == 0 {
		return ""
	}
	switch a := x.Args[0].(type) {
	case *ast.TableArg:
		if a.Table != nil {
			return a.Table.Last().Name
		}
	case *ast.ColumnRef:
		return a.Parts[len(a.Parts)-1].Name
	}
	return ""
}

// changelog is changelog(TABLE t): the changes of a relation, as rows.
func (b *Binder) changelog(x *ast.TableFunc) (logical.Node, *scope) {
	t := b.arguments(x.Call, "data")
	if t == nil {
		return broken()
	}
	plan, s := t.input()
	if s.broken {
		return plan, s
	}
	name := tableArgName(x.Call)
	if name == "" {
		name = "changelog"
	}
	return b.aliased(&logical.Changelog{Input: plan}, x.Alias, name, x.Watermark)
}

// dropDuplicates is drop_duplicates(TABLE t [, DESCRIPTOR(cols)]) and its relative that
// forgets keys with the watermark. Without columns the whole row is the key.
func (b *Binder) dropDuplicates(x *ast.TableFunc, name string) (logical.Node, *scope) {
	if len(x.Call.Args) == 0 && len(x.Call.Named) == 0 {
		b.errorf(diag.WrongArguments, x.Span, "%s needs a table", name).WithHint("write %s(TABLE t, DESCRIPTOR(a, b))", name)
		return broken()
	}
	t := &tableArgs{b: b, call: x.Call, args: x.Call.Args}
	if len(x.Call.Named) > 0 {
		if t = b.arguments(x.Call, "data", "columns"); t == nil {
			return broken()
		}
	}
	plan, s := t.input()
	if s.broken {
		return plan, s
	}
	cols := t.columns(s, t.args[1:]...)
	d := &logical.Dedup{Input: plan, Within: name == "drop_duplicates_within_watermark", Name: name}
	e := &env{b: b, scope: s}
	for _, c := range cols {
		n := e.expr(c)
		if n == nil {
			return broken()
		}
		col, isCol := n.(*expr.Column)
		if !isCol {
			b.errorf(diag.WrongArguments, c.Pos(), "%s needs columns; compute expressions in a subquery", name)
			return broken()
		}
		d.Keys = append(d.Keys, col.Index)
	}
	if len(cols) == 0 {
		for i := range plan.Schema() {
			d.Keys = append(d.Keys, i)
		}
	}
	return b.aliased(d, x.Alias, tableArgName(x.Call), x.Watermark)
}
