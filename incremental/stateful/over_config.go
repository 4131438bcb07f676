package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// OverConfig describes window functions that share partition and order.
type OverConfig struct {
	Name string
	// Types are those of the input columns: first the Visible ones that go to the output,
	// then what the functions read beside them.
	Types     []types.Type
	Visible   int
	Partition []int
	Order     []OrderColumn
	Funcs     []OverFunc

	Bound int // input column that carries the frontier, −1 = none; rows below it are late
	Front int // which frontier of fronts[0] is its
	// Whole: the bound column is one of the partition: partitions below it are forgotten.
	Whole bool
	// Keep, when set, gives for a frontier what rows must be kept for: rows whose bound
	// column is at least From, and Rows rows before the first one that is at least At. The
	// bound column is the first of the order, ascending.
	Keep func(front int64) OverKeep
	// EmitOnClose: a row is emitted when it is final, and only then. The bound column is the
	// first of the order, ascending; frames end, and by the same offset for all rows. Keep,
	// where rows are forgotten, is of the least bound of the rows that are not final.
	EmitOnClose bool
	Unlogged    bool
}

// OverKeep says which rows later changes can still read.
type OverKeep struct {
	From int64 // of RANGE frames
	At   int64 // no row below is touched any more
	Rows int64 // of ROWS frames, lag: so many rows before At
}

// OverFunc is one function: an aggregate over the frame, or a window function.
type OverFunc struct {
	Agg     *AggregateSpec // nil: Kind
	Kind    fn.WindowKind
	N       int64
	Args    []int // of Kind: the value, and the default of lag and lead
	Steered bool  // the last of Args gives N, row by row; NULL: so is the result
	// Order, of Kind, orders the rows of the frame for this function alone.
	Order       []OrderColumn
	IgnoreNulls bool
	Result      types.Type
	Frame       OverFrame
}

// OverFrame is the frame of a function.
type OverFrame struct {
	Unit       fn.FrameUnit
	Start, End OverBound
	Exclude    fn.Exclusion
}

// OverBound is one end of a frame.
type OverBound struct {
	Kind   fn.BoundKind
	Offset int64 // ROWS, GROUPS
	Limit  int   // RANGE, SESSION: the input column with the order key moved by the offset
	Varies bool  // the offset is not the same for all rows
	By     int   // ROWS, GROUPS that vary: the input column with the offset; where it is NULL the frame is empty
}

func (f *OverFunc) framed() bool { return f.Agg != nil || f.Kind.Framed() || len(f.Order) > 0 }

// offset reports a bound that is moved.
func (b OverBound) offset() bool { return b.Kind == fn.Preceding || b.Kind == fn.Following }

func (c *OverConfig) check() error {
	for _, f := range c.Funcs {
		limits := (f.Frame.Unit == fn.FrameRange || f.Frame.Unit == fn.FrameSession) && (f.Frame.Start.offset() || f.Frame.End.offset())
		if limits && len(c.Order) != 1 {
			return fmt.Errorf("%s: RANGE with an offset or SESSION over %d order columns", c.Name, len(c.Order))
		}
	}
	if c.Bound < 0 && (c.Whole || c.Keep != nil) {
		return fmt.Errorf("%s: rows cannot be forgotten without a watermark", c.Name)
	}
	return nil
}

// lead is the column with which logged keys begin.
func (c *OverConfig) lead() int {
	if c.Whole || c.Keep != nil {
		return c.Bound
	}
	return -1
}

// nullKey is the sort key of a NULL in the first order column.
func (c *OverConfig) nullKey() []byte {
	if len(c.Order) == 0 {
		return nil
	}
	o := c.Order[0]
	return vec.AppendSortKey(nil, vec.Nulls(o.Type, 1), 0, o.Order)
}
