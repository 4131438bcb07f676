package invariant

import (
	"fmt"
	"runtime/debug"
)

// Limit is panicked with where data outgrow what a structure can address and no error can
// be returned. It says what there is too much of.
type Limit string

func (l Limit) Error() string { return string(l) }

// Recovered is the error of what recover gave: a Limit as it is, anything else as an
// internal error with its stack.
func Recovered(r any) error {
	if l, ok := r.(Limit); ok {
		return l
	}
	return fmt.Errorf("internal error: %v\n%s", r, debug.Stack())
}
