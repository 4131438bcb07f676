package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// changesInWith runs the changes of rows that stand in WITH, one after another, and keeps
// what they return in tables of the batch engine, which the names of WITH read in the text
// that is left.
func (w *world) changesInWith(sql string) (left string, kept []withItem, err error) {
	toks := tokens(sql)
	if len(toks) == 0 || !toks[0].is("with") {
		return sql, nil, nil
	}
	list, end := withItems(toks)
	main := end < len(toks) && (toks[end].is("update") || toks[end].is("delete"))
	if toks[1].is("recursive") || !main && !slices.ContainsFunc(list, withItem.changes) {
		return sql, nil, nil
	}
	var plain []string
	for _, it := range list {
		body := span(sql, it.body)
		if !it.changes() {
			plain = append(plain, span(sql, it.all))
			continue
		}
		with := withPlain(plain, body)
		if !it.body[0].is("insert") {
			if err := w.keepPlain(list, it.name.start, sql); err != nil {
				return "", list, err
			}
			with = body
		}
		if err := w.statement(with); err != nil {
			return "", list, err
		}
		if hasWords(it.body, "returning") {
			kept := "__with_" + it.name.name()
			if err := run(w.ctx, w.batch, "CREATE OR REPLACE TABLE "+quote(kept)+" AS "+returned(body, tokens(body))); err != nil {
				return "", list, err
			}
			plain = append(plain, span(sql, it.head)+" AS (SELECT * FROM "+quote(kept)+")")
		} else { // a row of nothing for each
			plain = append(plain, fmt.Sprintf("%s AS (SELECT NULL AS __nothing FROM range(%d))", span(sql, it.head), w.changed))
		}
	}
	if end >= len(toks) {
		return "", list, nil
	}
	if main {
		if err := w.keepPlain(list, len(sql), sql); err != nil {
			return "", list, err
		}
		return sql[toks[end].start:], list, nil
	}
	return withPlain(plain, sql[toks[end].start:]), list, nil
}

// keepPlain makes tables of the batch engine of the queries of WITH before a place in the
// text, for changes that read them.
func (w *world) keepPlain(list []withItem, before int, sql string) error {
	for _, it := range list {
		if it.name.start >= before || w.tables[strings.ToLower(it.name.name())] != nil {
			continue
		}
		body := span(sql, it.body)
		if it.changes() {
			body = "SELECT * FROM " + quote("__with_"+it.name.name())
		}
		if err := w.sync(body); err != nil {
			return err
		}
		if len(it.head) > 1 {
			body = "SELECT * FROM (" + body + ") AS q" + span(sql, it.head[1:])
		}
		err := run(w.ctx, w.batch, "CREATE OR REPLACE TABLE "+quote(it.name.name())+" AS "+body)
		if err != nil && strings.Contains(err.Error(), "has no type") { // only NULL, which a view may have
			err = run(w.ctx, w.batch, "CREATE OR REPLACE VIEW "+quote(it.name.name())+" AS "+body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropKept drops what keepPlain has made.
func (w *world) dropKept(list []withItem) {
	for _, it := range list {
		if w.tables[strings.ToLower(it.name.name())] == nil && w.views[strings.ToLower(it.name.name())] == nil {
			for _, kind := range []string{"TABLE", "VIEW"} { // neither may have been made
				_ = run(w.ctx, w.batch, "DROP "+kind+" IF EXISTS "+quote(it.name.name()))
			}
		}
	}
}

func withPlain(plain []string, sql string) string {
	if len(plain) == 0 {
		return sql
	}
	return "WITH " + strings.Join(plain, ", ") + " " + sql
}

// withItem is name [(columns)] AS [MATERIALIZED] (body).
type withItem struct {
	name            token
	head, body, all []token
}

func (it withItem) changes() bool {
	return len(it.body) > 0 && (it.body[0].is("insert") || it.body[0].is("update") || it.body[0].is("delete"))
}

// withItems reads the list of WITH; end is the token behind it.
func withItems(toks []token) (list []withItem, end int) {
	i := 1
	if i < len(toks) && toks[i].is("recursive") {
		i++
	}
	for i < len(toks) {
		from := i
		as := i
		for as < len(toks) && !(toks[as].is("as") && toks[as].depth == 0) {
			as++
		}
		open := as + 1
		for open < len(toks) && toks[open].text != "(" {
			open++
		}
		if open >= len(toks) {
			return nil, len(toks)
		}
		close := closing(toks, open)
		list = append(list, withItem{name: toks[from], head: toks[from:as], body: toks[open+1 : close], all: toks[from : close+1]})
		if i = close + 1; i >= len(toks) || toks[i].text != "," {
			return list, i
		}
		i++
	}
	return list, i
}
