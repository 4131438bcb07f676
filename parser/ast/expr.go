package ast

import "github.com/sqlstream/sqlstream/parser/diag"

// ColumnRef is a name or dotted path that is not called: a column, a field of a
// struct column, or either with its table in front; the binder decides.
type ColumnRef struct {
	diag.Span
	Parts []Ident
}

// Star is `*` or `t.*` in a select list.
type Star struct {
	diag.Span
	Qualifier []Ident
	X         Expr         // (x).*: the fields of a value; nil = none
	Except    []Name       // columns left out
	Replace   []SelectItem // expressions put in place of the column named by the alias
	Rename    []Renamed
}

// Renamed is one `a AS b` of RENAME.
type Renamed struct {
	From Name
	To   Ident
}

// LiteralKind says how a literal was written.
type LiteralKind uint8

// The kinds of literals. Text is: the digits for numbers (hexadecimal already
// turned into decimal, no underscores, no suffix), the value for strings, the
// raw bytes for LitBytes, the text between the quotes for typed literals,
// "true" or "false" for booleans, "" for NULL.
const (
	LitNull LiteralKind = iota
	LitBool
	LitInt
	LitDecimal
	LitDouble
	LitString
	LitBytes
	LitDate
	LitTime
	LitTimestamp
	LitTimestampNTZ
	LitJSON
	LitUUID
)

// Literal is a constant. Suffix is the upper-case type suffix of a number
// (L BIGINT, S SMALLINT, Y TINYINT, D DOUBLE, F FLOAT, BD DECIMAL) or "".
type Literal struct {
	diag.Span
	Kind   LiteralKind
	Text   string
	Suffix string
}

// Interval is a constant interval: months, days and microseconds add up.
type Interval struct {
	diag.Span
	Months, Days, Micros int64
}

// Unit is a calendar or clock unit.
type Unit uint8

// The units, smallest first.
const (
	Microsecond Unit = iota
	Millisecond
	Second
	Minute
	Hour
	Day
	Week
	Month
	Quarter
	Year
	Decade
	Century
	Millennium
)

// IntervalExpr is `INTERVAL (n) MINUTE`: a computed number of units.
type IntervalExpr struct {
	diag.Span
	Value Expr
	Unit  Unit
}

// Param is `?`, `$1` or `:name`. Name is the name, or the digits; those of a question mark
// are its number, counted from 1 through the statement.
type Param struct {
	diag.Span
	Name string
}

// Unary is an operator before its operand.
type Unary struct {
	diag.Span
	Op UnaryOp
	X  Expr
}

// Binary is an operator between two operands.
type Binary struct {
	diag.Span
	Op   Op
	L, R Expr
}

// Quantified is `L op ANY (R)` or `L op ALL (R)`; R is a *Subquery or an array.
type Quantified struct {
	diag.Span
	Op  Op
	All bool
	L   Expr
	R   Expr
}

// Between is `X [NOT] BETWEEN [SYMMETRIC] Lo AND Hi`.
type Between struct {
	diag.Span
	X, Lo, Hi      Expr
	Not, Symmetric bool
}

// In is `X [NOT] IN (list)` or, when Query is set, `X [NOT] IN (query)`.
type In struct {
	diag.Span
	X     Expr
	Not   bool
	List  []Expr
	Query *Query
	Array Expr // x IN array, without parentheses
}

// Exists is `EXISTS (query)`; NOT EXISTS is a Unary around it.
type Exists struct {
	diag.Span
	Query *Query
}

// LikeOp is the kind of pattern match.
type LikeOp uint8

// The pattern operators. Regex is RLIKE, REGEXP and ~; RegexI is ~*.
const (
	LikePattern LikeOp = iota
	ILikePattern
	SimilarTo
	Regex
	RegexI
)

// Like is `X [NOT] LIKE Pattern [ESCAPE Escape]` and its relatives, or `X [NOT] LIKE
// ANY | ALL (Patterns)`, where NOT belongs to each pattern.
type Like struct {
	diag.Span
	Op      LikeOp
	X       Expr
	Pattern Expr   // nil with Patterns
	Many    []Expr // of ANY or ALL
	All     bool
	Escape  Expr // nil without ESCAPE
	Not     bool
}

// IsWhat is what IS tests for.
type IsWhat uint8

// The IS tests; IS UNKNOWN is IsNull.
const (
	IsNull IsWhat = iota
	IsTrue
	IsFalse
)

// Is is `X IS [NOT] NULL | TRUE | FALSE`. IS DISTINCT FROM is a Binary.
type Is struct {
	diag.Span
	X    Expr
	Not  bool
	What IsWhat
}

// Case is both forms of CASE; Operand and Else may be nil.
type Case struct {
	diag.Span
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is one branch of a Case.
type When struct {
	Cond, Then Expr
}

// Cast is CAST, `::`, and with Try TRY_CAST and SAFE_CAST.
type Cast struct {
	diag.Span
	X    Expr
	Type *TypeName
	Try  bool
}

// NullTreatment is IGNORE NULLS or RESPECT NULLS.
type NullTreatment uint8

// The null treatments; the default is unspecified.
const (
	NullsDefault NullTreatment = iota
	IgnoreNulls
	RespectNulls
)

// Call is a function call of any kind: scalar, aggregate, window. CURRENT_DATE
// and its like are calls without arguments. SQL's keyword forms become plain
// arguments: EXTRACT(HOUR FROM x) is extract('HOUR', x), FLOOR(x TO DAY) is
// floor(x, 'DAY'), TRIM(LEADING c FROM s) is ltrim(s, c), SEPARATOR is a last
// argument, TIMESTAMPDIFF(MINUTE, a, b) is timestampdiff('MINUTE', a, b).
type Call struct {
	diag.Span
	Name        Name
	Args        []Expr
	Named       []NamedArg // f(a => 1), after the positional ones
	Star        bool       // count(*)
	Distinct    bool
	OrderBy     []OrderItem // f(x ORDER BY y) or WITHIN GROUP (ORDER BY y)
	WithinGroup bool
	Nulls       NullTreatment
	Filter      Expr      // FILTER (WHERE ...)
	Returning   *TypeName // JSON_VALUE(... RETURNING T)
	Over        *Window
}

// NamedArg is `name => value`.
type NamedArg struct {
	Name  Ident
	Value Expr
}

// Window is what follows OVER, or a definition of the WINDOW clause. `OVER w`
// has only Base; `OVER (w ROWS ...)` has Base and more.
type Window struct {
	diag.Span
	Base        *Ident
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       *Frame
	Bare        bool // OVER w, without parentheses
}

// FrameUnit is ROWS, RANGE, GROUPS or SESSION.
type FrameUnit uint8

// The frame units.
const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
	FrameSession // SESSION WITH GAP: End.Offset is the gap
)

// FrameExclude is the EXCLUDE clause of a frame.
type FrameExclude uint8

// The exclusions.
const (
	ExcludeNothing FrameExclude = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is the frame of a window; a short form has End = CURRENT ROW.
type Frame struct {
	diag.Span
	Unit       FrameUnit
	Start, End FrameBound
	Exclude    FrameExclude
}

// FrameBoundKind is where a frame starts or ends.
type FrameBoundKind uint8

// The frame bounds, in order.
const (
	UnboundedPreceding FrameBoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// FrameBound is one end of a frame; Offset only for Preceding and Following.
type FrameBound struct {
	Kind   FrameBoundKind
	Offset Expr
}

// Subscript is `X[Index]`.
type Subscript struct {
	diag.Span
	X, Index Expr
}

// Slice is `X[Lo:Hi]`; either end may be nil.
type Slice struct {
	diag.Span
	X, Lo, Hi Expr
}

// Field is `X.Name` where X is not a plain path.
type Field struct {
	diag.Span
	X    Expr
	Name Ident
}

// Array is `ARRAY[...]` or `[...]`.
type Array struct {
	diag.Span
	Elems []Expr
}

// Map is `MAP[k, v, ...]` or `MAP {k: v}`.
type Map struct {
	diag.Span
	Keys, Values []Expr
}

// Struct is `{'a': 1}` or `struct(x AS a)`.
type Struct struct {
	diag.Span
	Fields []StructField
}

// StructField is one field of a Struct; Name is nil where struct() leaves it out.
type StructField struct {
	Name  *Ident
	Value Expr
}

// Row is `(a, b)` or `ROW(a, b)`.
type Row struct {
	diag.Span
	Elems []Expr
}

// Lambda is `x -> body` or `(x, y) -> body`.
type Lambda struct {
	diag.Span
	Params []Ident
	Body   Expr
}

// Subquery is a query used as a value.
type Subquery struct {
	diag.Span
	Query *Query
}

// ArrayQuery is `ARRAY (Query)`: the rows of a query as an array.
type ArrayQuery struct {
	diag.Span
	Query Expr // a Subquery
}

// AtTimeZone is `X AT TIME ZONE Zone`.
type AtTimeZone struct {
	diag.Span
	X, Zone Expr
}

// Place is `#n`, DuckDB's name of the nth column of FROM.
type Place struct {
	diag.Span
	Number string // its digits
}

// Collate is `X COLLATE Name`.
type Collate struct {
	diag.Span
	X    Expr
	Name Ident
}

// Descriptor is `DESCRIPTOR(a, b)` among the arguments of a table function.
type Descriptor struct {
	diag.Span
	Columns []Name
}

// TableArg is `TABLE t [PARTITION BY ...] [ORDER BY ...]` among the arguments of
// a table function; either Table or Query is set.
type TableArg struct {
	diag.Span
	Table       *Name
	Query       *Query
	PartitionBy []Expr
	OrderBy     []OrderItem
}

func (*ColumnRef) exprNode()    {}
func (*Star) exprNode()         {}
func (*Literal) exprNode()      {}
func (*Interval) exprNode()     {}
func (*IntervalExpr) exprNode() {}
func (*Param) exprNode()        {}
func (*Unary) exprNode()        {}
func (*Binary) exprNode()       {}
func (*Quantified) exprNode()   {}
func (*Between) exprNode()      {}
func (*In) exprNode()           {}
func (*Exists) exprNode()       {}
func (*Like) exprNode()         {}
func (*Is) exprNode()           {}
func (*Case) exprNode()         {}
func (*Cast) exprNode()         {}
func (*Call) exprNode()         {}
func (*Subscript) exprNode()    {}
func (*Slice) exprNode()        {}
func (*Field) exprNode()        {}
func (*Array) exprNode()        {}
func (*Map) exprNode()          {}
func (*Struct) exprNode()       {}
func (*Row) exprNode()          {}
func (*Lambda) exprNode()       {}
func (*Subquery) exprNode()     {}
func (*ArrayQuery) exprNode()   {}
func (*AtTimeZone) exprNode()   {}
func (*Collate) exprNode()      {}
func (*Place) exprNode()        {}
func (*Descriptor) exprNode()   {}
func (*TableArg) exprNode()     {}
