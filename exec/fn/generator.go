package fn

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Generator is a function that makes any number of rows from one: explode, unnest,
// generate_series. The operator op.Unnest runs it.
type Generator struct {
	Name     string
	Aliases  []string
	Group    string
	Syntax   []string
	Doc      string
	Examples []Example // "SELECT * FROM explode(array(1, 2))"
	// Outer keeps a row that generates nothing, with NULLs: explode_outer.
	Outer  bool
	Hidden bool
	// Pairs: two such generators in one select list give every pair of their rows, as in
	// Spark; others stand side by side, as in PostgreSQL and DuckDB.
	Pairs bool
	// FromOnly says that it is a generator in FROM alone: in the select list its name is that
	// of a scalar function.
	FromOnly bool
	// Resolve picks the implementation for the argument types.
	Resolve func(args []Arg) (GenImpl, error)
}

// GenImpl is a generator for fixed argument types.
type GenImpl struct {
	Args    []types.Type   // what the arguments are cast to
	Columns []types.Column // the columns it makes, with their default names
	Eval    func(c *Ctx, args []*vec.Vector, rows Rows) (Generated, error)
}

// Generated is what a generator made for a batch: rows.Len() groups, one for each
// row that was asked for, in order.
type Generated struct {
	Cols []*vec.Vector // GenImpl.Columns, all groups one after another
	// Ends[i] is where the group of the i-th row ends; it begins where the one before
	// ends. A NULL argument usually makes an empty group.
	Ends []uint32
}

// SideBySide runs two generators over the same row: their rows stand beside each other,
// and where one makes fewer, NULLs do. An outer one makes at least one row.
func SideBySide(a, b GenImpl, outerA, outerB bool) GenImpl {
	return GenImpl{
		Args:    slices.Concat(a.Args, b.Args),
		Columns: slices.Concat(a.Columns, b.Columns),
		Eval: func(c *Ctx, args []*vec.Vector, rows Rows) (Generated, error) {
			left, err := a.Eval(c, args[:len(a.Args)], rows)
			if err != nil {
				return Generated{}, err
			}
			right, err := b.Eval(c, args[len(a.Args):], rows)
			if err != nil {
				return Generated{}, err
			}
			return beside(left, right, outerA, outerB), nil
		},
	}
}

func beside(a, b Generated, outerA, outerB bool) Generated {
	var fromA, fromB []int32
	ends := make([]uint32, len(a.Ends))
	startA, startB := uint32(0), uint32(0)
	for i := range ends {
		n := max(a.Ends[i]-startA, b.Ends[i]-startB)
		if n == 0 && (outerA || outerB) {
			n = 1
		}
		for k := range n {
			fromA, fromB = append(fromA, place(startA, a.Ends[i], k)), append(fromB, place(startB, b.Ends[i], k))
		}
		startA, startB = a.Ends[i], b.Ends[i]
		ends[i] = uint32(len(fromA))
	}
	g := Generated{Ends: ends}
	for _, v := range a.Cols {
		g.Cols = append(g.Cols, vec.GatherOuter(v, fromA))
	}
	for _, v := range b.Cols {
		g.Cols = append(g.Cols, vec.GatherOuter(v, fromB))
	}
	return g
}

// place is the k-th element of a group, −1 if it is shorter.
func place(start, end, k uint32) int32 {
	if start+k >= end {
		return -1
	}
	return int32(start + k)
}
