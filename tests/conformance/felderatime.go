package conformance

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// timeIn is the first text of a statement, read as a time.
func timeIn(sql string) (time.Time, bool) {
	for _, t := range tokens(sql) {
		if t.kind == text {
			at, err := time.Parse("2006-01-02 15:04:05", strings.Trim(t.text, "'"))
			return at, err == nil
		}
	}
	return time.Time{}, false
}

// setTime moves the clock to the time of a row of NOW.
func (w *world) setTime(sql string) error {
	at, ok := timeIn(sql)
	if !ok {
		return fmt.Errorf("no time in %s", sql)
	}
	w.clock.Set(at)
	if w.s == atOnce {
		return nil
	}
	return w.settle()
}

// timeFirst puts the rows of NOW before the others of a step: all are of one moment.
func timeFirst(steps []step) []step {
	var first, rest []step
	for _, s := range steps {
		if toks := tokens(s.sql); len(toks) > 2 && toks[0].is("insert") && strings.EqualFold(target(toks), "now") {
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	return append(first, rest...)
}

// startAt makes the clock of the test begin at the first time that it sets.
func (r *stepReader) startAt(first step) {
	for i := len(r.steps) - 1; i >= 0; i-- {
		if r.steps[i].kind == reset {
			if r.steps[i].at == "" {
				r.steps[i].at = first.sql
			}
			return
		}
	}
}

// withColumns names the columns of a view whose query gives two of one name.
func (w *world) withColumns(sql string, as token) (string, error) {
	const probe = "__columns"
	if err := run(w.ctx, w.stream, "CREATE OR REPLACE VIEW "+probe+" AS "+sql[as.end:]); err != nil {
		return sql, nil // what is wrong with it, the view itself tells
	}
	defer w.forget(probe, "VIEW")
	described, err := rowsOf(w.ctx, w.stream, "DESCRIBE "+probe)
	if err != nil {
		return sql, nil
	}
	var names []string
	for _, b := range described.rows {
		b.Each(func(i int) { names = append(names, vec.RowString(b.Cols[0], i, time.UTC)) })
	}
	unique, twins := uniqueNames(names)
	if !twins {
		return sql, nil
	}
	for i := range unique {
		unique[i] = quote(unique[i])
	}
	return sql[:as.start] + "(" + strings.Join(unique, ", ") + ") " + sql[as.start:], nil
}
