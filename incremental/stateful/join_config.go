package stateful

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// JoinConfig describes the join of two inputs that change: the left one enters at port
// 0, the right one at port 1. Rows match when every pair of keys is equal and the
// residual is true. Output columns are those of the left input, then, for inner, left and
// full joins, those of the right one; a mark join has one BOOLEAN column instead.
type JoinConfig struct {
	Name  string
	Kind  JoinKind
	Types [2][]types.Type // of the left and the right input's columns
	// Keys are columns of the left and of the right input, pairwise of KeyTypes. Without
	// keys every pair of rows is tested: a cross join.
	Keys     [2][]int
	KeyTypes []types.Type
	NullSafe []bool // by key: NULL matches NULL; nil = nowhere
	// Residual is the rest of the ON condition, over left columns, then right ones; nil =
	// true. It is a part of the match: a row that no pair satisfies has no match.
	Residual expr.Node
	// NullAware > 0, for anti and mark joins, is IN over the first NullAware keys, among
	// the right rows that the other keys and the residual select. A row that equals none of
	// them, but is not known to differ from all, is dropped (anti) or marked NULL (mark).
	NullAware int
	// Single: a left row with more than one match when the trigger ends is an error.
	Single bool
	Sides  [2]JoinSide
	// EmitOnExpiry, for inputs without retractions and with Keep: what says that a row has no
	// match (NULL-padded rows, the rows of an anti join, FALSE and NULL of a mark join) is
	// emitted once, when the row can meet no match any more. Otherwise it is emitted by the
	// trigger that brings the row, and retracted by the one that brings a match.
	EmitOnExpiry bool
	Unlogged     bool
}

// JoinSide says when a row of one input is late, and how long it is kept.
type JoinSide struct {
	// Keep tells how long a row can meet new rows of the other input; nil = for ever.
	Keep *JoinKeep
	// Late refuses rows whose time is below the frontier of the trigger before; nil = none.
	Late *JoinLate
	// Retract: rows of this input can be retracted. One is then forgotten only if it is,
	// besides, below the frontier of Late and so cannot come again; without Late when the
	// input has ended.
	Retract bool
}

// JoinKeep keeps a row while the value of Col + Shift is not below a frontier of the
// other input. A NULL meets no row of it.
type JoinKeep struct {
	Col   int // PhysInt64 column of the row's own input; −1 = 0 for every row
	Front int // into the other input's frontiers, as Advance gets them
	Shift int64
}

// JoinLate is the column and the frontier by which rows of an input are late.
type JoinLate struct {
	Col   int // PhysInt64
	Front int // into the input's own frontiers, as Advance gets them
}

// Advance of a join wants one frontier more of each input than the plan lists for that
// edge: the last one is its end, NoFrontier until no row can come any more, then
// EndOfInput.

func (k JoinKind) exists() bool { return k == SemiJoin || k == AntiJoin || k == MarkJoin }

func (c *JoinConfig) check() error {
	switch {
	case len(c.Keys[0]) != len(c.KeyTypes) || len(c.Keys[1]) != len(c.KeyTypes):
		return errors.New("each key is a pair of columns")
	case c.NullAware > 0 && c.Kind != AntiJoin && c.Kind != MarkJoin:
		return errors.New("IN with the rules of NULL is an anti or mark join")
	case c.NullAware > len(c.KeyTypes):
		return errors.New("IN compares keys")
	case c.Single && c.Kind != LeftJoin && c.Kind != InnerJoin:
		return errors.New("a subquery used as a value is a left or inner join")
	case c.EmitOnExpiry && (c.Sides[0].Retract || c.Sides[1].Retract):
		return errors.New("rows without a match cannot wait for their end: the input has retractions")
	}
	for k := range c.NullAware {
		if c.nullSafe(k) {
			return errors.New("IN compares under the rules of NULL")
		}
	}
	return nil
}

func (c *JoinConfig) nullSafe(key int) bool { return c.NullSafe != nil && c.NullSafe[key] }
