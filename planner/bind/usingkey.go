package bind

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// roundColumn is the number of the round, beside the columns of the rows that a recursive
// query with a key has been given.
const roundColumn = "$round"

// settle binds USING KEY: of all rows that a recursive query has been given, the one row of
// each key. A column is part of the key, or has an aggregate of its own, or is that of the
// last round, where of several rows the greatest counts. nil after an error.
func (b *Binder) settle(c *cteScope) logical.Node {
	k := &keyed{b: b, name: c.cte.Name, aggs: map[int]*ast.SelectItem{}}
	for _, col := range c.ref.of.Columns {
		k.columns = append(k.columns, col.Name)
	}
	for i := range c.cte.Key {
		if !k.item(&c.cte.Key[i]) {
			return nil
		}
	}
	if len(k.keys) == 0 {
		b.errorf(diag.Recursion, c.cte.Name.Span, "USING KEY of %q names no column that is a key", c.cte.Name.Name)
		return nil
	}
	c.ref.settling = true
	defer func() { c.ref.settling = false }()
	r := b.query(&ast.Query{Span: c.cte.Span, Body: k.query()}, nil)
	if r == nil {
		return nil
	}
	return r.plan
}

// keyed is a USING KEY as it is read.
type keyed struct {
	b       *Binder
	name    ast.Ident
	columns []string
	keys    []int
	aggs    map[int]*ast.SelectItem // by the column that they give
}

// item takes an item; false after an error.
func (k *keyed) item(it *ast.SelectItem) bool {
	switch x := it.Expr.(type) {
	case *ast.ColumnRef:
		if it.Alias != nil {
			k.b.errorf(diag.Recursion, it.Span, "only an aggregate has an alias in USING KEY")
			return false
		}
		i := k.column(x)
		if i >= 0 && k.aggs[i] != nil {
			return k.twice(it, i)
		}
		k.keys = append(k.keys, i)
		return i >= 0
	case *ast.Call:
		name := strings.ToLower(x.Name.String())
		if _, is := k.b.cat.Functions.Aggregate(name); x.Over == nil && (is || k.b.sqlAggregate(name)) {
			return k.aggregate(it, x)
		}
	}
	k.b.errorf(diag.Recursion, it.Span, "USING KEY takes columns and aggregates of columns, which %s is not", it.Text).
		WithHint("WITH RECURSIVE %s (a, b) USING KEY (a, max(b)) AS (…)", k.name.Name)
	return false
}

func (k *keyed) aggregate(it *ast.SelectItem, x *ast.Call) bool {
	target, ok := (*ast.ColumnRef)(nil), false
	if it.Alias != nil {
		target, ok = &ast.ColumnRef{Span: it.Alias.Span, Parts: []ast.Ident{*it.Alias}}, true
	} else if len(x.Args) > 0 {
		target, ok = x.Args[0].(*ast.ColumnRef)
	}
	if !ok {
		k.b.errorf(diag.Recursion, it.Span, "an aggregate of USING KEY is for the column that is its first argument, or its alias").
			WithHint("count(*) AS n")
		return false
	}
	i := k.column(target)
	switch {
	case i < 0:
		return false
	case k.aggs[i] != nil || slices.Contains(k.keys, i):
		return k.twice(it, i)
	}
	k.aggs[i] = it
	return true
}

func (k *keyed) twice(it *ast.SelectItem, i int) bool {
	k.b.errorf(diag.Recursion, it.Span, "USING KEY names the column %q twice", k.columns[i])
	return false
}

// column is the place of a column; −1 after an error.
func (k *keyed) column(x *ast.ColumnRef) int {
	name := x.Parts[len(x.Parts)-1]
	i := slices.IndexFunc(k.columns, func(c string) bool { return strings.EqualFold(c, name.Name) })
	if i < 0 {
		d := k.b.errorf(diag.UnknownColumn, x.Span, "unknown column %q in %q", name.Name, k.name.Name)
		d.Hint = diag.HintDidYouMean(name.Name, k.columns)
	}
	return i
}

// query is SELECT … FROM r GROUP BY the keys.
func (k *keyed) query() *ast.Select {
	at := k.name.Span
	sel := &ast.Select{Span: at, From: &ast.TableName{Span: at, Name: ast.Name{Span: at, Parts: []ast.Ident{k.name}}}, GroupBy: &ast.GroupBy{Span: at}}
	for _, i := range k.keys {
		sel.GroupBy.Items = append(sel.GroupBy.Items, ast.GroupItem{Span: at, Exprs: []ast.Expr{k.ref(k.columns[i])}})
	}
	last := k.last()
	for i, name := range k.columns {
		it := ast.SelectItem{Span: at, Alias: &ast.Ident{Span: at, Name: name, Quoted: true}, Text: name}
		switch {
		case slices.Contains(k.keys, i):
			it.Expr = k.ref(name)
		case k.aggs[i] != nil:
			it.Span, it.Expr = k.aggs[i].Span, k.inOrder(k.aggs[i].Expr.(*ast.Call))
		default:
			it.Expr = &ast.Field{Span: at, X: last, Name: ast.Ident{Span: at, Name: "c" + itoa(i)}}
		}
		sel.Items = append(sel.Items, it)
	}
	return sel
}

func (k *keyed) ref(name string) *ast.ColumnRef {
	return &ast.ColumnRef{Span: k.name.Span, Parts: []ast.Ident{{Span: k.name.Span, Name: name, Quoted: true}}}
}

// last is the row of the last round: the columns that have no aggregate, in a STRUCT.
func (k *keyed) last() ast.Expr {
	row := &ast.Struct{Span: k.name.Span}
	for i, name := range k.columns {
		if !slices.Contains(k.keys, i) && k.aggs[i] == nil {
			row.Fields = append(row.Fields, ast.StructField{Name: &ast.Ident{Name: "c" + itoa(i)}, Value: k.ref(name)})
		}
	}
	by := ast.Name{Span: k.name.Span, Parts: []ast.Ident{{Span: k.name.Span, Name: "max_by"}}}
	return &ast.Call{Span: k.name.Span, Name: by, Args: []ast.Expr{row, k.ref(roundColumn)}}
}

// inOrder gives an aggregate whose result depends on the order of rows that of the rounds.
func (k *keyed) inOrder(x *ast.Call) ast.Expr {
	agg, ok := k.b.cat.Functions.Aggregate(strings.ToLower(x.Name.String()))
	if !ok || !agg.Ordered || len(x.OrderBy) > 0 {
		return x
	}
	c := *x
	c.OrderBy = []ast.OrderItem{{Span: x.Span, Expr: k.ref(roundColumn)}}
	return &c
}
