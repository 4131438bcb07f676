package physical

import (
	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Kind says how the rows of an edge may change over time.
type Kind uint8

// The kinds, each containing the one before.
const (
	AppendOnly Kind = iota // every weight is positive
	NoDelete               // rows change, but a key that was there stays
	Retract                // anything
)

func (k Kind) String() string { return [...]string{"append", "no-delete", "retract"}[k] }

// Props is what is known of an edge.
type Props struct {
	Columns []types.Column
	Kind    Kind
	// Keys are sets of columns of which no two rows of the integral agree in all; an
	// empty set means at most one row. nil = none known.
	Keys [][]int
	// Frontiers promise, each for one column: every row of every later delta,
	// whatever its weight, has a value of at least the frontier, or NULL. At run time an edge
	// carries one int64 per entry, in this order (µs, days, or the integer itself;
	// stateful.NoFrontier = no promise yet, stateful.EndOfInput = no row comes again).
	Frontiers []Frontier
}

// Frontier is a promise about a column or, with Path, about a field of a struct
// column. Its value after a trigger is the minimum over Rules. Frontiers of a Scan
// have none: the trigger loop supplies the watermark.
type Frontier struct {
	Col   int
	Path  []int
	Rules []FrontierInput
}

// TriggerTime as FrontierInput.Child stands for the time of the trigger in µs,
// instead of a child's frontier: every later row computes now() ≥ this.
const TriggerTime = -1

// Ended as FrontierInput.Front or Retention.Front stands for the end of an input: it is
// NoFrontier until no row can come any more, then EndOfInput.
const Ended = -1

// FrontierInput is one bound that a frontier depends on: Expr over a batch of one
// row, whose column 0 is the child's frontier (typed as the child's column or
// field), plus Shift. A nil Expr takes it as it is. NoFrontier and EndOfInput pass through
// unchanged.
type FrontierInput struct {
	Child int // index into Children(), or TriggerTime
	Front int // index into the child's Props().Frontiers, or Ended
	Expr  expr.Node
	Shift int64
}

// Bound is a column with a frontier on the same edge: rows of it are final once the
// column is less than the frontier, and an arriving row is late when the column is
// less than the frontier of the former trigger. NULL is never final, never late.
// The column is a PhysInt64 one.
type Bound struct {
	Col   int // of the edge: the input for late rules, see the node
	Front int // index into that edge's Props().Frontiers; its Path is empty
}

// FrontierOf finds the frontier of a column or field, −1 if there is none.
func (p *Props) FrontierOf(col int, path ...int) int {
	for i, f := range p.Frontiers {
		if f.Col == col && equalInts(f.Path, path) {
			return i
		}
	}
	return -1
}

// HasKey reports whether some unique key is contained in the columns.
func (p *Props) HasKey(cols []int) bool {
	in := map[int]bool{}
	for _, c := range cols {
		in[c] = true
	}
	for _, key := range p.Keys {
		all := true
		for _, c := range key {
			all = all && in[c]
		}
		if all {
			return true
		}
	}
	return false
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
