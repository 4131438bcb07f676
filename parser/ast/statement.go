package ast

import "github.com/sqlstream/sqlstream/parser/diag"

// Option is one `key = value` of a property list, in the order written. Keys
// keep their spelling; a bare word as a value is a string literal.
type Option struct {
	diag.Span
	Key     string
	KeySpan diag.Span
	Value   *Literal
}

// QueryStmt is a query with the clauses of a continuous query behind it. As a
// statement of its own it is a SELECT to the console.
type QueryStmt struct {
	diag.Span
	Query *Query
	Emit  *Emit // nil without any clause
}

// EmitMode is the output mode.
type EmitMode uint8

// The output modes. EMIT ON WINDOW CLOSE, FINAL and AFTER WATERMARK are append;
// EMIT CHANGES and ON UPDATE are update.
const (
	EmitDefault EmitMode = iota
	EmitAppend
	EmitUpdate
	EmitComplete
	EmitChangelog
)

// String is the mode in lower case, "" for the default.
func (m EmitMode) String() string {
	return [...]string{"", "append", "update", "complete", "changelog"}[m]
}

// Emit has the clauses after a continuous query.
type Emit struct {
	diag.Span
	Mode     EmitMode
	ModeSpan diag.Span
	Delay    *Interval // EMIT WITH DELAY
	Trigger  *Trigger
	Options  []Option // WITH (...)
}

// TriggerKind is when triggers run.
type TriggerKind uint8

// The trigger kinds.
const (
	TriggerEvery TriggerKind = iota
	TriggerAvailableNow
	TriggerOnce
	TriggerManual
)

// Trigger is the TRIGGER clause.
type Trigger struct {
	diag.Span
	Kind  TriggerKind
	Every *Interval // TriggerEvery
}

// Definition is what CREATE SOURCE, TABLE and SINK share.
type Definition struct {
	OrReplace    bool
	Temporary    bool
	IfNotExists  bool
	Name         Name
	Columns      []ColumnDef
	Watermarks   []*Watermark // in the list of elements; a column's own is in ColumnDef
	PrimaryKey   []Ident      // of the element; a column's own is in ColumnDef
	Options      []Option     // WITH and OPTIONS, in order
	Comment      *Literal
	PartitionBy  []Ident
	Using        *Ident // USING parquet
	StoredAs     *Ident
	Location     *Literal
	Format       *Ident // FORMAT plain
	Encode       *Ident // ENCODE json
	FormatOption []Option
}

// ColumnDef is one column of a definition.
type ColumnDef struct {
	diag.Span
	Name       Ident
	Type       *TypeName // nil for `name AS expr`
	NotNull    bool
	PrimaryKey bool
	Default    Expr
	Comment    *Literal
	As         Expr // computed
	Stored     bool
	Metadata   *Metadata
	Watermark  *Watermark // WATERMARK DELAY ..., LATENESS ...
}

// Metadata marks a column that the source fills; From is nil for the column's name.
type Metadata struct {
	From    *Literal
	Virtual bool
}

// CreateSource is CREATE SOURCE or CREATE STREAM.
type CreateSource struct {
	diag.Span
	Definition
}

// CreateTable is CREATE TABLE, with As for CREATE TABLE ... AS.
type CreateTable struct {
	diag.Span
	Definition
	External bool
	As       *QueryStmt
}

// CreateSink is CREATE SINK. With From or As it starts to run at once.
type CreateSink struct {
	diag.Span
	Definition
	Into *Name
	From *Name
	As   *QueryStmt
}

// CreateView is CREATE VIEW.
type CreateView struct {
	diag.Span
	OrReplace, Temporary, IfNotExists bool
	Name                              Name
	Columns                           []Ident
	Query                             *Query
}

// CreateMaterializedView is CREATE MATERIALIZED VIEW; Options are those before AS.
type CreateMaterializedView struct {
	diag.Span
	OrReplace, IfNotExists bool
	Name                   Name
	Columns                []Ident
	Options                []Option
	As                     *QueryStmt
}

// Insert is INSERT INTO or OVERWRITE; VALUES is a query with a Values body.
type Insert struct {
	diag.Span
	Overwrite bool
	Table     Name
	Partition []Option
	Columns   []Ident
	ByName    bool // BY NAME: columns go by the names of the query's
	Source    *QueryStmt
}

// StatementSet is EXECUTE STATEMENT SET BEGIN ... END.
type StatementSet struct {
	diag.Span
	Inserts []*Insert
	Emit    *Emit
}

// Explain shows a plan. Mode is ANALYZE, INCREMENTAL, EXTENDED, VERBOSE, LOGICAL,
// PHYSICAL or "". Either Target or Query (the name of a running query) is set.
type Explain struct {
	diag.Span
	Mode    string
	Options []Option // EXPLAIN (FORMAT JSON, VERBOSE); a bare word has the value true
	Target  Statement
	Query   *Name
}

// Object is the kind of a catalog object.
type Object uint8

// The kinds of objects; ObjectAny where none was written.
const (
	ObjectAny Object = iota
	ObjectTable
	ObjectSource
	ObjectSink
	ObjectView
	ObjectMaterializedView
	ObjectFunction
	ObjectQuery
)

// String is the object's keyword, "" for ObjectAny.
func (o Object) String() string {
	return [...]string{"", "TABLE", "SOURCE", "SINK", "VIEW", "MATERIALIZED VIEW", "FUNCTION", "QUERY"}[o]
}

// ShowKind is what SHOW lists.
type ShowKind uint8

// The lists of SHOW.
const (
	ShowTables ShowKind = iota
	ShowSources
	ShowSinks
	ShowViews
	ShowMaterializedViews
	ShowQueries
	ShowFunctions
	ShowSettings
	ShowProgress
	ShowWatermarks
	ShowState
	ShowColumns
	ShowCreate
)

// String is the words after SHOW.
func (k ShowKind) String() string {
	return [...]string{"TABLES", "SOURCES", "SINKS", "VIEWS", "MATERIALIZED VIEWS", "QUERIES", "FUNCTIONS", "SETTINGS",
		"PROGRESS", "WATERMARKS", "STATE", "COLUMNS", "CREATE"}[k]
}

// Show is SHOW. Name is the query after FOR, the table of COLUMNS, or the object
// of CREATE, whose kind is Object.
type Show struct {
	diag.Span
	Kind   ShowKind
	Object Object
	Name   *Name
	Like   *Literal
}

// Describe is DESCRIBE of an object or of a query.
type Describe struct {
	diag.Span
	Extended bool
	Object   Object
	Name     *Name
	Query    *Query
}

// Set is SET key = value; without Value it shows the setting, without Key all.
type Set struct {
	diag.Span
	Key     string
	KeySpan diag.Span
	Value   *Literal
}

// Reset is RESET key; an empty key stands for all.
type Reset struct {
	diag.Span
	Key     string
	KeySpan diag.Span
}

// Drop is DROP.
type Drop struct {
	diag.Span
	Object   Object
	IfExists bool
	Name     Name
	Cascade  bool
}

// QueryAction is what to do with a running query.
type QueryAction uint8

// The actions.
const (
	StartQuery QueryAction = iota
	StopQuery
	PauseQuery
	ResumeQuery
	CancelQuery
	AwaitQuery
)

// String is the action's verb.
func (a QueryAction) String() string {
	return [...]string{"START", "STOP", "PAUSE", "RESUME", "CANCEL", "AWAIT"}[a]
}

// QueryControl is START, STOP, PAUSE, RESUME, CANCEL or AWAIT. Name is nil for
// AWAIT ALL and AWAIT ANY.
type QueryControl struct {
	diag.Span
	Action     QueryAction
	Name       *Name
	Any        bool // AWAIT ANY
	Recompute  bool
	Savepoint  bool
	Checkpoint *Literal  // FROM CHECKPOINT 'path'
	Timeout    *Interval // TIMEOUT '10 seconds'
}

// RunTrigger is RUN TRIGGER [FOR q].
type RunTrigger struct {
	diag.Span
	For *Name
}

// Unsupported is a statement that is known by name and not supported.
type Unsupported struct {
	diag.Span
	What string // "ALTER TABLE"
}

func (*QueryStmt) statement()              {}
func (*CreateSource) statement()           {}
func (*CreateTable) statement()            {}
func (*CreateSink) statement()             {}
func (*CreateView) statement()             {}
func (*CreateMaterializedView) statement() {}
func (*Insert) statement()                 {}
func (*StatementSet) statement()           {}
func (*Explain) statement()                {}
func (*Show) statement()                   {}
func (*Describe) statement()               {}
func (*Set) statement()                    {}
func (*Reset) statement()                  {}
func (*Drop) statement()                   {}
func (*QueryControl) statement()           {}
func (*RunTrigger) statement()             {}
func (*Unsupported) statement()            {}
