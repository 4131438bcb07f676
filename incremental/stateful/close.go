package stateful

import "github.com/sqlstream/sqlstream/exec/types"

// Close
//
// State: the integral of the input, row → weight, in buckets by the bound column.
// Stored as an aggregate by all columns without aggregates.
// +1/−1: added to the row's weight. A row whose bound column is below the frontier of
// the trigger before is late.
// Emitted: at Advance, each row whose bound column is below the frontier, once, with
// its weight. NULL in the bound column is final at the end of input only.
// Dropped: what has been emitted.
// Cost: O(1) per row.
// Restart: the rows with their weights, and the bound.

// CloseConfig describes Close(c): append output of a plan whose rows become final.
type CloseConfig struct {
	Name     string
	Types    []types.Type // of all columns
	Bound    int          // the column c
	Front    int          // which frontier of fronts[0] is its
	Width    int64        // as in AggregateConfig
	Unlogged bool
}

// NewClose returns the operator. It implements Parallel.
func NewClose(cfg CloseConfig) (Operator, error) {
	keys := make([]int, len(cfg.Types))
	for i := range keys {
		keys[i] = i
	}
	return NewAggregate(AggregateConfig{Name: cfg.Name, Keys: keys, KeyTypes: cfg.Types, Retract: true, Bound: cfg.Bound,
		Front: cfg.Front, EmitOnClose: true, Width: cfg.Width, Unlogged: cfg.Unlogged, weighted: true})
}
