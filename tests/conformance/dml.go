package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// statement runs a statement that is not a query.
func (w *world) statement(sql string) error {
	toks := tokens(sql)
	if len(toks) == 0 {
		return nil
	}
	if toks[0].is("with") { // WITH x AS (…) INSERT INTO t SELECT
		if i := slices.IndexFunc(toks, func(t token) bool { return t.is("insert") && t.depth == 0 }); i > 0 {
			body := slices.IndexFunc(toks[i:], func(t token) bool { return t.is("select") || t.is("from") || t.is("values") })
			if body > 0 {
				sql = sql[toks[i].start:toks[i+body].start] + " " + sql[:toks[i].start] + sql[toks[i+body].start:]
				return w.insert(sql, tokens(sql))
			}
		}
	}
	switch {
	case toks[0].is("create"):
		return w.create(sql, toks)
	case toks[0].is("drop"):
		return w.drop(sql, toks)
	case toks[0].is("insert") && w.d.nowTable && strings.EqualFold(target(toks), "now") && w.tables["now"] == nil:
		return w.setTime(sql)
	case toks[0].is("insert"):
		return w.insert(sql, toks)
	case toks[0].is("remove"):
		return w.removeRows(sql, toks)
	case toks[0].is("delete"):
		return w.deleteRows(sql, toks)
	case toks[0].is("truncate"):
		return w.truncate(toks)
	case toks[0].is("update"):
		return w.update(sql, toks)
	case toks[0].is("merge"):
		return w.merge(sql, toks)
	}
	if err := w.sync(sql); err != nil {
		return err
	}
	return run(w.ctx, w.batch, sql)
}

func (w *world) create(sql string, toks []token) error {
	i := 1
	for i < len(toks) && (toks[i].is("or") || toks[i].is("replace") || toks[i].is("temp") || toks[i].is("temporary") || toks[i].is("local") || toks[i].is("unlogged") || toks[i].is("recursive")) {
		i++
	}
	switch {
	case i >= len(toks):
		return run(w.ctx, w.batch, sql)
	case toks[i].is("table"):
		return w.createTable(sql, toks, i+1)
	case toks[i].is("view"):
		return w.createView(sql, toks, false)
	case toks[i].is("materialized"):
		return w.createView(sql, toks, true)
	}
	if err := run(w.ctx, w.batch, sql); err != nil {
		return err
	}
	return run(w.ctx, w.stream, sql)
}

// createTable makes a table in the batch engine, and its source in the other.
func (w *world) createTable(sql string, toks []token, i int) error {
	name := target(toks)
	if w.tables[strings.ToLower(name)] != nil {
		if hasWords(toks, "if", "not", "exists") {
			return nil
		}
		if !hasWords(toks, "or", "replace") {
			return fmt.Errorf("%q exists already", name)
		}
		if err := w.dropObject(name); err != nil {
			return err
		}
	}
	def, err := readTable(sql, toks)
	if err != nil {
		return err
	}
	if err := w.sync(sql); err != nil {
		return err
	}
	if err := run(w.ctx, w.batch, def.sql); err != nil {
		return err
	}
	o, err := w.batch.Catalog().Find(name)
	if err != nil {
		return err
	}
	r, ok := o.(*catalog.Relation)
	if !ok {
		return fmt.Errorf("%q is not a table", name)
	}
	t := newTable(name, r)
	t.defaults, t.watermark, t.conflict, t.unique = def.defaults, def.watermark, w.d.conflict, def.unique
	t.generated = def.generated
	t.throughComputed()
	if def.keeps {
		t.conflict = keep
	}
	if def.merges {
		t.conflict = merge
	}
	for _, k := range def.key {
		at := slices.IndexFunc(r.Columns, func(c catalog.Column) bool { return strings.EqualFold(c.Name, k) })
		if at < 0 {
			return fmt.Errorf("there is no column %q for the key", k)
		}
		t.key = append(t.key, at)
	}
	if err := t.versioned(def.versions); err != nil {
		return err
	}
	w.tables[strings.ToLower(name)] = t
	if err := w.declare(t); err != nil {
		return err
	}
	if def.filled {
		if many, err := w.many(t, quote(name)); err != nil || many {
			return err
		}
		res, err := rowsOf(w.ctx, w.batch, "SELECT * FROM "+quote(name))
		if err != nil {
			return err
		}
		return w.change(t, singles(res.rows))
	}
	return nil
}

// change adds rows to a table and tells the other engine.
func (w *world) change(t *table, rows []*vec.Batch) error {
	changes, err := t.insert(rows, t.conflict)
	if err != nil {
		return err
	}
	return w.feed(t, changes)
}

// createView defines a view in both engines. A materialised view is one there, and
// another that reads it; in the batch engine it is a table.
func (w *world) createView(sql string, toks []token, materialized bool) error {
	name := target(toks)
	delete(w.dropped, strings.ToLower(name))
	i := slices.IndexFunc(toks, func(t token) bool { return t.is("as") && t.depth == 0 })
	if i < 0 {
		return run(w.ctx, w.batch, sql)
	}
	if w.views[strings.ToLower(name)] != nil {
		if hasWords(toks, "if", "not", "exists") {
			return nil
		}
		if !hasWords(toks, "or", "replace") {
			return fmt.Errorf("%q exists already", name)
		}
		if err := w.dropObject(name); err != nil {
			return err
		}
	}
	if w.d.uniqueColumns && toks[i-1].text != ")" {
		var err error
		if sql, err = w.withColumns(sql, toks[i]); err != nil {
			return err
		}
		toks = tokens(sql)
		i = slices.IndexFunc(toks, func(t token) bool { return t.is("as") && t.depth == 0 })
	}
	v := &view{name: name, sql: sql[toks[i].end:], materialized: materialized, zone: w.d.zone}
	head := strings.Replace(sql[:toks[i].end], " "+toks[1].text, " "+toks[1].text, 1)
	if materialized {
		head = "CREATE VIEW " + viewHead(sql, toks, i)
		v.sql, v.emit = emission(v.sql)
	}
	if err := run(w.ctx, w.stream, head+v.sql); err != nil {
		return err
	}
	if materialized {
		if err := w.startView(v, ""); err != nil {
			w.forget(name, "VIEW")
			return err
		}
		w.views[strings.ToLower(name)], w.order = v, append(w.order, v)
		if w.s == atOnce && !w.arrives(v.sql) {
			return nil
		}
		return w.settle()
	}
	if err := w.sync(v.sql); err != nil {
		return err
	}
	if err := run(w.ctx, w.batch, head+v.sql); err != nil {
		w.forget(name, "VIEW")
		return err
	}
	w.views[strings.ToLower(name)] = v
	return nil
}

// viewHead is the name and the columns of a view, up to AS.
func viewHead(sql string, toks []token, as int) string {
	for i := range toks[:as] {
		if toks[i].is("view") {
			i++
			if hasWords(toks[i:as], "if", "not", "exists") {
				i += 3
			}
			if with := slices.IndexFunc(toks[i:as], func(t token) bool { return t.is("with") && t.depth == 0 }); with > 0 {
				return span(sql, toks[i:i+with]) + " AS" // options of their server
			}
			return sql[toks[i].start:toks[as].end]
		}
	}
	return ""
}

// emission parts a query from EMIT … behind it: a view that others read has none.
func emission(sql string) (query, emit string) {
	toks := tokens(sql)
	for i, t := range toks {
		if t.is("emit") && t.depth == 0 && i > 0 && i+1 < len(toks) && toks[i+1].kind == word {
			return sql[:t.start], sql[t.start:]
		}
	}
	return sql, ""
}

func (w *world) drop(sql string, toks []token) error {
	i := 1
	if toks[i].is("materialized") {
		i++
	}
	i++
	exists := hasWords(toks[i:], "if", "exists")
	if exists {
		i += 2
	}
	for _, part := range splitAt(toks[i:], 0) {
		name := target(part)
		if len(part) == 1 {
			name = part[0].name()
		}
		low := strings.ToLower(name)
		switch {
		case w.dropped[low]:
			delete(w.dropped, low)
		case w.tables[low] == nil && w.views[low] == nil:
			if !exists && !toks[1].is("function") && !toks[1].is("macro") {
				return fmt.Errorf("%q does not exist", name)
			}
			if toks[1].is("function") || toks[1].is("macro") {
				return run(w.ctx, w.batch, sql)
			}
		case w.d.flavor == postgresText && !hasWords(toks, "cascade") && w.isRead(low):
			return fmt.Errorf("a view reads %q", name)
		default:
			if err := w.dropObject(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// isRead reports a view that reads a table or view.
func (w *world) isRead(low string) bool {
	for n, v := range w.views {
		if n != low && reads(v.sql, low) {
			return true
		}
	}
	return false
}

// dropObject drops a table or view, with what reads it.
func (w *world) dropObject(name string) error {
	low := strings.ToLower(name)
	for n, v := range w.views {
		if n != low && reads(v.sql, low) {
			if err := w.dropObject(v.name); err != nil {
				return err
			}
			w.dropped[n] = w.d.dropsAlone
		}
	}
	keyword := "TABLE"
	if v := w.views[low]; v != nil {
		keyword = "VIEW"
		if v.materialized {
			keyword = "TABLE"
			w.forget(name+backing, "MATERIALIZED VIEW")
		}
		w.forget(name, "VIEW")
		delete(w.views, low)
	} else {
		w.forget(name, "SOURCE")
		delete(w.tables, low)
	}
	_ = run(w.ctx, w.batch, "DROP "+keyword+" IF EXISTS "+quote(name)) // a materialised view that was never read is not there
	return nil
}

// forget drops an object of the engine of streams.
func (w *world) forget(name, object string) {
	_ = run(w.ctx, w.stream, "DROP "+object+" IF EXISTS "+quote(name)) // what made it may have failed
	if object == "MATERIALIZED VIEW" {
		_ = w.fs.RemoveAll("/views/" + name)
		w.order = slices.DeleteFunc(w.order, func(v *view) bool { return v.name+backing == name })
	}
}

// reads reports that a query has a name where a relation may stand, and not as an alias.
func reads(sql, name string) bool {
	toks := tokens(sql)
	for i := 1; i < len(toks); i++ {
		prev := toks[i-1]
		if strings.EqualFold(toks[i].name(), name) && (prev.kind != word && prev.kind != quoted || slices.ContainsFunc(beforeRelation, prev.is)) &&
			(i+1 == len(toks) || toks[i+1].text != ".") {
			return true
		}
	}
	return false
}

// beforeRelation are words before the name of a relation.
var beforeRelation = []string{"from", "join", "table", "only", "using", "stream", "lateral"}

// namesIn are the tables and views that a text names itself.
func (w *world) namesIn(sql string) []string {
	var out []string
	for _, t := range tokens(sql) {
		if t.kind == word || t.kind == quoted {
			out = append(out, strings.ToLower(t.name()))
		}
	}
	return out
}

// hasWords reports words one after another.
func hasWords(toks []token, words ...string) bool {
	for i := range toks {
		if i+len(words) > len(toks) {
			return false
		}
		all := true
		for k, word := range words {
			all = all && toks[i+k].is(word)
		}
		if all {
			return true
		}
	}
	return false
}
