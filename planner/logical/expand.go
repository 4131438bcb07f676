package logical

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Expand gives each row once for every grouping set. Its schema is that of the input,
// then the keys that some set does not have, NULL where the row's set does not, then
// the id of the set, by which that NULL is told from one of the data.
type Expand struct {
	Input    Node
	Keys     []expr.Node // over the input
	KeyNames []string
	Sets     []GroupingSet
}

// GroupingSet is a set of keys.
type GroupingSet struct {
	// ID has one bit for each key of GROUP BY, the last one lowest, set where the key is
	// not in the set; and above them the number of equal sets before this one.
	ID int64
	In []bool // by key
}

// SetColumn is the name of the column with the id.
const SetColumn = "grouping_id"

// Schema implements Node.
func (x *Expand) Schema() []types.Column {
	out := append([]types.Column(nil), x.Input.Schema()...)
	for i, k := range x.Keys {
		out = append(out, types.Column{Name: x.KeyNames[i], Type: k.Type()})
	}
	return append(out, types.Column{Name: SetColumn, Type: types.Of(types.Int64)})
}

// Children implements Node.
func (x *Expand) Children() []Node { return []Node{x.Input} }

// WithChildren implements Node.
func (x *Expand) WithChildren(k []Node) Node {
	c := *x
	c.Input = k[0]
	return &c
}

// SetText lists the sets by the texts of their keys.
func (x *Expand) SetText(key func(i int) string) string {
	parts := make([]string, len(x.Sets))
	for i, s := range x.Sets {
		var in []string
		for k := range x.Keys {
			if s.In[k] {
				in = append(in, key(k))
			}
		}
		parts[i] = "(" + strings.Join(in, ", ") + ")"
	}
	return strings.Join(parts, ", ")
}

// Describe implements Node.
func (x *Expand) Describe() string {
	return "Expand " + x.SetText(func(i int) string { return x.Keys[i].String() })
}
