package physical

// Upsert makes changes of the rows of a source with a primary key: each row replaces the
// one of its key, a deletion takes it away. Its columns are those of the input.
type Upsert struct {
	Base
	Input Node
	Keys  []int // columns of the primary key
	// Bound: a row below the frontier is late, whole. nil = nothing is late.
	Bound *Bound
}

// Children implements Node.
func (u *Upsert) Children() []Node { return []Node{u.Input} }

// Stateful implements Node.
func (u *Upsert) Stateful() bool { return true }

func (u *Upsert) explain() explained {
	p := u.Input.Props()
	x := explained{summary: "by " + keyText(p, u.Keys), details: []string{"state: the row of each key; never cleaned: the next row replaces it"},
		kept: "rows by " + keyText(p, u.Keys) + ": a later row replaces one of any age",
		way:  "declare the source with changelog = true and without PRIMARY KEY, if its rows say what they replace"}
	if u.Bound != nil {
		x.late = lateText(p, u.Bound)
	}
	return x
}
