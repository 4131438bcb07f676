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
	Again bool
	// Why tells what makes the step not linear, so that it is computed round by round from the
	// first one on whenever an input changes; "" = its rows are maintained.
	Why string
	// Settle, of USING KEY, is a plan as Step is one: its Feed 0 gets the rows that the
	// recursion has been given, with the number of their round, and it makes those of the
	// result of them. nil = they are these.
	Settle Node
	// Until, of a finite result that is cut without an order, is a plan over Feed 0, the rows of
	// the result: once it gives Enough rows the recursion ends. nil = it goes on to its end.
	Until  Node
	Enough int64
	Rounds int64 // the most rounds of a trigger
	Rows   int64 // the most rows
}

// Children implements Node.
func (r *Recursive) Children() []Node { return r.Inputs }

// Stateful implements Node.
func (r *Recursive) Stateful() bool { return true }

func (r *Recursive) explain() explained {
	form := map[bool]string{true: " union all", false: " union"}[r.All]
	if r.Settle != nil {
		form += " using key"
	}
	x := explained{summary: r.Name + form, kept: "rows of " + r.Name + " and of what its step reads: later rows build on them"}
	state := "state: the rows of " + r.Name + ", and of all inputs; never cleaned"
	if r.Why != "" {
		state += fmt.Sprintf("; computed again when an input changes, since %s, up to %d rows", r.Why, r.Rows)
	} else if r.Again {
		state += fmt.Sprintf("; computed again when rows are retracted, up to %d rows", r.Rows)
	}
	x.details = append(x.details, state)
	if r.Until != nil {
		x.details = append(x.details, fmt.Sprintf("ends with %d rows of the result", r.Enough))
	}
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

// FeedWhole is the Feed of all rows of the recursion: recurring.r.
const FeedWhole = -1

// Feed is a leaf of the step of a recursion: rows are given to it.
type Feed struct {
	Base
	Index int // 0 = those of the recursion, FeedWhole = all of it, else of that input
}

// Children implements Node.
func (f *Feed) Children() []Node { return nil }

func (f *Feed) name(recursion string) string {
	if f.Index == 0 {
		return recursion
	}
	if f.Index == FeedWhole {
		return "recurring." + recursion
	}
	return fmt.Sprintf("input %d", f.Index+1)
}
