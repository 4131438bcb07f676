package bind

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// pick is one of the columns that DuckDB's COLUMNS(…) stands for: an expression with it is
// bound once for each.
type pick struct {
	col   int      // of the scope
	name  string   // of the result
	value ast.Expr // of REPLACE, in the column's place; nil = the column
}

// columnsPart is an expression, once for each column of its COLUMNS.
type columnsPart struct {
	x    ast.Expr
	pick *pick // nil: it has no COLUMNS
}

func (sel *selectBinder) picking(c clause, p *pick) *env {
	e := sel.env(c)
	e.pick = p
	return e
}

// picked is the column that COLUMNS stands for now.
func (e *env) picked(x *ast.Call) expr.Node {
	if e.pick.value != nil {
		inner := *e
		inner.pick = nil
		return inner.expr(e.pick.value)
	}
	return e.noted(e.scope.ref(e.pick.col), x.Span)
}

// expandColumns adds an item once for each column of its COLUMNS, or the columns of
// * LIKE 'pattern'. It reports whether the item has either.
func (sel *selectBinder) expandColumns(it ast.SelectItem) bool {
	var picks []pick
	var ok bool
	if like, is := it.Expr.(*ast.Like); is && isStar(like.X) {
		picks, ok = sel.starLike(like)
	} else if call := columnsCall(it.Expr); call != nil {
		picks, ok = sel.columnsOf(call)
	} else {
		return false
	}
	for _, p := range picks {
		if _, alone := it.Expr.(*ast.Call); p.value == nil && it.Alias == nil && (isStarLike(it.Expr) || alone && columnsCall(it.Expr) == it.Expr) {
			sel.addColumn(p.col, p.name, it.Span)
			continue
		}
		name := p.name
		if it.Alias != nil {
			name = renamedBy(it, p.name)
		}
		if p.value == nil && isStarLike(it.Expr) {
			sel.addColumn(p.col, name, it.Span)
			continue
		}
		sel.items = append(sel.items, selectItem{ast: it, name: name, pick: &p})
	}
	if ok && len(picks) == 0 {
		sel.noColumn(it.Span, it.Text)
	}
	return true
}

// noColumn reports that a COLUMNS stands for nothing.
func (sel *selectBinder) noColumn(span diag.Span, text string) {
	sel.fail()
	if !sel.scope.broken {
		sel.b.errorf(diag.UnknownColumn, span, "no column matches %s", text).
			Hint = "the columns are " + strings.Join(sel.scope.names(), ", ")
	}
}

// renamedBy is what the alias of an item calls a column: groups of the pattern that chose
// the column stand for \1, \2 and so on.
func renamedBy(it ast.SelectItem, column string) string {
	alias := it.Alias.Name
	if !strings.Contains(alias, `\`) {
		return alias
	}
	pattern := ""
	if like, ok := it.Expr.(*ast.Like); ok {
		if l, ok := like.Pattern.(*ast.Literal); ok && like.Op == ast.SimilarTo {
			pattern = similarPattern(l.Text, '\\')
		} else if ok && like.Op == ast.Regex {
			pattern = l.Text
		}
	} else if call := columnsCall(it.Expr); call != nil && len(call.Args) == 1 {
		if l, ok := call.Args[0].(*ast.Literal); ok {
			pattern = l.Text
		}
	}
	re, err := regexp.Compile(pattern)
	if err != nil || pattern == "" {
		return alias
	}
	to := regexp.MustCompile(`\\(\d)`).ReplaceAllString(strings.ReplaceAll(alias, "$", "$$$$"), "$${$1}")
	at := re.FindStringSubmatchIndex(column)
	return string(re.ExpandString(nil, to, column, at))
}

func isStar(x ast.Expr) bool {
	star, ok := x.(*ast.Star)
	return ok && star.X == nil
}

func isStarLike(x ast.Expr) bool {
	like, ok := x.(*ast.Like)
	return ok && isStar(like.X)
}

// columnsCall finds COLUMNS(…) in an expression.
func columnsCall(x ast.Expr) *ast.Call {
	var found *ast.Call
	walkExpr(x, func(n ast.Expr) bool {
		if c, ok := n.(*ast.Call); ok && c.Over == nil && found == nil && c.Name.Last().Is("columns") && len(c.Args) == 1 {
			found = c
		}
		return found == nil
	})
	return found
}

// eachColumn repeats the expressions that have COLUMNS.
func (sel *selectBinder) eachColumn(list []ast.Expr) []columnsPart {
	var out []columnsPart
	for _, x := range list {
		call := columnsCall(x)
		if call == nil {
			out = append(out, columnsPart{x: x})
			continue
		}
		picks, ok := sel.columnsOf(call)
		if ok && len(picks) == 0 {
			sel.noColumn(call.Span, "this COLUMNS")
		}
		for _, p := range picks {
			out = append(out, columnsPart{x: x, pick: &p})
		}
	}
	return out
}

// columnsOf lists what COLUMNS stands for: by a pattern, a star, names or a lambda.
func (sel *selectBinder) columnsOf(c *ast.Call) ([]pick, bool) {
	switch x := c.Args[0].(type) {
	case *ast.Star:
		return sel.starPicks(x), true
	case *ast.Literal:
		if x.Kind == ast.LitString {
			return sel.matching(x)
		}
	case *ast.Like:
		if isStar(x.X) {
			return sel.starLike(x)
		}
	case *ast.Lambda:
		return sel.chosen(c, x)
	}
	return sel.listed(c.Args[0])
}

// picks lists the visible columns that a test of their names takes.
func (sel *selectBinder) picks(take func(name string) bool) []pick {
	var out []pick
	for _, i := range sel.scope.visible() {
		if name := sel.scope.cols[i].name; take(name) {
			out = append(out, pick{col: i, name: name})
		}
	}
	return out
}

// matching lists the columns whose names a regular expression is found in.
func (sel *selectBinder) matching(l *ast.Literal) ([]pick, bool) {
	re, err := regexp.Compile(l.Text)
	if err != nil {
		sel.fail()
		sel.b.errorf(diag.BadConstant, l.Span, "%q is not a regular expression: %s", l.Text, err)
		return nil, false
	}
	return sel.picks(re.MatchString), true
}

// starPicks lists the columns of a star.
func (sel *selectBinder) starPicks(star *ast.Star) []pick {
	var out []pick
	for _, c := range sel.pickStar(star, sel.starColumns(star)) {
		p := pick{col: c.at, name: c.name}
		if c.value != nil {
			p.value = c.value.Expr
		}
		out = append(out, p)
	}
	return out
}

// starLike lists the columns of * LIKE 'pattern' and its relatives.
func (sel *selectBinder) starLike(like *ast.Like) ([]pick, bool) {
	ok := true
	var out []pick
	for _, p := range sel.starPicks(like.X.(*ast.Star)) {
		test := *like
		test.X = &ast.Literal{Span: like.Span, Kind: ast.LitString, Text: p.name}
		take, fine := sel.constant(&test)
		if ok = ok && fine; ok && take {
			out = append(out, p)
		}
	}
	return out, ok
}

// constant computes a condition that reads no columns.
func (sel *selectBinder) constant(x ast.Expr) (value, ok bool) {
	e := &env{b: sel.b, scope: &scope{}}
	n := e.condition(x, "COLUMNS")
	if n == nil {
		sel.fail()
		return false, false
	}
	c, ok := sel.b.res.Fold(n).(*expr.Const)
	if !ok {
		sel.fail()
		sel.b.errorf(diag.BadConstant, x.Pos(), "columns are chosen by a constant condition on their names")
		return false, false
	}
	return !c.IsNull() && c.V.IsTrue(0), true
}

// chosen lists the columns for whose names a lambda is true.
func (sel *selectBinder) chosen(c *ast.Call, l *ast.Lambda) ([]pick, bool) {
	if len(l.Params) != 1 {
		sel.fail()
		sel.b.errorf(diag.WrongArguments, c.Span, "the lambda of COLUMNS takes one name")
		return nil, false
	}
	name := &expr.Param{Name: l.Params[0].Name, T: types.Of(types.String)}
	n := (&env{b: sel.b, scope: &scope{}, params: []*expr.Param{name}}).condition(l.Body, "COLUMNS")
	if n == nil {
		sel.fail()
		return nil, false
	}
	return sel.picks(func(col string) bool {
		test := expr.Rewrite(n, func(x expr.Node) expr.Node {
			if p, ok := x.(*expr.Param); ok && p == name {
				return expr.Text(col)
			}
			return sel.b.res.Fold(x)
		})
		k, ok := test.(*expr.Const)
		return ok && !k.IsNull() && k.V.IsTrue(0)
	}), true
}

// listed lists the columns that a constant array names.
func (sel *selectBinder) listed(x ast.Expr) ([]pick, bool) {
	e := &env{b: sel.b, scope: &scope{}}
	n := e.expr(x)
	if n == nil {
		sel.fail()
		return nil, false
	}
	c, ok := sel.b.res.Fold(n).(*expr.Const)
	if !ok || c.IsNull() || c.Type().Elem == nil {
		sel.fail()
		sel.b.errorf(diag.BadConstant, x.Pos(), "COLUMNS takes a pattern, *, an array of names, or a lambda over a name")
		return nil, false
	}
	var names []string
	list := c.V
	for k := int(list.Off[0]); k < int(list.Off[1]); k++ {
		names = append(names, strings.ToLower(vec.RowString(list.Child[0], k, sel.b.set.Zone)))
	}
	return sel.picks(func(name string) bool { return slices.Contains(names, strings.ToLower(name)) }), true
}
