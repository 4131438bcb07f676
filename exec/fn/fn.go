// Package fn owns the contract of SQL functions: a function is one value that
// describes itself (names, doc, examples, types) and computes columns. The
// functions themselves live in scalar/ and agg/; exec/builtin lists them. It knows
// vectors and types, but no expressions and no SQL text. Open this file first,
// then aggregate.go, generator.go and window.go; registry.go finds functions by name.
package fn

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Ctx is what an evaluation may know of its surroundings. One worker uses it at a
// time.
type Ctx struct {
	Now         int64          // the trigger's time, µs since 1970
	Zone        *time.Location // session time zone, never nil
	NullOnError bool           // SET eval_error = 'null': a value that cannot be computed is NULL and counted
	Errors      int64          // values turned into NULL so far
	Seed        uint64         // of random() and uuid(), advanced by each use; 0 = seeded by chance at the first use

	// Params are the values of lambda parameters in scope, by parameter number. Only
	// exec/expr touches it.
	Params []*vec.Vector
	// Scratch lends the arrays of short-lived vectors; nil = they are allocated.
	Scratch *Scratch
}

// Rows are the rows of a batch that a kernel must compute. Others may hold
// anything, and must not raise an error.
type Rows struct {
	N   int
	Sel []int32 // nil = all N rows, else ascending row numbers
}

// Len is the number of rows to compute.
func (r Rows) Len() int {
	if r.Sel != nil {
		return len(r.Sel)
	}
	return r.N
}

// At is the i-th row to compute.
func (r Rows) At(i int) int {
	if r.Sel != nil {
		return int(r.Sel[i])
	}
	return i
}

// Kernel computes a column of rows.N rows. The arguments have the types of
// Impl.Args and rows.N rows each, and are flat or constant, never dictionaries: the
// caller computes a function of one dictionary once per entry, and a function of
// constants once. The result is new or shared with an argument; it is never
// written afterwards. Under Propagate the caller adds the NULLs of the arguments to
// the result's own.
type Kernel func(c *Ctx, args []*vec.Vector, rows Rows) (*vec.Vector, error)

// Arg is an argument as the binder sees it.
type Arg struct {
	Type  types.Type
	Name  string      // of the column, if the argument is one, else ""
	Const *vec.Vector // one row, when the argument is a constant; else nil
	// Body returns the type of a lambda's body for given parameter types; nil when
	// the argument is not a lambda. Params is the number of its parameters.
	Params int
	Body   func(params []types.Type) (types.Type, error)
}

// Volatility tells when a function may be evaluated again with another result.
type Volatility uint8

// The volatilities.
const (
	Immutable Volatility = iota // same arguments, same result, always
	Stable                      // one value per trigger: now()
	Volatile                    // another value at each call: random(), uuid()
)

// NullRule tells who treats NULL arguments.
type NullRule uint8

// The NULL rules.
const (
	Propagate NullRule = iota // the result is NULL where an argument is; the kernel never sees that row
	Custom                    // the kernel sees NULLs
)

// Example is an SQL expression and its result as the shell prints it. All are run
// as tests; every function has one with NULL.
type Example struct {
	SQL, Want string
}

// Form tells that a function is evaluated by exec/expr itself, because it computes
// its arguments only on the rows that need them. Its Resolve gives the types alone.
type Form uint8

// The forms.
const (
	Ordinary      Form = iota
	FormCoalesce       // coalesce, nvl, ifnull: the first that is not NULL
	FormIf             // if(condition, then, else)
	FormNvl2           // nvl2(test, then, else)
	FormIsNull         // isnull(x)
	FormIsNotNull      // isnotnull(x)
	FormAnd            // AND
	FormOr             // OR
	FormNot            // NOT
	FormIn             // in(x, a, b, …)
	FormTry            // try(x): NULL where x cannot be computed
	FormTryCast        // casts its argument to Result, NULL where that fails
)

// Scalar is a function of one row.
type Scalar struct {
	Name       string
	Aliases    []string
	Group      string   // heading in the reference: Text, Numeric, Time, …
	Syntax     []string // the forms, "substring(text, start [, length])"; Params reads the names of arguments, and which are lambdas
	Doc        string   // one or more sentences
	Nulls      NullRule
	Volatility Volatility
	Form       Form
	Hidden     bool // an internal name such as "$at": not in the reference
	Check      bool // passes its argument on, or fails: the binder puts it around what it shows alone
	Infinity   Infinity
	Examples   []Example
	// Resolve picks the implementation for the argument types, or says what is
	// wrong (as text that follows the function's name: "needs a STRING as argument 2, got INT").
	Resolve func(args []Arg) (Impl, error)
}

// Impl is a function for fixed argument types.
type Impl struct {
	Args   []types.Type // what the arguments are cast to before Eval
	Result types.Type
	Eval   Kernel
	// EvalLambda replaces Eval for functions with lambda arguments; args are the
	// others, in order.
	EvalLambda func(c *Ctx, args []*vec.Vector, bodies []Lambda, rows Rows) (*vec.Vector, error)
	// Total says that the kernel cannot fail and prefers to compute all rows, NULLs
	// included: the caller then leaves Sel out where most rows count.
	Total bool
	// Safe says that the kernel cannot fail, so that all entries of a dictionary may be
	// computed, used or not. Total implies it.
	Safe bool
	// Volatility, where it is greater than the function's, replaces it: unix_timestamp()
	// without arguments is now.
	Volatility Volatility
	// Monotone lists the arguments in which the result never decreases while the
	// others are constant: watermarks pass through these (incremental.md 1.2).
	Monotone []int
	// MonotoneFixed lists those in which it never decreases if the session zone has a
	// fixed offset from UTC.
	MonotoneFixed []int
}

// Lambda is the body of a lambda argument, ready to run.
type Lambda interface {
	// Apply computes the body for n calls. params are the parameter values, n rows
	// each; the i-th call belongs to row outer[i] of the batch that is being evaluated.
	Apply(c *Ctx, params []*vec.Vector, outer []int32) (*vec.Vector, error)
}
