package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/incremental/trigger"
	"github.com/sqlstream/sqlstream/parser"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// The prompts: for a statement, and for its further lines.
const (
	promptFirst = "sqlstream> "
	promptMore  = "       ...> "
)

// Shell reads statements from a user and runs them. Continuous queries run beside the
// prompt until the shell ends; a bare SELECT over a stream runs until Ctrl-C.
type Shell struct {
	Session
	In        Reader
	Completer *Completer
	// Interrupts has the Ctrl-Cs that come while a statement runs.
	Interrupts <-chan os.Signal
	Clock      clock.Clock

	pending string // lines of a statement that is not complete
	timer   bool
	front   atomic.Pointer[engine.Query] // the query that the user waits for
	quit    bool
}

// Run reads until Ctrl-D or .quit. Errors of statements are printed.
func (s *Shell) Run(ctx context.Context) error {
	if s.Completer != nil {
		s.Completer.Use(engineNames{s.Engine})
	}
	for !s.quit && ctx.Err() == nil {
		line, err := s.In.Read(s.prompt())
		switch {
		case errors.Is(err, ErrInterrupt):
			s.pending = ""
		case errors.Is(err, io.EOF):
			s.quit = true
		case err != nil:
			return err
		default:
			s.Feed(ctx, line)
		}
		if s.Completer != nil {
			s.Completer.before = s.pending
		}
	}
	return s.farewell()
}

func (s *Shell) prompt() string {
	if s.pending == "" {
		return promptFirst
	}
	return promptMore
}

// farewell stops what still runs.
func (s *Shell) farewell() error {
	if n := len(s.Engine.Active()); n > 0 {
		fmt.Fprintf(s.Err, "stopping %d running queries after their trigger\n", n)
	}
	return s.Engine.StopAll()
}

// Feed takes one line: a dot command, or a part of a statement, which runs when it is
// complete.
func (s *Shell) Feed(ctx context.Context, line string) {
	if s.pending == "" && isDot(line) {
		s.remember(line)
		s.interruptible(ctx, func(ctx context.Context) error { return s.dot(ctx, line) })
		return
	}
	s.pending += line + "\n"
	switch state(s.pending) {
	case nothing:
		s.pending = ""
	case complete:
		text := s.pending
		s.pending = ""
		s.remember(text)
		s.timed(func() {
			s.interruptible(ctx, func(ctx context.Context) error { return s.typed(ctx, diag.Source{Text: text}) })
		})
	}
}

func (s *Shell) remember(text string) {
	if s.In == nil {
		return
	}
	if err := s.In.Remember(strings.TrimSpace(text)); err != nil {
		s.Report(err)
	}
}

// The states of what was typed so far.
const (
	nothing  = iota // white space and comments
	open            // a statement that goes on
	complete        // ended by a semicolon
)

func state(text string) int {
	stmts := parser.Split(text)
	if len(stmts) > 0 {
		if stmts[len(stmts)-1].Complete {
			return complete
		}
		return open
	}
	for _, t := range parser.Tokens(text) {
		if t.Kind == parser.TokenError {
			return open // a comment that is not closed
		}
	}
	return nothing
}

// typed runs statements, waiting for a SELECT over a stream until it ends.
func (s *Shell) typed(ctx context.Context, src diag.Source) error {
	src, err := Expand(src, s.Vars)
	if err != nil {
		return err
	}
	stmts, err := parser.Parse(src)
	if err != nil {
		return err
	}
	for _, stmt := range stmts {
		r, err := s.Engine.Statement(ctx, src, stmt)
		if err == nil {
			err = s.show(ctx, &src, r)
		}
		if err != nil {
			return inStatement(src, stmt.Pos(), err)
		}
		if _, bare := stmt.(*ast.QueryStmt); bare && r.Query != nil {
			s.foreground(r.Query)
		}
	}
	return nil
}

// foreground waits for a query; interruptible hands it Ctrl-C. Its failure is told by
// the listener.
func (s *Shell) foreground(q *engine.Query) {
	fmt.Fprintln(s.Err, "Ctrl-C stops it")
	s.front.Store(q)
	<-q.Done()
	s.front.Store(nil)
}

// interruptible runs something that Ctrl-C cancels, and prints its error. A query in the
// foreground is stopped after its trigger by the first Ctrl-C or the end of ctx, at once
// by the second Ctrl-C.
func (s *Shell) interruptible(ctx context.Context, do func(context.Context) error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	for len(s.Interrupts) > 0 {
		<-s.Interrupts // of an earlier statement
	}
	done := make(chan error, 1)
	go func() { done <- do(inner) }()
	var stopping *engine.Query
	over := ctx.Done()
	for {
		select {
		case err := <-done:
			s.tell(err)
			return
		case <-over:
			over = nil
		case <-s.Interrupts:
		}
		switch q := s.front.Load(); {
		case q == nil:
			cancel()
		case q != stopping:
			stopping = q
			go q.Stop() //nolint:errcheck // the listener tells it
		default:
			go q.Kill()
		}
	}
}

func (s *Shell) tell(err error) {
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(s.Err, "interrupted")
	case err != nil:
		s.Report(err)
	}
}

// timed prints how long something took, if .timer is on.
func (s *Shell) timed(do func()) {
	start := s.Clock.Now()
	do()
	if s.timer {
		fmt.Fprintf(s.Err, "time: %s\n", s.Clock.Now().Sub(start).Round(10*time.Microsecond))
	}
}

// Failures tells on w of queries that fail in the background.
type Failures struct{ W io.Writer }

// QueryStarted implements engine.Listener.
func (Failures) QueryStarted(*engine.Query) {}

// QueryProgress implements engine.Listener.
func (Failures) QueryProgress(*engine.Query, *trigger.Progress) {}

// QueryIdle implements engine.Listener.
func (Failures) QueryIdle(*engine.Query) {}

// QueryTerminated implements engine.Listener.
func (f Failures) QueryTerminated(_ *engine.Query, err error) {
	if err != nil {
		Report(f.W, err)
	}
}

// engineNames are the names that an engine knows.
type engineNames struct{ e *engine.Engine }

func (n engineNames) Objects() []string          { return n.e.Catalog().Names() }
func (n engineNames) Columns(of string) []string { return n.e.ColumnNames(of) }
func (n engineNames) Functions() []string        { return n.e.FunctionNames() }
func (n engineNames) Settings() []string         { return n.e.SettingNames() }
