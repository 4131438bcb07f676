package conformance

import "strings"

// orderNulls says in each ORDER BY where NULL stands, if the text does not.
func (d *dialect) orderNulls(sql string) string {
	toks := tokens(sql)
	e := edits{sql: sql}
	for i := 0; i+1 < len(toks); i++ {
		if !toks[i].is("order") || !toks[i+1].is("by") {
			continue
		}
		depth := toks[i].depth
		end := i + 2
		for end < len(toks) && !endsOrder(toks[end], depth) {
			end++
		}
		for _, item := range splitAt(toks[i+2:end], depth) {
			d.orderItem(&e, item)
		}
	}
	return e.done()
}

// endsOrder reports the end of an ORDER BY of that depth.
func endsOrder(t token, depth int) bool {
	if t.depth < depth || t.text == ";" {
		return true
	}
	if t.depth != depth {
		return false
	}
	for _, w := range []string{"limit", "offset", "fetch", "rows", "range", "groups", "session", "union", "intersect", "except", "emit", "with", "exclude", "for", "separator"} {
		if t.is(w) {
			return true
		}
	}
	return false
}

func (d *dialect) orderItem(e *edits, item []token) {
	if len(item) > 0 && d.descending && !hasWords(item, "nulls") && !hasWords(item, "asc") && !hasWords(item, "desc") {
		e.replace(item[len(item)-1].end, item[len(item)-1].end, " DESC")
	}
	if len(item) == 0 || hasWords(item, "nulls") || len(item) == 1 && item[0].is("all") && !d.castsRows {
		return
	}
	last := item[len(item)-1]
	first := d.nulls == nullsFirst || d.nulls == nullsLargest && last.is("desc")
	with := " NULLS LAST"
	if first {
		with = " NULLS FIRST"
	}
	e.replace(last.end, last.end, with)
}

// withoutOrder leaves out the ORDER BY of a query that has no LIMIT: it orders the output,
// which a continuous query has no end of.
func withoutOrder(sql string) string {
	toks := tokens(sql)
	for i := len(toks) - 2; i >= 0; i-- {
		if toks[i].depth != 0 {
			continue
		}
		if toks[i].is("limit") || toks[i].is("offset") || toks[i].is("fetch") || toks[i+1].is("limit") {
			return sql
		}
		if toks[i].is("order") && toks[i+1].is("by") {
			if strings.Contains(strings.ToLower(sql[:toks[i].start]), "distinct on") {
				return sql
			}
			return sql[:toks[i].start]
		}
	}
	return sql
}
