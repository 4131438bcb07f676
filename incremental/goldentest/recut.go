package goldentest

import (
	"context"
	"fmt"
)

// recut runs the file with its input cut into other triggers, and compares what the
// queries have given after the last trigger. Files with late rows, clocks, restarts or
// triggers for some queries only are left out: there the cut is part of the meaning.
func (f *File) recut(ctx context.Context, v variant, late bool) error {
	if late || !f.recuttable() {
		return nil
	}
	w, err := newWorld(ctx, v)
	if err != nil {
		return err
	}
	defer w.close()
	if err := f.feedAll(w); err != nil {
		return fmt.Errorf("%s: %w", v.name, err)
	}
	if w.lateRows {
		return nil
	}
	return f.compareFinals(w)
}

// recuttable reports whether only the accumulated input matters to the final results.
func (f *File) recuttable() bool {
	seen, finals := false, false
	for _, b := range f.Blocks {
		switch b.Command {
		case "clock", "restart":
			return false
		case "trigger":
			if b.Args != "" || finals {
				return false
			}
			seen = true
		case "query", "setup":
			if seen {
				return false
			}
		case "final":
			finals = true
		}
	}
	return finals
}

// feedAll runs setup and queries, then all input in the cut of the variant.
func (f *File) feedAll(w *world) error {
	var all []input
	for _, b := range f.Blocks {
		switch b.Command {
		case "setup", "query":
			if _, err := w.run(b); err != nil {
				return err
			}
		case "trigger":
			rows, err := w.blockInputs(b)
			if err != nil {
				return err
			}
			all = append(all, rows...)
		}
	}
	if w.v.cut == oneTrigger {
		_, err := w.trigger(all, nil)
		return err
	}
	for _, r := range all {
		if _, err := w.trigger([]input{r}, nil); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) compareFinals(w *world) error {
	for _, b := range f.Blocks {
		if b.Command != "final" || !b.Checked {
			continue
		}
		got, err := w.final(b)
		if err != nil {
			return err
		}
		if !sameTable(b.Expected, got) {
			return fmt.Errorf("%s:%d: final %s (%s)\nexpected:\n%s\ngot:\n%s", f.Path, b.Line, b.Args, w.v.name,
				indented(join(b.Expected)), indented(join(got)))
		}
	}
	return nil
}

func join(lines []string) string {
	out := ""
	for _, l := range lines {
		out += l + "\n"
	}
	return out
}
