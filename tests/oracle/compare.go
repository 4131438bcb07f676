package oracle

import (
	"regexp"
	"strings"
)

// compare judges a run that came to its end.
func (w *world) compare() Verdict {
	c := w.c
	if c.sparkFails() {
		return w.answered()
	}
	r := c.fold()
	if len(r.rows) != len(w.turns) {
		return failed("%d recorded batches with data, %d triggers", len(r.rows), len(w.turns))
	}
	if v := w.columns(); v.Kind == Failed {
		return v
	}
	if w.sameAll(loose{}, r) {
		return w.lateCounts(r)
	}
	return w.explain(r)
}

// before compares what came out before an error.
func (w *world) before() Verdict {
	r := w.c.fold()
	for i, t := range w.turns {
		if i < len(r.rows) && !(loose{}).sameBag(jsonRows(t.rows), r.rows[i]) {
			return failed("trigger %d before the error: we %s, Spark %s", i, show(jsonRows(t.rows)), show(r.rows[i]))
		}
	}
	return Verdict{Kind: Passed}
}

// columns compares the output columns.
func (w *world) columns() Verdict {
	cols := w.sink.cols
	if len(cols) != len(w.c.Schema) {
		return failed("%d columns, Spark has %d", len(cols), len(w.c.Schema))
	}
	for i, col := range cols {
		want := w.c.Schema[i]
		if !sameType(sparkType(col.Type), want[1]) {
			return failed("column %d (%s) is %s, Spark has %s", i, col.Name, sparkType(col.Type), want[1])
		}
	}
	return Verdict{Kind: Passed}
}

// sameType compares names of types; all intervals are one type here.
func sameType(ours, theirs string) bool {
	theirs = sparkIntervals.ReplaceAllString(strings.ToLower(theirs), "interval")
	return strings.ToLower(ours) == theirs
}

var sparkIntervals = regexp.MustCompile(`interval (day|hour|minute|second|year|month)( to \w+)?`)

// sameAll compares trigger by trigger.
func (w *world) sameAll(l loose, r *recorded) bool {
	for i, t := range w.turns {
		if !w.sameTurn(l, t, r.rows[i]) {
			return false
		}
	}
	return true
}

func (w *world) sameTurn(l loose, t turn, want []row) bool {
	for _, o := range t.rows {
		if o.weight < 0 {
			return false
		}
	}
	if w.c.Ordered {
		return l.sameOrder(jsonRows(t.rows), want)
	}
	return l.sameBag(jsonRows(t.rows), want)
}

// firstDifference describes the first trigger that differs.
func (w *world) firstDifference(r *recorded) string {
	for i, t := range w.turns {
		if !w.sameTurn(loose{}, t, r.rows[i]) {
			ours, theirs := loose{}.diff(jsonRows(t.rows), r.rows[i])
			return sprintTrigger(i, ours, theirs)
		}
	}
	return "no difference"
}
