package fn

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// DataError says that a value could not be computed: an overflow, text that is no
// number, a division by zero. The operator adds where the row came from.
type DataError struct {
	Func  string // the function or operator as the user knows it: "CAST AS INT", "+"
	Value string // the offending value, cut to a readable length
	Row   int    // row of the batch, −1 = unknown
	Msg   string // what is wrong
}

func (e *DataError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %s", e.Func, e.Msg)
	}
	return fmt.Sprintf("%s: %s: %s", e.Func, e.Msg, e.Value)
}

// maxShown bounds the text of a value in an error.
const maxShown = 80

// Quote shows text in an error message.
func Quote(s string) string {
	if len(s) > maxShown {
		return fmt.Sprintf("%.*q… (%d bytes)", maxShown, s[:maxShown], len(s))
	}
	return "'" + s + "'"
}

// Fail reports that row of out cannot be computed: an error, or, if the query wants
// it so, NULL and a count. value is how the message shows what was given.
func (c *Ctx) Fail(out *vec.Vector, row int, fn, value, msg string) error {
	if !c.NullOnError {
		return &DataError{Func: fn, Value: value, Row: row, Msg: msg}
	}
	c.Errors++
	out.SetNull(row)
	return nil
}
