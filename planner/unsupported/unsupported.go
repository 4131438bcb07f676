// Package unsupported owns the list of SQL that is understood and needs an operator
// that does not exist so far: one entry a code, with the operator's name. The binder
// and the planner refuse through it, and test runners print "not yet: <operator>"
// from it. It knows no plans. Open this file first.
package unsupported

import (
	"errors"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// Entry is one missing operator.
type Entry struct {
	Code     diag.Code
	Operator string // for "not yet: …"
	Text     string // follows what was written: `row_number(…) OVER is not supported yet on streams`
	Hint     string
}

// Table lists the missing operators by code.
var Table = []Entry{}

// Find returns the entry of a code.
func Find(code diag.Code) (Entry, bool) {
	for _, e := range Table {
		if e.Code == code {
			return e, true
		}
	}
	return Entry{}, false
}

// Diagnostic refuses what was written. The code must be in the table.
func Diagnostic(code diag.Code, span diag.Span, what string) *diag.Diagnostic {
	e, ok := Find(code)
	if !ok {
		panic("unsupported: no entry for " + string(code))
	}
	d := diag.Errorf(code, span, "%s %s", what, e.Text)
	d.Hint = e.Hint
	return d
}

// Operator names the missing operator of an error, "" if it is another error. If the
// statement has other errors too, those count.
func Operator(err error) string {
	var list *diag.Error
	if !errors.As(err, &list) {
		return ""
	}
	name := ""
	for _, d := range list.Diagnostics {
		if d.Severity != diag.SeverityError {
			continue
		}
		e, ok := Find(d.Code)
		if !ok {
			return ""
		}
		if name == "" {
			name = e.Operator
		}
	}
	return name
}
