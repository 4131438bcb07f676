package stateful

import "github.com/sqlstream/sqlstream/exec/types"

// Distinct
//
// State: per distinct row its weight; over append-only input the row alone. Stored as
// an aggregate without aggregates.
// +1/−1: a row comes out with +1 when its weight becomes positive, with −1 when it no
// longer is. Emitted at Flush, net per trigger.
// Dropped: rows whose bound column is below the frontier; a row that comes with such
// a value is late. NULL in the bound column is neither.
// Cost: O(1) per row.
// Restart: the rows with their weights, and the bound.

// DistinctConfig describes SELECT DISTINCT and UNION.
type DistinctConfig struct {
	Name     string
	Types    []types.Type // of all columns: they are the key
	Retract  bool
	Bound    int // column that carries the frontier, −1 = none
	Front    int // which frontier of fronts[0] is its
	Keep     bool
	Width    int64 // as in AggregateConfig
	Unlogged bool
}

// NewDistinct returns the operator. It implements Parallel.
func NewDistinct(cfg DistinctConfig) (Operator, error) {
	keys := make([]int, len(cfg.Types))
	for i := range keys {
		keys[i] = i
	}
	return NewAggregate(AggregateConfig{Name: cfg.Name, Keys: keys, KeyTypes: cfg.Types, Retract: cfg.Retract,
		Bound: cfg.Bound, Front: cfg.Front, Keep: cfg.Keep, Width: cfg.Width, Unlogged: cfg.Unlogged})
}
