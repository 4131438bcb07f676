package stateful

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Arrange
//
// State: none beyond that of the operator within; during a trigger, a copy of its rows.
// +1, −1: kept until Flush, then given to the operator within ordered by the whole row,
// ascending, retractions first.
// Late, Dropped: as the operator within says.
// Cost: O(n log n) in the rows of the trigger.
// Restart: as the operator within.

// Arrange makes an operator that goes by the order of arrival independent of the order
// in which the operators below emit: that of their groups in memory, which a restart
// changes. No row may come straight from a scan, for its fate is decided only at Flush.
func Arrange(op Operator, columns []types.Type) Operator {
	if len(columns) == 0 {
		return op
	}
	return &arranged{Operator: op}
}

type arranged struct {
	Operator
	held []*vec.Batch
}

// Step implements Stepper.
func (a *arranged) Step(_ *Trigger, _ int, _ int64, b *vec.Batch, _ Emit) error {
	if b.Rows() > 0 {
		a.held = append(a.held, b.Clone())
	}
	return nil
}

// Flush implements Operator.
func (a *arranged) Flush(t *Trigger, out Emit) error {
	if len(a.held) > 0 {
		if err := a.hand(t, out); err != nil {
			return err
		}
	}
	return a.Operator.Flush(t, out)
}

// hand gives the rows of the trigger on, in their order.
func (a *arranged) hand(t *Trigger, out Emit) error {
	all := vec.ConcatBatches(a.held...)
	a.held = nil
	rows := make([]int32, all.N)
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortFunc(rows, func(x, y int32) int {
		for _, c := range all.Cols {
			if d := vec.Compare(c, int(x), c, int(y)); d != 0 {
				return d
			}
		}
		return int(all.Weight(int(x)) - all.Weight(int(y)))
	})
	for from := 0; from < len(rows); from += vec.BatchSize {
		b := all.Gather(rows[from:min(from+vec.BatchSize, len(rows))])
		if err := a.Operator.Step(t, 0, int64(from), b, out); err != nil {
			return err
		}
	}
	return nil
}
