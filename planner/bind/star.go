package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// starColumn is a column that a star stands for: of the scope, or a field of a struct.
type starColumn struct {
	at     int
	name   string
	tables []string // it is called table.name too
}

// starPick is what becomes of a starColumn.
type starPick struct {
	at    int
	name  string
	value *ast.SelectItem // of REPLACE; nil = the column
}

// starColumns are the columns of * or t.*. One that USING made of two is called as either.
func (sel *selectBinder) starColumns(star *ast.Star) []starColumn {
	list := sel.scope.visible()
	if len(star.Qualifier) > 0 {
		list = sel.tableColumns(star.Qualifier)
	}
	var cols []starColumn
	for _, i := range list {
		c := sel.scope.cols[i]
		col := starColumn{at: i, name: c.name, tables: []string{c.table}}
		for _, o := range sel.scope.cols {
			if c.using > 0 && o.hidden && strings.EqualFold(o.name, c.name) {
				col.tables = append(col.tables, o.table)
			}
		}
		cols = append(cols, col)
	}
	return cols
}

// called reports that a name means the column.
func (c starColumn) called(n ast.Name) bool {
	if !n.Last().Is(c.name) {
		return false
	}
	if len(n.Parts) == 1 {
		return true
	}
	for _, t := range c.tables {
		if n.Parts[len(n.Parts)-2].Is(t) {
			return true
		}
	}
	return false
}

// pickStar applies EXCEPT, REPLACE and RENAME. Each name of REPLACE and RENAME means one
// column, the first.
func (sel *selectBinder) pickStar(star *ast.Star, cols []starColumn) []starPick {
	var out []starPick
	gone, by := make([]bool, len(star.Except)), map[int]int{}
	replaced, renamed := make([]bool, len(star.Replace)), make([]bool, len(star.Rename))
	for _, c := range cols {
		leave := false
		for k, n := range star.Except {
			if !c.called(n) {
				continue
			}
			if leave && len(n.Parts) != len(star.Except[by[c.at]].Parts) {
				sel.fail()
				sel.b.errorf(diag.AmbiguousName, n.Span, "EXCEPT names %q twice, as %q too", n, star.Except[by[c.at]])
			}
			gone[k], leave, by[c.at] = true, true, k
		}
		if leave {
			continue
		}
		p := starPick{at: c.at, name: c.name}
		for k := range star.Replace {
			if it := &star.Replace[k]; !replaced[k] && p.value == nil && it.Alias.Is(c.name) {
				p.value, replaced[k] = it, true
			}
		}
		for k, r := range star.Rename {
			if !renamed[k] && c.called(r.From) {
				p.name, renamed[k] = r.To.Name, true
				break
			}
		}
		out = append(out, p)
	}
	sel.checkStar(star, gone, replaced, renamed)
	return out
}

// checkStar reports names that mean no column, or one that has been given.
func (sel *selectBinder) checkStar(star *ast.Star, gone, replaced, renamed []bool) {
	if sel.scope.broken {
		return
	}
	twice := map[string]bool{}
	check := func(clause string, n ast.Name, used bool) {
		key := clause + " " + foldName(n.String())
		switch {
		case twice[key]:
			sel.b.errorf(diag.AmbiguousName, n.Span, "%s names %q twice", clause, n)
		case !used && clause != "EXCEPT" && sel.leftOut(n):
			sel.b.errorf(diag.UnknownColumn, n.Span, "%s names %q, which EXCEPT leaves out", clause, n)
		case !used:
			sel.b.errorf(diag.UnknownColumn, n.Span, "unknown column %q in %s", n, clause).
				Hint = sel.env(inOther).suggest(n.Last().Name)
		default:
			twice[key] = true
			return
		}
		sel.fail()
	}
	for k, n := range star.Except {
		check("EXCEPT", n, gone[k])
	}
	for k, it := range star.Replace {
		check("REPLACE", ast.Name{Span: it.Alias.Span, Parts: []ast.Ident{*it.Alias}}, replaced[k])
	}
	for k, r := range star.Rename {
		check("RENAME", r.From, renamed[k])
	}
}

// leftOut tells that a name which a star does not give is a column: EXCEPT took it.
func (sel *selectBinder) leftOut(n ast.Name) bool {
	m, _ := sel.scope.lookup(n.Parts)
	return len(m) > 0
}
