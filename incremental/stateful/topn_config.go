package stateful

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Ranking says what is compared with the limit of a TopN.
type Ranking uint8

// The rankings. Peers are rows that are equal by the order columns.
const (
	ByPosition Ranking = iota // row_number: the place among all rows
	ByRank                    // rank: 1 + the rows before the first peer
	ByGroup                   // dense_rank: 1 + the groups of peers before
)

// TopNConfig describes the first rows of each partition: LIMIT and OFFSET with ORDER BY,
// row_number(), rank() or dense_rank() ≤ n, the latest row of each key. Rows are ordered
// by Order, then by the whole row ascending.
type TopNConfig struct {
	Name      string
	Types     []types.Type // of all columns
	Partition []int        // columns; none = one partition
	Order     []OrderColumn
	Ranking   Ranking
	Limit     int64 // −1 = all
	Offset    int64 // rows by position that are left out first; they count for the limit of a rank
	// Carry: the output has the rank as a further BIGINT column.
	Carry   bool
	Retract bool // rows may have negative weights
	// Bound is a partition column: rows below its frontier are late, partitions below are
	// forgotten. −1 = none.
	Bound int
	Front int   // which frontier of fronts[0] is that of the bound
	Width int64 // as in AggregateConfig
	// EmitOnClose: a partition is emitted once, when it is below the frontier.
	EmitOnClose bool
	Unlogged    bool
}

// end is the last rank that counts.
func (c *TopNConfig) end() int64 {
	if c.Limit < 0 || c.Limit > math.MaxInt64-c.Offset {
		return math.MaxInt64
	}
	return c.Offset + c.Limit
}

// arrange is the shape of the state that holds the rows.
func (c *TopNConfig) arrange() orderedConfig {
	return orderedConfig{Name: c.Name, Types: c.Types, Partition: c.Partition, Order: c.Order, Lead: c.Bound}
}
