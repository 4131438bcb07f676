package logical

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/types"
)

// Ranking says which number of a row is compared with the limit of a TopN.
type Ranking uint8

// The rankings.
const (
	ByPosition Ranking = iota // row_number
	ByRank                    // rank: 1 + the rows before the first peer
	ByGroup                   // dense_rank: 1 + the groups of peers before
)

func (r Ranking) String() string { return [...]string{"row_number", "rank", "dense_rank"}[r] }

// TopN keeps the first rows of each partition: those whose number is at most Offset +
// Limit, but for the first Offset rows. Rows are ordered by Order, then by the whole row.
type TopN struct {
	Input       Node
	PartitionBy []expr.Node // none = one partition
	Order       []SortKey
	Ranking     Ranking
	Limit       int64 // NoLimit = all
	Offset      int64
	// Rank names a further column with the number of the row; "" = none.
	Rank string
}

// Schema implements Node.
func (t *TopN) Schema() []types.Column { return schemaOf(t) }

func (t *TopN) input() Node { return t.Input }

func (t *TopN) own() []types.Column {
	if t.Rank == "" {
		return nil
	}
	return []types.Column{{Name: t.Rank, Type: types.Of(types.Int64)}}
}

// Children implements Node.
func (t *TopN) Children() []Node { return []Node{t.Input} }

// WithChildren implements Node.
func (t *TopN) WithChildren(k []Node) Node {
	c := *t
	c.Input = k[0]
	return &c
}

// Describe implements Node.
func (t *TopN) Describe() string {
	text := "TopN"
	if t.Ranking != ByPosition {
		text += " " + t.Ranking.String()
	}
	if len(t.PartitionBy) > 0 {
		text += " by (" + exprList(t.PartitionBy) + ")"
	}
	for i, k := range t.Order {
		text += map[bool]string{true: " order by ", false: ", "}[i == 0] + k.String()
	}
	if t.Limit != NoLimit {
		text += fmt.Sprintf(" limit %d", t.Limit)
	}
	if t.Offset > 0 {
		text += fmt.Sprintf(" offset %d", t.Offset)
	}
	if t.Rank != "" {
		text += " with " + t.Rank
	}
	return text
}
