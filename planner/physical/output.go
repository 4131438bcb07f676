package physical

import (
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/planner/catalog"
)

// Close holds its input back and emits each row once, when it is final: its bound
// column is less than the frontier.
type Close struct {
	Base
	Input Node
	Bound Bound // of the input edge
}

// Children implements Node.
func (c *Close) Children() []Node { return []Node{c.Input} }

// Stateful implements Node.
func (c *Close) Stateful() bool { return true }

// SortKey is one key of an order. Equal rows are ordered by the whole row, ascending.
type SortKey struct {
	Col        int
	Desc       bool
	NullsFirst bool
}

// Materialize keeps its whole input and gives all of it, ordered and cut, in each
// trigger that changed something: complete mode, materialised views, and ORDER BY
// and LIMIT of finite queries.
type Materialize struct {
	Base
	Input  Node
	Order  []SortKey
	Limit  int64 // −1 = none
	Offset int64
}

// Children implements Node.
func (m *Materialize) Children() []Node { return []Node{m.Input} }

// Stateful implements Node.
func (m *Materialize) Stateful() bool { return true }

// TargetKind is where the rows of a query go.
type TargetKind uint8

// The targets.
const (
	ToSink   TargetKind = iota // Output.Sink
	ToView                     // a materialised view: Output.Name; its delta is a changelog
	ToTable                    // INSERT INTO a table, CREATE TABLE AS: Output.Table
	ToClient                   // a bare SELECT: the console, or the caller
)

// Output is the root of a plan.
type Output struct {
	Base
	Input  Node
	Target TargetKind
	Name   string // of the sink, view or table; "" for ToClient
	Sink   *catalog.Sink
	Table  *catalog.Relation
	Mode   sink.Mode
	// Key is the unique key that update mode and upserts go by, in output columns; nil =
	// none known.
	Key []int
	// Ordered: complete mode or a finite query, rows come in the order of ORDER BY.
	Ordered bool
	// Deletes: update mode shows a removed key as a row with weight −1 (keys can vanish).
	Deletes bool
	// Guarantee of the target about re-published batches, for EXPLAIN.
	Guarantee string
	// Why says why the mode was chosen; EXPLAIN and the engine print it.
	Why string
}

// Children implements Node.
func (o *Output) Children() []Node { return []Node{o.Input} }

// OutputColumns are what the sink receives.
func (o *Output) OutputColumns() []types.Column { return o.P.Columns }

func (c *Close) explain() explained {
	pr := c.Input.Props()
	return explained{summary: lateText(pr, &c.Bound), late: lateText(pr, &c.Bound),
		details: []string{"state: every row until it is final; " + cleaned(pr, &c.Bound)}}
}

func (m *Materialize) explain() explained {
	return explained{summary: m.summary(), details: []string{"state: the whole result"}}
}
