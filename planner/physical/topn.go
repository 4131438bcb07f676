package physical

import (
	"fmt"
	"strings"
)

// Ranking says which number of a row is compared with the limit of a TopN.
type Ranking uint8

// The rankings.
const (
	ByPosition Ranking = iota // row_number
	ByRank                    // rank
	ByGroup                   // dense_rank
)

// TopN keeps the first rows of each partition: those whose number is at most Offset +
// Limit, but for the first Offset rows. Rows are ordered by Order, then by the whole row
// ascending. Over append-only input only those rows are state.
type TopN struct {
	Base
	Input     Node
	Partition []int // input columns; none = one partition
	Order     []SortKey
	Ranking   Ranking
	Limit     int64 // −1 = all
	Offset    int64
	// Carry: the output has the number of the row as a further column.
	Carry bool
	// Bound is a partition column; Col and Front are of the input edge. Rows below it are
	// late, and their partitions forgotten. nil = never cleaned.
	Bound *Bound
	// EmitOnClose: a partition is emitted once, when it is final. Otherwise its changes are
	// emitted in each trigger.
	EmitOnClose bool
	// Retract: the input has negative weights.
	Retract bool
	// Keep: nothing is late and nothing is forgotten (complete mode). Bound is nil then.
	Keep bool
}

// Children implements Node.
func (t *TopN) Children() []Node { return []Node{t.Input} }

// Stateful implements Node.
func (t *TopN) Stateful() bool { return true }

func (t *TopN) explain() explained {
	pr := t.Input.Props()
	x := explained{summary: t.summary(), details: []string{"state: " + t.stateText()}}
	switch {
	case t.Bound != nil:
		x.late = lateText(pr, t.Bound)
	case t.Keep:
	case len(t.Partition) > 0:
		x.kept = "partitions: no partition column is bounded by a watermark"
		x.way = "add the window or another column with a watermark to PARTITION BY"
	case t.Limit < 0:
		x.kept, x.way = "rows: without a limit any of them is in the result", "add LIMIT"
	case t.Retract:
		x.kept = "rows: any of them can become one of the first when others are deleted"
		x.way = "add the window or another column with a watermark to PARTITION BY, or read rows that are only added"
	}
	return x
}

func (t *TopN) summary() string {
	pr := t.Input.Props()
	var parts []string
	if t.Ranking != ByPosition {
		parts = append(parts, t.rankName())
	}
	if len(t.Partition) > 0 {
		parts = append(parts, "by "+keyText(pr, t.Partition))
	}
	if len(t.Order) > 0 {
		parts = append(parts, "order by "+orderText(pr, t.Order))
	}
	if t.Limit >= 0 {
		parts = append(parts, fmt.Sprintf("limit %d", t.Limit))
	}
	if t.Offset > 0 {
		parts = append(parts, fmt.Sprintf("offset %d", t.Offset))
	}
	if t.Carry {
		parts = append(parts, "with "+t.P.Columns[len(t.P.Columns)-1].Name)
	}
	return strings.Join(parts, " ")
}

func (t *TopN) rankName() string { return [...]string{"row_number", "rank", "dense_rank"}[t.Ranking] }

// orderText spells sort keys, with the place of NULLs where it is not the usual one.
func orderText(pr *Props, keys []SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = pr.Columns[k.Col].Name
		if k.Desc {
			parts[i] += " DESC"
		}
		if k.NullsFirst == k.Desc {
			parts[i] += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
	}
	return strings.Join(parts, ", ")
}

func (t *TopN) stateText() string {
	text := "all rows"
	if !t.Retract && t.Limit >= 0 {
		text = fmt.Sprintf("the first %d rows", t.Limit+t.Offset)
		if t.Limit+t.Offset == 1 {
			text = "the first row"
		}
		switch t.Ranking {
		case ByRank:
			text += " and their peers"
		case ByGroup:
			text = fmt.Sprintf("the first %d groups of peers", t.Limit+t.Offset)
		}
	}
	if len(t.Partition) > 0 {
		text += " of each partition"
	}
	switch {
	case t.Keep:
		text += "; kept whole"
	case t.Bound == nil && len(t.Partition) == 0 && !t.Retract && t.Limit >= 0:
		text += "; bounded by the limit"
	case len(t.Partition) == 0:
		text += "; never cleaned"
	case t.Bound == nil:
		text += "; never cleaned: no partition column is bounded by a watermark"
	default:
		text += "; " + cleaned(t.Input.Props(), t.Bound)
	}
	if t.EmitOnClose {
		text += "; emits when closed"
	}
	if t.Retract {
		text += "; input can be retracted"
	}
	return text
}
