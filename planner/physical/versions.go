package physical

// Versions gives all rows of a source with a primary key as they came, none in the place of
// another: its last column tells whether a row is a deletion. It has no state.
type Versions struct {
	Base
	Input Node
}

// Children implements Node.
func (v *Versions) Children() []Node { return []Node{v.Input} }
