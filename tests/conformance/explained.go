package conformance

import (
	"regexp"
	"strings"
)

// explanation says why statements fail, and why that stays.
type explanation struct {
	path   string         // part of the path of the file
	causes []cause        // nil = any
	match  *regexp.Regexp // of message and statement, with a blank between; nil = any
	why    string
}

func because(why, path, pattern string, causes ...cause) explanation {
	e := explanation{path: path, causes: causes, why: why}
	if pattern != "" {
		e.match = regexp.MustCompile(`(?is)` + pattern)
	}
	return e
}

// explanations are the failures that stay, by reason. The first that fits counts.
var explanations = []explanation{
	because("of several equal matches of an ASOF join, ours is the greatest row, theirs the one of the smallest key", "risingwave/e2e_test/streaming/join/asof_join", "", wrong),
	because("approx_percentile is exact here, or another sketch", "", `approx_percentile|percentile`, wrong),
	because("approx_percentile is exact here, or another sketch", "approx_percentile", "", wrong),
	because("a full join of NULL keys has a row for each side; their result has none", "full_outer_join_global_agg", "", wrong),
	because("a materialised view has no mode: EMIT ON WINDOW CLOSE belongs to INSERT INTO and SELECT", "", `EMIT is allowed only|emit on window close`),
	because("array_agg leaves NULL out, as Spark's does", "", `array_agg|list\(`, wrong),
}

// explain finds the reason of a failure, "" if there is none.
func explain(suite string, o outcome) string {
	text := o.message + " " + o.step.sql
	for _, e := range explanations {
		if !strings.Contains(suite+"/"+o.step.file, e.path) || e.match != nil && !e.match.MatchString(text) {
			continue
		}
		fits := e.causes == nil
		for _, c := range e.causes {
			fits = fits || c == o.cause
		}
		if fits {
			return e.why
		}
	}
	return ""
}
