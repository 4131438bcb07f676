package physical

import "fmt"

// Limit passes the first rows that arrive: LIMIT and OFFSET without ORDER BY over
// append-only input, counted over the whole life of the query.
type Limit struct {
	Base
	Input  Node
	Limit  int64 // −1 = all
	Offset int64 // rows that are left out before
}

// Children implements Node.
func (l *Limit) Children() []Node { return []Node{l.Input} }

// Stateful implements Node.
func (l *Limit) Stateful() bool { return true }

func (l *Limit) explain() explained {
	x := explained{summary: fmt.Sprintf("%d", l.Limit), details: []string{"state: one counter"}}
	if l.Limit < 0 {
		x.summary = "all"
	}
	if l.Offset > 0 {
		x.summary += fmt.Sprintf(" offset %d", l.Offset)
	}
	return x
}
