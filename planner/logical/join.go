package logical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// JoinKind is what a join keeps.
type JoinKind uint8

// The kinds of joins. Left keeps left rows without a match; semi and anti have the
// left columns only.
const (
	Inner JoinKind = iota
	Left
	Semi
	Anti
)

func (k JoinKind) String() string { return [...]string{"inner", "left", "semi", "anti"}[k] }

// Join joins two relations; R is finite. Rows match when every pair of keys is equal
// and the residual, over left columns then right columns, is true.
type Join struct {
	Kind         JoinKind
	L, R         Node
	LKeys, RKeys []expr.Node // over L, over R
	NullSafe     []bool      // key by key: NULL matches NULL
	Residual     expr.Node   // nil = true
	// NullAware > 0, for Anti: NOT IN over the first NullAware keys, among the right rows
	// that the other keys select.
	NullAware int
	// Single: two matches for one left row are an error.
	Single bool
}

// Schema implements Node.
func (j *Join) Schema() []types.Column {
	out := append([]types.Column(nil), j.L.Schema()...)
	if j.Kind == Semi || j.Kind == Anti {
		return out
	}
	return append(out, j.R.Schema()...)
}

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
