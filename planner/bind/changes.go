package bind

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// changes decides whether the rows of a relation are changes: its format is made of
// them, a column says what became of each row, or changelog = true says it.
func (b *Binder) changes(dec option.Decoded, r *catalog.Relation, conn *source.Connector) {
	f, formatted := b.cat.Connectors.Format(r.Format)
	byColumn := formatted && f.Changes == format.ByColumn
	implied := conn.Changes || formatted && f.Changes == format.ByEnvelope || byColumn && dec.Text("op_column") != ""
	mode, span := optionText(r.Options, "mode")
	switch {
	case implied && dec.Has("changelog") && !r.Changelog:
		b.errorf(diag.OptionConflict, dec.Span("changelog"), "changelog = false, but the rows of %q are changes", r.Name).
			WithHint("leave changelog out")
	case r.Changelog && !implied && !byColumn && !conn.Weights:
		what := "connector " + conn.Name
		if formatted {
			what = "format " + f.Name
		}
		b.errorf(diag.OptionConflict, dec.Span("changelog"), "%s delivers no deletions: each row is an insertion", what).
			WithHint("leave changelog out")
	case byColumn && (r.Changelog || implied) && strings.EqualFold(mode, "permissive"):
		b.errorf(diag.OptionConflict, span, "mode = 'permissive' keeps rows that cannot be decoded, but a change must be whole").
			WithHint("on_error = 'divert' keeps such rows in a table")
	}
	r.Changelog = r.Changelog || implied
	if byColumn && r.Changelog {
		r.Op = "op"
		if name := dec.Text("op_column"); name != "" {
			r.Op = name
		}
	}
}

// checkOp refuses an op column that is one of the row: a deletion would differ in it
// from its insertion.
func (b *Binder) checkOp(r *catalog.Relation, span diag.Span) {
	if i := findColumn(r, r.Op); r.Op != "" && i >= 0 && r.Columns[i].Kind != catalog.Computed {
		b.errorf(diag.OptionConflict, span, "column %q says what became of a row, and is no part of it", r.Columns[i].Name).
			WithHint("leave it out of the columns; the rows come with their weights")
	}
}
