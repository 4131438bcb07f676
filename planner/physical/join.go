package physical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
)

// JoinKind is what a join keeps.
type JoinKind uint8

// The kinds. Output columns are those of the left input, then, except for Semi and Anti,
// those of the right one; Mark has one BOOLEAN column instead.
const (
	Inner JoinKind = iota
	Left           // left rows without a match get NULLs
	Semi           // left rows with a match, once
	Anti           // left rows without one
	Full           // the rows of either side without a match get NULLs
	Mark           // left rows, with whether there is a match
)

func (k JoinKind) String() string {
	return [...]string{"inner", "left", "semi", "anti", "full", "mark"}[k]
}

// Join joins two inputs that change: port 0 is the left one, port 1 the right one.
// Without keys it is a cross join, filtered by the residual.
type Join struct {
	Base
	Kind         JoinKind
	L, R         Node
	Names        [2]string // of the inputs, for messages
	LKeys, RKeys []int     // columns of L, of R; pairwise of one type
	// NullSafe says, key by key, that NULL matches NULL (IS NOT DISTINCT FROM).
	NullSafe []bool
	// Residual is the rest of the ON condition, over left columns then right columns;
	// nil = true. It belongs to the match: what no pair satisfies has no match.
	Residual expr.Node
	// NullAware > 0, for Anti and Mark, is IN over the first NullAware keys, among the
	// right rows that the other keys and the residual select: a row whose comparison with some of them is
	// unknown, and true with none, is dropped (Anti) or marked NULL (Mark).
	NullAware int
	// Single: a left row with more than one match after Flush is an error.
	Single bool
	// Sides are the rules of the left and of the right input.
	Sides [2]JoinSide
	// EmitOnExpiry: both inputs are append-only, and what says that a row has no match
	// (NULL-padded rows, rows of Anti, FALSE and NULL of Mark) is emitted once, when no match
	// can come any more. Otherwise it is emitted at once, and retracted later.
	EmitOnExpiry bool
	// Whole: nothing is late and nothing is forgotten (complete mode, finite queries).
	Whole bool
}

// JoinSide says when a row of one input is late, and how long it is kept.
type JoinSide struct {
	// Keep tells how long a row can meet new rows of the other input; nil = for ever.
	Keep *Retention
	// Late refuses rows; Col and Front are of this input's edge. nil = none.
	Late *Bound
	// Retract: rows of this input can be retracted, so that one is forgotten only if,
	// besides, it is below the frontier of Late and so cannot come again. With Late = nil none
	// is forgotten until the input has ended.
	Retract bool
}

// Retention: a row meets new rows of the other input only while value(Col) + Shift ≥ the
// frontier; a NULL meets none. It is looked at after the trigger's rows, and lets a row
// go together with what else is known of it.
type Retention struct {
	// Col is a PhysInt64 column of the row's own edge; −1 = 0 for every row.
	Col int
	// Front is an index into Props().Frontiers of the other input's edge, or Ended.
	Front int
	Shift int64
}

// Children implements Node.
func (j *Join) Children() []Node { return []Node{j.L, j.R} }

// Stateful implements Node.
func (j *Join) Stateful() bool { return true }
