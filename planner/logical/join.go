package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// JoinKind is what a join keeps.
type JoinKind uint8

// The kinds of joins. A right join is a left join of swapped sides below a projection;
// a cross join is an inner one without condition.
const (
	Inner JoinKind = iota
	Left           // keeps left rows without a match
	Semi           // left rows with a match, once; left columns only
	Anti           // left rows without one; left columns only
	Full           // keeps the rows of both sides that have no match
	// Mark has the left columns and a BOOLEAN: TRUE for a row with a match, else NULL if
	// the join is NullAware and a comparison was unknown by the rules of IN, else FALSE.
	Mark
)

func (k JoinKind) String() string {
	return [...]string{"inner", "left", "semi", "anti", "full", "mark"}[k]
}

// MarkColumn is the name of the column that a mark join adds.
const MarkColumn = "mark"

// Join joins two relations, each of which may be a stream. Rows match when every pair
// of keys is equal and the residual, over left columns then right columns, is true.
type Join struct {
	Kind         JoinKind
	L, R         Node
	LKeys, RKeys []expr.Node // over L, over R
	NullSafe     []bool      // key by key: NULL matches NULL
	Residual     expr.Node   // nil = true
	// NullAware > 0, for Anti and Mark: IN over the first NullAware keys, among the right
	// rows that the other keys and the residual select.
	NullAware int
	// Single: a left row that has two matches at the end of a trigger is an error (a
	// scalar subquery).
	Single bool
}

// Schema implements Node.
func (j *Join) Schema() []types.Column { return schemaOf(j) }

// Children implements Node.
func (j *Join) Children() []Node { return []Node{j.L, j.R} }

// WithChildren implements Node.
func (j *Join) WithChildren(k []Node) Node {
	c := *j
	c.L, c.R = k[0], k[1]
	return &c
}

// Describe implements Node.
func (j *Join) Describe() string {
	text := "Join " + j.Kind.String() + j.Flags()
	if c := j.Condition(); c != "" {
		text += " on " + c
	}
	return text
}

// Flags are the properties beside the kind.
func (j *Join) Flags() string {
	text := ""
	if j.NullAware > 0 {
		text += " null-aware"
	}
	if j.Single {
		text += " single"
	}
	return text
}

// Condition is the whole ON condition as text.
func (j *Join) Condition() string {
	text := ""
	for i := range j.LKeys {
		if i > 0 {
			text += " AND "
		}
		op := " = "
		if j.NullSafe[i] {
			op = " IS NOT DISTINCT FROM "
		}
		text += j.LKeys[i].String() + op + j.RKeys[i].String()
	}
	if j.Residual != nil {
		if text != "" {
			text += " AND "
		}
		text += j.Residual.String()
	}
	return text
}

// Equality recognises an equality between the two inputs of a join, either way round; width
// is the number of the left one's columns.
func Equality(n expr.Node, width int) (l, r expr.Node, nullSafe, ok bool) {
	c, isCall := n.(*expr.Call)
	if !isCall || len(c.Args) != 2 || c.F.Name != "=" && c.F.Name != "<=>" {
		return nil, nil, false, false
	}
	nullSafe = c.F.Name == "<=>"
	switch a, b := SideOf(c.Args[0], width), SideOf(c.Args[1], width); {
	case a == 1 && b == 2:
		return c.Args[0], c.Args[1], nullSafe, true
	case a == 2 && b == 1:
		return c.Args[1], c.Args[0], nullSafe, true
	}
	return nil, nil, false, false
}

// SideOf tells which columns of a join an expression reads: 1 only left ones, 2 only right
// ones, 0 none, both, or those of a query around.
func SideOf(n expr.Node, width int) int {
	s := 0
	for _, c := range expr.ColumnsOf(n) {
		switch {
		case c >= outerBase:
			return 0
		case c < width:
			s |= 1
		default:
			s |= 2
		}
	}
	return s % 3
}
