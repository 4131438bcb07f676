package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// gapFill binds gap_fill(TABLE t, ts, step, …): between a row and the next one of its
// partition there is a row every step. It is written with what the language has: lag()
// gives the row before, generate_series the times between.
type gapFill struct {
	written
	b      *Binder
	called *ast.Call
	plan   logical.Node
	scope  *scope
	at     string // the column of time
	step   ast.Expr
	parts  []string
	how    map[string]string // column → locf, interpolate
}

// The names of what gapFill adds.
const (
	gapRow, gapLast, gapSeries, gapTime = "$row", "$last", "$series", "$time"
)

func (b *Binder) gapFill(x *ast.TableFunc) (logical.Node, *scope) {
	g := &gapFill{written: written{x.Span}, b: b, called: x.Call, how: map[string]string{}}
	if !g.read() {
		return broken()
	}
	alias := x.Alias
	if alias == nil {
		alias = g.alias(tableArgName(x.Call))
	}
	plan, s := b.derived(&ast.Derived{Span: x.Span, Query: g.query(), Alias: alias, Watermark: x.Watermark}, nil)
	if s.broken {
		return plan, s
	}
	want := make([]types.Type, len(g.plan.Schema()))
	for i, c := range g.plan.Schema() {
		want[i] = c.Type // of what is interpolated too
	}
	names := plan.Schema()
	if plan = b.castColumns(plan, want, names); plan == nil {
		return broken()
	}
	return b.aliased(plan, alias, alias.Name.Name, nil)
}

func (g *gapFill) fail(at diag.Span, format string, args ...any) bool {
	g.b.errorf(diag.WrongArguments, at, format, args...).
		WithHint("write gap_fill(TABLE t, ts, INTERVAL '1' MINUTE, LOCF(a), INTERPOLATE(b), PARTITION_BY(k))")
	return false
}

// read takes the arguments apart.
func (g *gapFill) read() bool {
	args := g.called.Args
	if len(args) < 3 || len(g.called.Named) > 0 {
		return g.fail(g.span, "gap_fill needs a table, its column of time and an interval")
	}
	t := &tableArgs{b: g.b, call: g.called, args: slices.Clone(args)}
	if arg, ok := args[0].(*ast.TableArg); ok { // PARTITION BY may stand behind the table
		bare := *arg
		bare.PartitionBy = nil
		for _, p := range arg.PartitionBy {
			t.args = append(t.args, g.call("partition_by", p))
		}
		t.args[0] = &bare
	}
	if g.plan, g.scope = t.input(); g.scope.broken {
		return false
	}
	at := t.columns(g.scope, t.args[1])
	if len(at) != 1 || !g.column(at[0], &g.at) {
		return g.fail(t.args[1].Pos(), "gap_fill needs a column of time as argument 2")
	}
	if c := g.typeOf(g.at); c.Kind != types.Timestamp && c.Kind != types.TimestampNTZ {
		return g.fail(t.args[1].Pos(), "gap_fill needs a column of type TIMESTAMP as argument 2, got %s", c)
	}
	if g.step = t.args[2]; !g.forward() {
		return false
	}
	for _, x := range t.args[3:] {
		if !g.strategy(x) {
			return false
		}
	}
	return true
}

// forward refuses a step that is known and leads nowhere, or back.
func (g *gapFill) forward() bool {
	if _, plain := g.step.(*ast.ColumnRef); plain {
		return true
	}
	before := len(g.b.diags)
	n := (&env{b: g.b, scope: &scope{}}).expr(g.step)
	g.b.diags = g.b.diags[:before] // what else it may read is seen where it is computed
	if n == nil {
		return true
	}
	v, ok := g.b.intervalOf(n)
	switch {
	case ok && v.Cmp(types.IntervalValue{}) <= 0:
		return g.fail(g.step.Pos(), "the step of gap_fill must be positive, got %s", v)
	case !ok && expr.IsConst(n) && n.Type().Kind != types.Interval:
		return g.fail(g.step.Pos(), "gap_fill needs an INTERVAL as argument 3, got %s", n)
	}
	return true
}

// column finds a plain column of the table.
func (g *gapFill) column(x ast.Expr, name *string) bool {
	ref, ok := x.(*ast.ColumnRef)
	if !ok {
		return false
	}
	found := g.scope.find("", ref.Parts[len(ref.Parts)-1].Name)
	if len(found) != 1 {
		return false
	}
	*name = g.scope.cols[found[0]].name
	return true
}

func (g *gapFill) typeOf(name string) types.Type {
	return g.scope.cols[g.scope.find("", name)[0]].typ
}

// strategy reads LOCF(c), INTERPOLATE(c), KEEPNULL(c) or PARTITION_BY(c, …).
func (g *gapFill) strategy(x ast.Expr) bool {
	c, ok := x.(*ast.Call)
	if !ok || len(c.Args) == 0 {
		return g.fail(x.Pos(), "gap_fill does not know what to do with this argument")
	}
	how := strings.ToLower(c.Name.String())
	for _, a := range c.Args {
		var name string
		if !g.column(a, &name) {
			return g.fail(a.Pos(), "gap_fill: %s takes a column of the table", strings.ToUpper(how))
		}
		switch how {
		case "partition_by":
			g.parts = append(g.parts, name)
		case "interpolate":
			if !g.typeOf(name).IsNumeric() {
				return g.fail(a.Pos(), "gap_fill: INTERPOLATE takes a number, got %s", g.typeOf(name))
			}
			g.how[name] = how
		case "locf", "keepnull":
			g.how[name] = how
		default:
			return g.fail(c.Span, "gap_fill does not know %s", c.Name)
		}
	}
	return true
}

// query gives each row with the times since the one before it: that it is final does not
// depend on rows behind it.
func (g *gapFill) query() *ast.Query {
	row := func(name string) ast.Expr { return g.written.column(gapRow, name) }
	number := func(text string) ast.Expr { return &ast.Literal{Span: g.span, Kind: ast.LitInt, Text: text} }
	last := g.finite(row(gapLast + " " + g.at))
	before := &ast.Binary{Span: g.span, Op: ast.Sub, L: g.finite(row(g.at)), R: &ast.Interval{Span: g.span, Micros: 1}}
	between := g.call("slice", g.call("generate_series", last, g.call("greatest", before, last), g.step), number("2"), number("2147483647"))
	times := g.call("concat", g.call("coalesce", between, g.call("array")), g.call("array", row(g.at)))
	series := &ast.TableFunc{Span: g.span, Call: g.call("explode", times), Alias: g.alias(gapSeries)}
	series.Alias.Columns = []ast.Ident{g.name(gapTime)}
	sel := &ast.Select{Span: g.span, From: &ast.Join{Span: g.span, Kind: ast.LeftJoin, On: g.boolean(true), R: series,
		L: &ast.Derived{Span: g.span, Query: g.withLast(), Alias: g.alias(gapRow)}}}
	for _, c := range g.plan.Schema() {
		id := g.name(c.Name)
		sel.Items = append(sel.Items, ast.SelectItem{Span: g.span, Expr: g.value(c.Name), Alias: &id})
	}
	return &ast.Query{Span: g.span, Body: sel}
}

// finite is a time, NULL for an infinite one: nothing is filled up to that, or from it.
func (g *gapFill) finite(time ast.Expr) ast.Expr {
	return &ast.Case{Span: g.span, Whens: []ast.When{{Cond: g.call("isfinite", time), Then: time}}}
}

// withLast adds, to each row, the time of the one before it in its partition, and what is
// carried on or interpolated from.
func (g *gapFill) withLast() *ast.Query {
	sel := &ast.Select{Span: g.span, From: &boundQuery{&ast.Derived{Span: g.span}, g.plan}, Items: []ast.SelectItem{{Span: g.span, Expr: &ast.Star{Span: g.span}, Text: "*"}}}
	for _, c := range g.plan.Schema() {
		if how := g.how[c.Name]; c.Name != g.at && how != "interpolate" && how != "locf" {
			continue
		}
		last := g.call("lag", g.written.column(c.Name))
		last.Over = &ast.Window{Span: g.span, OrderBy: []ast.OrderItem{{Span: g.span, Expr: g.written.column(g.at), Nulls: ast.NullsLast}}} // a row without a time changes none with one
		for _, p := range g.parts {
			last.Over.PartitionBy = append(last.Over.PartitionBy, g.written.column(p))
		}
		id := g.name(gapLast + " " + c.Name)
		sel.Items = append(sel.Items, ast.SelectItem{Span: g.span, Expr: last, Alias: &id})
	}
	return &ast.Query{Span: g.span, Body: sel}
}

// value is what a column is at a time.
func (g *gapFill) value(name string) ast.Expr {
	own, at, time := g.written.column(gapRow, name), g.written.column(gapRow, g.at), g.written.column(gapSeries, gapTime)
	if name == g.at {
		return time
	}
	if slices.Contains(g.parts, name) {
		return own
	}
	missing := ast.Expr(&ast.Literal{Span: g.span, Kind: ast.LitNull})
	switch g.how[name] {
	case "locf":
		missing = g.written.column(gapRow, gapLast+" "+name)
	case "interpolate":
		missing = g.between(name, own, at, time)
	}
	there := &ast.Binary{Span: g.span, Op: ast.Or, L: &ast.Is{Span: g.span, X: time, What: ast.IsNull}, R: &ast.Binary{Span: g.span, Op: ast.Eq, L: time, R: at}}
	return &ast.Case{Span: g.span, Whens: []ast.When{{Cond: there, Then: own}}, Else: missing}
}

// between is the value on the line from that of the row before.
func (g *gapFill) between(name string, own, at, time ast.Expr) ast.Expr {
	binary := func(op ast.Op, l, r ast.Expr) ast.Expr { return &ast.Binary{Span: g.span, Op: op, L: l, R: r} }
	since := func(to ast.Expr) ast.Expr {
		unit := &ast.Literal{Span: g.span, Kind: ast.LitString, Text: "MICROSECOND"}
		return g.call("timestampdiff", unit, g.written.column(gapRow, gapLast+" "+g.at), to)
	}
	one := &ast.Literal{Span: g.span, Kind: ast.LitDouble, Text: "1e0"}
	share := binary(ast.Div, binary(ast.Mul, since(time), one), since(at))
	from := g.written.column(gapRow, gapLast+" "+name)
	line := binary(ast.Add, from, binary(ast.Mul, binary(ast.Sub, own, from), share))
	if g.typeOf(name).IsInteger() { // as fill does
		return g.call("round", line)
	}
	return line
}
