package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// explanation says why statements fail, and why that stays.
type explanation struct {
	path   string         // part of the path of the file
	causes []cause        // nil = any
	match  *regexp.Regexp // of message and statement, with a blank between; nil = any
	why    string
	// program is found in what made the objects read; nil = any.
	program *regexp.Regexp
}

// in narrows an explanation to steps whose program has the pattern.
func (e explanation) in(pattern string) explanation {
	e.program = regexp.MustCompile(`(?is)` + pattern)
	return e
}

func because(why, path, pattern string, causes ...cause) explanation {
	e := explanation{path: path, causes: causes, why: why}
	if pattern != "" {
		e.match = regexp.MustCompile(`(?is)` + pattern)
	}
	return e
}

// commonReasons are those of no suite in particular.
var commonReasons = []explanation{
	because("a type is called as in Spark", "", `typeof\(`, wrong),
}

// explain finds the reason of a failure, -1 if there is none: the first that fits.
func explain(reasons []explanation, suite string, o outcome) int {
	text := o.message + " " + o.step.sql
	return slices.IndexFunc(reasons, func(e explanation) bool {
		return strings.Contains(suite+"/"+o.step.file, e.path) && (e.match == nil || e.match.MatchString(text)) &&
			(e.program == nil || e.program.MatchString(o.program)) && (e.causes == nil || slices.Contains(e.causes, o.cause))
	})
}

// String is what the explanation says and where it looks.
func (e explanation) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s (%s %v %v in %v)", e.why, e.path, e.causes, e.match, e.program))
}
