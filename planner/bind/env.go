package bind

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// clause is the part of a statement in which an expression stands.
type clause uint8

const (
	inOther clause = iota
	inOn
	inWhere
	inGroupBy
	inSelect
	inHaving
	inOrderBy
	inQualify
)

func (c clause) String() string {
	return [...]string{"here", "ON", "WHERE", "GROUP BY", "SELECT", "HAVING", "ORDER BY", "QUALIFY"}[c]
}

// env is where an expression is bound.
type env struct {
	b      *Binder
	scope  *scope
	sel    *selectBinder // nil: no aggregates, windows, aliases or subqueries
	clause clause
	inAgg  bool   // inside the arguments of an aggregate
	inOver bool   // inside a call with OVER
	called string // the function whose argument is bound, "" outside of calls
	params []*expr.Param
	on     *onSubqueries // of a condition of ON; else sel takes the subqueries
	pick   *pick         // what COLUMNS stands for
}

// column resolves a name or path.
func (e *env) column(ref *ast.ColumnRef) expr.Node {
	if n := e.lambdaParam(ref); n != nil {
		return n
	}
	if e.scope.invoked != nil {
		return e.parameter(e.scope.invoked, ref)
	}
	if e.clause == inOrderBy {
		if n, ok := e.alias(ref); ok {
			return n
		}
	}
	matches, rest := e.scope.lookup(ref.Parts)
	if e.clause == inHaving && len(matches) == 1 && !e.inAgg && e.sel != nil && indexOf(e.sel.keys, e.scope.ref(matches[0])) < 0 {
		if n, ok := e.alias(ref); ok { // the column has no value there
			return n
		}
	}
	switch {
	case len(matches) == 1:
		return e.fields(e.noted(e.scope.ref(matches[0]), ref.Span), rest)
	case len(matches) > 1:
		e.b.errorf(diag.AmbiguousName, ref.Span, "column %q is ambiguous: it could be %s", pathOf(ref.Parts), e.scope.describe(matches)).
			Hint = e.apart(matches)
		return nil
	}
	if n, ok := e.alias(ref); ok {
		return n
	}
	if n, ok := e.qualifiedAlias(ref); ok {
		return n
	}
	if n, ok := e.windowName(ref); ok {
		return n
	}
	if n, ok := e.outer(ref); ok {
		return n
	}
	if n, ok := e.wholeRow(ref); ok {
		return n
	}
	if n, ok := e.b.bareFunction(ref); ok {
		return n
	}
	e.unknownColumn(ref)
	return nil
}

// apart says how columns of one name can be told apart.
func (e *env) apart(matches []int) string {
	first := e.scope.cols[matches[0]]
	for _, m := range matches[1:] {
		if !strings.EqualFold(e.scope.cols[m].table, first.table) {
			return fmt.Sprintf("put the table in front, as in %s.%s", first.table, first.name)
		}
	}
	return "give each table, and each column of a subquery, a name of its own: FROM t AS a, t AS b"
}

// noted remembers where a column was written, for messages after grouping.
func (e *env) noted(c *expr.Column, span diag.Span) expr.Node {
	if e.sel != nil {
		e.sel.note(c, span)
	}
	return c
}

func (e *env) fields(n expr.Node, rest []ast.Ident) expr.Node {
	for _, p := range rest {
		n = e.b.field(n, p)
	}
	return n
}

func (e *env) lambdaParam(ref *ast.ColumnRef) expr.Node {
	for i := len(e.params) - 1; i >= 0; i-- {
		if ref.Parts[0].Is(e.params[i].Name) {
			return e.fields(e.params[i], ref.Parts[1:])
		}
	}
	return nil
}

// alias resolves the alias of a select item; ok also when the item has an error.
func (e *env) alias(ref *ast.ColumnRef) (expr.Node, bool) {
	if e.sel == nil || e.inAgg && e.clause == inGroupBy {
		return nil, false
	}
	n, ok := e.sel.aliasExpr(e, ref.Parts[0])
	if !ok || n == nil {
		return nil, ok
	}
	if e.clause != inOrderBy && e.clause != inGroupBy && expr.Volatility(n) == fn.Volatile {
		e.b.errorf(diag.NotRepeatable, ref.Span, "the alias %q stands for %s, which has another value at each call", ref.Parts[0].Name, n).
			WithHint("compute it in a subquery: SELECT … FROM (SELECT …, %s AS %s …)", n, ref.Parts[0].Name)
		return nil, true
	}
	if e.sel.aliased += size(n); e.sel.aliased > maxExpansion {
		e.b.errorf(diag.TooDeep, ref.Span, "with what its aliases stand for, the SELECT comes to more than %d parts", maxExpansion).
			WithHint("compute them step by step: SELECT x + x AS y FROM (SELECT a + a AS x FROM …)")
		return nil, true
	}
	return e.fields(n, ref.Parts[1:]), true
}

// qualifiedAlias resolves alias.x, DuckDB's spelling of the alias x, where no table is called
// alias, or it has no such column.
func (e *env) qualifiedAlias(ref *ast.ColumnRef) (expr.Node, bool) {
	if len(ref.Parts) < 2 || !ref.Parts[0].Is("alias") {
		return nil, false
	}
	return e.alias(&ast.ColumnRef{Span: ref.Span, Parts: ref.Parts[1:]})
}

// wholeRow makes a struct of the columns of a table that is named like a column, as in
// PostgreSQL and DuckDB.
func (e *env) wholeRow(ref *ast.ColumnRef) (expr.Node, bool) {
	if len(ref.Parts) != 1 || !e.scope.hasTable(ref.Parts[0].Name) {
		return e.wholeRowAround(ref)
	}
	var args []expr.Node
	for i, c := range e.scope.cols {
		if strings.EqualFold(c.table, ref.Parts[0].Name) && !c.extra {
			args = append(args, expr.Text(c.name), e.noted(e.scope.ref(i), ref.Span))
		}
	}
	if len(args) == 0 {
		return nil, false
	}
	return e.b.resolve(ref.Span, "named_struct", args...), true
}

// outer resolves a column of a query around, the nearest first; ok also for an error.
func (e *env) outer(ref *ast.ColumnRef) (n expr.Node, ok bool) {
	for s := e.scope.parent; s != nil; s = s.parent {
		if s.invoked != nil {
			return e.outerParameter(s.invoked, ref)
		}
		matches, rest := s.lookup(ref.Parts)
		switch {
		case len(matches) > 1:
			e.b.errorf(diag.AmbiguousName, ref.Span, "column %q is ambiguous: it could be %s of the query around",
				pathOf(ref.Parts), s.describe(matches))
			return nil, true
		case len(matches) == 1:
			c := *s.ref(matches[0])
			c.Index = logical.OuterIndex(s.number(e.b), c.Index)
			return e.fields(&c, rest), true
		}
		if n, ok := e.aliasAround(s, ref); ok {
			return n, true
		}
	}
	return nil, false
}

func (e *env) unknownColumn(ref *ast.ColumnRef) {
	if e.scope.broken {
		// An input could not be bound; the name may well be one of its columns. The error
		// that was reported already fails the statement.
		return
	}
	first := ref.Parts[0]
	if e.scope.told(pathOf(ref.Parts)) {
		return
	}
	if len(ref.Parts) > 1 && e.scope.hasTable(first.Name) {
		e.unknownOfTable(ref)
		return
	}
	if e.missingTable(ref) {
		return
	}
	name := pathOf(ref.Parts)
	if first.Quoted && len(ref.Parts) == 1 {
		e.b.errorf(diag.UnknownColumn, ref.Span, "column %q does not exist", name).
			WithHint("for a string write '%s'", strings.ReplaceAll(name, "'", "''"))
		return
	}
	where := ""
	if t := e.scope.tables(); len(t) == 1 {
		where = ` in "` + t[0] + `"`
	}
	d := e.b.errorf(diag.UnknownColumn, ref.Span, "unknown column %q%s", name, where)
	if len(e.scope.cols) == 0 && e.scope.parent != nil && e.scope.parent.invoked != nil {
		d.Hint = hintParams(e.scope.parent.invoked, first.Name)
		return
	}
	if len(e.scope.cols) == 0 && e.scope.parent == nil {
		d.Hint = "there is no FROM clause"
		return
	}
	d.Hint = e.suggest(first.Name)
}

func (e *env) unknownOfTable(ref *ast.ColumnRef) {
	table, name := ref.Parts[0].Name, ref.Parts[1]
	var names []string
	for _, c := range e.scope.cols {
		if strings.EqualFold(c.table, table) {
			names = append(names, c.name)
		}
	}
	e.b.errorf(diag.UnknownColumn, name.Span, "unknown column %q in %q", name.Name, table).
		Hint = hintColumns(name.Name, names)
}

// hintColumns is the column that was probably meant, else the columns, if they are few.
func hintColumns(name string, names []string) string {
	if h := diag.HintDidYouMean(name, names); h != "" {
		return h
	}
	if len(names) <= 8 && len(names) > 0 {
		return "the columns are " + strings.Join(names, ", ") + namedByPlace(names)
	}
	return ""
}

func (e *env) suggest(name string) string {
	names := e.scope.names()
	if e.sel != nil {
		names = append(names, e.sel.seenAliases(e.clause)...)
	}
	if word := bareWord(&ast.ColumnRef{Parts: []ast.Ident{{Name: name}}}); word != "" && e.called != "" {
		return fmt.Sprintf("units are text: '%s'", word)
	}
	if write := elsewhere(elsewhereNames, name); write != "" && diag.HintDidYouMean(name, names) == "" {
		return "write " + write
	}
	return hintColumns(name, names)
}

func pathOf(parts []ast.Ident) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return strings.Join(names, ".")
}

// condition binds an expression that must be BOOLEAN.
func (e *env) condition(x ast.Expr, what string) expr.Node {
	n := e.expr(x)
	if n == nil {
		return nil
	}
	c, err := e.b.res.Condition(what, n)
	if err != nil {
		e.b.errorf(diag.TypeMismatch, x.Pos(), "%s", err.Error()).Hint = conditionHint(n)
		return nil
	}
	return c
}

// typeOf spells a type for messages.
func typeOf(n expr.Node) string {
	if n.Type().Kind == types.Null {
		return "NULL"
	}
	return n.Type().String()
}
