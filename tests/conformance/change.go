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
	if toks[1].is("or") {
		conflict = map[bool]onConflict{true: replace, false: keep}[toks[2].is("replace")]
	}
	var updates string
	if i := conflictClause(rest); i >= 0 {
		conflict, updates = keep, doUpdate(sql, rest[i:])
		body = sql[toks[at].end:rest[i].start]
		rest = rest[:i]
	}
	if i := slices.IndexFunc(rest, func(x token) bool { return x.is("returning") && x.depth == 0 }); i >= 0 {
		body = sql[toks[at].end:rest[i].start]
		rest = rest[:i]
	}
	body = strings.TrimPrefix(body, " BY POSITION")
	columns := listed(rest)
	if columns == nil && len(t.generated) > 0 && !hasWords(rest, "default", "values") {
		body, columns = t.givenList(body)
	}
	if hasWords(rest, "default", "values") {
		body, columns = fmt.Sprintf("(%s) VALUES (NULL)", quote(t.relation.Columns[0].Name)), []string{""}
	} else {
		body = w.duckInserted(t, columns, w.byteaIn(t, columns, w.defaultsIn(t, columns, body)))
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
	if columns, err = w.into(t, columns, body); err != nil {
		return err
	}
	rows := w.withDefaults(t, columns)
	if updates != "" {
		return w.upsert(t, rows, updates)
	}
	if many, err := w.many(t, scratch); err != nil || many {
		if err == nil {
			err = w.count(rows)
		}
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
	return w.took(t, nil, changes)
}

// givenList lists, for an INSERT without a list, the columns that are not computed.
func (t *table) givenList(body string) (string, []string) {
	var names, quotedNames []string
	for _, c := range t.relation.Columns {
		if !slices.ContainsFunc(t.generated, func(n string) bool { return strings.EqualFold(n, c.Name) }) {
			names, quotedNames = append(names, c.Name), append(quotedNames, quote(c.Name))
		}
	}
	return " (" + strings.Join(quotedNames, ", ") + ") " + body, names
}

// into fills the scratch table, and tells the columns that it filled. DuckDB's INSERT casts
// whatever its columns can be cast from, RisingWave's leaves the last columns out.
func (w *world) into(t *table, columns []string, body string) ([]string, error) {
	err := run(w.ctx, w.batch, "INSERT INTO "+scratch+" "+body)
	if err == nil || !strings.Contains(err.Error(), "but the query gives") {
		return columns, err
	}
	if n := givenColumns(err); w.d.flavor == postgresText && columns == nil && n < len(t.relation.Columns) {
		var list []string
		for _, c := range t.relation.Columns[:n] {
			columns, list = append(columns, c.Name), append(list, quote(c.Name))
		}
		return columns, run(w.ctx, w.batch, "INSERT INTO "+scratch+" ("+strings.Join(list, ", ")+") "+body)
	}
	if !w.d.castsRows {
		return columns, err
	}
	return columns, w.castInto(t, columns, body, err)
}

// givenColumns is how many columns the query of an INSERT has, by its error.
func givenColumns(err error) int {
	_, after, _ := strings.Cut(err.Error(), "but the query gives ")
	var n int
	_, _ = fmt.Sscan(after, &n) // 0 where the text is another
	return n
}

// castInto is into with a cast of each column; err is what came without.
func (w *world) castInto(t *table, columns []string, body string, err error) error {
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
	if res, err := rowsOf(w.ctx, w.batch, "SELECT * FROM ("+rest+") LIMIT 0"); err != nil || len(res.cols) != len(names) {
		return fmt.Errorf("the columns of the query are not those of table %q", t.name)
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
		if alone := strings.Contains("(,", toks[i-1].text) && i+1 < len(toks) && strings.Contains("),", toks[i+1].text); alone && toks[i].is("default") {
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
