package conformance

import (
	"regexp"
	"slices"
	"strings"
)

// byArrival finds queries whose rows depend on how the changes of their tables are cut into
// triggers, and so on the order of the statements: joins with what a table is when a row
// comes, and the changes of a relation.
var byArrival = regexp.MustCompile(`(?is)\bfor\s+system_time\s+as\s+of\s+(proctime|now|current_timestamp)\b|\bas\s+changelog\s+from\b`)

// arrives reports that a text, or a view that it names, is such a query.
func (w *world) arrives(sql string) bool {
	if byArrival.MatchString(sql) {
		return true
	}
	for _, n := range w.named(sql) {
		if v := w.views[n]; v != nil && byArrival.MatchString(v.sql) {
			return true
		}
	}
	return false
}

// byArrival reports such a query in a file.
func (sc *script) byArrival() bool {
	return slices.ContainsFunc(sc.steps, func(s step) bool { return byArrival.MatchString(s.sql) })
}

// sawLate notes that a row came too late for a view: what it reads, and all that reads that,
// depends on how the changes are cut into triggers.
func (w *world) sawLate(query string) {
	for _, n := range w.named(strings.TrimSuffix(query, backing)) {
		w.late[n] = true
	}
}
