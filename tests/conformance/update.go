package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// numbered is a table with the rows of the one that UPDATE or DELETE changes, and the place
// of each in a column more; changing are, for UPDATE, their places with their new values.
const (
	numbered = "__target"
	changing = "__changed"
	place    = "__place"
)

// number makes the table numbered, and the rest of a statement that reads it by the name that
// the statement gives its target at toks[i].
func (w *world) number(t *table, toks []token, i int) (from string, next int, err error) {
	alias, next := aliasOf(toks, i)
	r := &catalog.Relation{Columns: append(slices.Clone(t.relation.Columns), catalog.Column{Column: types.Column{Name: place, Type: types.Of(types.Int64)}})}
	var rows []*vec.Batch
	for i, b := range t.rows {
		if b == nil {
			continue
		}
		n := vec.NewBuilder(types.Of(types.Int64))
		n.AppendInt(int64(i))
		c := *b
		c.Cols = append(slices.Clone(b.Cols), n.Take())
		rows = append(rows, &c)
	}
	return numbered + " AS " + alias, next, w.fill(numbered, r, rows)
}

// places reads the places of rows that a query over numbered gives in its last column, each
// once, with the row that it gives first.
func (w *world) places(sql string) (at []int, rows []*vec.Batch, err error) {
	res, err := rowsOf(w.ctx, w.batch, sql)
	if err != nil {
		return nil, nil, err
	}
	seen := map[int]bool{}
	for _, b := range singles(res.rows) {
		last := len(b.Cols) - 1
		i := int(b.Cols[last].Int(0))
		if seen[i] {
			continue
		}
		seen[i] = true
		c := *b
		c.Cols = b.Cols[:last]
		at, rows = append(at, i), append(rows, &c)
	}
	return at, rows, nil
}

// count notes how many rows a change has, from a query over them.
func (w *world) count(sql string) error {
	res, err := rowsOf(w.ctx, w.batch, "SELECT count(*) FROM ("+sql+")")
	if err == nil {
		w.changed = int(res.rows[0].Cols[0].Int(0))
	}
	return err
}

// took notes a change of rows, which RETURNING reads, and feeds it.
func (w *world) took(t *table, gone, come []change) error {
	returned := come
	if come == nil {
		returned = gone
	}
	var rows []*vec.Batch
	for _, c := range returned {
		if c.weight > 0 == (come != nil) {
			rows = append(rows, c.row)
		}
	}
	w.changed = len(rows)
	if err := w.fill(scratch, t.relation, rows); err != nil {
		return err
	}
	return w.feed(t, append(gone, come...))
}

// deleteRows finds the rows of DELETE with a query, and takes them away.
func (w *world) deleteRows(sql string, toks []token) error {
	t, err := w.targetOf(toks)
	if err != nil {
		return err
	}
	end := returning(toks)
	using := slices.IndexFunc(toks[:end], func(x token) bool { return x.is("using") && x.depth == 0 })
	if done, err := w.deleteMany(t, sql, toks[:end], using); done || err != nil {
		return err
	}
	if err := w.single(t); err != nil {
		return err
	}
	if err := w.sync(sql); err != nil {
		return err
	}
	from, next, err := w.number(t, toks[:end], 2)
	if err != nil {
		return err
	}
	rest := span(sql, toks[next:end])
	if using >= 0 {
		rest = ", " + sql[toks[using].end:toks[end-1].end]
	}
	alias, _ := aliasOf(toks[:end], 2)
	at, _, err := w.places(fmt.Sprintf("SELECT %s.%s FROM %s %s", alias, place, from, rest))
	if err != nil {
		return err
	}
	return w.took(t, t.takeOut(at), nil)
}

// deleteMany is DELETE of a table that the batch engine has alone.
func (w *world) deleteMany(t *table, sql string, toks []token, using int) (bool, error) {
	if !t.bulk || using >= 0 {
		return false, nil
	}
	if err := w.sync(sql); err != nil {
		return true, err
	}
	where := "true"
	if i := slices.IndexFunc(toks, func(x token) bool { return x.is("where") && x.depth == 0 }); i >= 0 {
		where = "(" + sql[toks[i].end:toks[len(toks)-1].end] + ")"
	}
	alias, _ := aliasOf(toks, 2)
	from := quote(t.name) + " AS " + alias
	if err := run(w.ctx, w.batch, fmt.Sprintf("CREATE OR REPLACE TABLE %s AS SELECT * FROM %s WHERE %s", scratch, from, where)); err != nil {
		return true, err
	}
	if err := w.count("SELECT * FROM " + scratch); err != nil {
		return true, err
	}
	return true, run(w.ctx, w.batch, fmt.Sprintf("CREATE OR REPLACE TABLE %s AS SELECT * FROM %s WHERE %s IS NOT TRUE", quote(t.name), from, where))
}

// returning is where RETURNING begins, or the end.
func returning(toks []token) int {
	if i := slices.IndexFunc(toks, func(x token) bool { return x.is("returning") && x.depth == 0 }); i >= 0 {
		return i
	}
	return len(toks)
}

// aliasOf is how a statement calls the table named at toks[i]; next is the token behind.
func aliasOf(toks []token, i int) (name string, next int) {
	for i+2 < len(toks) && toks[i+1].text == "." {
		i += 2
	}
	name = toks[i].text
	if i+1 < len(toks) && toks[i+1].is("as") {
		i++
	}
	if i+1 < len(toks) && (toks[i+1].kind == word || toks[i+1].kind == quoted) && !toks[i+1].is("set") && !toks[i+1].is("where") && !toks[i+1].is("using") && !toks[i+1].is("returning") {
		return toks[i+1].text, i + 2
	}
	return name, i + 1
}

// takeAway takes the rows of a query away.
func (w *world) takeAway(t *table, sql string) error {
	if err := w.sync(sql); err != nil {
		return err
	}
	if err := w.single(t); err != nil {
		return err
	}
	res, err := rowsOf(w.ctx, w.batch, sql)
	if err != nil {
		return err
	}
	changes, err := t.delete(singles(res.rows))
	if err != nil {
		return err
	}
	w.changed = len(changes)
	return w.feed(t, changes)
}

func (w *world) truncate(toks []token) error {
	t, err := w.targetOf(toks)
	if err != nil {
		return err
	}
	return w.takeAway(t, "SELECT * FROM "+quote(t.name))
}

// update finds the old and the new rows of UPDATE with a query. A row with several matches
// takes the first.
func (w *world) update(sql string, toks []token) error {
	t, err := w.targetOf(toks)
	if err != nil {
		return err
	}
	toks = toks[:returning(toks)]
	set := slices.IndexFunc(toks, func(x token) bool { return x.is("set") })
	end := slices.IndexFunc(toks, func(x token) bool { return (x.is("where") || x.is("from")) && x.depth == 0 })
	if set < 0 {
		return fmt.Errorf("UPDATE without SET")
	}
	rest := ""
	if end < 0 {
		end = len(toks)
	} else {
		rest = joinedFrom(sql, toks[end:])
	}
	if w.d.flavor == postgresText && listToOne(toks[set+1:end]) {
		return fmt.Errorf("SET of several columns to one value")
	}
	values, err := assignments(sql, toks[set+1:end], t)
	if err != nil {
		return err
	}
	t.computeAgain(values)
	if err := w.sync(sql); err != nil {
		return err
	}
	return w.updateTo(t, values, toks, rest)
}

// throughComputed writes computed columns that read others of these by what stored ones hold.
func (t *table) throughComputed() {
	for range t.generated {
		for _, g := range t.generated {
			text := t.defaults[strings.ToLower(g)]
			e := edits{sql: text}
			for _, tok := range tokens(text) {
				name := strings.ToLower(tok.name())
				other := slices.ContainsFunc(t.generated, func(n string) bool { return strings.EqualFold(n, name) })
				if other && !strings.EqualFold(name, g) && (tok.kind == word || tok.kind == quoted) {
					e.replace(tok.start, tok.end, "("+t.defaults[name]+")")
				}
			}
			t.defaults[strings.ToLower(g)] = e.done()
		}
	}
}

// computeAgain sets the computed columns of rows that take values.
func (t *table) computeAgain(values map[string]string) {
	computed := map[string]string{}
	for _, g := range t.generated {
		text := t.defaults[strings.ToLower(g)]
		e := edits{sql: text}
		for _, tok := range tokens(text) {
			if with, ok := values[strings.ToLower(tok.name())]; ok && (tok.kind == word || tok.kind == quoted) {
				e.replace(tok.start, tok.end, "("+with+")")
			}
		}
		computed[strings.ToLower(g)] = e.done()
	}
	maps.Copy(values, computed)
}

// setsKey refuses to set a column of the key, as RisingWave does.
func (w *world) setsKey(t *table, values map[string]string) error {
	for _, k := range t.key {
		if name := strings.ToLower(t.relation.Columns[k].Name); w.d.flavor == postgresText && values[name] != "" {
			return fmt.Errorf("column %q is of the key", name)
		}
	}
	return nil
}

// updateTo gives rows the values, where rest, the end of the statement, finds them.
func (w *world) updateTo(t *table, values map[string]string, toks []token, rest string) error {
	if err := w.setsKey(t, values); err != nil {
		return err
	}
	if done, err := w.updateMany(t, values, toks, rest); done || err != nil {
		return err
	}
	if err := w.single(t); err != nil {
		return err
	}
	from, _, err := w.number(t, toks, 1)
	if err != nil {
		return err
	}
	alias, _ := aliasOf(toks, 1)
	parts := append(newValues(t, values, alias), alias+"."+place)
	if err := run(w.ctx, w.batch, fmt.Sprintf("CREATE OR REPLACE TABLE %s (%s, %s BIGINT)", changing, columnsSQL(t.relation, nil), place)); err != nil {
		return err
	}
	if err := run(w.ctx, w.batch, fmt.Sprintf("INSERT INTO %s SELECT %s FROM %s %s", changing, strings.Join(parts, ", "), from, rest)); err != nil {
		return err
	}
	at, rows, err := w.places("SELECT * FROM " + changing)
	if err != nil {
		return err
	}
	return w.exchange(t, at, rows)
}

// newValues are the columns of a row after UPDATE.
func newValues(t *table, values map[string]string, alias string) []string {
	var parts []string
	for _, c := range t.relation.Columns {
		v, ok := values[strings.ToLower(c.Name)]
		if !ok {
			v = alias + "." + quote(c.Name)
		}
		parts = append(parts, v)
	}
	return parts
}

// updateMany is UPDATE of a table that the batch engine has alone.
func (w *world) updateMany(t *table, values map[string]string, toks []token, rest string) (bool, error) {
	if !t.bulk || strings.HasPrefix(rest, ",") {
		return false, nil
	}
	alias, _ := aliasOf(toks, 1)
	where := "true"
	if rest != "" {
		where = "(" + strings.TrimPrefix(rest, rest[:len("where")]) + ")"
	}
	var parts []string
	for i, v := range newValues(t, values, alias) {
		c := t.relation.Columns[i]
		parts = append(parts, fmt.Sprintf("CAST(CASE WHEN %s THEN %s ELSE %s.%s END AS %s) AS %s", where, v, alias, quote(c.Name), c.Type, quote(c.Name)))
	}
	from := quote(t.name) + " AS " + alias
	if err := w.count(fmt.Sprintf("SELECT 1 FROM %s WHERE %s", from, where)); err != nil {
		return true, err
	}
	return true, run(w.ctx, w.batch, fmt.Sprintf("CREATE OR REPLACE TABLE %s AS SELECT %s FROM %s", quote(t.name), strings.Join(parts, ", "), from))
}

// joinedFrom makes FROM of an UPDATE one more table of a SELECT.
func joinedFrom(sql string, rest []token) string {
	text := sql[rest[0].start:rest[len(rest)-1].end]
	if rest[0].is("from") {
		return ", " + text[len("from"):]
	}
	return text
}

// exchange puts rows into the places of others.
func (w *world) exchange(t *table, at []int, rows []*vec.Batch) error {
	gone := t.takeOut(at)
	come, err := t.insert(rows, refuse)
	if err != nil {
		for _, c := range gone { // nothing happened
			t.add(c.row)
		}
		return err
	}
	return w.took(t, gone, append(make([]change, 0, 1), come...))
}

// takeOut takes away the rows of some places.
func (t *table) takeOut(at []int) []change {
	var out []change
	for _, i := range at {
		out = append(out, change{t.rows[i], -1})
		t.remove(i)
	}
	return out
}

// assignments reads SET a = x, (b, c) = (y, z).
func assignments(sql string, toks []token, t *table) (map[string]string, error) {
	out := map[string]string{}
	for _, part := range splitAt(toks, 0) {
		eq := slices.IndexFunc(part, func(x token) bool { return x.text == "=" && x.depth == 0 })
		if eq < 1 {
			return nil, fmt.Errorf("SET without =")
		}
		value := part[eq+1:]
		if part[0].text == "(" {
			names := listed(part)
			if err := tuple(sql, names, value, out); err != nil {
				return nil, err
			}
			continue
		}
		name := strings.ToLower(part[eq-1].name())
		if eq > 1 {
			return nil, fmt.Errorf("SET of %q with a table", name)
		}
		if !slices.ContainsFunc(t.relation.Columns, func(c column) bool { return strings.EqualFold(c.Name, name) }) {
			return nil, fmt.Errorf("there is no column %q", name)
		}
		if err := assign(out, name, span(sql, value)); err != nil {
			return nil, err
		}
		if len(value) == 1 && value[0].is("default") {
			out[name] = "NULL"
			if def, ok := t.defaults[name]; ok {
				out[name] = "(" + def + ")"
			}
		}
	}
	return out, nil
}

// tuple reads (a, b) = (y, z), or = y for both.
func tuple(sql string, names []string, value []token, out map[string]string) error {
	list := [][]token{value}
	if value[0].text == "(" {
		if len(value) > 1 && value[1].is("select") {
			return tupleOf(sql, names, value, out)
		}
		if list = splitAt(value[1:len(value)-1], 1); len(list) != len(names) {
			return fmt.Errorf("SET of %d columns to %d values", len(names), len(list))
		}
	}
	for i, n := range names {
		if err := assign(out, strings.ToLower(n), span(sql, list[min(i, len(list)-1)])); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("SET of no column")
	}
	return nil
}

// tupleOf reads (a, b) = (SELECT y, z).
func tupleOf(sql string, names []string, query []token, out map[string]string) error {
	cols := make([]string, len(names))
	for i := range names {
		cols[i] = fmt.Sprintf("c%d__", i)
	}
	for i, n := range names {
		one := fmt.Sprintf("(SELECT %s FROM %s AS q__(%s))", cols[i], span(sql, query), strings.Join(cols, ", "))
		if err := assign(out, strings.ToLower(n), one); err != nil {
			return err
		}
	}
	return nil
}

// assign sets a column, once.
func assign(values map[string]string, name, value string) error {
	if _, twice := values[name]; twice {
		return fmt.Errorf("column %q is set twice", name)
	}
	values[name] = value
	return nil
}
