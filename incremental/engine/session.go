package engine

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/diag"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// Zone is the session's time zone, in which times are printed.
func (e *Engine) Zone() *time.Location { return e.set.get().zone }

// Masked is a text without its secrets, of the same length: the values of secret options
// and passwords in URLs are stars. What prints texts of statements prints this.
func (e *Engine) Masked(src diag.Source) diag.Source { return e.mask.source(src) }

// SettingNames lists what SET knows.
func (e *Engine) SettingNames() []string { return settingNames() }

// ColumnNames lists the columns of an object as far as they are declared; none for a
// view, which is a query, or for a name that nothing has.
func (e *Engine) ColumnNames(object string) []string {
	o, err := e.cat.Find(object)
	if err != nil {
		return nil
	}
	var out []string
	switch o := o.(type) {
	case *catalog.Relation:
		for _, c := range o.Columns {
			out = append(out, c.Name)
		}
	case *catalog.MaterializedView:
		out = columnNames(o.Columns)
	case *catalog.Sink:
		out = columnNames(o.Columns)
	}
	return out
}

func columnNames(cols []types.Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// FunctionNames lists the functions of every kind.
func (e *Engine) FunctionNames() []string {
	var out []string
	for _, f := range e.cat.Functions.Scalars() {
		if !f.Hidden {
			out = append(out, f.Name)
		}
	}
	for _, f := range e.cat.Functions.Aggregates() {
		out = append(out, f.Name)
	}
	for _, f := range e.cat.Functions.Windows() {
		if _, both := e.cat.Functions.Aggregate(f.Name); !both {
			out = append(out, f.Name)
		}
	}
	for _, f := range e.cat.Functions.Generators() {
		if !f.Hidden {
			out = append(out, f.Name)
		}
	}
	return out
}
