package fn

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Aggregate is a function of many rows. DISTINCT and FILTER are not its business:
// the operator removes rows before they reach it.
type Aggregate struct {
	Name     string
	Aliases  []string
	Group    string
	Syntax   []string
	Doc      string
	Examples []Example // over VALUES: "sum(x) FROM (VALUES (1), (2)) AS t(x)"
	// Ordered says that the result depends on the order in which rows arrive
	// (first, last, array_agg): the operator is then given them in arrival order.
	Ordered bool
	// Then names a scalar function that the result still goes through, "" = none.
	Then    string
	Resolve func(args []Arg) (AggImpl, error)
}

// AggImpl is an aggregate for fixed argument types.
type AggImpl struct {
	Args   []types.Type // what the arguments are cast to
	Result types.Type
	// New returns an accumulator for many groups. With retract, rows may come with
	// negative weights; without, every weight is positive.
	New func(retract bool) Accumulator
}

// AggRows are rows on their way into an accumulator.
type AggRows struct {
	Args   []*vec.Vector
	Sel    []int32  // rows that count, nil = all
	W      []int64  // weight by row, nil = +1
	Groups []uint32 // group of the i-th row that counts
	// Seq is the arrival number of row 0 (row r has Seq + r); rows of one Add and of
	// successive Adds ascend. Only Ordered aggregates look at it.
	Seq int64
}

// Accumulator holds the state of one aggregate for groups 0 … n−1, in columns: no
// pointers per group. It is used by one goroutine at a time, but for Result: that changes
// nothing, and several goroutines may ask for results as long as none does another thing.
//
// The state of a group is independent of the order of rows (Ordered aggregates
// excepted), and equals the empty state again when every row has been retracted.
type Accumulator interface {
	// Grow makes room for groups 0 … n−1. New groups are empty.
	Grow(n int)
	// Add applies rows, with their weights.
	Add(rows AggRows) error
	// Merge adds the state of src's groups to groups of this accumulator: from[i]
	// into into[i]. src has the same type and is not changed.
	Merge(src Accumulator, from, into []uint32) error
	// Result appends the value of each group to out.
	Result(groups []uint32, out *vec.Builder) error
	// AppendState appends an encoding of the group's whole fixed state to dst. What an
	// EntryAccumulator keeps by value is not part of it.
	AppendState(dst []byte, group uint32) []byte
	// LoadState sets the group from what AppendState wrote, and returns the rest.
	LoadState(src []byte, group uint32) ([]byte, error)
	// Reset empties a group.
	Reset(group uint32)
	// Bytes is the memory held, for the accountant.
	Bytes() int64
}

// EntryAccumulator is an Accumulator whose groups hold many entries (ordered
// multisets, DISTINCT sets); it logs only those that changed.
type EntryAccumulator interface {
	Accumulator
	// DirtyEntries calls put with every entry changed since the last call, as absolute
	// values; val nil = the entry is gone. It forgets them afterwards.
	DirtyEntries(put func(group uint32, sub, val []byte))
	// LoadEntry restores an entry.
	LoadEntry(group uint32, sub, val []byte) error
}

// Owing is an Accumulator that knows its values one by one, and so which of them were
// taken back without having been there.
type Owing interface {
	// Owes reports such a value among those changed since the last DirtyEntries. It is
	// asked when all changes of a trigger are in.
	Owes() bool
}
