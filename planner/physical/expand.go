package physical

// Expand gives each row once for every grouping set: the input's columns, then copies
// of some of them, NULL where they are not in the set, then the set's id.
type Expand struct {
	Base
	Input Node
	Cols  []int // input columns that are copied
	Sets  []ExpandSet
	Text  string // "(a, b), (a), ()"
}

// ExpandSet is a grouping set.
type ExpandSet struct {
	ID int64
	In []bool // by copied column: it has its value
}

// Children implements Node.
func (x *Expand) Children() []Node { return []Node{x.Input} }

func (x *Expand) explain() explained { return explained{summary: "by " + x.Text} }
