package goldentest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Options of Run.
type Options struct {
	Update bool           // rewrite the expected parts
	Run    *regexp.Regexp // only files whose path matches; nil = all
	Out    io.Writer      // failures and a closing line
}

// Run runs the test files below paths and returns how many failed.
func Run(ctx context.Context, paths []string, o Options) (failed int, err error) {
	files, err := find(paths)
	if err != nil {
		return 0, err
	}
	passed := 0
	for _, path := range files {
		if o.Run != nil && !o.Run.MatchString(path) {
			continue
		}
		if err := RunFile(ctx, path, o.Update); err != nil {
			failed++
			fmt.Fprintf(o.Out, "FAIL %s\n%s\n", path, indented(err.Error()))
			continue
		}
		passed++
	}
	if passed+failed == 0 {
		return 0, fmt.Errorf("no golden test file (*.test) is there")
	}
	fmt.Fprintf(o.Out, "%d passed, %d failed\n", passed, failed)
	return failed, nil
}

func indented(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// find lists the *.test files below paths, sorted.
func find(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".test") || path == p) {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return out, nil
}

// variants lists the ways to run a file, the first as it is written.
func variants() []variant {
	return []variant{
		{name: "as written", workers: 1},
		{name: "restart after every trigger", workers: 1, restart: true},
		{name: "batches of 1 row", workers: 1, rows: 1},
		{name: "batches of 3 rows", workers: 1, rows: 3},
		{name: "4 workers", workers: 4, rows: 1},
		{name: "all input in one trigger", workers: 1, cut: oneTrigger},
		{name: "one row per trigger", workers: 1, cut: rowByRow},
	}
}

// RunFile runs one file in every variant. With update, the expected parts are
// rewritten from the run as written, unless a variant disagrees.
func RunFile(ctx context.Context, path string, update bool) error {
	f, err := ReadFile(path)
	if err != nil {
		return err
	}
	vs := variants()
	first, late, err := f.play(ctx, vs[0])
	if err != nil {
		return err
	}
	if !update {
		if err := f.compare(first, vs[0].name); err != nil {
			return err
		}
	}
	changed := f.replace(first)
	for _, v := range vs[1:] {
		if err := f.variant(ctx, v, late); err != nil {
			return err
		}
	}
	if update && changed {
		return os.WriteFile(path, []byte(f.String()), 0o644)
	}
	return nil
}

// RunWithout runs one file as it is written while the named rewrite rules are left out of
// planning, and compares all but plans: a result must not depend on a rule.
func RunWithout(ctx context.Context, path string, off func(rule string) bool) error {
	f, err := ReadFile(path)
	if err != nil {
		return err
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *Block) bool { return b.Command == "explain" })
	return f.variant(ctx, variant{name: "without rules", workers: 1, off: off}, false)
}

// variant runs the file in another way and compares. late says that the file as written
// has late rows, so that its input cannot be cut differently.
func (f *File) variant(ctx context.Context, v variant, late bool) error {
	if v.cut != asWritten {
		return f.recut(ctx, v, late)
	}
	if v.restart && f.keepsRunning() {
		return nil
	}
	got, _, err := f.play(ctx, v)
	if err != nil {
		return fmt.Errorf("%s: %w", v.name, err)
	}
	return f.compare(got, v.name)
}

// keepsRunning reports whether a query asks not to be restarted.
func (f *File) keepsRunning() bool {
	return slices.ContainsFunc(f.Blocks, func(b *Block) bool {
		_, set := b.arguments()
		return b.Command == "query" && set["restart"] == "no"
	})
}

// play runs every block and returns what each gave.
func (f *File) play(ctx context.Context, v variant) (got [][]string, late bool, err error) {
	w, err := newWorld(ctx, v)
	if err != nil {
		return nil, false, err
	}
	defer w.close()
	for _, b := range f.Blocks {
		out, err := w.run(b)
		if err != nil {
			return nil, false, fmt.Errorf("%s:%d: %s: %w", f.Path, b.Line, b.Command, err)
		}
		got = append(got, out)
	}
	return got, w.lateRows, nil
}

// compare reports the blocks that gave something else than is written.
func (f *File) compare(got [][]string, how string) error {
	var errs []error
	for i, b := range f.Blocks {
		if !b.Checked || same(b, got[i]) {
			continue
		}
		errs = append(errs, fmt.Errorf("%s:%d: %s (%s)\nexpected:\n%s\ngot:\n%s", f.Path, b.Line,
			strings.TrimSpace(b.Command+" "+b.Args), how, indented(strings.Join(b.Expected, "\n")), indented(strings.Join(got[i], "\n"))))
	}
	return errors.Join(errs...)
}

func same(b *Block, got []string) bool {
	if b.Command == "explain" || b.Command == "error" || b.Command == "query" {
		return slices.Equal(b.Expected, got)
	}
	return sameTable(b.Expected, got)
}

// replace sets the expected parts and reports whether any changed.
func (f *File) replace(got [][]string) bool {
	changed := false
	for i, b := range f.Blocks {
		if b.Checked && !same(b, got[i]) {
			b.Expected, changed = got[i], true
		}
	}
	return changed
}
