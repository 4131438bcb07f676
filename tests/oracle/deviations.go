package oracle

import (
	"fmt"
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
	rules := []func(*recorded) (Verdict, bool){w.earlier, w.unchanged, w.anyOrder, w.approximate, w.hashes, w.free, w.ties, w.anyRows, w.sessions, w.nullsMatch, w.neverEvicted, w.settledLate,
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
func (w *world) lagging() bool {
	between := func(b Batch) bool { return b.NoData }
	return w.c.Pacing == "burst" || w.waits() || w.joins() && !slices.ContainsFunc(w.c.Batches, between)
}

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
	if err == nil && r != nil {
		err = j.noneLost(l, r)
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
