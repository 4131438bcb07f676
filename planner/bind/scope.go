package bind

import (
	"slices"
	"sort"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/logical"
)

// Column numbers from these on stand for what is not a column of the input: results
// of aggregates, columns of the query around, scalar subqueries that are joined after
// grouping, and functions with OVER. They are replaced before the binder is done.
const (
	aggBase   = 1 << 24
	outerBase = 1 << 25 // the end of those of aggregates; outer references are logical.Outer's
	postBase  = 1 << 26
	overBase  = 1 << 27
	lateBase  = 3 << 26 // subqueries that are joined after the functions with OVER
	overEnd   = 1 << 28
)

// scope is what names can refer to: the columns of FROM.
type scope struct {
	cols    []scopeCol
	window  *timeWindow     // of a window table function in FROM
	parent  *scope          // of the query around, for correlated subqueries
	reader  *env            // the expression whose subquery is being bound; nil = none
	invoked *invocation     // of the body of a function, which has parameters instead of columns
	id      int             // of outer references to it; 0 = it has none so far
	broken  bool            // an input had an error: unknown names are not reported
	unknown map[string]bool // names that were reported
}

// told notes an unknown name, and tells whether it was noted before: each is reported once.
func (s *scope) told(name string) bool {
	key := strings.ToLower(name)
	if s.unknown[key] {
		return true
	}
	if s.unknown == nil {
		s.unknown = map[string]bool{}
	}
	s.unknown[key] = true
	return false
}

type scopeCol struct {
	table  string
	name   string
	index  int
	typ    types.Type
	hidden bool // the second copy of a USING column: only by its qualified name
	extra  bool // not part of *: windows of GROUP BY, hops
	using  int  // > 0: merged by USING; * shows these first, of the outermost join before others
}

// newScope names the columns of a plan after a table.
func newScope(table string, plan logical.Node) *scope {
	s := &scope{}
	for i, c := range plan.Schema() {
		s.cols = append(s.cols, scopeCol{table: table, name: c.Name, index: i, typ: c.Type})
	}
	return s
}

// join puts the columns of two inputs side by side.
func (s *scope) join(r *scope, shift int) *scope {
	out := &scope{parent: s.parent, broken: s.broken || r.broken, window: s.window}
	if out.window == nil {
		out.window = r.window.shifted(shift)
	}
	out.cols = append(out.cols, s.cols...)
	for _, c := range r.cols {
		c.index += shift
		out.cols = append(out.cols, c)
	}
	return out
}

// ref is a reference to a column, named as EXPLAIN prints it.
func (s *scope) ref(i int) *expr.Column {
	c := s.cols[i]
	name := c.name
	for j, o := range s.cols {
		if j != i && strings.EqualFold(o.name, c.name) && c.table != "" {
			name = c.table + "." + c.name
			break
		}
	}
	return &expr.Column{Index: c.index, Name: name, T: c.typ}
}

// visible lists the columns of *, in its order.
func (s *scope) visible() []int {
	var cols []int
	for i, c := range s.cols {
		if !c.hidden && !c.extra {
			cols = append(cols, i)
		}
	}
	sort.SliceStable(cols, func(a, b int) bool { return s.cols[cols[a]].using > s.cols[cols[b]].using })
	return cols
}

// find lists the columns of a name, with a table or without: those of exactly this
// spelling, else those that differ in case.
func (s *scope) find(table, name string) []int {
	var exact, folded []int
	for i, c := range s.cols {
		if table != "" && !strings.EqualFold(c.table, table) || table == "" && c.hidden {
			continue
		}
		switch {
		case c.name == name:
			exact = append(exact, i)
		case strings.EqualFold(c.name, name):
			folded = append(folded, i)
		}
	}
	if len(exact) == 0 {
		exact = folded
	}
	if table != "" && len(exact) > 1 {
		return s.exactTable(table, exact)
	}
	return exact
}

// exactTable narrows candidates to the exact spelling of the table, if there is one.
func (s *scope) exactTable(table string, cand []int) []int {
	var exact []int
	for _, i := range cand {
		if s.cols[i].table == table {
			exact = append(exact, i)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return cand
}

// hasTable reports whether a table of this name is in scope.
func (s *scope) hasTable(name string) bool {
	for _, c := range s.cols {
		if strings.EqualFold(c.table, name) {
			return true
		}
	}
	return false
}

// lookup resolves a path: a column, a column of a table, and fields below either.
// The rest are the parts that are fields. more than one match gives them all.
func (s *scope) lookup(parts []ast.Ident) (matches []int, rest []ast.Ident) {
	if len(parts) > 1 {
		if m := s.find(parts[0].Name, parts[1].Name); len(m) > 0 {
			return m, parts[2:]
		}
	}
	matches = s.find("", parts[0].Name)
	if len(parts) > 1 && !s.takesField(matches, parts[1].Name) && s.tableAbove(parts) {
		return nil, nil
	}
	return matches, parts[1:]
}

// takesField reports whether one of the columns has a field of this name.
func (s *scope) takesField(cols []int, name string) bool {
	return slices.ContainsFunc(cols, func(i int) bool {
		t := s.cols[i].typ
		return t.Kind == types.Map || t.Kind == types.Struct && fieldIndex(t, name) >= 0
	})
}

// tableAbove reports whether a query around has the table, and in it the column, of a path.
func (s *scope) tableAbove(parts []ast.Ident) bool {
	for p := s.parent; p != nil; p = p.parent {
		if len(p.find(parts[0].Name, parts[1].Name)) > 0 {
			return true
		}
	}
	return false
}

// names lists what could have been meant, for suggestions.
func (s *scope) names() []string {
	seen := map[string]bool{}
	var out []string
	for _, c := range s.cols {
		if !seen[c.name] {
			seen[c.name] = true
			out = append(out, c.name)
		}
	}
	return out
}

// tables lists the names of the inputs in order.
func (s *scope) tables() []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range s.cols {
		if c.table != "" && !seen[c.table] {
			seen[c.table] = true
			out = append(out, c.table)
		}
	}
	return out
}

// describe lists the columns in a few words: `events.ts, dim.k`.
func (s *scope) describe(cand []int) string {
	var out []string
	for _, i := range cand {
		c := s.cols[i]
		name := `"` + c.name + `"`
		if c.table != "" {
			name = `"` + c.table + "." + c.name + `"`
		}
		out = append(out, name)
	}
	sort.Strings(out)
	return strings.Join(out, " and ")
}

// field takes a field of a struct by name, or a value of a map by a text key.
func (b *Binder) field(x expr.Node, name ast.Ident) expr.Node {
	if x == nil {
		return nil
	}
	t := x.Type()
	if t.Kind == types.Map && t.Key.Kind == types.String {
		return b.resolve(name.Span, "$at", x, expr.Text(name.Name))
	}
	if t.Kind != types.Struct {
		d := b.errorf(diag.UnknownField, name.Span, "%s has no fields: it is %s", x, t)
		switch {
		case t.Kind == types.Array && t.Elem.Kind == types.Struct:
			d.WithHint("take an element first: %s[1].%s, or of all: transform(%s, e -> e.%s)", x, name.Name, x, name.Name)
		case t.Kind == types.Array:
			d.WithHint("an element is taken by its number: %s[1]", x)
		case t.Kind == types.JSON:
			d.WithHint("a member of JSON is %s ->> '%s', as text, or %s -> '%s'", x, name.Name, x, name.Name)
		case t.Kind == types.String:
			d.WithHint("a field of JSON in text is get_json_object(%s, '$.%s')", x, name.Name)
		}
		return nil
	}
	at := fieldIndex(t, name.Name)
	if at < 0 {
		var names []string
		for _, f := range t.Fields {
			names = append(names, f.Name)
		}
		d := b.errorf(diag.UnknownField, name.Span, "%s has no field %q", x, name.Name)
		if d.Hint = diag.HintDidYouMean(name.Name, names); d.Hint == "" {
			d.Hint = "its fields are " + strings.Join(names, ", ")
		}
		return nil
	}
	return newField(x, at)
}

// fieldIndex finds a field: the exact spelling, else the first that differs in case.
func fieldIndex(t types.Type, name string) int {
	folded := -1
	for i, f := range t.Fields {
		if f.Name == name {
			return i
		}
		if folded < 0 && strings.EqualFold(f.Name, name) {
			folded = i
		}
	}
	return folded
}
