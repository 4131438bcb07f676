package fn

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/vec"
)

// DataError says that a value could not be computed: an overflow, text that is no
// number, a division by zero. The operator adds the expression, the scan the input row.
type DataError struct {
	Func  string // the function or operator as the user knows it: "CAST AS INT", "+"
	Value string // the offending value, cut to a readable length
	Row   int    // row of the batch, −1 = unknown
	Msg   string // what is wrong
	In    string // the expression of the query, as EXPLAIN prints it; "" = not known
	At    string // where the input row is: "in/a.json, row 17"; "" = not known
}

func (e *DataError) Error() string {
	text := e.Func + ": " + e.Msg
	if e.Value != "" {
		text += ": " + e.Value
	}
	if e.In != "" && len(e.In) <= maxShown {
		text += " in " + e.In
	}
	if e.At != "" {
		text += " at " + e.At
	}
	return text
}

// Mismatch is an argument of a type that a function does not take.
type Mismatch struct {
	Arg  int    // from 0
	Want string // "STRING", "number"
	Got  string
}

func (e *Mismatch) Error() string {
	article := "a"
	if strings.ContainsAny(e.Want[:1], "AIO") || strings.HasPrefix(e.Want, "integer") {
		article = "an"
	}
	return fmt.Sprintf("needs %s %s as argument %d, got %s", article, e.Want, e.Arg+1, e.Got)
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
