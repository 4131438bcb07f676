// Package diag holds what every layer needs to complain about SQL text: spans,
// codes, diagnostics, and their rendering with the source line and a caret.
//
// It is a leaf: it knows neither the grammar nor the plan, and imports only the
// standard library. Codes live in codes.go, each with a failing example; open
// that file first to see what can go wrong, and source.go for the rendering.
package diag

import (
	"fmt"
	"strings"
)

// Span is a half-open range of byte offsets into one source text.
type Span struct {
	Start, End int
}

// Pos returns the span itself, so that whatever embeds a Span has a position.
func (s Span) Pos() Span { return s }

// IsZero reports whether the span names no place at all.
func (s Span) IsZero() bool { return s == Span{} }

// Join returns the smallest span that covers both; a zero span counts as absent.
func Join(a, b Span) Span {
	switch {
	case a.IsZero():
		return b
	case b.IsZero():
		return a
	}
	return Span{min(a.Start, b.Start), max(a.End, b.End)}
}

// Severity tells whether a diagnostic stops the statement.
type Severity uint8

// The severities, most severe first; the zero value is an error.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityInfo
)

func (s Severity) String() string {
	switch s {
	case SeverityWarning:
		return "warning"
	case SeverityInfo:
		return "info"
	}
	return "error"
}

// Code is a stable identifier such as "SQL1010"; see codes.go.
type Code string

// Diagnostic is one complaint about one place of the text.
type Diagnostic struct {
	Code     Code
	Span     Span
	Message  string // lower case, what was found and expected, no full stop
	Hint     string // empty unless it is surely right
	Severity Severity
	Cause    error // what a layer below said, of which the message tells; nil = none
}

// Unwrap gives the cause.
func (d *Diagnostic) Unwrap() error { return d.Cause }

// Errorf returns a diagnostic of severity error.
func Errorf(code Code, span Span, format string, args ...any) *Diagnostic {
	return &Diagnostic{Code: code, Span: span, Message: fmt.Sprintf(format, args...)}
}

// Warnf returns a diagnostic that does not stop the statement.
func Warnf(code Code, span Span, format string, args ...any) *Diagnostic {
	d := Errorf(code, span, format, args...)
	d.Severity = SeverityWarning
	return d
}

// Infof returns a diagnostic that only informs.
func Infof(code Code, span Span, format string, args ...any) *Diagnostic {
	d := Errorf(code, span, format, args...)
	d.Severity = SeverityInfo
	return d
}

// WithHint sets the hint and returns the same diagnostic.
func (d *Diagnostic) WithHint(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// Error renders the diagnostic without its source line; Source.Render has all.
func (d *Diagnostic) Error() string {
	text := fmt.Sprintf("%s %s: %s", d.Severity, d.Code, d.Message)
	if d.Hint != "" {
		text += " (hint: " + d.Hint + ")"
	}
	return text
}

// Error is a list of diagnostics as one error. Source, when set, lets Error()
// show lines and carets.
type Error struct {
	Source      *Source
	Diagnostics []*Diagnostic
}

// NewError wraps diagnostics of one source; the source may be nil.
func NewError(src *Source, list ...*Diagnostic) *Error {
	return &Error{Source: src, Diagnostics: list}
}

// Error renders every diagnostic, one after another.
func (e *Error) Error() string {
	parts := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		if e.Source != nil {
			parts[i] = strings.TrimSuffix(e.Source.Render(d), "\n")
		} else {
			parts[i] = d.Error()
		}
	}
	return strings.Join(parts, "\n")
}

// Unwrap exposes the single diagnostics to errors.As.
func (e *Error) Unwrap() []error {
	list := make([]error, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		list[i] = d
	}
	return list
}
