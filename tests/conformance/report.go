package conformance

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
)

// folder is the outcome of a folder of files.
type folder struct {
	name                  string
	files, passed, failed int // statements and queries
	rules                 map[string]int
	causes                map[cause]int
	reasons               []explanation // of the suite
	explained             map[int]int   // by the place of the reason
	unexplained           map[cause]int
	counts                counts
	failures              []outcome
}

func newFolder(name string, reasons []explanation) *folder {
	return &folder{name: name, reasons: reasons, rules: map[string]int{}, causes: map[cause]int{}, explained: map[int]int{}, unexplained: map[cause]int{}}
}

func (f *folder) add(list []outcome, n counts) {
	f.files++
	f.counts.continuous += n.continuous
	f.counts.late += n.late
	f.counts.coarse += n.coarse
	f.counts.expected += n.expected
	for why, k := range n.batchOnly {
		if f.counts.batchOnly == nil {
			f.counts.batchOnly = map[string]int{}
		}
		f.counts.batchOnly[why] += k
	}
	for _, o := range list {
		if o.step.kind == reset || o.verdict == notRun {
			continue
		}
		switch o.verdict {
		case passed:
			f.passed++
		case notApplicable:
			f.rules[o.rule]++
		default:
			f.failed++
			f.causes[o.cause]++
			if i := explain(f.reasons, f.name, o); i >= 0 {
				f.explained[i]++
				o.why = f.reasons[i].why
			} else {
				f.unexplained[o.cause]++
			}
			f.failures = append(f.failures, o)
		}
	}
}

// left is how many were not applicable.
func (f *folder) left() int {
	n := 0
	for _, k := range f.rules {
		n += k
	}
	return n
}

func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// print writes the table of folders, then the rules with their shares.
func printFolders(w io.Writer, list []*folder) {
	fmt.Fprintf(w, "%-45s %6s %7s %7s %7s %8s  %s\n", "folder", "files", "passed", "failed", "n/a", "rate", "failures by cause")
	for _, f := range list {
		fmt.Fprintf(w, "%-45s %6d %7d %7d %7d %8s  %s\n", f.name, f.files, f.passed, f.failed, f.left(), share(f.passed, f.passed+f.failed), causesText(f.causes))
	}
}

func causesText(m map[cause]int) string {
	var parts []string
	for _, c := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", c, m[c]))
	}
	return strings.Join(parts, ", ")
}

// printRules writes what was left out, by rule.
func printRules(w io.Writer, f *folder) {
	all := f.passed + f.failed + f.left()
	for _, r := range ruleList {
		if n := f.rules[r.name]; n > 0 {
			fmt.Fprintf(w, "  not applicable: %-17s %6d %7s  %s\n", r.name, n, share(n, all), r.why)
		}
	}
	byWhy := map[string]int{}
	for i, n := range f.explained {
		byWhy[f.reasons[i].why] += n
	}
	for _, why := range slices.Sorted(maps.Keys(byWhy)) {
		fmt.Fprintf(w, "  failed, explained: %6d  %s\n", byWhy[why], why)
	}
	fmt.Fprintf(w, "  failed, not explained: %s\n", causesText(f.unexplained))
	fmt.Fprintf(w, "  queries run as continuous ones as well: %d\n", f.counts.continuous)
	fmt.Fprintf(w, "  not run under one of the schedules, since the time of the file was up: %d\n", f.counts.late)
	fmt.Fprintf(w, "  errors that are expected and came, under all schedules, whatever they say: %d\n", f.counts.expected)
	fmt.Fprintf(w, "  files of so many changes that row by row is in at most %d triggers, with at most %d restarts: %d\n", maxTriggers, maxFileRestarts, f.counts.coarse)
	for _, why := range slices.Sorted(maps.Keys(f.counts.batchOnly)) {
		fmt.Fprintf(w, "  not as a continuous one, since %s: %d\n", why, f.counts.batchOnly[why])
	}
}

// printIdle writes the reasons of the suite that explained nothing: they are to be removed.
func printIdle(w io.Writer, f *folder) {
	for i, e := range f.reasons {
		if f.explained[i] == 0 {
			fmt.Fprintf(w, "  explained nothing: %s\n", e)
		}
	}
}

// printFailures writes failures, the worst causes first, each with its reason at the end.
func printFailures(w io.Writer, list []outcome) {
	rank := map[cause]int{wrong: 0, crashed: 1, timedOut: 2, refused: 3, accepted: 4, follows: 5}
	sort.SliceStable(list, func(i, j int) bool { return rank[list[i].cause] < rank[list[j].cause] })
	for _, o := range list {
		fmt.Fprintf(w, "%s%s\t%s:%d\t%s\t%s\t%s\t%s\n", o.cause, map[bool]string{true: "*"}[o.why != ""], o.step.file, o.step.line, o.under, strings.ReplaceAll(o.message, "\n", " "), oneLine(o.step.sql), o.why)
	}
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = s[:300]
	}
	return s
}
