package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Error is what a request that failed is answered with. Texts of statements are not in
// it: the client has them, and they may hold secrets.
type Error struct {
	Status   int       `json:"-"`
	Code     string    `json:"code"` // stable: SQL2041, or a word such as no_such_query
	Message  string    `json:"message"`
	Hint     string    `json:"hint,omitempty"`
	Position *Position `json:"position,omitempty"` // in the text of the statements
	// More are further errors of the same text.
	More []*Error `json:"more,omitempty"`

	reason string // for the metrics, of requests that reached no route
}

// Position is a place in a text; all numbers but offsets begin at 1, and columns count
// characters.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"offset"` // in bytes, from 0
	Length int `json:"length"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

func errorf(status int, code, format string, args ...any) *Error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) hint(text string) *Error {
	e.Hint = text
	return e
}

func (e *Error) because(reason string) *Error {
	e.reason = reason
	return e
}

// errorOf makes the answer of any error. src is the text that it may point into.
func errorOf(err error, src *diag.Source) *Error {
	var (
		own     *Error
		sql     *diag.Error
		one     *diag.Diagnostic
		unreach *engine.UnreachableError
		large   *http.MaxBytesError
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &sql) && len(sql.Diagnostics) > 0:
		e := ofDiagnostic(sql.Diagnostics[0], src)
		for _, d := range sql.Diagnostics[1:] {
			e.More = append(e.More, ofDiagnostic(d, src))
		}
		return e
	case errors.As(err, &one):
		return ofDiagnostic(one, src)
	case errors.As(err, &large):
		return errorf(http.StatusRequestEntityTooLarge, "too_large", "the body is larger than %d bytes", large.Limit)
	case errors.Is(err, context.DeadlineExceeded):
		return errorf(http.StatusGatewayTimeout, "timeout", "it took longer than the request may take").
			hint("ask for more with timeout_ms")
	case errors.Is(err, context.Canceled):
		return errorf(http.StatusServiceUnavailable, "canceled", "the request was ended before it was answered")
	case errors.Is(err, engine.ErrStopped):
		return errorf(http.StatusConflict, "query_ended", "%s", oneLine(err))
	case errors.As(err, &unreach):
		return errorf(http.StatusBadGateway, "unreachable", "%s", oneLine(err))
	}
	return errorf(http.StatusUnprocessableEntity, "failed", "%s", oneLine(err))
}

func ofDiagnostic(d *diag.Diagnostic, src *diag.Source) *Error {
	e := &Error{Status: http.StatusUnprocessableEntity, Code: string(d.Code), Message: d.Message, Hint: d.Hint}
	if src != nil && !d.Span.IsZero() {
		line, column := src.Position(d.Span.Start)
		e.Position = &Position{Line: line, Column: column, Offset: d.Span.Start, Length: max(d.Span.End-d.Span.Start, 0)}
	}
	return e
}

// oneLine is an error without what a panic left of the stack.
func oneLine(err error) string {
	text := err.Error()
	if i := strings.Index(text, "\ngoroutine "); i >= 0 {
		text = text[:i]
	}
	return text
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, e *Error) {
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sqlstream"`)
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(e.Status)
		return
	}
	writeJSON(w, e.Status, map[string]*Error{"error": e})
}

// writeJSON answers with a document.
func writeJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the answer cannot be written"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(raw, '\n')) //nolint:errcheck // the client is gone
}
