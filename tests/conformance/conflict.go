package conformance

import (
	"fmt"
	"strings"
)

// excluded is the table of the rows that INSERT … ON CONFLICT DO UPDATE has been given.
const excluded = "excluded"

// doUpdate is the end of ON CONFLICT (…) DO UPDATE SET … [WHERE …], "" for DO NOTHING.
func doUpdate(sql string, toks []token) string {
	for i, x := range toks {
		if x.is("set") && i > 0 && toks[i-1].is("update") {
			return sql[x.start:toks[returning(toks)-1].end]
		}
	}
	return ""
}

// upsert adds the rows whose key is new, and updates those of the others from the table
// excluded.
func (w *world) upsert(t *table, rows, updates string) error {
	if err := run(w.ctx, w.batch, fmt.Sprintf("CREATE OR REPLACE TABLE %s AS %s", excluded, rows)); err != nil {
		return err
	}
	same := "true"
	for _, k := range t.key {
		c := quote(t.relation.Columns[k].Name)
		same += fmt.Sprintf(" AND %s.%s = %s.%s", quote(t.name), c, excluded, c)
	}
	fresh := fmt.Sprintf("SELECT * FROM %s WHERE NOT EXISTS (SELECT 1 FROM %s WHERE %s)", excluded, quote(t.name), same)
	if t.unsynced = true; len(t.key) == 0 {
		return fmt.Errorf("table %q has no key", t.name)
	}
	if err := w.sync(quote(t.name)); err != nil {
		return err
	}
	res, err := rowsOf(w.ctx, w.batch, fresh)
	if err != nil {
		return err
	}
	set, where := updates, ""
	if toks := tokens(updates); hasWords(toks, "where") {
		for _, x := range toks {
			if x.is("where") && x.depth == 0 {
				set, where = updates[:x.start], " AND ("+updates[x.end:]+")"
			}
		}
	}
	update := fmt.Sprintf("UPDATE %s %s FROM %s WHERE %s%s", quote(t.name), set, excluded, same, where)
	if err := w.update(update, tokens(update)); err != nil {
		return err
	}
	updated, err := rowsOf(w.ctx, w.batch, "SELECT * FROM "+scratch)
	if err != nil {
		return err
	}
	come, err := t.insert(singles(res.rows), refuse)
	if err != nil {
		return err
	}
	if err := w.took(t, nil, come); err != nil {
		return err
	}
	for _, b := range singles(updated.rows) { // RETURNING tells of both
		if err := w.batch.Append(scratch, b); err != nil {
			return err
		}
		w.changed++
	}
	return nil
}

// merge is MERGE INTO t USING s ON …, whose clauses have no conditions of their own: a
// statement for each.
func (w *world) merge(sql string, toks []token) error {
	at := map[string]int{}
	for i, x := range toks {
		for _, word := range []string{"using", "on", "when"} {
			if _, has := at[word]; !has && x.is(word) && x.depth == 0 {
				at[word] = i
			}
		}
	}
	if len(at) < 3 {
		return fmt.Errorf("MERGE without WHEN")
	}
	target := sql[toks[1].end:toks[at["using"]].start]
	source := sql[toks[at["using"]].end:toks[at["on"]].start]
	on := sql[toks[at["on"]].end:toks[at["when"]].start]
	for _, clause := range splitWhen(toks[at["when"]:]) {
		text := sql[clause[0].start:clause[len(clause)-1].end]
		then := text[strings.Index(strings.ToLower(text), "then")+len("then"):]
		var one string
		switch {
		case hasWords(clause, "when", "matched", "then", "delete"):
			one = fmt.Sprintf("DELETE FROM %s USING %s WHERE %s", target, source, on)
		case hasWords(clause, "when", "matched", "then", "update"):
			one = fmt.Sprintf("UPDATE %s %s FROM %s WHERE %s", target, strings.TrimSpace(then)[len("update"):], source, on)
		default:
			return fmt.Errorf("this clause of MERGE is not mapped: %s", text)
		}
		if err := w.statement(one); err != nil {
			return err
		}
	}
	return nil
}

// splitWhen cuts the clauses of MERGE.
func splitWhen(toks []token) (out [][]token) {
	from := 0
	for i := 1; i <= len(toks); i++ {
		if i == len(toks) || toks[i].is("when") && toks[i].depth == 0 {
			out = append(out, toks[from:i])
			from = i
		}
	}
	return out
}
