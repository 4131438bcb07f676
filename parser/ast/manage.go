package ast

import "github.com/sqlstream/sqlstream/parser/diag"

// CreateFunction is CREATE FUNCTION and CREATE MACRO. A scalar function has Body, a table
// function Query, one of another language External.
type CreateFunction struct {
	diag.Span
	OrReplace, Temporary, IfNotExists bool
	Name                              Name
	Params                            []FuncParam
	Returns                           *TypeName
	Table                             bool        // RETURNS TABLE, AS TABLE
	Columns                           []TypeField // of RETURNS TABLE (…)
	Language                          *Ident
	Body                              Expr
	Query                             *Query
	External                          *Literal // AS 'class', AS $$ … $$
}

// FuncParam is a parameter of a function; Type and Default may be nil.
type FuncParam struct {
	diag.Span
	Name    Ident
	Type    *TypeName
	Default Expr
}

// Prepare is PREPARE name [(types)] AS statement.
type Prepare struct {
	diag.Span
	Name      Ident
	Types     []*TypeName
	Statement Statement
}

// Execute is EXECUTE name (args) or USING args, of which some may have names.
type Execute struct {
	diag.Span
	Name  Ident
	Args  []Expr
	Named []NamedArg
}

// Deallocate is DEALLOCATE name; Name is nil for ALL.
type Deallocate struct {
	diag.Span
	Name *Ident
}

// AlterAction is what ALTER does.
type AlterAction uint8

// The actions.
const (
	AlterSet AlterAction = iota
	AlterRename
	AlterSuspend
	AlterResume
	AlterAddColumn
)

// Alter is ALTER object name action.
type Alter struct {
	diag.Span
	Object   Object
	IfExists bool
	Name     Name
	Action   AlterAction
	Options  []Option   // AlterSet
	To       *Ident     // AlterRename
	Column   *ColumnDef // AlterAddColumn
}

// Copy is COPY name TO 'path' and COPY (query) TO 'path'; one of Table and Query is set.
type Copy struct {
	diag.Span
	Table   *Name
	Query   *Query
	Path    *Literal
	Options []Option
}

// Refresh is REFRESH [MATERIALIZED VIEW] name.
type Refresh struct {
	diag.Span
	Name Name
}

func (*CreateFunction) statement() {}
func (*Prepare) statement()        {}
func (*Execute) statement()        {}
func (*Deallocate) statement()     {}
func (*Alter) statement()          {}
func (*Copy) statement()           {}
func (*Refresh) statement()        {}
