// Package fn owns the contract of SQL functions: a function is one value that
// describes itself (names, doc, examples, types) and computes columns. The
// functions themselves live in scalar/ and agg/; exec/builtin lists them. It knows
// vectors and types, but no expressions and no SQL text. Open this file first,
// then aggregate.go.
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
}

// Rows are the rows of a batch that a kernel must compute. Others may hold
// anything, and must not raise an error.
type Rows struct {
	N   int
	Sel []int32 // nil = all N rows, else ascending row numbers
}

// Kernel computes a column of rows.N rows. The arguments have the types of
// Impl.Args and rows.N rows each (they may be constant or dictionaries). The result
// is new or shared with an argument; it is never written afterwards.
type Kernel func(c *Ctx, args []*vec.Vector, rows Rows) (*vec.Vector, error)

// Arg is an argument as the binder sees it.
type Arg struct {
	Type  types.Type
	Const *vec.Vector // one row, when the argument is a constant; else nil
	// Body returns the type of a lambda's body for given parameter types; nil when
	// the argument is not a lambda.
	Body func(params []types.Type) (types.Type, error)
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

// Scalar is a function of one row.
type Scalar struct {
	Name       string
	Aliases    []string
	Group      string   // heading in the reference: Text, Numeric, Time, …
	Syntax     []string // "substring(text, start [, length])"
	Doc        string   // one or more sentences
	Nulls      NullRule
	Volatility Volatility
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
	// Monotone lists the arguments in which the result never decreases while the
	// others are constant: watermarks pass through these (incremental.md 1.2).
	Monotone []int
}
