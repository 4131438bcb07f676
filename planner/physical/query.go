package physical

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/parser/ast"
	"github.com/sqlstream/sqlstream/parser/diag"
)

// Query is a planned query or statement set.
type Query struct {
	// Name: from WITH (name = …), else the target's; "" for a bare SELECT.
	Name string
	// Outputs has one entry, or one for each INSERT of a statement set. Shared scans are
	// the same node.
	Outputs []*Output
	// Finite: every input is finite; the query runs once, in one trigger.
	Finite     bool
	Trigger    *ast.Trigger // nil = as fast as possible
	Checkpoint string       // WITH (checkpoint = …); "" = not given
	AdoptSink  bool
	Restart    Restart
	// AllowNewState, DropState: restart with a changed query (incremental.md 4.4).
	AllowNewState, DropState bool
	Options                  []option.Value     // the rest of WITH (…), checked
	Zone                     string             // session time zone, part of the checkpoint
	NullOnError              bool               // SET eval_error = 'null'
	TimeDriven               bool               // now() has a frontier: empty triggers may close windows
	Diagnostics              []*diag.Diagnostic // warnings and notes
}

// Restart says what becomes of a query that has ended.
type Restart struct {
	Policy   RestartPolicy
	Attempts int64         // starts in a row without a batch; 0 = any number
	Delay    time.Duration // before the first of them
}

// RestartPolicy is the option restart.
type RestartPolicy string

// The policies; the zero value is RestartNever too.
const (
	RestartNever     RestartPolicy = "no"
	RestartOnFailure RestartPolicy = "on_failure"
	RestartAlways    RestartPolicy = "always"
)

// Nodes lists all nodes of the query, each once, children first.
func (q *Query) Nodes() []Node {
	var out []Node
	seen := map[Node]bool{}
	for _, o := range q.Outputs {
		Walk(o, func(n Node) {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		})
	}
	return out
}

// Scans lists the scans of the query, each once, in a fixed order. Static sides of
// joins are not among them.
func (q *Query) Scans() []*Scan {
	var out []*Scan
	for _, n := range q.Nodes() {
		if s, ok := n.(*Scan); ok {
			out = append(out, s)
		}
	}
	return out
}
