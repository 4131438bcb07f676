package oracle

import (
	"maps"
	"slices"
	"strings"
)

// anyOrder is D19 for lists: equal as bags.
func (w *world) anyOrder(r *recorded) (Verdict, bool) {
	if !w.uses("collect_list", "collect_set", "array_agg") || !w.sameAll(loose{bags: true}, r) {
		return Verdict{}, false
	}
	return deviation("D19", "lists are equal as bags"), true
}

// approximate is D19 for sketches: equal within their error.
func (w *world) approximate(r *recorded) (Verdict, bool) {
	if !w.uses("approx_count_distinct", "approx_percentile", "percentile_approx") || !w.sameAll(loose{rel: 0.05}, r) {
		return Verdict{}, false
	}
	return deviation("D19", "approximate counts are within the error"), true
}

// free are values that follow the order of arrival in one partition, or ties: the
// reference must say what we say, and all other columns must be Spark's.
func (w *world) free(r *recorded) (Verdict, bool) {
	if !w.uses("first", "last", "first_value", "last_value", "any_value", "max_by", "min_by", "mode") {
		return Verdict{}, false
	}
	j, err := w.newJudge()
	if err != nil || j.confirm(loose{}) != nil {
		return Verdict{}, false
	}
	fixed := j.fixedColumns()
	for i, t := range w.turns {
		if !(loose{}).sameBag(only(jsonRows(t.rows), fixed), only(r.rows[i], fixed)) {
			return Verdict{}, false
		}
	}
	return Verdict{Kind: Passed, Text: "ties are free"}, true
}

func only(rows []row, cols []int) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		for _, c := range cols {
			out[i] = append(out[i], r[c])
		}
	}
	return out
}

// fixedColumns are the output columns that come from no aggregate whose value is free.
func (j *judge) fixedColumns() []int {
	var out []int
	for i := range j.plan.Schema() {
		if !freeColumn(j.plan, i) {
			out = append(out, i)
		}
	}
	return out
}

// ties are the rows that ORDER BY does not order: the columns of its keys must be
// Spark's, in order, and the rest rows of the answer.
func (w *world) ties(r *recorded) (Verdict, bool) {
	j, err := w.newJudge()
	if err != nil || !w.c.Ordered {
		return Verdict{}, false
	}
	plan, keys := withoutOrder(j.plan)
	if plan == nil {
		return Verdict{}, false
	}
	for i, t := range w.turns {
		want, err := j.answer(plan, i, nil)
		if err != nil || !w.loose().sameOrder(only(jsonRows(t.rows), keys), only(r.rows[i], keys)) {
			return Verdict{}, false
		}
		strange, _ := w.loose().diff(jsonRows(t.rows), want)
		theirs, _ := w.loose().diff(r.rows[i], want)
		if len(strange) > 0 || len(theirs) > 0 {
			return Verdict{}, false
		}
	}
	return Verdict{Kind: Passed, Text: "the order of ties is free"}, true
}

// anyRows is a choice that is free: LIMIT without ORDER BY, and which row of several in
// one trigger was first where they come out of another operator. Our rows must be
// rows of the query without that choice, and as many as Spark's.
func (w *world) anyRows(r *recorded) (Verdict, bool) {
	j, err := w.newJudge()
	if err != nil {
		return Verdict{}, false
	}
	plan, keys := withoutChoice(j.plan)
	if plan == nil {
		return Verdict{}, false
	}
	for i, t := range w.turns {
		want, err := j.answer(plan, i, nil)
		if err != nil {
			return Verdict{}, false
		}
		ours := jsonRows(t.rows)
		strange, _ := loose{}.diff(ours, want)
		theirs, _ := loose{}.diff(r.rows[i], want)
		if len(strange) > 0 || len(theirs) > 0 || len(ours) != len(r.rows[i]) {
			return Verdict{}, false
		}
		if keys != nil && !(loose{}).sameBag(only(ours, keys), only(r.rows[i], keys)) {
			return Verdict{}, false
		}
	}
	return Verdict{Kind: Passed, Text: "which rows is free"}, true
}

// noWrapping is D22: without ANSI, Spark wraps, saturates or makes up a value where none
// fits; we give NULL there, and Spark's value everywhere else.
func (w *world) noWrapping(r *recorded) (Verdict, bool) {
	if w.c.ansi() || !w.sameAll(loose{nulls: true}, r) {
		return Verdict{}, false
	}
	return deviation("D22", "NULL where Spark without ANSI wraps or saturates"), true
}

// oneNow is D23: now() is the time of the trigger, as current_timestamp() is.
func (w *world) oneNow(r *recorded) (Verdict, bool) {
	return w.ownColumns(r, "D23", "now() is current_timestamp(), the time of the trigger", "now()")
}

// hashes is D19 for hash values.
func (w *world) hashes(r *recorded) (Verdict, bool) {
	return w.ownColumns(r, "D19", "hash values are our own", "hash(", "xxhash64(")
}

// ownColumns leaves the output columns out whose text has one of the calls: the
// reference must say what we say there, and Spark all the rest.
func (w *world) ownColumns(r *recorded, number, text string, calls ...string) (Verdict, bool) {
	items := selectItems(w.sql)
	if len(items) != len(w.c.Schema) {
		return Verdict{}, false
	}
	var fixed []int
	for i, item := range items {
		if !slices.ContainsFunc(calls, func(c string) bool { return strings.Contains(strings.ToLower(item), c) }) {
			fixed = append(fixed, i)
		}
	}
	if len(fixed) == len(items) {
		return Verdict{}, false
	}
	for i, t := range w.turns {
		if !w.loose().sameBag(only(jsonRows(t.rows), fixed), only(r.rows[i], fixed)) {
			return Verdict{}, false
		}
	}
	return w.confirmed(nil, number, text)
}

// spelling is D24: intervals and DOUBLEs print as they are written here.
func (w *world) spelling(r *recorded) (Verdict, bool) {
	if !w.sameAll(loose{spelling: true}, r) {
		return Verdict{}, false
	}
	return deviation("D24", "the same intervals or numbers, in another spelling"), true
}

// foldedFields is D8: a field whose name matches a column only without case is its.
func (w *world) foldedFields(r *recorded) (Verdict, bool) {
	if !w.files() {
		return Verdict{}, false
	}
	for i, t := range w.turns {
		ours, theirs := loose{}.diff(jsonRows(t.rows), r.rows[i])
		if n := w.folded(i); len(ours) > n || len(theirs) > n || len(ours) != len(theirs) {
			return Verdict{}, false
		}
	}
	return w.confirmed(nil, "D8", "field names match without case where no column has the very name")
}

// folded counts the rows of a trigger with fields that match only without case.
func (w *world) folded(i int) int {
	n := 0
	for _, s := range w.c.streams() {
		for _, row := range s.batch(i) {
			if slices.ContainsFunc(s.Schema, func(c [2]string) bool { return foldedField(row, c[0]) != "" }) {
				n++
			}
		}
	}
	return n
}

// foldedField is the field that stands for a column without having its very name.
func foldedField(row map[string]any, column string) string {
	if _, ok := row[column]; ok {
		return ""
	}
	for _, k := range sortedKeys(row) {
		if strings.EqualFold(k, column) {
			return k
		}
	}
	return ""
}

// foldFields gives each field the name of its column.
func foldFields(row map[string]any, schema [][2]string) map[string]any {
	out := maps.Clone(row)
	for _, c := range schema {
		if k := foldedField(row, c[0]); k != "" {
			out[c[0]] = row[k]
		}
	}
	return out
}
