package physical

// Refresh makes changes of a table that is read again when it has changed: what is new in
// it comes, what is missing goes.
type Refresh struct {
	Base
	Input Node
}

// Children implements Node.
func (r *Refresh) Children() []Node { return []Node{r.Input} }

// Stateful implements Node.
func (r *Refresh) Stateful() bool { return true }

func (r *Refresh) explain() explained {
	return explained{details: []string{"state: the rows of the table as it was read last"}}
}
