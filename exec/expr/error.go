package expr

import (
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// DataError says that a value could not be computed while the query ran.
type DataError = fn.DataError

// UnknownFunction says that no function has the name; Resolver's caller adds where
// it was written and what was meant.
type UnknownFunction struct{ Name string }

func (e *UnknownFunction) Error() string { return fmt.Sprintf("unknown function %q", e.Name) }

// ArgumentError says that a function does not take these arguments.
type ArgumentError struct {
	Func string
	Msg  string // "needs a STRING as argument 2, got INT"
}

func (e *ArgumentError) Error() string { return e.Func + " " + e.Msg }

// typeError is a CASE, COALESCE or IN whose parts have no common type.
func typeError(what string, a, b types.Type) error {
	return &ArgumentError{Func: what, Msg: fmt.Sprintf("has no common type for %s and %s", a, b)}
}

// atRow makes a data error name the row of the batch that to gives for its own.
func atRow(err error, to func(row int) int) error {
	var bad *DataError
	if !errors.As(err, &bad) || bad.Row < 0 {
		return err
	}
	moved := *bad
	moved.Row = to(bad.Row)
	return &moved
}
