package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Script runs the statements of a text one after another. An error that the text alone
// shows runs nothing, and the first failing statement ends the script; with KeepGoing,
// every statement that can be read is run. Errors are printed; the first one is returned.
func (s *Session) Script(ctx context.Context, src diag.Source) error {
	src, err := Expand(src, s.Vars)
	if err != nil {
		s.Report(err)
		return err
	}
	stmts, first := parser.Parse(src)
	text := src
	src = s.Engine.Masked(src)
	if first != nil {
		first = diag.Showing(src, first)
		s.Report(first)
		if !s.KeepGoing {
			return first
		}
	}
	if len(stmts) > 1 && first == nil && !s.KeepGoing {
		if err := s.Engine.Precheck(ctx, text); err != nil {
			s.Report(err)
			return err
		}
	}
	for _, stmt := range stmts {
		err := s.statement(ctx, src, stmt)
		if err == nil {
			continue
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.Report(err)
		if !s.KeepGoing {
			return first
		}
	}
	return first
}

// statement runs one statement and prints what it gave.
func (s *Session) statement(ctx context.Context, src diag.Source, stmt ast.Statement) error {
	r, err := s.Engine.Statement(ctx, src, stmt)
	if err == nil {
		err = s.show(ctx, &src, r)
	}
	return inStatement(src, stmt.Pos(), err)
}

// inStatement gives an error its place: an error of SQL knows it, any other one gets the
// place of the statement.
func inStatement(src diag.Source, at diag.Span, err error) error {
	err = diag.InSource(src, err)
	if err == nil || rendered(err) || errors.Is(err, context.Canceled) {
		return err
	}
	return &placed{src: src, at: at, err: err}
}

// placed is an error of a statement that SQL's own errors do not cover.
type placed struct {
	src diag.Source
	at  diag.Span
	err error
}

// Error implements error.
func (p *placed) Error() string {
	line, column := p.src.Position(p.at.Start)
	name := p.src.Name
	if name != "" {
		name += ":"
	}
	return fmt.Sprintf("%s%d:%d: %s", name, line, column, headline(p.err))
}

// headline gives an error that wraps one of SQL without a place, such as that of an
// option found wrong when the sink was opened, the shape of the others: the code in
// front, the hint on a line of its own.
func headline(err error) string {
	text := err.Error()
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		if i := strings.Index(text, d.Error()); i > 0 && i+len(d.Error()) == len(text) {
			text = fmt.Sprintf("%s %s: %s%s", d.Severity, d.Code, text[:i], d.Message)
			if d.Hint != "" {
				text += "\nhint: " + d.Hint
			}
			return text
		}
	}
	return "error: " + text
}

// Unwrap gives the cause.
func (p *placed) Unwrap() error { return p.err }

// Wait waits until every query of the engine has ended, or the first one fails. MANUAL
// queries, which nobody can drive any more, are stopped.
func (s *Session) Wait(ctx context.Context) error {
	var errs []error
	for _, q := range s.Engine.Active() {
		if t := q.Plan.Trigger; t != nil && t.Kind == ast.TriggerManual {
			errs = append(errs, q.Stop())
		}
	}
	return errors.Join(append(errs, s.Engine.AwaitAll(ctx))...)
}

// Kind says what sort of failure an error is, for the exit status.
type Kind int

// The kinds of failures.
const (
	Done        Kind = iota
	Failed           // a query failed while it ran
	Wrong            // the SQL is wrong
	Unreachable      // a source or sink could not be opened
	Interrupted
)

// KindOf classifies an error of Script or Wait.
func KindOf(err error) Kind {
	var (
		sql     *diag.Error
		one     *diag.Diagnostic
		unreach *engine.UnreachableError
	)
	switch {
	case err == nil:
		return Done
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.As(err, &sql):
		for _, d := range sql.Diagnostics {
			if !errors.As(d.Cause, &unreach) {
				return Wrong
			}
		}
		return Unreachable
	case errors.As(err, &one) && !errors.As(one.Cause, &unreach):
		return Wrong
	case errors.As(err, &unreach):
		return Unreachable
	}
	return Failed
}
