package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/repl"
)

// shell is the interactive program.
func (p *program) shell(ctx context.Context) error {
	history, err := repl.OpenHistory(statePath("history"))
	if err != nil {
		repl.Report(p.err, err)
	}
	completer := repl.NewCompleter(repl.Width)
	term, err := repl.NewTerminal(history, completer)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	defer term.Close() //nolint:errcheck // the program ends
	e, err := p.engine("", term.Stdout(), repl.Failures{W: term.Stderr()})
	if err != nil {
		return err
	}
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { term.Close() }) //nolint:errcheck // it ends Read
	sh := &repl.Shell{In: term, Completer: completer, Interrupts: interrupts, Clock: clock.Real(),
		Session: repl.Session{Engine: e, Out: term.Stdout(), Err: term.Stderr(), Format: p.format(), Null: p.null,
			Vars: p.vars, KeepGoing: true, Talk: true}}
	if onTerminal(p.out) {
		sh.Pager = &repl.Pager{Command: repl.PagerCommand(), Width: repl.Width, Height: repl.Height, Out: os.Stdout}
	}
	if !p.noInit {
		sh.Init(ctx, configPath("init.sql"))
	}
	if err := sh.Run(ctx); err != nil {
		return &exitError{exitFailed, err}
	}
	if err := e.Close(); err != nil || ctx.Err() == nil {
		return failed(err)
	}
	return &exitError{status: exitInterrupted}
}

// statePath is where the program keeps a file of its own; "" if the user has no home.
func statePath(name string) string {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "sqlstream", name)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "sqlstream", name)
}

// configPath is where the user keeps a file for the program.
func configPath(name string) string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return name
	}
	return filepath.Join(dir, "sqlstream", name)
}

// title is the beginning of a statement on one line.
func title(sql string) string {
	words := strings.Join(strings.Fields(sql), " ")
	if r := []rune(words); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return words
}

func trimEnd(text string) string { return strings.TrimRight(text, "\n") }
