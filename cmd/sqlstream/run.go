package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlstream/sqlstream/incremental/engine"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/repl"
	"github.com/sqlstream/sqlstream/repl/output"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// main is sqlstream without a command.
func (p *program) main(ctx context.Context, args []string) error {
	for _, a := range args {
		p.texts = append(p.texts, text{false, a})
	}
	if err := p.valid(); err != nil {
		return err
	}
	if len(p.texts) == 0 && onTerminal(p.in) {
		return p.shell(ctx)
	}
	return p.script(ctx)
}

// valid checks the flags that take one of several values.
func (p *program) valid() error {
	if p.workers < 0 {
		return usage("--workers is a number of cores, not %d", p.workers)
	}
	switch p.progress {
	case "auto", "json", "off":
	default:
		return usage("--progress is auto, json or off, not %q", p.progress)
	}
	if p.output != "" {
		if _, err := output.Parse(p.output); err != nil {
			return usage("--output: %w", err)
		}
	}
	return nil
}

// format is how rows are printed: what was asked for, else a table for people and CSV
// for programs.
func (p *program) format() output.Format {
	if f, err := output.Parse(p.output); err == nil {
		return f
	}
	if onTerminal(p.out) {
		return output.Table
	}
	return output.CSV
}

func onTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && repl.IsTerminal(f)
}

// sources reads the texts, and finds the directory that relative paths start from.
func (p *program) sources() (dir string, list []diag.Source, err error) {
	if len(p.texts) == 0 {
		text, err := io.ReadAll(p.in)
		if err != nil {
			return "", nil, usage("standard input: %w", err)
		}
		return "", []diag.Source{{Name: "standard input", Text: string(text)}}, nil
	}
	for _, t := range p.texts {
		if !t.file {
			list = append(list, diag.Source{Text: t.arg})
			continue
		}
		src, at, err := readScript(t.arg)
		switch {
		case err != nil:
			return "", nil, err
		case dir != "" && dir != at:
			return "", nil, usage("%s is in another directory than the script before it: relative paths would be ambiguous; run them one by one", t.arg)
		}
		dir, list = at, append(list, src)
	}
	return dir, list, nil
}

// readScript reads a script and finds its directory.
func readScript(path string) (src diag.Source, dir string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return src, "", usage("%w", err)
	}
	dir, err = filepath.Abs(filepath.Dir(path))
	if err != nil {
		return src, "", usage("%w", err)
	}
	return diag.Source{Name: path, Text: string(text)}, dir, nil
}

// engine opens an engine whose paths start from dir.
func (p *program) engine(dir string, out io.Writer, l engine.Listener) (*engine.Engine, error) {
	root := p.checkpointRoot
	if root != "" {
		var err error
		if root, err = vfs.Abs("", root); err != nil { // of the command line: from where it was typed
			return nil, usage("--checkpoint-root: %w", err)
		}
	}
	e, err := engine.Open(engine.Options{Workers: p.workers, Dir: dir, CheckpointRoot: root, Stdout: out, Listener: l,
		ConsoleFormat: strings.ToLower(p.output), Batch: p.batch})
	if err != nil {
		return nil, &exitError{exitFailed, err}
	}
	return e, nil
}

// script runs the texts and waits for the queries that they start.
func (p *program) script(ctx context.Context) error {
	dir, sources, err := p.sources()
	if err != nil {
		return err
	}
	out, errs, l := p.streams()
	e, err := p.engine(dir, out, l)
	if err != nil {
		return err
	}
	s := &repl.Session{Engine: e, Out: out, Err: errs, Format: p.format(), Null: p.null, Vars: p.vars, KeepGoing: p.keepGoing}
	interrupted, err := guard(ctx, e, func(ctx context.Context) error { return p.runAll(ctx, s, sources) })
	if interrupted {
		if err != nil && !errors.Is(err, context.Canceled) {
			s.Report(err)
		}
		return &exitError{status: exitInterrupted}
	}
	if stop := e.Close(); err == nil && stop != nil {
		s.Report(stop)
		err = stop
	}
	return failed(err)
}

// runAll runs every text, then waits. It returns the first error, printed.
func (p *program) runAll(ctx context.Context, s *repl.Session, sources []diag.Source) error {
	var first error
	for _, src := range sources {
		err := s.Script(ctx, src)
		if first = cmp.Or(first, err); err != nil && (!p.keepGoing || ctx.Err() != nil) {
			return err
		}
	}
	err := s.Wait(ctx)
	if err != nil && ctx.Err() == nil {
		s.Report(err)
	}
	return cmp.Or(first, err)
}

// streams are where results and errors go, and who is told of progress. A status line
// needs a terminal, and is taken away while something else is written there.
func (p *program) streams() (out, errs io.Writer, l engine.Listener) {
	switch {
	case p.progress == "json":
		return p.out, p.err, repl.NewJSONProgress(p.err)
	case p.progress == "off" || !onTerminal(p.err):
		return p.out, p.err, nil
	}
	line := repl.NewStatusLine(p.err, repl.Width)
	out = p.out
	if onTerminal(p.out) {
		out = line.Around(p.out)
	}
	return out, line.Around(p.err), line
}

// dryCommand is a command over one script that starts nothing.
func (p *program) dryCommand(name, short string, do func(context.Context, *engine.Engine, diag.Source) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: name + " FILE", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, dir, err := readScript(args[0])
			if err != nil {
				return err
			}
			if src, err = repl.Expand(src, p.vars); err != nil {
				repl.Report(p.err, err)
				return failed(err)
			}
			e, err := p.engine(dir, p.out, nil)
			if err != nil {
				return err
			}
			if err := do(cmd.Context(), e, src); err != nil {
				repl.Report(p.err, err)
				return &exitError{status: exitUsage}
			}
			return failed(e.Close())
		},
	}
	cmd.Flags().VarP(varFlag{&p.vars}, "var", "v", "name=value for ${name} in the script")
	cmd.Flags().BoolVar(&p.batch, "batch", false, "read every source once, as a finite table")
	return cmd
}

func (p *program) check(ctx context.Context, e *engine.Engine, src diag.Source) error {
	return e.Check(ctx, src)
}

// explain prints each query's first line and plan.
func (p *program) explain(ctx context.Context, e *engine.Engine, src diag.Source) error {
	first := true
	return e.ExplainScript(ctx, src, func(sql, plan string) error {
		if !first {
			fmt.Fprintln(p.out)
		}
		first = false
		_, err := fmt.Fprintf(p.out, "-- %s\n%s\n", title(sql), trimEnd(plan))
		return err
	})
}
