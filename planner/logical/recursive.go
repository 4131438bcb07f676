package logical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Recursion is what a WITH RECURSIVE query and its references to itself share.
type Recursion struct {
	Name    string
	Columns []types.Column // of the rows that Base and Step give
	Rounds  int64          // the most rounds of a trigger
	Rows    int64          // the most rows
}

// Recursive begins with the rows of Base and adds, round by round, those that Step makes of
// the rows of the round before, until there are none. Where Step is linear, that is the
// least relation that has the rows of Base and those that Step makes of its own.
type Recursive struct {
	Of   *Recursion
	Base Node
	Step Node // reads Of by RecursiveRef
	All  bool // UNION ALL: every way to a row counts
	// Settle, of USING KEY, makes the rows of the recursion of those that Base and Step have
	// given so far: it reads them by a RecursiveRef to Given, and has a row for each key. nil =
	// the rows are what they are.
	Settle Node
}

// Schema implements Node.
func (r *Recursive) Schema() []types.Column {
	if r.Settle != nil {
		return r.Settle.Schema()
	}
	return r.Of.Columns
}

// Children implements Node.
func (r *Recursive) Children() []Node {
	if r.Settle != nil {
		return []Node{r.Base, r.Step, r.Settle}
	}
	return []Node{r.Base, r.Step}
}

// WithChildren implements Node.
func (r *Recursive) WithChildren(k []Node) Node {
	c := *r
	c.Base, c.Step = k[0], k[1]
	if r.Settle != nil {
		c.Settle = k[2]
	}
	return &c
}

// Describe implements Node.
func (r *Recursive) Describe() string {
	text := fmt.Sprintf("Recursive %s %s", r.Of.Name, map[bool]string{true: "union all", false: "union"}[r.All])
	if r.Settle != nil {
		text += " using key"
	}
	return text
}

// RecursionPart is which of the rows of a recursion a reference means.
type RecursionPart uint8

const (
	// LastRound are those that the round before has added; of USING KEY with UNION, the rows
	// of keys whose row changed.
	LastRound RecursionPart = iota
	// AllRounds are all rows so far: recurring.r.
	AllRounds
	// Given are the rows that Base and Step have given, with the number of the round as one
	// more column. Only Settle reads them.
	Given
)

// RecursiveRef stands, within a Step or a Settle, for rows of the recursion.
type RecursiveRef struct {
	Of      *Recursion
	Part    RecursionPart
	Columns []types.Column
}

// Schema implements Node.
func (r *RecursiveRef) Schema() []types.Column { return r.Columns }

// Children implements Node.
func (r *RecursiveRef) Children() []Node { return nil }

// WithChildren implements Node.
func (r *RecursiveRef) WithChildren([]Node) Node { return r }

// Describe implements Node.
func (r *RecursiveRef) Describe() string {
	return [...]string{"Recursion ", "All of recursion ", "Given to recursion "}[r.Part] + r.Of.Name
}

// Feed stands, within a part of a recursion that runs on its own, for rows that are given
// to it: 0 are those of the recursion. Only lower makes it.
type Feed struct {
	Index   int
	Columns []types.Column
	Grows   bool // rows are only added
}

// Schema implements Node.
func (f *Feed) Schema() []types.Column { return f.Columns }

// Children implements Node.
func (f *Feed) Children() []Node { return nil }

// WithChildren implements Node.
func (f *Feed) WithChildren([]Node) Node { return f }

// Describe implements Node.
func (f *Feed) Describe() string { return fmt.Sprintf("Feed %d", f.Index) }
