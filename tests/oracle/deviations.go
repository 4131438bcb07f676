package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/planner/logical"
)

func sprintTrigger(i int, ours, theirs []row) string {
	return fmt.Sprintf("trigger %d: only we %s, only Spark %s", i, show(ours), show(theirs))
}

// loose is the looseness of every comparison of the case: lists of collected values
// follow the order of arrival.
func (w *world) loose() loose {
	return loose{bags: w.uses("collect_list", "collect_set", "array_agg")}
}

// greatestMark reports Spark's policy of taking the greatest watermark of all inputs.
func (w *world) greatestMark() bool {
	return w.c.Conf["spark.sql.streaming.multipleWatermarkPolicy"] == "max"
}

// explain looks for the deviation that explains the rows: the rules, one after another.
func (w *world) explain(r *recorded) Verdict {
	rules := []func(*recorded) (Verdict, bool){w.earlier, w.unchanged, w.anyOrder, w.approximate, w.hashes, w.free, w.ties, w.anyRows, w.settledLate,
		w.boundary, w.beforeEpoch, w.everyRow, w.ownFrontiers, w.noWrapping, w.oneNow, w.spelling, w.foldedFields}
	for _, rule := range rules {
		if v, ok := rule(r); ok {
			return v
		}
	}
	return failed("%s", w.firstDifference(r))
}

// earlier is D1: append mode gives the same rows, none later than Spark.
func (w *world) earlier(r *recorded) (Verdict, bool) {
	if w.mode() != sink.Append {
		return Verdict{}, false
	}
	var ours, theirs []row
	for i, t := range w.turns {
		theirs = append(theirs, r.rows[i]...)
		ours = append(ours, jsonRows(t.rows)...)
		if _, late := w.loose().diff(ours, theirs); len(late) > 0 {
			return Verdict{}, false
		}
	}
	if w.waits() {
		return w.confirmed(nil, "D1", "Spark waits for the next batch with data; the rows that it still holds are the reference's")
	}
	if !w.loose().sameBag(ours, theirs) {
		return Verdict{}, false
	}
	return deviation("D1", "the same rows, some in the trigger that moved the watermark instead of the one after it"), true
}

// unchanged is D5: what Spark gives and we do not is a group touched and not changed,
// and the rows that we take back fell out of HAVING.
func (w *world) unchanged(r *recorded) (Verdict, bool) {
	if w.mode() == sink.Append {
		return Verdict{}, false
	}
	acc := w.newResult()
	for i, t := range w.turns {
		before := slices.Clone(acc.rows)
		acc.take(t)
		if !w.unchangedTurn(t, r.rows[i], before) {
			return Verdict{}, false
		}
	}
	return deviation("D5", "Spark gives touched groups again though they did not change, and takes none back"), true
}

func (w *world) unchangedTurn(t turn, want, before []row) bool {
	var given []row
	for _, o := range t.rows {
		switch {
		case o.weight > 0:
			given = append(given, o.json)
		case !slices.ContainsFunc(before, func(x row) bool { return sameKey(x, o.json, w.q.Plan.Outputs[0].Key) }):
			return false
		}
	}
	if w.mode() == sink.Complete {
		return !t.ran && w.loose().sameBag(want, before) || w.loose().sameBag(given, want)
	}
	extra, missing := w.loose().diff(given, want)
	again, _ := w.loose().diff(missing, before)
	return len(extra) == 0 && len(again) == 0
}

// uses reports that the query calls one of the functions.
func (w *world) uses(names ...string) bool {
	text := w.sql
	for _, s := range w.c.Steps {
		text += " " + s.SQL
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(text, n+"(") })
}

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

// settledLate is D1 for late rows: under burst pacing Spark still counts rows whose
// window we have closed. The reference must say what we say over the rows that are
// not late.
func (w *world) settledLate(r *recorded) (Verdict, bool) {
	if !w.lagging() || w.lateRows() == 0 {
		return Verdict{}, false
	}
	return w.confirmed(r, "D1", "late by the watermark after the batch before; the reference agrees")
}

// lagging reports that Spark takes rows for late by the watermark of two triggers
// before: nothing ran between the batches with data.
func (w *world) lagging() bool { return w.c.Pacing == "burst" || w.waits() }

// waits reports that Spark runs no batch without data at all: what the last rows close
// never comes out.
func (w *world) waits() bool {
	return w.c.Conf["spark.sql.streaming.noDataMicroBatches.enabled"] == "false"
}

func (w *world) lateRows() int64 {
	var n int64
	for _, t := range w.turns {
		n += t.late.Late + t.late.Partial
	}
	return n
}

// confirmed is a deviation if the reference says what we say, and Spark's rows are its
// answer over other rows.
func (w *world) confirmed(r *recorded, number, text string) (Verdict, bool) {
	l := w.loose()
	j, err := w.newJudge()
	if err == nil {
		err = j.confirm(l)
	}
	if err == nil && r == nil {
		err = j.completes(l)
	}
	if err == nil && r != nil {
		err = j.explains(l, r)
	}
	if err == nil && r != nil {
		err = j.sameGroups(r)
	}
	if err != nil {
		return failed("%s might explain it, but %v; %s", number, err, w.different(r)), true
	}
	return deviation(number, "%s", text), true
}

func (w *world) different(r *recorded) string {
	if r == nil {
		return ""
	}
	return w.firstDifference(r)
}

// boundary is D2: a row whose time is the watermark.
func (w *world) boundary(r *recorded) (Verdict, bool) {
	j, err := w.newJudge()
	if err != nil || !w.onWatermark() || !w.byTime(j.plan) {
		return Verdict{}, false
	}
	return w.confirmed(r, "D2", "a row at the watermark is on time; the reference agrees")
}

// onWatermark reports that some row or group lies at a watermark.
func (w *world) onWatermark() bool {
	for _, t := range w.turns {
		if t.watermark == noWatermark {
			continue
		}
		at := stamp(t.watermark) + "Z"
		for _, s := range w.c.streams() {
			if s.Watermark == nil {
				continue
			}
			for i := range s.Batches {
				for _, row := range s.batch(i) {
					if text, ok := row[s.Watermark.Column].(string); ok && normalTime(text) == at {
						return true
					}
				}
			}
		}
	}
	return false
}

func normalTime(s string) string {
	v, err := fromText(s, timestampType)
	if err != nil {
		return ""
	}
	return stamp(v.(int64)) + "Z"
}

// beforeEpoch is D3: rows before 1970, which Spark drops at once.
func (w *world) beforeEpoch(r *recorded) (Verdict, bool) {
	for _, s := range w.c.streams() {
		for i := range s.Batches {
			for _, row := range s.batch(i) {
				if s.Watermark == nil {
					continue
				}
				if text, ok := row[s.Watermark.Column].(string); ok && normalTime(text) < "1970" && normalTime(text) != "" {
					return w.confirmed(r, "D3", "no row is late before the first; the reference agrees")
				}
			}
		}
	}
	return Verdict{}, false
}

// everyRow is D4: a row that WHERE removes moves our watermark and not Spark's.
func (w *world) everyRow(r *recorded) (Verdict, bool) {
	j, err := w.newJudge()
	if err != nil || len(j.marks) != 1 {
		return Verdict{}, false
	}
	differs := false
	for _, marks := range j.marks {
		for i, m := range r.marks {
			differs = differs || m != nil && *m > 0 && *m < marks[i]/1000
		}
	}
	if !has[*logical.Filter](j.plan) || !differs {
		return Verdict{}, false
	}
	return w.confirmed(r, "D4", "every row of the source moves the watermark; the reference agrees")
}

// ownFrontiers is D13: several inputs with watermarks, each with a frontier of its own.
func (w *world) ownFrontiers(r *recorded) (Verdict, bool) {
	j, err := w.newJudge()
	if err != nil || len(j.marks) < 2 {
		return Verdict{}, false
	}
	return w.confirmed(r, "D13", "each input has its own frontier; the reference agrees")
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

// answered judges an answer where Spark refuses.
func (w *world) answered() Verdict {
	number := "D10"
	if w.c.Phase == "runtime" && w.c.Condition != "STREAM_FAILED" {
		if strings.HasPrefix(w.c.Condition, "INVALID_ARRAY_INDEX") && w.onlyNulls() {
			return deviation("D11", "NULL where the index is outside the array")
		}
		return failed("Spark fails with %s, we answer %s", w.c.Condition, show(jsonRows(w.turns[len(w.turns)-1].rows)))
	}
	if strings.HasPrefix(w.c.Condition, "STREAMING_OUTPUT_MODE") && w.mode() == sink.Append && w.hasWatermark() {
		number = "D12"
	}
	v, _ := w.confirmed(nil, number, fmt.Sprintf("Spark refuses (%s); the answer is the batch answer, says the reference", w.c.Condition))
	return v
}

func (w *world) hasWatermark() bool {
	return slices.ContainsFunc(w.c.Sources, func(s *Source) bool { return s.Watermark != nil })
}

// onlyNulls reports that the trigger in which Spark failed gave some NULL.
func (w *world) onlyNulls() bool {
	at := len(w.c.fold().rows)
	return at < len(w.turns) && slices.ContainsFunc(jsonRows(w.turns[at].rows), func(r row) bool { return slices.Contains(r, nil) })
}

// lateCounts compares watermarks and the numbers of late rows where the rows agree.
func (w *world) lateCounts(r *recorded) Verdict {
	j, err := w.newJudge()
	if err != nil {
		return Verdict{Kind: Passed}
	}
	if v := j.sameMarks(r); v.Kind != Passed {
		return v
	}
	var ours, theirs int64
	for i, t := range w.turns {
		ours += t.late.Late + t.late.Partial
		theirs += r.late[i]
	}
	switch {
	case ours == theirs:
		return Verdict{Kind: Passed}
	case madeTogether(j.plan) && (ours > 0) == (theirs > 0):
		return deviation("D18", "%d late rows, %d partial groups", ours, theirs)
	case w.lagging() && ours > theirs:
		v, _ := w.confirmed(r, "D1", "late by the watermark after the batch before, which changes no row; the reference agrees")
		return v
	}
	return failed("the rows agree, but %d rows were late, for Spark %d", ours, theirs)
}
