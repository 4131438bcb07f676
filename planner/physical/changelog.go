package physical

// Changelog makes rows of the changes of its input, which are only added. Its columns are
// those of the input, then what became of the row.
type Changelog struct {
	Base
	Input Node
	Key   []int // of the input, by which a row that goes and one that comes are an update; nil = none are
}

// Children implements Node.
func (c *Changelog) Children() []Node { return []Node{c.Input} }

// Stateful implements Node: the changes of a trigger are netted.
func (c *Changelog) Stateful() bool { return true }

func (c *Changelog) explain() explained {
	x := explained{details: []string{"state: nothing between triggers"}}
	if c.Key != nil {
		x.summary = "updates by " + keyText(c.Input.Props(), c.Key)
	}
	return x
}
