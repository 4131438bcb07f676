package bind

import (
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// expandItems replaces stars by columns, so that ordinals count what is visible.
func (sel *selectBinder) expandItems() {
	for _, it := range sel.stmt.Items {
		if star, ok := it.Expr.(*ast.Star); ok {
			sel.expandStar(star)
			continue
		}
		if sel.expandColumns(it) {
			continue
		}
		sel.items = append(sel.items, selectItem{ast: it, name: sel.nameOf(it)})
	}
	if len(sel.items) == 0 && len(sel.stmt.Items) > 0 && sel.ok && !sel.scope.broken {
		sel.fail()
		sel.b.errorf(diag.NoColumns, sel.stmt.Items[0].Span, "this SELECT has no columns: EXCEPT leaves none")
	}
}

// itemName is the output name: the alias, else the last part of a path, else the text.
// window(…) is called window, as in Spark.
func itemName(it ast.SelectItem) string {
	if it.Alias != nil {
		return it.Alias.Name
	}
	switch x := it.Expr.(type) {
	case *ast.ColumnRef:
		return x.Parts[len(x.Parts)-1].Name
	case *ast.Field:
		return x.Name.Name
	case *ast.Call:
		if n := x.Name.Last(); n.Is("window") || n.Is("session_window") {
			return strings.ToLower(n.Name)
		}
	}
	return it.Text
}

// nameOf is itemName; #n is called like its column.
func (sel *selectBinder) nameOf(it ast.SelectItem) string {
	place, ok := it.Expr.(*ast.Place)
	if ok && it.Alias == nil {
		if i := sel.scope.at(place); i >= 0 {
			return sel.scope.cols[i].name
		}
	}
	return itemName(it)
}

// at is the column at a place of *, −1 = there is none.
func (s *scope) at(x *ast.Place) int {
	cols := s.visible()
	n, err := strconv.Atoi(x.Number)
	if err != nil || n < 1 || n > len(cols) {
		return -1
	}
	return cols[n-1]
}

// place binds #n.
func (e *env) place(x *ast.Place) expr.Node {
	i := e.scope.at(x)
	if i < 0 {
		if !e.scope.broken {
			e.b.errorf(diag.BadOrdinal, x.Span, "#%s is no column: FROM has %d", x.Number, len(e.scope.visible()))
		}
		return nil
	}
	return e.noted(e.scope.ref(i), x.Span)
}

func (sel *selectBinder) expandStar(star *ast.Star) {
	if star.X != nil {
		sel.fieldItems(star, sel.env(inSelect).expr(star.X))
		return
	}
	if len(star.Qualifier) > 0 && sel.tableColumns(star.Qualifier) == nil {
		sel.expandStruct(star)
		return
	}
	cols := sel.starColumns(star)
	if len(cols) == 0 && !sel.scope.broken {
		sel.fail()
		sel.b.errorf(diag.NoColumns, star.Span, "* without a FROM clause has no columns")
	}
	for _, p := range sel.pickStar(star, cols) {
		if p.value != nil {
			sel.items = append(sel.items, selectItem{ast: *p.value, name: p.name})
			continue
		}
		sel.addColumn(p.at, p.name, star.Span)
	}
}

// tableColumns lists the columns of a table in scope; nil if there is none.
func (sel *selectBinder) tableColumns(q []ast.Ident) []int {
	if len(q) != 1 {
		return nil
	}
	var cols []int
	for i, c := range sel.scope.cols {
		if strings.EqualFold(c.table, q[0].Name) && !c.extra {
			cols = append(cols, i)
		}
	}
	return cols
}

// addColumn adds a column of the input as an item.
func (sel *selectBinder) addColumn(i int, name string, span diag.Span) {
	sel.items = append(sel.items, selectItem{ast: ast.SelectItem{Span: span}, name: name,
		nodes: []expr.Node{sel.note(sel.scope.ref(i), span)}, names: []string{name}, state: itemDone})
}

// expandStruct expands s.* of a struct column, an alias or a window.
func (sel *selectBinder) expandStruct(star *ast.Star) {
	sel.fieldItems(star, sel.env(inSelect).column(&ast.ColumnRef{Span: star.Span, Parts: star.Qualifier}))
}

// fieldItems adds the fields of a STRUCT as items.
func (sel *selectBinder) fieldItems(star *ast.Star, n expr.Node) {
	for _, p := range sel.fieldPicks(star, n) {
		if p.value != nil {
			sel.items = append(sel.items, selectItem{ast: *p.value, name: p.name})
			continue
		}
		sel.items = append(sel.items, selectItem{ast: ast.SelectItem{Span: star.Span}, name: p.name,
			nodes: []expr.Node{newField(n, p.at)}, names: []string{p.name}, state: itemDone})
	}
}

// fieldPicks are the fields that s.* stands for, n being s; at is the number of the field.
func (sel *selectBinder) fieldPicks(star *ast.Star, n expr.Node) []starPick {
	if n == nil {
		sel.fail()
		return nil
	}
	what, tables := "(…)", []string(nil)
	if star.X == nil {
		what, tables = pathOf(star.Qualifier), []string{star.Qualifier[len(star.Qualifier)-1].Name}
	}
	if len(n.Type().Fields) == 0 {
		sel.fail()
		sel.b.errorf(diag.UnknownField, star.Span, "%s.* needs a table or a STRUCT, got %s", what, typeOf(n))
		return nil
	}
	var cols []starColumn
	for i, f := range n.Type().Fields {
		cols = append(cols, starColumn{at: i, name: f.Name, tables: tables})
	}
	return sel.pickStar(star, cols)
}

// bindItem binds an item once. An alias may be used before its item is reached.
func (sel *selectBinder) bindItem(i int) {
	it := &sel.items[i]
	if it.state != itemNew {
		return
	}
	it.state = itemBinding
	defer func(around int) { sel.binding = around }(sel.binding)
	sel.binding = i
	if call, ok := it.ast.Expr.(*ast.Call); ok && sel.isGenerator(call) {
		nodes, names := sel.generatorItem(call, it)
		it = &sel.items[i]
		it.nodes, it.names = nodes, names
	} else if n := sel.picking(inSelect, it.pick).expr(it.ast.Expr); n != nil {
		it = &sel.items[i]
		it.nodes, it.names = []expr.Node{n}, []string{it.name}
		if len(it.ast.Aliases) > 0 {
			sel.b.errorf(diag.ColumnCount, it.ast.Span, "several aliases are only for functions that make several columns")
			it.nodes = nil
		}
	}
	it.state = itemDone
	if it.nodes == nil {
		it.state = itemFailed
		sel.fail()
	}
}

// called lists the items of a name, in any case.
func (sel *selectBinder) called(name string) []int {
	if sel.indexed != len(sel.items) {
		sel.indexed, sel.byName = len(sel.items), map[string][]int{}
		for i, it := range sel.items {
			sel.byName[foldName(it.name)] = append(sel.byName[foldName(it.name)], i)
		}
	}
	return sel.byName[foldName(name)]
}

// aliasExpr resolves the alias of an item; ok also when the item has an error. From
// inside the select list only the items before it are seen. Of several with the name, one
// with an alias of its own comes before a column that is called so.
func (sel *selectBinder) aliasExpr(e *env, id ast.Ident) (expr.Node, bool) {
	found := -1
	rank := func(it *selectItem) (r int) {
		if it.ast.Alias != nil {
			r++
		}
		if it.name == id.Name {
			r += 2
		}
		return r
	}
	for _, i := range sel.called(id.Name) {
		it := &sel.items[i]
		if it.ast.Alias == nil && e.clause != inOrderBy && e.clause != inHaving && e.clause != inQualify {
			continue
		}
		if it.state == itemBinding {
			continue
		}
		if e.clause == inSelect && it.state == itemNew && i >= sel.binding {
			continue
		}
		if found < 0 || rank(it) > rank(&sel.items[found]) {
			found = i
		}
	}
	if found < 0 {
		return nil, false
	}
	sel.bindItem(found)
	it := &sel.items[found]
	if len(it.nodes) != 1 {
		return nil, it.nodes == nil
	}
	for _, i := range sel.called(id.Name) {
		if e.clause == inOrderBy && i > found && rank(&sel.items[i]) == rank(it) && sel.differs(i, it.nodes[0]) {
			sel.b.errorf(diag.AmbiguousName, id.Span, "column %q is ambiguous: items %d and %d of the select list are called so", id.Name, found+1, i+1).
				WithHint("order by the number of the item, as in ORDER BY %d, or by the column with its table in front", found+1)
			return nil, true
		}
	}
	return it.nodes[0], true
}

// differs binds an item, and reports that it is another value than n.
func (sel *selectBinder) differs(i int, n expr.Node) bool {
	sel.bindItem(i)
	other := sel.items[i].nodes
	return len(other) == 1 && !expr.Equal(other[0], n)
}

func (sel *selectBinder) aliasNames() []string {
	var out []string
	for i := range sel.items {
		if a := sel.items[i].ast.Alias; a != nil {
			out = append(out, a.Name)
		}
	}
	return out
}

// seenAliases are those that an expression may use: inside the select list, those before it.
func (sel *selectBinder) seenAliases(c clause) []string {
	var out []string
	for i, it := range sel.items {
		if it.ast.Alias != nil && it.state != itemBinding && c != inOther && (c != inSelect || i < sel.binding) {
			out = append(out, it.ast.Alias.Name)
		}
	}
	return out
}

// here is a place in the text of this SELECT: of the call, for one in the body of a function.
func (sel *selectBinder) here(span diag.Span) diag.Span {
	if len(sel.b.calls) > sel.within {
		return sel.b.calls[sel.within].at
	}
	return span
}

// note remembers where a column was written.
func (sel *selectBinder) note(c *expr.Column, span diag.Span) *expr.Column {
	sel.spans[c] = sel.here(span)
	return c
}
