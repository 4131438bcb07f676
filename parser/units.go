package parser

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// unitOf finds a unit by its name, singular, plural or short, regardless of case.
func unitOf(word string) (ast.Unit, bool) {
	switch strings.ToLower(word) {
	case "microsecond", "microseconds", "us", "usec", "usecs", "usecond", "useconds":
		return ast.Microsecond, true
	case "millisecond", "milliseconds", "ms", "msec", "msecs", "msecond", "mseconds":
		return ast.Millisecond, true
	case "second", "seconds", "s", "sec", "secs":
		return ast.Second, true
	case "minute", "minutes", "m", "min", "mins":
		return ast.Minute, true
	case "hour", "hours", "h", "hr", "hrs":
		return ast.Hour, true
	case "day", "days", "d":
		return ast.Day, true
	case "week", "weeks", "w":
		return ast.Week, true
	case "month", "months", "mon", "mons":
		return ast.Month, true
	case "quarter", "quarters":
		return ast.Quarter, true
	case "year", "years", "y", "yr", "yrs":
		return ast.Year, true
	case "decade", "decades", "dec", "decs":
		return ast.Decade, true
	case "century", "centuries", "cent", "c":
		return ast.Century, true
	case "millennium", "millennia", "millenniums", "millenium", "mil", "mils":
		return ast.Millennium, true
	}
	return 0, false
}

// unitNames are the names that a misspelt unit is compared with.
func unitNames() []string {
	return []string{"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR",
		"SECONDS", "MINUTES", "HOURS", "DAYS", "WEEKS", "MONTHS", "YEARS"}
}

func badUnit(word string, span diag.Span) *diag.Diagnostic {
	d := diag.Errorf(diag.BadInterval, span, "unknown unit %q", word)
	if near := diag.DidYouMean(word, unitNames()); near != "" {
		d.WithHint("did you mean %s?", near)
	}
	return d
}

// unitAt tells whether the token n ahead is a unit written out (no short form,
// which might as well be a column).
func (p *parser) unitAt(n int) (ast.Unit, bool) {
	t := p.at(n)
	if t.kind != tokWord || t.end-t.start < 3 {
		return 0, false
	}
	unit, ok := unitOf(p.text(t))
	return unit, ok && (unit < ast.Decade || t.end-t.start > 4)
}
