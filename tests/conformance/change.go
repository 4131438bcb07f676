package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// scratch is the table that takes the rows of INSERT and UPDATE, in the types of their
// target.
const scratch = "__new"

// readyScratch makes an empty table with the columns of t.
func (w *world) readyScratch(t *table) error {
	return run(w.ctx, w.batch, fmt.Sprintf("CREATE OR REPLACE TABLE %s (%s)", scratch, columnsSQL(t.relation, nil)))
}

// targetOf is the table that a statement changes.
func (w *world) targetOf(toks []token) (*table, error) {
	name := target(toks)
	if t := w.tables[strings.ToLower(name)]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("there is no table %q", name)
}

// insert runs INSERT into a scratch table, and gives its rows to the real one.
func (w *world) insert(sql string, toks []token) error {
	t, err := w.targetOf(toks)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(toks, func(x token) bool { return x.is("into") }) + 1
	for at+2 < len(toks) && toks[at+1].text == "." {
		at += 2
	}
	rest := toks[at+1:]
	body := sql[toks[at].end:]
	conflict := t.conflict
	if i := conflictClause(rest); i >= 0 {
		if conflict, err = conflictOf(rest[i:]); err != nil {
			return err
		}
		body = sql[toks[at].end:rest[i].start]
		rest = rest[:i]
	}
	if toks[1].is("or") {
		conflict = map[bool]onConflict{true: replace, false: keep}[toks[2].is("replace")]
	}
	if i := slices.IndexFunc(rest, func(x token) bool { return x.is("returning") && x.depth == 0 }); i >= 0 {
		body = sql[toks[at].end:rest[i].start]
		rest = rest[:i]
	}
	columns := listed(rest)
	if hasWords(rest, "default", "values") {
		body, columns = fmt.Sprintf("(%s) VALUES (NULL)", quote(t.relation.Columns[0].Name)), []string{""}
	} else {
		body = w.byteaIn(t, columns, w.defaultsIn(t, columns, body))
	}
	if w.d.recursive {
		body = t.millisIn(columns, body)
	}
	if err := w.sync(body); err != nil {
		return err
	}
	if err := w.readyScratch(t); err != nil {
		return err
	}
	if err := w.into(t, columns, body); err != nil {
		return err
	}
	rows := w.withDefaults(t, columns)
	if many, err := w.many(t, scratch); err != nil || many {
		if err == nil {
			err = run(w.ctx, w.batch, "INSERT INTO "+quote(t.name)+" "+rows)
		}
		return err
	}
	res, err := rowsOf(w.ctx, w.batch, rows)
	if err != nil {
		return err
	}
	changes, err := t.insert(singles(res.rows), conflict)
	if err != nil {
		return err
	}
	return w.feed(t, changes)
}

// into fills the scratch table. DuckDB's INSERT casts whatever its columns can be cast from.
func (w *world) into(t *table, columns []string, body string) error {
	err := run(w.ctx, w.batch, "INSERT INTO "+scratch+" "+body)
	if err == nil || !w.d.castsRows || !strings.Contains(err.Error(), "but the query gives") {
		return err
	}
	list, rest := "", strings.TrimSpace(body)
	if columns != nil {
		toks := tokens(body)
		i := slices.IndexFunc(toks, func(x token) bool { return x.text == ")" && x.depth == 0 })
		list, rest = body[:toks[i].end], body[toks[i].end:]
	}
	var casts, names []string
	for _, c := range t.relation.Columns {
		if columns == nil || slices.ContainsFunc(columns, func(n string) bool { return strings.EqualFold(n, c.Name) }) {
			names = append(names, fmt.Sprintf("c%d", len(names)))
		}
	}
	for i, n := range columns {
		k := slices.IndexFunc(t.relation.Columns, func(c column) bool { return strings.EqualFold(n, c.Name) })
		if k < 0 {
			return err
		}
		casts = append(casts, fmt.Sprintf("CAST(c%d AS %s)", i, t.relation.Columns[k].Type))
	}
	for i, c := range t.relation.Columns {
		if columns == nil {
			casts = append(casts, fmt.Sprintf("CAST(c%d AS %s)", i, c.Type))
		}
	}
	query := fmt.Sprintf("INSERT INTO %s %s SELECT %s FROM (%s) AS q(%s)", scratch, list, strings.Join(casts, ", "), rest, strings.Join(names, ", "))
	if run(w.ctx, w.batch, query) == nil {
		return nil
	}
	return err
}

// removeRows is REMOVE FROM t VALUES: rows that go.
func (w *world) removeRows(sql string, toks []token) error {
	t, err := w.targetOf(toks[1:])
	if err != nil {
		return err
	}
	if err := w.readyScratch(t); err != nil {
		return err
	}
	if err := run(w.ctx, w.batch, "INSERT INTO "+scratch+" "+t.millisIn(nil, sql[toks[2].end:])); err != nil {
		return err
	}
	return w.takeAway(t, "SELECT * FROM "+scratch)
}

// returned is the query of RETURNING, over the rows of the change.
func returned(sql string, toks []token) string {
	i := slices.IndexFunc(toks, func(x token) bool { return x.is("returning") && x.depth == 0 })
	return fmt.Sprintf("SELECT %s FROM %s AS %s", sql[toks[i].end:], scratch, quote(target(toks)))
}

// listed are the columns of INSERT INTO t (a, b); nil if there is no such list.
func listed(rest []token) []string {
	if len(rest) == 0 || rest[0].text != "(" {
		return nil
	}
	var out []string
	for _, t := range rest[1:] {
		switch {
		case t.text == ")" && t.depth == rest[0].depth:
			return out
		case t.text == ",":
		case t.kind == word && !t.is("select") && !t.is("with") && !t.is("values") || t.kind == quoted:
			out = append(out, t.name())
		default:
			return nil
		}
	}
	return nil
}

// withDefaults reads the scratch table; columns that INSERT did not list have their
// defaults.
func (w *world) withDefaults(t *table, columns []string) string {
	var parts []string
	for _, c := range t.relation.Columns {
		def, has := t.defaults[strings.ToLower(c.Name)]
		given := columns == nil || slices.ContainsFunc(columns, func(n string) bool { return strings.EqualFold(n, c.Name) })
		if has && !given {
			parts = append(parts, fmt.Sprintf("CAST(%s AS %s) AS %s", def, c.Type, quote(c.Name)))
			continue
		}
		parts = append(parts, quote(c.Name))
	}
	return "SELECT " + strings.Join(parts, ", ") + " FROM " + scratch
}

// defaultsIn writes the default of its column for DEFAULT in VALUES.
func (w *world) defaultsIn(t *table, columns []string, body string) string {
	toks := tokens(body)
	if !hasWords(toks, "default") {
		return body
	}
	e := edits{sql: body}
	eachInserted(toks, func(col, i int) {
		if toks[i].is("default") {
			e.replace(toks[i].start, toks[i].end, w.defaultOf(t, columns, col))
		}
	})
	return e.done()
}

// eachInserted visits the tokens of the values of INSERT that stand in no brackets of their own,
// with the place of their column.
func eachInserted(toks []token, visit func(col, i int)) {
	col, depth := 0, -1
	for i, x := range toks {
		switch {
		case depth < 0 && x.is("values"):
			depth = x.depth
		case depth < 0:
		case x.text == "(" && x.depth == depth:
			col = 0
		case x.text == "," && x.depth == depth+1:
			col++
		case x.depth == depth+1:
			visit(col, i)
		}
	}
}

func (w *world) defaultOf(t *table, columns []string, i int) string {
	name := ""
	if columns != nil && i < len(columns) {
		name = columns[i]
	} else if columns == nil && i < len(t.relation.Columns) {
		name = t.relation.Columns[i].Name
	}
	if def, ok := t.defaults[strings.ToLower(name)]; ok {
		return "(" + def + ")"
	}
	return "NULL"
}

// conflictClause is where ON CONFLICT begins, −1 if nowhere.
func conflictClause(toks []token) int {
	return slices.IndexFunc(toks, func(t token) bool { return t.is("on") && t.depth == 0 && hasWords(after(toks, t), "on", "conflict") })
}

// after are two tokens from t on.
func after(toks []token, t token) []token {
	i := slices.Index(toks, t)
	return toks[i:min(i+2, len(toks))]
}

func conflictOf(toks []token) (onConflict, error) {
	if hasWords(toks, "do", "nothing") {
		return keep, nil
	}
	return refuse, fmt.Errorf("ON CONFLICT DO UPDATE is not mapped")
}

// deleteRows finds the rows of DELETE with a query, and takes them away.
func (w *world) deleteRows(sql string, toks []token) error {
	t, err := w.targetOf(toks)
	if err != nil {
		return err
	}
	from := sql[toks[1].end:]
	if i := slices.IndexFunc(toks, func(x token) bool { return x.is("returning") && x.depth == 0 }); i >= 0 {
		from = sql[toks[1].end:toks[i].start]
	}
	alias := aliasOf(toks, 2)
	if i := slices.IndexFunc(toks, func(x token) bool { return x.is("using") && x.depth == 0 }); i >= 0 {
		from = strings.Replace(from, sql[toks[i].start:toks[i].end], ",", 1)
	}
	gone := fmt.Sprintf("SELECT %s.* FROM %s", alias, from)
	if hasWords(toks, "returning") {
		if err := w.sync(gone); err != nil {
			return err
		}
		if err := run(w.ctx, w.batch, fmt.Sprintf("CREATE OR REPLACE TABLE %s AS %s", scratch, gone)); err != nil {
			return err
		}
	}
	return w.takeAway(t, gone)
}

// aliasOf is how a statement calls the table named at toks[i].
func aliasOf(toks []token, i int) string {
	for i+2 < len(toks) && toks[i+1].text == "." {
		i += 2
	}
	name := toks[i].text
	if i+1 < len(toks) && toks[i+1].is("as") {
		i++
	}
	if i+1 < len(toks) && (toks[i+1].kind == word || toks[i+1].kind == quoted) && !toks[i+1].is("set") && !toks[i+1].is("where") && !toks[i+1].is("using") {
		return toks[i+1].text
	}
	return name
}

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
	return w.feed(t, changes)
}

func (w *world) truncate(toks []token) error {
	t, err := w.targetOf(toks)
	if err != nil {
		return err
	}
	return w.takeAway(t, "SELECT * FROM "+quote(t.name))
}

// update finds the old and the new rows of UPDATE with queries.
func (w *world) update(sql string, toks []token) error {
	t, err := w.targetOf(toks)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(toks, func(x token) bool { return x.is("returning") && x.depth == 0 }); i >= 0 {
		sql, toks = sql[:toks[i].start], toks[:i]
	}
	set := slices.IndexFunc(toks, func(x token) bool { return x.is("set") })
	end := slices.IndexFunc(toks, func(x token) bool { return (x.is("where") || x.is("from")) && x.depth == 0 })
	if set < 0 {
		return fmt.Errorf("UPDATE without SET")
	}
	if end < 0 {
		end = len(toks)
	}
	values, err := assignments(sql, toks[set+1:end], t)
	if err != nil {
		return err
	}
	from := sql[toks[0].end:toks[set].start]
	if end < len(toks) {
		from += joinedFrom(sql, toks[end:])
	}
	alias := aliasOf(toks, 1)
	var parts []string
	for _, c := range t.relation.Columns {
		v, ok := values[strings.ToLower(c.Name)]
		if !ok {
			v = alias + "." + quote(c.Name)
		}
		parts = append(parts, v)
	}
	if err := w.sync(sql); err != nil {
		return err
	}
	if err := w.readyScratch(t); err != nil {
		return err
	}
	if err := run(w.ctx, w.batch, fmt.Sprintf("INSERT INTO %s SELECT %s FROM %s", scratch, strings.Join(parts, ", "), from)); err != nil {
		return err
	}
	return w.exchange(t, fmt.Sprintf("SELECT %s.* FROM %s", alias, from))
}

// joinedFrom makes FROM of an UPDATE one more table of a SELECT.
func joinedFrom(sql string, rest []token) string {
	text := sql[rest[0].start:rest[len(rest)-1].end]
	if rest[0].is("from") {
		return ", " + text[len("from"):]
	}
	return text
}

// exchange takes the old rows away and adds those of the scratch table.
func (w *world) exchange(t *table, old string) error {
	if err := w.single(t); err != nil {
		return err
	}
	before, err := rowsOf(w.ctx, w.batch, old)
	if err != nil {
		return err
	}
	after, err := rowsOf(w.ctx, w.batch, "SELECT * FROM "+scratch)
	if err != nil {
		return err
	}
	gone, err := t.delete(singles(before.rows))
	if err != nil {
		return err
	}
	come, err := t.insert(singles(after.rows), refuse)
	if err != nil {
		for _, c := range gone { // nothing happened
			t.add(c.row)
		}
		return err
	}
	return w.feed(t, append(gone, come...))
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
			if len(value) < 2 || value[0].text != "(" || value[1].is("select") {
				return nil, fmt.Errorf("SET (…) = (SELECT …) is not mapped")
			}
			for i, v := range splitAt(value[1:len(value)-1], 1) {
				if i < len(names) {
					out[strings.ToLower(names[i])] = span(sql, v)
				}
			}
			continue
		}
		name := strings.ToLower(part[eq-1].name())
		if !slices.ContainsFunc(t.relation.Columns, func(c column) bool { return strings.EqualFold(c.Name, name) }) {
			return nil, fmt.Errorf("there is no column %q", name)
		}
		out[name] = span(sql, value)
		if len(value) == 1 && value[0].is("default") {
			out[name] = "NULL"
			if def, ok := t.defaults[name]; ok {
				out[name] = "(" + def + ")"
			}
		}
	}
	return out, nil
}
