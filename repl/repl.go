// Package repl is the text side of the program: it runs scripts, prints their results,
// errors and progress, and reads statements from a terminal. It owns no SQL and no
// query: the engine runs those. It knows the parser only to find where statements end
// and to complete words, and rows only to print them (package output below it).
//
// Open this file first: a Session runs text against an engine. script.go has scripts,
// shell.go the interactive loop, dot.go its commands, line.go and its neighbours the
// line editor.
package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/repl/output"
)

// Session runs statements and prints what they give. It is used from one goroutine.
type Session struct {
	Engine *engine.Engine
	Out    io.Writer // results
	Err    io.Writer // errors, notes
	Format output.Format
	Null   *string // text of NULL; nil = the format's own
	Pager  *Pager  // takes results instead of Out; nil = none
	Vars   map[string]string
	// KeepGoing goes on after a statement that failed.
	KeepGoing bool
	// Talk prints what a statement did ("source clicks created"), as a shell does.
	Talk bool
}

// show prints the result of a statement.
func (s *Session) show(ctx context.Context, src *diag.Source, r *engine.Result) error {
	s.notes(src, r.Notes)
	if r.Query != nil {
		s.modes(r.Query)
	}
	switch {
	case r.Plan != "":
		return s.text(r.Plan)
	case r.Rows != nil:
		if r.Message != "" && s.Talk {
			if err := s.text(r.Message); err != nil {
				return err
			}
		}
		return s.rows(ctx, r)
	case r.Message != "" && s.Talk:
		return s.text(r.Message)
	}
	return nil
}

func (s *Session) text(text string) error {
	_, err := fmt.Fprintln(s.Out, strings.TrimRight(text, "\n"))
	return err
}

// rows runs a finite query and prints its rows as they come.
func (s *Session) rows(ctx context.Context, r *engine.Result) error {
	out := s.resultWriter()
	w := output.New(out, r.Columns, output.Options{Format: s.Format, Zone: s.Engine.Zone(), Null: s.Null})
	err := r.Rows(ctx, func(b *vec.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.Write(b)
	})
	if err == nil {
		err = w.Close()
	}
	if e := out.Close(); err == nil || errors.Is(err, errLeft) {
		err = e
	}
	return err
}

// resultWriter is where the rows of one result go.
func (s *Session) resultWriter() io.WriteCloser {
	if s.Pager != nil {
		return s.Pager.Writer()
	}
	return direct{s.Out}
}

// modes tells of output modes that the statement left open.
func (s *Session) modes(q *engine.Query) {
	for _, o := range q.Plan.Outputs {
		if !strings.HasPrefix(o.Why, "default") {
			continue
		}
		into := ""
		if len(q.Plan.Outputs) > 1 {
			into = fmt.Sprintf(" into %q", o.Name)
		}
		fmt.Fprintf(s.Err, "info: query %q%s runs in %s mode (%s)\n", q.Name, into, o.Mode, o.Why)
	}
}

// notes prints what is no error: the chosen output mode, warnings.
func (s *Session) notes(src *diag.Source, list []*diag.Diagnostic) {
	for _, d := range list {
		if d.Span.IsZero() {
			fmt.Fprintln(s.Err, d.Error())
			continue
		}
		fmt.Fprint(s.Err, src.Render(d))
	}
}

// Report prints an error; one of SQL has its place, the line and a caret.
func (s *Session) Report(err error) { Report(s.Err, err) }

// Report prints an error; one of SQL has its place, the line and a caret.
func Report(w io.Writer, err error) {
	text := strings.TrimRight(err.Error(), "\n")
	if !rendered(err) {
		text = "error: " + text
	}
	fmt.Fprintln(w, text)
}

// rendered reports whether every error of the list brings its own "error" and place.
func rendered(err error) bool {
	switch e := err.(type) {
	case *diag.Error, *diag.Diagnostic, *placed:
		return true
	case interface{ Unwrap() []error }:
		for _, x := range e.Unwrap() {
			if !rendered(x) {
				return false
			}
		}
		return true
	}
	return false
}
