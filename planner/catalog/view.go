package catalog

import (
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// View is a named query. It is bound again at each use.
type View struct {
	Name    string
	Columns []string // names that replace the query's; nil = as the query says
	Query   *ast.Query
	Source  *diag.Source // the text that Query's spans point into
	Text    string       // the CREATE statement
}

// MaterializedView is the result of a continuous query, readable at any time as a
// finite table.
type MaterializedView struct {
	Name    string
	Columns []types.Column
	Key     []int // unique key of the rows, nil if unknown
	Text    string
}

// Sink is a declared output.
type Sink struct {
	Name           string
	Connector      string // canonical
	Format         string
	Columns        []types.Column // nil = takes what the query gives
	Key            []int          // PRIMARY KEY, nil = none
	Options        []option.Value // of connector and format, as written
	Partition      []int          // PARTITIONED BY: indexes of Columns
	PartitionNames []string
	Common         SinkOptions
	Text           string
	// Result are the columns of the rows that a memory sink holds, once a query fills it:
	// then it can be read as a table.
	Result []types.Column
}

// SinkOptions are the options that every sink has.
type SinkOptions struct {
	IgnoreDeletes bool   // on_delete = 'ignore': update mode drops removed keys and counts them
	Latest        bool   // on_conflict = 'latest': of rows with the same sink key one wins
	LatestBy      string // conflict_order: the column whose greatest value wins; "" = event time
}

// ObjectName implements Object.
func (v *View) ObjectName() string { return v.Name }

// ObjectKind implements Object.
func (v *View) ObjectKind() ast.Object { return ast.ObjectView }

// ObjectName implements Object.
func (v *MaterializedView) ObjectName() string { return v.Name }

// ObjectKind implements Object.
func (v *MaterializedView) ObjectKind() ast.Object { return ast.ObjectMaterializedView }

// ObjectName implements Object.
func (s *Sink) ObjectName() string { return s.Name }

// ObjectKind implements Object.
func (s *Sink) ObjectKind() ast.Object { return ast.ObjectSink }
