// Package op owns the stateless operators: they turn a batch into batches and keep
// nothing between triggers. Each worker has an instance of its own. They know
// expressions and vectors, and neither plans nor state. Open this file first, then
// the operator's own file.
package op

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Op processes one batch at a time.
type Op interface {
	// Process gives what the operator makes of b to emit, in order. Emitted batches share
	// columns with b and are valid during the call of emit; weights, origins and fates
	// go with the rows. Rows that come to nothing are not marked: they stay Filtered.
	Process(c *fn.Ctx, b *vec.Batch, emit func(*vec.Batch) error) error
}
