package physical

import (
	"fmt"
	"strings"
)

// Recursive is the least relation that has the rows of input 0, and those that Step makes
// of its rows: Step is a plan of its own, whose Feed 0 gets the rows of the recursion, and
// whose Feed i those of input i.
type Recursive struct {
	Base
	Name   string
	Inputs []Node
	Step   Node
	All    bool // UNION ALL: every way to a row counts
	// Again: when rows of an input are retracted, all is computed again (UNION).
	Again  bool
	Rounds int64 // the most rounds of a trigger
	Rows   int64 // the most rows
}

// Children implements Node.
func (r *Recursive) Children() []Node { return r.Inputs }

// Stateful implements Node.
func (r *Recursive) Stateful() bool { return true }

func (r *Recursive) explain() explained {
	x := explained{summary: r.Name + map[bool]string{true: " union all", false: " union"}[r.All], kept: "rows of " + r.Name + " and of what its step reads: later rows build on them"}
	state := "state: the rows of " + r.Name + ", and of all inputs; never cleaned"
	if r.Again {
		state += fmt.Sprintf("; computed again when rows are retracted, up to %d rows", r.Rows)
	}
	x.details = append(x.details, state)
	var steps []string
	Walk(r.Step, func(n Node) {
		if f, ok := n.(*Feed); ok {
			steps = append(steps, f.name(r.Name))
			return
		}
		steps = append(steps, Summary(n))
	})
	x.details = append(x.details, "step: "+strings.Join(steps, " → "))
	return x
}

// Feed is a leaf of the step of a recursion: rows are given to it.
type Feed struct {
	Base
	Index int // 0 = those of the recursion, else of that input
}

// Children implements Node.
func (f *Feed) Children() []Node { return nil }

func (f *Feed) name(recursion string) string {
	if f.Index == 0 {
		return recursion
	}
	return fmt.Sprintf("input %d", f.Index+1)
}
