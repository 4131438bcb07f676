package expr

import (
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// DataError says that a value could not be computed while the query ran.
type DataError = fn.DataError

// UnknownFunction says that no function has the name; Resolver's caller adds where
// it was written and what was meant.
type UnknownFunction struct{ Name string }

func (e *UnknownFunction) Error() string { return fmt.Sprintf("unknown function %q", e.Name) }

// ArgumentError says that a function does not take these arguments.
type ArgumentError struct {
	Func  string
	Msg   string // "needs a STRING as argument 2, got INT"
	Cause error  // what says more, such as *fn.Mismatch or *Unreadable; or nil
}

// Unwrap gives the cause.
func (e *ArgumentError) Unwrap() error { return e.Cause }

// Refused is the error of a function's Resolve, with its name.
func Refused(name string, err error) *ArgumentError {
	return &ArgumentError{Func: name, Msg: err.Error(), Cause: err}
}

// Unreadable is a constant that has no value of the type that is needed.
type Unreadable struct {
	X  Node
	To types.Type
}

func (e *Unreadable) Error() string { return fmt.Sprintf("cannot read %s as %s", e.X, e.To) }

func (e *ArgumentError) Error() string {
	switch e.Func { // operators that are functions inside
	case "$at":
		return "x[i] " + e.Msg
	case "$slice":
		return "x[from:to] " + e.Msg
	case "$field":
		return "x.field " + e.Msg
	case "$frame_offset":
		return "the offset of a frame " + e.Msg
	}
	return e.Func + " " + e.Msg
}

// typeError is a CASE, COALESCE or IN whose parts have no common type.
func typeError(what string, a, b types.Type) error {
	return &ArgumentError{Func: what, Msg: fmt.Sprintf("has no common type for %s and %s", a, b)}
}

// Blame names, in an error of n over b, the expression and the row of the scan from which
// the row was made; −1 where it was made by an operator that keeps state.
func Blame(err error, n Node, b *vec.Batch) error {
	var bad *DataError
	if !errors.As(err, &bad) || bad.In != "" {
		return err
	}
	return placed(err, func(e *DataError) {
		e.In = n.String()
		switch {
		case b.Fates == nil:
			e.Row = -1
		case b.Origin != nil && e.Row >= 0:
			e.Row = int(b.Origin[e.Row])
		}
	})
}

// Locate adds where the input row of an error is.
func Locate(err error, place func(row int) string) error {
	var bad *DataError
	if place == nil || !errors.As(err, &bad) || bad.In == "" || bad.Row < 0 || bad.At != "" {
		return err
	}
	return placed(err, func(e *DataError) { e.At = place(e.Row) })
}

// placed changes a copy of the data error in err, which may be wrapped.
func placed(err error, change func(*DataError)) error {
	if bad, ok := err.(*DataError); ok {
		moved := *bad
		change(&moved)
		return &moved
	}
	var bad *DataError
	errors.As(err, &bad)
	change(bad)
	return err
}

// AtRow makes a data error name the row of the batch that to gives for its own.
func AtRow(err error, to func(row int) int) error {
	var bad *DataError
	if !errors.As(err, &bad) || bad.Row < 0 {
		return err
	}
	moved := *bad
	moved.Row = to(bad.Row)
	return &moved
}
