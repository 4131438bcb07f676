package bind

import (
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
		sel.items = append(sel.items, selectItem{ast: it, name: itemName(it)})
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

func (sel *selectBinder) expandStar(star *ast.Star) {
	if len(star.Qualifier) > 0 {
		if cols := sel.tableColumns(star.Qualifier); cols != nil {
			sel.addStar(star, cols)
			return
		}
		sel.expandStruct(star)
		return
	}
	cols := sel.scope.visible()
	if len(cols) == 0 && !sel.scope.broken {
		sel.fail()
		sel.b.errorf(diag.NoColumns, star.Span, "* without a FROM clause has no columns")
	}
	sel.addStar(star, cols)
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

// addStar adds columns as items, with EXCEPT and REPLACE.
func (sel *selectBinder) addStar(star *ast.Star, cols []int) {
	except, replace := starNames(star)
	renamed := map[string]string{}
	for _, r := range star.Rename {
		renamed[foldName(r.From.Name)] = r.To.Name
	}
	for _, i := range cols {
		name := sel.scope.cols[i].name
		if _, gone := except[foldName(name)]; gone {
			except[foldName(name)] = true
			continue
		}
		if r, ok := replace[foldName(name)]; ok {
			sel.items = append(sel.items, selectItem{ast: r, name: name})
			delete(replace, foldName(name))
			continue
		}
		if to, ok := renamed[foldName(name)]; ok {
			delete(renamed, foldName(name))
			name = to
		}
		sel.addColumn(i, name, star.Span)
	}
	sel.reportStar(star, except, replace)
	for _, r := range star.Rename {
		if _, left := renamed[foldName(r.From.Name)]; left && !sel.scope.broken {
			sel.fail()
			sel.b.errorf(diag.UnknownColumn, r.From.Span, "unknown column %q in RENAME", r.From.Name).
				Hint = diag.HintDidYouMean(r.From.Name, sel.scope.names())
		}
	}
}

// addColumn adds a column of the input as an item.
func (sel *selectBinder) addColumn(i int, name string, span diag.Span) {
	sel.items = append(sel.items, selectItem{ast: ast.SelectItem{Span: span}, name: name,
		nodes: []expr.Node{sel.note(sel.scope.ref(i), span)}, names: []string{name}, state: itemDone})
}

func starNames(star *ast.Star) (map[string]bool, map[string]ast.SelectItem) {
	except, replace := map[string]bool{}, map[string]ast.SelectItem{}
	for _, id := range star.Except {
		except[foldName(id.Name)] = false
	}
	for _, it := range star.Replace {
		if it.Alias != nil {
			replace[foldName(it.Alias.Name)] = it
		}
	}
	return except, replace
}

// reportStar reports names of EXCEPT and REPLACE that are no columns.
func (sel *selectBinder) reportStar(star *ast.Star, except map[string]bool, replace map[string]ast.SelectItem) {
	if sel.scope.broken {
		return
	}
	for _, id := range star.Except {
		if !except[foldName(id.Name)] {
			sel.fail()
			sel.b.errorf(diag.UnknownColumn, id.Span, "unknown column %q in EXCEPT", id.Name).
				Hint = sel.env(inOther).suggest(id.Name)
		}
	}
	for _, it := range replace {
		sel.fail()
		sel.b.errorf(diag.UnknownColumn, it.Alias.Span, "unknown column %q in REPLACE", it.Alias.Name).
			Hint = diag.HintDidYouMean(it.Alias.Name, sel.scope.names())
	}
}

// expandStruct expands s.* of a struct column, an alias or a window.
func (sel *selectBinder) expandStruct(star *ast.Star) {
	ref := &ast.ColumnRef{Span: star.Span, Parts: star.Qualifier}
	n := sel.env(inSelect).column(ref)
	if n == nil {
		sel.fail()
		return
	}
	if len(n.Type().Fields) == 0 {
		sel.fail()
		sel.b.errorf(diag.UnknownField, star.Span, "%s.* needs a table or a STRUCT, got %s", pathOf(star.Qualifier), typeOf(n))
		return
	}
	for i, f := range n.Type().Fields {
		sel.items = append(sel.items, selectItem{ast: ast.SelectItem{Span: star.Span}, name: f.Name,
			nodes: []expr.Node{newField(n, i)}, names: []string{f.Name}, state: itemDone})
	}
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

// aliasExpr resolves the alias of an item; ok also when the item has an error. From
// inside the select list only the items before it are seen.
func (sel *selectBinder) aliasExpr(e *env, id ast.Ident) (expr.Node, bool) {
	found := -1
	for i := range sel.items {
		it := &sel.items[i]
		if it.ast.Alias == nil && e.clause != inOrderBy && e.clause != inHaving && e.clause != inQualify {
			continue
		}
		if !strings.EqualFold(it.name, id.Name) || it.state == itemBinding {
			continue
		}
		if e.clause == inSelect && it.state == itemNew && i >= sel.binding {
			continue
		}
		if found < 0 || it.name == id.Name && sel.items[found].name != id.Name {
			found = i
		}
	}
	if found < 0 {
		return nil, false
	}
	sel.bindItem(found)
	if it := &sel.items[found]; len(it.nodes) == 1 {
		return it.nodes[0], true
	}
	return nil, true
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

// note remembers where a column was written.
func (sel *selectBinder) note(c *expr.Column, span diag.Span) *expr.Column {
	sel.spans[c] = span
	return c
}
