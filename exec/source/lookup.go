package source

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// Lookup is a Source of a table of which single rows can be found, as they are when they
// are asked for. Its methods may be called by several goroutines.
type Lookup interface {
	Source
	// Find cuts into splits the rows whose columns cols (of Config.Columns) have the values
	// of one of n keys: key i is row i of the vectors, which have the types of the columns,
	// or wider numbers, and no NULL. Rows of other keys may be among them.
	Find(ctx context.Context, cols []int, keys []*vec.Vector, n int) ([]Split, error)
}
