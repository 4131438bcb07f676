package fn

import (
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
