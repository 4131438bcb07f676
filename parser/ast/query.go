package ast

import "github.com/sqlstream/sqlstream/parser/diag"

// Query is a body with the clauses around it.
type Query struct {
	diag.Span
	With     *With
	Body     Body
	OrderBy  []OrderItem
	OrderAll *OrderItem // ORDER BY ALL; Expr is nil
	Limit    Expr       // nil for none and for LIMIT ALL
	Percent  bool       // LIMIT … PERCENT: a share of the rows
	Ties     bool       // FETCH FIRST … WITH TIES
	Offset   Expr
}

// With is the list of common table expressions.
type With struct {
	diag.Span
	Recursive bool
	CTEs      []*CTE
}

// CTE is one common table expression.
type CTE struct {
	diag.Span
	Name         Ident
	Columns      []Ident
	Key          []SelectItem // USING KEY: columns, and aggregates of the others
	Materialized *bool        // nil unless stated
	Query        *Query
}

// Select is one SELECT without set operations.
type Select struct {
	diag.Span
	Hints      []string // the text inside /*+ ... */
	Stream     bool     // SELECT STREAM
	Distinct   bool
	DistinctOn []Expr
	Items      []SelectItem
	From       TableRef // nil without FROM; a comma is a cross Join
	Sample     *Sample  // USING SAMPLE, of the rows of From
	Where      Expr
	GroupBy    *GroupBy
	Having     Expr
	Windows    []NamedWindow
	Qualify    Expr
}

// SelectItem is one item of the select list. Its span is that of the expression
// without the alias. Text is the source text of that span with white space
// folded: the output name of an item that has neither alias nor column name.
type SelectItem struct {
	diag.Span
	Expr    Expr // *Star for a star
	Alias   *Ident
	Aliases []Ident // AS (a, b)
	Text    string
}

// NamedWindow is one definition of the WINDOW clause.
type NamedWindow struct {
	Name   Ident
	Window *Window
}

// GroupBy is GROUP BY ALL or a list.
type GroupBy struct {
	diag.Span
	All      bool
	Distinct bool // each grouping set once
	Items    []GroupItem
}

// GroupKind is the form of a GroupItem.
type GroupKind uint8

// The forms. A GroupTuple has any number of expressions: `a` is a tuple of one,
// `()` the empty one. Rollup and cube have one sub-item per element.
const (
	GroupTuple GroupKind = iota
	GroupRollup
	GroupCube
	GroupSets
)

// GroupItem is an element of GROUP BY.
type GroupItem struct {
	diag.Span
	Kind  GroupKind
	Exprs []Expr      // GroupTuple
	Items []GroupItem // the others
}

// NullOrder is NULLS FIRST or LAST.
type NullOrder uint8

// The null orders; the default is NULL smallest.
const (
	NullOrderDefault NullOrder = iota
	NullsFirst
	NullsLast
)

// OrderItem is one key of ORDER BY.
type OrderItem struct {
	diag.Span
	Expr  Expr
	Desc  bool
	Nulls NullOrder
}

// SetOperator is UNION, INTERSECT or EXCEPT.
type SetOperator uint8

// The set operators; MINUS is EXCEPT.
const (
	Union SetOperator = iota
	Intersect
	Except
)

// String is the operator's keyword.
func (op SetOperator) String() string { return [...]string{"UNION", "INTERSECT", "EXCEPT"}[op] }

// SetOp combines two bodies; INTERSECT binds tighter than the others.
type SetOp struct {
	diag.Span
	Op  SetOperator
	All bool
	SetMatch
	L, R Body
}

// SetMatch says which columns of a set operator's sides belong together; by position, if it
// says nothing.
type SetMatch struct {
	ByName        bool    // BY NAME: those of one name; NULL where only one side has it
	Corresponding bool    // CORRESPONDING: those that both sides have
	By            []Ident // CORRESPONDING BY (…): these, in this order
}

// Values is a list of rows of equal length.
type Values struct {
	diag.Span
	Rows [][]Expr
}

func (*Select) queryBody() {}
func (*SetOp) queryBody()  {}
func (*Values) queryBody() {}
func (*Query) queryBody()  {}

// Alias names a table reference and perhaps its columns.
type Alias struct {
	diag.Span
	Name    Ident
	Columns []Ident
}

// TableName reads a named object.
type TableName struct {
	diag.Span
	Name      Name
	Hints     []string
	AsOf      Expr // FOR SYSTEM_TIME AS OF
	Sample    *Sample
	Watermark *Watermark // stated in the query
	Alias     *Alias
}

// File reads a path or URL; Stream when written FROM STREAM '...'.
type File struct {
	diag.Span
	Path      string
	Stream    bool
	Sample    *Sample
	Watermark *Watermark
	Alias     *Alias
}

// Derived is a query in FROM. VALUES in FROM is a Derived with a Values body.
type Derived struct {
	diag.Span
	Query     *Query
	Lateral   bool
	Sample    *Sample
	Watermark *Watermark
	Alias     *Alias
}

// TableFunc is a function in FROM. UNNEST(x) is the function "unnest" with
// Lateral set; LATERAL VIEW explode(x) is a Join with a lateral TableFunc.
type TableFunc struct {
	diag.Span
	Call       *Call // Args may be TableArg and Descriptor
	Lateral    bool
	Ordinality bool
	AtBatch    *Literal // AT BATCH n
	Watermark  *Watermark
	Alias      *Alias
}

// Sample is TABLESAMPLE, or USING SAMPLE: how many percent of the rows, or how many rows, chosen
// by what they hold and Seed.
type Sample struct {
	diag.Span
	Size *Literal
	Rows bool     // Size is a number of rows
	Seed *Literal // nil = 0
}

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of joins. Semi and anti keep left rows.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin
	SemiJoin
	AntiJoin
	PositionalJoin // the rows of one number of both sides, and those that are left
)

// String is the kind as SQL writes it before JOIN.
func (k JoinKind) String() string {
	return [...]string{"INNER", "LEFT", "RIGHT", "FULL", "CROSS", "SEMI", "ANTI", "POSITIONAL"}[k]
}

// Join combines two table references. Comma marks `a, b`, which is a cross join.
type Join struct {
	diag.Span
	Kind    JoinKind
	Asof    bool
	Natural bool
	Comma   bool
	L, R    TableRef
	On      Expr
	Using   []Ident
	Match   Expr // MATCH_CONDITION
	Nearest *Nearest
}

// Nearest is NEAREST count BY DISTANCE expr: of the right rows, the first ones for each left
// row by the expression.
type Nearest struct {
	diag.Span
	Count      *Literal // nil = 1
	Similarity bool     // the greatest ones
	By         Expr
}

// Watermark is any of
//
//	WATERMARK FOR c AS expr                     Expr set
//	WATERMARK c DELAY '10 minutes'              Delay set
//	WATERMARK expr AS c DELAY '10 minutes'      both set: c is a new column
//
// LATENESS and WITH WATERMARK (c, delay) are the second form.
type Watermark struct {
	diag.Span
	Column Name
	Expr   Expr
	Delay  *Interval
}

func (*TableName) tableRef() {}
func (*File) tableRef()      {}
func (*Derived) tableRef()   {}
func (*TableFunc) tableRef() {}
func (*Join) tableRef()      {}
