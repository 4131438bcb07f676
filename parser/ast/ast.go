// Package ast is the syntax tree of sqlstream's SQL: what was written, with the
// place of every part, and nothing about what it means. It knows no catalog, no
// types beyond their spelling, and no third-party grammar.
//
// Every node embeds a diag.Span and so has Pos(). Nodes are pointers and, once
// the parser returned them, read-only. Open expr.go for expressions, query.go
// for queries and FROM, statement.go for statements. The parser folds dialect
// spellings into one node where they mean the same (x::T is a Cast, EMIT FINAL
// is EmitAppend, VARCHAR is STRING).
package ast

import (
	"strings"

	"github.com/sqlstream/sqlstream/parser/diag"
)

// Node is anything with a place in the text.
type Node interface {
	Pos() diag.Span
}

// Expr is a scalar expression.
type Expr interface {
	Node
	exprNode()
}

// TableRef is something that FROM can read.
type TableRef interface {
	Node
	tableRef()
}

// Body is the part of a query before ORDER BY: *Select, *SetOp, *Values, or a
// parenthesised *Query that has clauses of its own.
type Body interface {
	Node
	queryBody()
}

// Statement is one statement of a script.
type Statement interface {
	Node
	statement()
}

// Ident is one name as written, without its quotes. Names keep their spelling
// and match without regard to case.
type Ident struct {
	diag.Span
	Name   string
	Quoted bool
}

// Is reports whether an identifier equals a name, regardless of case.
func (id Ident) Is(name string) bool { return strings.EqualFold(id.Name, name) }

// ByteOrder reports the name of a collation that compares bytes, as everything here does: of
// PostgreSQL, Spark and SQLite.
func (id Ident) ByteOrder() bool {
	return id.Name == "C" || id.Name == "POSIX" || !id.Quoted && (id.Is("c") || id.Is("posix")) || id.Is("utf8_binary") || id.Is("binary")
}

// Name is a dotted path of at least one identifier.
type Name struct {
	diag.Span
	Parts []Ident
}

// String joins the parts with dots, without quotes.
func (n Name) String() string {
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		parts[i] = p.Name
	}
	return strings.Join(parts, ".")
}

// Last is the final part.
func (n Name) Last() Ident { return n.Parts[len(n.Parts)-1] }

// TypeName is a type as spelled, with aliases already resolved to one name:
//
//	BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL STRING BYTES DATE
//	TIME TIMESTAMP TIMESTAMP_NTZ INTERVAL JSON UUID ARRAY MAP STRUCT
//
// TIMESTAMP is the instant; DATETIME and WITHOUT TIME ZONE give TIMESTAMP_NTZ.
type TypeName struct {
	diag.Span
	Name   string
	Args   []int       // DECIMAL(p,s), STRING(n), BYTES(n), TIME(p), TIMESTAMP(p)
	Elem   *TypeName   // ARRAY element, MAP value
	Key    *TypeName   // MAP key
	Fields []TypeField // STRUCT
}

// TypeField is one field of a STRUCT type.
type TypeField struct {
	diag.Span
	Name    Ident
	Type    *TypeName
	NotNull bool
}
