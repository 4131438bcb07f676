package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/bind"
	"github.com/sqlstream/sqlstream/planner/catalog"
	"github.com/sqlstream/sqlstream/planner/physical"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// planSettings are what the session gives the planner.
func (e *Engine) planSettings(ctx context.Context) planner.Settings {
	paths := map[string]*catalog.Relation{} // a path that a statement names twice is read once
	file := func(path string, stream bool) (*catalog.Relation, error) {
		key := fmt.Sprintf("%v %s", stream, path)
		if r, ok := paths[key]; ok {
			return r, nil
		}
		r, err := e.fileRelation(ctx, path, stream)
		if err == nil {
			paths[key] = r
		}
		return r, err
	}
	set := e.set.get()
	out := planner.Settings{RefuseUnbounded: !set.allowUnbounded, RuleOff: e.opt.RuleOff,
		Run: func(p *physical.Query) ([]*vec.Batch, error) { return e.collect(ctx, p) },
		Settings: bind.Settings{NullOnError: set.nullOnError, Zone: set.zone, RecursionRounds: set.rounds, RecursionRows: set.rows, Batch: e.opt.Batch,
			File:          file,
			Infer:         func(r *catalog.Relation) ([]types.Column, error) { return e.infer(ctx, r) },
			System:        systemRelation,
			SystemNames:   systemNames(),
			TableFunction: e.tableFunction}}
	e.blind.over(&out)
	return out
}

func (e *Engine) plan(ctx context.Context, s ast.Statement) (*physical.Query, error) {
	return planner.Plan(s, e.cat, e.planSettings(ctx))
}

// infer finds the columns of a relation in the data that is there.
func (e *Engine) infer(ctx context.Context, r *catalog.Relation) ([]types.Column, error) {
	c, ok := e.opt.Builtin.Source(r.Connector)
	if !ok || c.Infer == nil {
		return nil, fmt.Errorf("connector %q cannot find columns by itself: declare them", r.Connector)
	}
	options, err := e.resolved(r.Options)
	if err != nil {
		return nil, err
	}
	cols, err := c.Infer(ctx, source.Config{Name: r.Name, Options: options, OnError: r.Common.OnError, Changes: r.Changelog, Zone: e.Zone(),
		Dir: e.opt.Dir, FS: e.files(), Clock: e.opt.Clock, Finite: !r.Streaming})
	var broken *format.FileError
	var row *format.RowError
	if err != nil && !errors.As(err, &broken) && !errors.As(err, &row) {
		err = &UnreachableError{What: fmt.Sprintf("source %q", r.Name), Err: err}
	}
	return cols, err
}

// fileRelation makes a relation of a path in FROM, with inferred columns.
func (e *Engine) fileRelation(ctx context.Context, path string, stream bool) (*catalog.Relation, error) {
	if strings.HasPrefix(path, "kafka://") {
		return e.kafkaRelation(ctx, path)
	}
	if path == "-" || path == "stdin" {
		return e.stdinRelation(ctx, stream)
	}
	if _, err := e.path(path); err != nil {
		return nil, err
	}
	r := &catalog.Relation{Name: e.mask.text(path), Streaming: stream, Connector: "file",
		Options: []option.Value{{Name: "path", Text: path}}}
	format, err := e.formatOf(path)
	if err != nil {
		return nil, err
	}
	r.Format = format
	r.Options = append(r.Options, option.Value{Name: "format", Text: format})
	return r, e.inferInto(ctx, r)
}

// inferInto gives a relation the columns of the data that is there.
func (e *Engine) inferInto(ctx context.Context, r *catalog.Relation) error {
	cols, err := e.infer(ctx, r)
	for _, c := range cols {
		r.Columns = append(r.Columns, catalog.Column{Column: c})
	}
	return err
}

// stdinRelation is 'stdin' or '-' in FROM: JSON if it begins so, else text. It waits for
// the first line.
func (e *Engine) stdinRelation(ctx context.Context, stream bool) (*catalog.Relation, error) {
	begin, err := e.opt.Builtin.Stdin.Peek(ctx)
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	r := &catalog.Relation{Name: "stdin", Streaming: stream, Connector: "stdin", Format: "text"}
	if strings.HasPrefix(strings.TrimLeft(string(begin), " \t\r\n\ufeff"), "{") {
		r.Format = "json"
	}
	r.Options = []option.Value{{Name: "format", Text: r.Format}}
	return r, e.inferInto(ctx, r)
}

// formatOf guesses the format of the files of a path by their names.
func (e *Engine) formatOf(path string) (string, error) {
	if f := e.formatByName(path); f != "" {
		return f, nil
	}
	where, err := e.path(path)
	if err != nil {
		return "", err
	}
	if f := e.formatInDir(where, 3); f != "" {
		return f, nil
	}
	if _, err := e.files().Stat(where); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(path, "*?[{") {
		return "", &UnreachableError{Err: fmt.Errorf("path %q does not exist: if its files come later, declare a source or table with its columns and format = '…'", path)}
	}
	return "", fmt.Errorf("the format of %q is not to be seen from its name or its files: declare a source or table with format = '…'", path)
}

// formatInDir looks at the names of files below a directory.
func (e *Engine) formatInDir(dir string, depth int) string {
	entries, err := e.files().ReadDir(dir)
	if err != nil || depth == 0 {
		return ""
	}
	for _, d := range entries {
		if strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") {
			continue
		}
		f := ""
		if d.IsDir() {
			f = e.formatInDir(filepath.Join(dir, d.Name()), depth-1)
		} else {
			f = e.formatByName(d.Name())
		}
		if f != "" {
			return f
		}
	}
	return ""
}

func (e *Engine) formatByName(path string) string {
	path = vfs.Name(path)
	for _, name := range e.opt.Builtin.FormatNames() {
		f, _ := e.opt.Builtin.Format(name)
		for _, ext := range f.Extensions {
			for _, packed := range []string{"", ".gz", ".zst"} {
				if strings.HasSuffix(strings.ToLower(path), "."+strings.TrimPrefix(ext, ".")+packed) {
					return f.Name
				}
			}
		}
	}
	return ""
}
