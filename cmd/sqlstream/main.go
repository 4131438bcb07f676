// Command sqlstream runs streaming SQL: scripts, statements of the command line, or a
// shell. It owns flags, wiring and exit statuses, and nothing else: package repl runs
// text and prints, incremental/engine is the product. Open this file, then root.go
// (flags), run.go (scripts) and shell.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	_ "time/tzdata" // zones also where the machine has none

	"github.com/sqlstream/sqlstream/repl"
)

// The exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1   // a query failed while it ran, a test failed
	exitUsage       = 2   // wrong usage, wrong SQL
	exitUnreachable = 3   // a source or sink cannot be reached at the start
	exitInterrupted = 130 // SIGINT, SIGTERM
)

func main() { os.Exit(run()) }

// run is main with a status.
func run() int {
	tuneMemory()
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	cmd := p.command()
	return p.status(cmd.ExecuteContext(context.Background()))
}

// exitError is an error that has been printed already, or has a status of its own.
type exitError struct {
	status int
	err    error // nil = printed
}

// Error implements error.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

// Unwrap gives the cause.
func (e *exitError) Unwrap() error { return e.err }

// usage is wrong usage.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// failed is the status of an error that has been printed.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{status: statusOf(err)}
}

func statusOf(err error) int {
	switch repl.KindOf(err) {
	case repl.Done:
		return exitDone
	case repl.Wrong:
		return exitUsage
	case repl.Unreachable:
		return exitUnreachable
	case repl.Interrupted:
		return exitInterrupted
	}
	return exitFailed
}

// status prints an error that nobody has printed, and gives the status.
func (p *program) status(err error) int {
	if err == nil {
		return exitDone
	}
	var e *exitError
	if !errors.As(err, &e) { // of cobra: a flag or command that does not exist
		fmt.Fprintf(p.err, "sqlstream: %s\nhint: sqlstream --help lists commands and flags\n", err)
		return exitUsage
	}
	if e.err != nil {
		fmt.Fprintf(p.err, "sqlstream: %s\n", e.err)
	}
	return e.status
}
