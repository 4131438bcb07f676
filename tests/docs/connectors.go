package docs

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/builtin"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

func sources(w *page, r *builtin.Registry) error {
	w.line("Names of options match without regard to case and underscores: `maxFilesPerTrigger` is `max_files_per_trigger`. Options of the [format](formats.md) stand in the same list. Text may hold `${NAME}` (from the environment) and `${file:path}`, which are resolved when the source is opened and are never stored or printed.")
	w.line("")
	w.line("## Every source")
	w.line("")
	w.options(catalog.CommonSpecs())
	for _, name := range r.SourceNames() {
		c, _ := r.Source(name)
		w.heading(c.Name, c.Aliases, c.Doc)
		w.line("%s", pick(c.Replayable, "A range of it can be read again after a crash.", "Its rows cannot be read again: they are kept in the checkpoint."))
		if c.Weights {
			w.line("")
			w.line("It delivers deletions too, with `changelog = true`: a program gives them, or a golden test file.")
		}
		w.line("")
		w.columns("Its columns, if none are declared:", c.Columns)
		w.columns("Metadata columns (`name TYPE METADATA FROM 'name'`):", c.Metadata)
		w.options(c.Options)
	}
	return nil
}

func sinks(w *page, r *builtin.Registry) error {
	w.line("## Sinks and output modes")
	w.line("")
	modes := []sink.Mode{sink.Append, sink.Update, sink.Complete, sink.Changelog}
	w.line("| sink | append | update | complete | changelog | after a crash |")
	w.line("|---|---|---|---|---|---|")
	for _, name := range r.SinkNames() {
		c, _ := r.Sink(name)
		row := "| [" + c.Name + "](#" + c.Name + ") |"
		for _, m := range modes {
			row += " " + pick(c.Modes[m] != "", "yes", "refused") + " |"
		}
		w.line("%s %s |", row, pick(c.Guarantee == sink.ExactlyOnce, "exactly once", "at least once"))
	}
	w.line("")
	w.line("A materialised view holds the current result at a trigger boundary; with EMIT ON WINDOW CLOSE, the rows that are final.")
	w.line("")
	w.line("## Every sink")
	w.line("")
	w.options(catalog.SinkSpecs())
	for _, name := range r.SinkNames() {
		c, _ := r.Sink(name)
		w.heading(c.Name, c.Aliases, c.Doc)
		w.line("| mode | what it does, to earlier output too |")
		w.line("|---|---|")
		for _, m := range modes {
			w.line("| %s | %s |", m, cell(c.Modes[m]+refused(c.Refused[m])))
		}
		w.line("")
		if c.Ephemeral {
			w.line("A query that writes only to sinks of this kind has no checkpoint, unless it names one.")
			w.line("")
		}
		w.options(c.Options)
	}
	return nil
}

func refused(why string) string {
	if why == "" {
		return ""
	}
	return "Refused. " + why
}

func formats(w *page, r *builtin.Registry) error {
	w.line("Files whose names end in `.gz` or `.zst` are decompressed while they are read.")
	w.line("")
	for _, name := range r.FormatNames() {
		f, _ := r.Format(name)
		w.heading(f.Name, f.Aliases, f.Doc)
		if f.MessagesOnly {
			w.line("For messages, as those of a topic; files cannot have this format.")
			w.line("")
		}
		if len(f.Extensions) > 0 {
			w.line("Known by the extensions %s.", codes(f.Extensions))
			w.line("")
		}
		w.columns("Its columns, if none are declared:", f.Columns)
		w.line("Reading:")
		w.line("")
		w.options(f.ReadOptions)
		if f.NewWriter != nil {
			w.line("Writing:")
			w.line("")
			w.options(f.WriteOptions)
		}
	}
	return nil
}

func queryOptions(w *page, _ *builtin.Registry) error {
	w.line("`INSERT INTO sink SELECT … WITH (option = 'value', …)`, and in the same place behind other [continuous queries](statements.md).")
	w.line("")
	w.options(planner.QuerySpecs())
	return nil
}

func (w *page) heading(name string, aliases []string, doc string) {
	w.line("## %s", name)
	w.line("")
	if len(aliases) > 0 {
		doc += " Also written " + codes(aliases) + "."
	}
	w.line("%s", doc)
	w.line("")
}

func (w *page) columns(title string, list []types.Column) {
	if len(list) == 0 {
		return
	}
	w.line("%s", title)
	w.line("")
	for _, c := range list {
		w.line("- `%s` %s", c.Name, c.Type)
	}
	w.line("")
}

func (w *page) options(specs []option.Spec) {
	if len(specs) == 0 {
		w.line("No options.")
		w.line("")
		return
	}
	w.line("| option | type | default | meaning |")
	w.line("|---|---|---|---|")
	for _, s := range specs {
		w.line("| %s | %s | %s | %s |", code(s.Name), optionType(s), defaultOf(s), cell(s.Doc+alsoWritten(s.Aliases)))
	}
	w.line("")
}

func optionType(s option.Spec) string {
	if s.Type == option.Enum {
		return strings.Join(each(s.Values, func(v string) string { return code(v) }), ", ")
	}
	return s.Type.String()
}

func defaultOf(s option.Spec) string {
	switch {
	case s.Required:
		return "required"
	case s.Default == "":
		return ""
	case slices.Contains(s.Values, s.Default), s.Type != option.Text:
		return code(s.Default)
	}
	return code("'" + s.Default + "'")
}

func alsoWritten(aliases []string) string {
	if len(aliases) == 0 {
		return ""
	}
	return " Also `" + strings.Join(aliases, "`, `") + "`."
}

func each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

func pick(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}
