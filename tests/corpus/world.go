package corpus

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// World are the objects that a statement finds: those of testdata/world.sql, and for the
// names that are not there tables with the columns that the statement names, of the types
// that their names suggest.
type World struct {
	sections map[string][]string // by id or group: CREATE and INSERT statements
	alone    map[string]bool
}

// ReadWorld reads sections "-- # id or group …" of statements, one a line. An id with ! behind
// it takes nothing of its group.
func ReadWorld(path string) (*World, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w := &World{sections: map[string][]string{}, alone: map[string]bool{}}
	var names []string
	for _, line := range strings.Split(string(text), "\n") {
		if head, ok := strings.CutPrefix(line, "-- # "); ok {
			names = strings.Fields(head)
			for i, n := range names {
				if id, ok := strings.CutSuffix(n, "!"); ok {
					names[i], w.alone[id] = id, true
				}
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		for _, n := range names {
			w.sections[n] = append(w.sections[n], line)
		}
	}
	return w, nil
}

// Of are the sections that make the world of a case, its own first.
func (w *World) Of(c Case) [][]string {
	if w.alone[c.ID] {
		return [][]string{w.sections[c.ID]}
	}
	return [][]string{w.sections[c.ID], w.sections[c.Group]}
}

// guess collects the tables that statements read, with the columns that they name.
type guess struct {
	order   []string
	columns map[string][]string
	ctes    map[string]bool
	aliases map[string]bool // of items and of the columns of tables, which are no columns
}

// Guess gives CREATE statements and rows for what statements read and write, and the
// catalog does not know.
func Guess(stmts []ast.Statement, known func(name string) bool) []string {
	g := &guess{columns: map[string][]string{}, ctes: map[string]bool{}, aliases: map[string]bool{}}
	for _, s := range stmts {
		g.renames(reflect.ValueOf(s))
	}
	for _, s := range stmts {
		g.visit(reflect.ValueOf(s), nil)
	}
	var out []string
	for _, t := range g.order {
		if !known(t) && !g.ctes[strings.ToLower(t)] {
			out = append(out, g.table(t)...)
		}
	}
	for _, s := range targets(stmts) {
		if !known(s) && g.columns[s] == nil {
			out = append(out, fmt.Sprintf("CREATE SINK %s WITH (connector = 'memory')", quote(s)))
		}
	}
	return out
}

// targets are what INSERT names.
func targets(stmts []ast.Statement) (names []string) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.Insert:
			names = append(names, s.Table.String())
		case *ast.StatementSet:
			for _, in := range s.Inserts {
				names = append(names, in.Table.String())
			}
		}
	}
	return names
}

func (g *guess) add(table, column string) {
	if _, ok := g.columns[table]; !ok {
		g.order = append(g.order, table)
		g.columns[table] = []string{}
	}
	same := func(c string) bool { return strings.EqualFold(c, column) }
	if column != "" && !slices.ContainsFunc(g.columns[table], same) {
		g.columns[table] = append(g.columns[table], column)
	}
}

// scope are the tables of a SELECT, by alias.
type scope struct {
	first  string
	tables map[string]string
	outer  *scope
}

// visit walks a tree; names belong to the innermost SELECT that has a table.
func (g *guess) visit(v reflect.Value, s *scope) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if sel, ok := v.Interface().(*ast.Select); ok {
			s = g.scope(sel, s)
		}
		if ref, ok := v.Interface().(*ast.ColumnRef); ok {
			g.column(ref, s)
		}
		if star, ok := v.Interface().(*ast.Star); ok && len(star.Except) > 0 && s != nil && s.first != "" {
			g.add(s.first, "other") // which the star leaves
			for _, n := range star.Except {
				g.add(s.first, n.Last().Name)
			}
		}
		if cte, ok := v.Interface().(*ast.CTE); ok {
			g.ctes[strings.ToLower(cte.Name.Name)] = true
		}
		g.visit(v.Elem(), s)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				g.visit(v.Field(i), s)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			g.visit(v.Index(i), s)
		}
	}
}

// renames collects the aliases of items and of the columns of tables.
func (g *guess) renames(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if a, ok := v.Interface().(*ast.Alias); ok {
			for _, c := range a.Columns {
				g.aliases[strings.ToLower(c.Name)] = true
			}
		}
		g.renames(v.Elem())
	case reflect.Struct:
		if it, ok := v.Interface().(ast.SelectItem); ok && it.Alias != nil {
			g.aliases[strings.ToLower(it.Alias.Name)] = true
		}
		for i := range v.NumField() {
			g.renames(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			g.renames(v.Index(i))
		}
	}
}

func (g *guess) scope(sel *ast.Select, outer *scope) *scope {
	s := &scope{tables: map[string]string{}, outer: outer}
	g.from(reflect.ValueOf(sel.From), s)
	return s
}

// from collects the tables of FROM, without those of subqueries.
func (g *guess) from(v reflect.Value, s *scope) {
	if !v.IsValid() || v.Kind() == reflect.Interface && v.IsNil() {
		return
	}
	switch x := v.Interface().(type) {
	case *ast.TableName:
		g.named(x.Name.String(), x.Alias, s)
	case *ast.Join:
		g.from(reflect.ValueOf(x.L), s)
		g.from(reflect.ValueOf(x.R), s)
		for _, id := range x.Using {
			for _, t := range s.tables {
				g.add(t, id.Name)
			}
		}
	case *ast.Pivot:
		g.from(reflect.ValueOf(x.Input), s)
	case *ast.Unpivot:
		g.from(reflect.ValueOf(x.Input), s)
	case *ast.TableFunc:
		for _, a := range x.Call.Args {
			if t, ok := a.(*ast.TableArg); ok && t.Table != nil {
				g.named(t.Table.String(), x.Alias, s)
			}
		}
	}
}

func (g *guess) named(name string, alias *ast.Alias, s *scope) {
	g.add(name, "")
	if s.first == "" {
		s.first = name
	}
	s.tables[strings.ToLower(name)] = name
	if alias != nil {
		s.tables[strings.ToLower(alias.Name.Name)] = name
	}
}

func (g *guess) column(ref *ast.ColumnRef, s *scope) {
	for t := s; t != nil; t = t.outer {
		if name, ok := t.tables[strings.ToLower(ref.Parts[0].Name)]; ok && len(ref.Parts) > 1 {
			g.add(name, ref.Parts[1].Name)
			return
		}
	}
	if s != nil && s.first != "" && !g.aliases[strings.ToLower(ref.Parts[0].Name)] {
		g.add(s.first, ref.Parts[0].Name)
	}
}

// table makes a stream of what was found out, with three rows, of which one is NULL all over.
func (g *guess) table(name string) []string {
	cols := g.columns[name]
	if len(cols) == 0 {
		cols = []string{"a", "b"}
	}
	var defs, one, two, none []string
	for _, c := range cols {
		t := typeOf(c)
		defs = append(defs, quote(c)+" "+t[0])
		one, two, none = append(one, t[1]), append(two, t[2]), append(none, "NULL")
	}
	q := quote(name)
	return []string{
		fmt.Sprintf("CREATE SOURCE %s (%s)", q, strings.Join(defs, ", ")),
		fmt.Sprintf("INSERT INTO %s SELECT * FROM (VALUES (%s), (%s), (%s)) AS v", q, strings.Join(one, ", "), strings.Join(two, ", "), strings.Join(none, ", ")),
	}
}

func quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// typeOf guesses a type, and two values, by the name of a column.
func typeOf(column string) [3]string {
	for _, k := range kinds {
		if slices.Contains(strings.Fields(k.names), strings.ToLower(column)) {
			return k.is
		}
	}
	return [3]string{"INT", "1", "2"}
}

var kinds = []struct {
	names string
	is    [3]string
}{
	{"ts at event_time date_time datetime timestamp time p_time", [3]string{"TIMESTAMP", "TIMESTAMP '2024-01-01 00:00:00'", "TIMESTAMP '2024-01-01 01:00:00'"}},
	{"d date day", [3]string{"DATE", "DATE '2024-01-01'", "DATE '2024-01-02'"}},
	{"j payload", [3]string{"STRING", `'{"a": 1, "n": "1", "amount": "12.5"}'`, `'{"a": {"b": 2}}'`}},
	{"s name url channel line user_id device k", [3]string{"STRING", "'x'", "'y'"}},
	{"arr items l", [3]string{"ARRAY<INT>", "ARRAY[1, 2]", "ARRAY[3]"}},
	{"m", [3]string{"MAP<STRING, INT>", "MAP['k', 1]", "MAP['a', 2]"}},
	{"ok flag b1", [3]string{"BOOLEAN", "true", "false"}},
}
