package conformance

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// DuckDB's timestamps reach infinity, on both sides. The first and last second that can be
// written stand for it: they compare the same, and are printed as infinity.
var infinities = map[string]string{"'infinity'": "'9999-12-31 23:59:59'", "'-infinity'": "'0001-01-01 00:00:01'"}

// infinities replaces infinity in VALUES, where a column of times takes it.
func (w *world) infinities(t *table, columns []string, body string) string {
	if !w.d.infinity {
		return body
	}
	toks := tokens(body)
	e := edits{sql: body}
	eachInserted(toks, func(col, i int) {
		x := toks[i]
		if with := infinities[strings.ToLower(x.text)]; with != "" && w.takesTime(t, columns, col) {
			e.replace(x.start, x.end, with)
		}
	})
	return e.done()
}

// takesTime reports that the i-th value of INSERT is one of a column of timestamps.
func (w *world) takesTime(t *table, columns []string, i int) bool {
	if columns != nil {
		if i >= len(columns) {
			return false
		}
		i = slices.IndexFunc(t.relation.Columns, func(c column) bool { return strings.EqualFold(c.Name, columns[i]) })
	}
	if i < 0 || i >= len(t.relation.Columns) {
		return false
	}
	k := t.relation.Columns[i].Type.Kind
	return k == types.Timestamp || k == types.TimestampNTZ
}

// infiniteCasts replaces infinity that is cast to a timestamp.
func infiniteCasts(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i, t := range toks {
		with := infinities[strings.ToLower(t.text)]
		after := i+2 < len(toks) && toks[i+1].text == "::" && timeName(toks[i+2])
		before := i > 0 && timeName(toks[i-1])
		if t.kind == text && with != "" && (after || before) {
			e.replace(t.start, t.end, with)
		}
	}
	return e.done()
}

func timeName(t token) bool {
	return t.is("timestamp") || t.is("timestamptz") || t.is("timestamp_s") || t.is("timestamp_ms") || t.is("timestamp_us") || t.is("timestamp_ns") || t.is("timestamptz_ns") || t.is("date")
}

// infiniteText prints the times that stand for infinity.
func infiniteText(text string) string {
	for inf, t := range infinities {
		if text == strings.Trim(t, "'") || text == strings.Trim(t, "'")[:10] {
			return strings.Trim(inf, "'")
		}
	}
	return text
}
