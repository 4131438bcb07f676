package physical

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
)

// Aggregate groups rows by key columns. Its output is the keys, then one column an
// aggregate.
//
// A group is final once its bound key is less than the frontier of that key on the
// output edge; a row is late when its group was final after the former trigger.
type Aggregate struct {
	Base
	Input Node
	Keys  []int // input columns
	Aggs  []Agg
	// Bound: Col is the index of the bound key in Keys (and of the output), Front the
	// index in the Props().Frontiers of this node. nil = no group is ever final.
	Bound *Bound
	// Panes, when set, says that one key is the start of a pane and that the output has
	// windows made of panes instead.
	Panes *Panes
	// Sessions, when set, says that two keys are the bounds of sessions. Bound is nil then,
	// and Keep has no effect.
	Sessions *Sessions
	// EmitOnClose: a group is emitted once, when it is final. Otherwise its changes are
	// emitted in each trigger.
	EmitOnClose bool
	// Keep: nothing is late and nothing is forgotten (complete mode). Bound is nil then.
	Keep bool
	// Global: there are no keys, and one row exists before any input.
	Global bool
	// Retract: the input has negative weights.
	Retract bool
}

// Agg is one aggregate of an Aggregate.
type Agg struct {
	Name     string
	Impl     fn.AggImpl
	Args     []int // input columns, with the types of Impl.Args
	Filter   int   // BOOLEAN input column: only rows where it is true; −1 = all
	Distinct bool
	Ordered  bool // rows must be given in arrival order
	// Order: the rows of a group are ordered by these input columns first.
	Order []SortKey
	Text  string // "sum(DISTINCT price) FILTER (WHERE ok)"
}

// Panes: key Key of the aggregate holds the start of a pane of Pane µs; the output
// has, for each window that contains a pane with rows, the combination of its panes,
// with the window's start in column Key. Size and Slide are multiples of Pane.
//
// The bound speaks of window starts: a row whose pane lies only in final windows is
// late; one that missed some of its windows is partial.
type Panes struct {
	Key    int
	Window Window
	Pane   int64
}

// Children implements Node.
func (a *Aggregate) Children() []Node { return []Node{a.Input} }

// Stateful implements Node.
func (a *Aggregate) Stateful() bool { return true }

// HasEnd reports that groups become final.
func (a *Aggregate) HasEnd() bool {
	return a.Bound != nil || a.Sessions != nil && a.Sessions.Bound != nil
}

func (a *Aggregate) explain() explained {
	x := explained{summary: a.summary(), details: a.stateText()}
	if a.Sessions != nil {
		x.sessions("state: one entry per open session; ", a.Input.Props(), a.Sessions.Bound, a.EmitOnClose)
		return x
	}
	switch {
	case a.Bound != nil:
		x.late = lateText(&a.P, a.Bound)
	case !a.Global && !a.Keep:
		x.kept = "groups: no group column is bounded by a watermark"
		x.way = a.boundWay()
	}
	return x
}

// boundWay is what makes groups end that never do.
func (a *Aggregate) boundWay() string {
	switch {
	case !a.Windowed():
		return "add a window or another column with a watermark to GROUP BY"
	case !timed(a.Input):
		return "declare a watermark in the source: WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE"
	}
	return "window the column that has the watermark"
}

// Windowed reports that a key is a bound of a window of time.
func (a *Aggregate) Windowed() bool {
	return slices.ContainsFunc(a.Keys, func(k int) bool {
		name := a.Input.Props().Columns[k].Name
		return name == "window_start" || name == "window_end"
	})
}

// timed reports that something below has a frontier.
func timed(root Node) (found bool) {
	Walk(root, func(n Node) { found = found || len(n.Props().Frontiers) > 0 })
	return found
}
