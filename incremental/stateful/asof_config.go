package stateful

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// AsofConfig describes an ASOF join: each left row is joined with one right row of equal
// keys, the nearest one by time. The left input enters at port 0, the right one at port
// 1. Output columns are those of the left input, then those of the right one.
type AsofConfig struct {
	Name  string
	Types [2][]types.Type // of the left and the right input's columns
	// Keys are columns of the left and of the right input, pairwise of one type. NULL
	// matches nothing, unless the key is NullSafe (nil = none is).
	Keys     [2][]int
	NullSafe []bool
	// Time are the columns that are compared, of one type. NULL matches nothing.
	Time [2]int
	// Forward: the first right row not before the left one is taken, instead of the last
	// one not after it. Among right rows of one time the least is taken, column by column; of versions
	// (Void) the greatest.
	Forward bool
	Strict  bool // right rows of the same time do not match
	// Void is a BOOLEAN column of the right input: a row for which it is true stands for none.
	// −1 = none does.
	Void  int
	Outer bool // left rows without a match come out beside NULLs
	// Front is the frontier of Time, as Advance gets those of the input; −1 = none. With
	// one, Time is a PhysInt64 column.
	Front [2]int
	// Late refuses rows of an input below a frontier of the trigger before; nil = none. A row
	// whose Time is below its frontier is refused.
	Late    [2]*JoinLate
	Retract [2]bool // rows may have negative weights
	// EmitOnClose, for a left input without retractions and not Forward: a row is emitted once,
	// when its time is below both frontiers. Otherwise changes are emitted in each trigger.
	EmitOnClose bool
	Unlogged    bool
}

func (c *AsofConfig) check() error {
	switch {
	case len(c.Keys[0]) != len(c.Keys[1]):
		return errors.New("each key is a pair of columns")
	case c.EmitOnClose && (c.Forward || c.Retract[0] || c.Front[0] < 0 || c.Front[1] < 0):
		return errors.New("left rows that never become final cannot be emitted on close")
	}
	return nil
}

// arrange is the shape of the state of one input: by key, in the order of time, the
// nearest right row being the last one that is not behind the left one.
func (c *AsofConfig) arrange(port int) orderedConfig {
	at := c.Time[port]
	return orderedConfig{Name: c.Name, Types: c.Types[port], Partition: c.Keys[port], Lead: -1,
		Order: []OrderColumn{{Col: at, Type: c.Types[port][at], Order: vec.Order{Desc: c.Forward}}}}
}

// timed tells whether the rows of an input are forgotten by their time.
func (c *AsofConfig) timed(port int) bool {
	switch {
	case c.Types[port][c.Time[port]].Phys() != types.PhysInt64 || c.Front[1] < 0:
		return false
	case port == 0 && !c.Retract[0] && !c.EmitOnClose:
		return !c.Forward
	}
	return c.Front[0] >= 0 && (port == 1 || !c.Forward)
}
