//go:build mutants

package trigger

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/mutant"
)

// crashAt is a place where a test may end the process, by point and batch: "prepared:3".
// Batch −1 is any.
func crashAt(p Point, batch int64) {
	mutant.CrashAt(fmt.Sprintf("%s:%d", p, batch))
	mutant.CrashAt(string(p) + ":-1")
}
