package catalog

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// Relation is something that holds rows: a source (Streaming) or a finite table.
// It is read-only once it is in the catalog.
type Relation struct {
	Name      string
	Streaming bool
	Temporary bool
	Made      bool // by the engine, for the refused rows of a source
	// Connector is the canonical name of the connector that reads it. Tables without one
	// hold rows given by INSERT: connector "memory".
	Connector string
	Format    string         // canonical name; "" = the connector needs none
	Columns   []Column       // in declared order
	Options   []option.Value // of connector and format, as written
	Common    Common         // the options that every source has
	Key       []int          // PRIMARY KEY: indexes of Columns, nil = none
	Changelog bool           // rows come with weights
	Op        string         // the column in the data that gives them; "" = none does
	Watermark *Watermark     // nil = none
	Text      string         // the CREATE statement, for SHOW CREATE
	Query     *ast.QueryStmt // CREATE TABLE … AS: run once to fill it; else nil
	Partition []string       // PARTITIONED BY, for writing
	Comment   string
}

// ColumnKind is where the values of a column come from.
type ColumnKind uint8

// The kinds of columns.
const (
	Data      ColumnKind = iota // from the data
	Metadata                    // from the connector: Column.From names which
	Partition                   // from key=value in the path
	Computed                    // from an expression over the columns before it
)

// Column is a declared column of a relation.
type Column struct {
	types.Column
	Kind    ColumnKind
	From    string    // Metadata: the connector's column
	Expr    expr.Node // Computed: over Relation.Columns
	Default expr.Node // what INSERT stores where it leaves the column out; nil = NULL
	NotNull bool
	Comment string
}

// Watermark says which column carries event time, and how late rows may be.
type Watermark struct {
	Column int // index of Relation.Columns
	Delay  types.IntervalValue
}

// IsKey reports a column of the PRIMARY KEY.
func (r *Relation) IsKey(name string) bool {
	for _, i := range r.Key {
		if r.Columns[i].Name == name {
			return true
		}
	}
	return false
}

// Columnar reports what need not be read whole for a range of values: files whose parts
// have statistics, and tables of a database.
func (r *Relation) Columnar() bool {
	if r.Connector != "file" {
		return r.Connector == "postgres"
	}
	for _, o := range r.Options {
		if strings.EqualFold(o.Name, "format") {
			return strings.EqualFold(o.Text, "parquet")
		}
	}
	return false
}

// Inputs are the columns that the connector delivers, with their indexes in Columns.
func (r *Relation) Inputs() (cols []source.Column, at []int) {
	for i, c := range r.Columns {
		if c.Kind == Computed {
			continue
		}
		cols = append(cols, source.Column{Column: c.Column, Metadata: c.From, Partition: c.Kind == Partition})
		at = append(at, i)
	}
	return cols, at
}

// InputKey is the PRIMARY KEY as indexes of Inputs, without what is computed.
func (r *Relation) InputKey() []int {
	_, at := r.Inputs()
	var key []int
	for j, i := range at {
		if slices.Contains(r.Key, i) {
			key = append(key, j)
		}
	}
	return key
}

// Upserts reports that rows replace one another by the PRIMARY KEY.
func (r *Relation) Upserts() bool { return len(r.Key) > 0 && (r.Streaming || r.Changelog) }

// Schema lists names and types of all columns.
func (r *Relation) Schema() []types.Column {
	out := make([]types.Column, len(r.Columns))
	for i, c := range r.Columns {
		out[i] = c.Column
	}
	return out
}

// ObjectName implements Object.
func (r *Relation) ObjectName() string { return r.Name }

// ObjectKind implements Object.
func (r *Relation) ObjectKind() ast.Object {
	if r.Streaming {
		return ast.ObjectSource
	}
	return ast.ObjectTable
}
