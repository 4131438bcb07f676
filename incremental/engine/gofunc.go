package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func errTaken(kind, name string) error { return fmt.Errorf("there is a %s %q already", kind, name) }

// Value are the Go types of arguments and results of functions: BIGINT, DOUBLE, STRING,
// BOOLEAN, BYTES and TIMESTAMP in SQL. Bytes must not be kept or changed.
type Value interface {
	int64 | float64 | string | bool | []byte | time.Time
}

// Function1 makes a scalar function of a Go function of one argument. The result must
// depend on the argument alone. It is NULL where an argument is, without a call; an error
// ends the query, or gives NULL and is counted with SET eval_error = 'null'. doc is a
// sentence for SHOW FUNCTIONS.
func Function1[A, R Value](name, doc string, f func(A) (R, error)) *fn.Scalar {
	a := readerOf[A]()
	return scalar[R](name, doc, []types.Type{typeOf[A]()}, func(args []*vec.Vector, row int) (R, error) {
		return f(a(args[0], row))
	})
}

// Function2 is Function1 for two arguments.
func Function2[A, B, R Value](name, doc string, f func(A, B) (R, error)) *fn.Scalar {
	a, b := readerOf[A](), readerOf[B]()
	return scalar[R](name, doc, []types.Type{typeOf[A](), typeOf[B]()}, func(args []*vec.Vector, row int) (R, error) {
		return f(a(args[0], row), b(args[1], row))
	})
}

// Function3 is Function1 for three arguments.
func Function3[A, B, C, R Value](name, doc string, f func(A, B, C) (R, error)) *fn.Scalar {
	a, b, c := readerOf[A](), readerOf[B](), readerOf[C]()
	return scalar[R](name, doc, []types.Type{typeOf[A](), typeOf[B](), typeOf[C]()}, func(args []*vec.Vector, row int) (R, error) {
		return f(a(args[0], row), b(args[1], row), c(args[2], row))
	})
}

// scalar makes a function of what computes one row.
func scalar[R Value](name, doc string, want []types.Type, row func([]*vec.Vector, int) (R, error)) *fn.Scalar {
	impl := fn.Impl{Args: want, Result: typeOf[R](), Eval: kernelOf(name, row)}
	names := make([]string, len(want))
	for i, t := range want {
		names[i] = strings.ToLower(t.String())
	}
	return &fn.Scalar{Name: name, Group: "Registered", Doc: doc, Syntax: []string{name + "(" + strings.Join(names, ", ") + ")"},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if len(args) != len(want) {
				return fn.Impl{}, fmt.Errorf("takes %d arguments, not %d", len(want), len(args))
			}
			for i, a := range args {
				if _, ok := types.CommonType(a.Type, want[i]); !ok {
					return fn.Impl{}, fmt.Errorf("needs %s as argument %d, got %s", want[i], i+1, a.Type)
				}
			}
			return impl, nil
		}}
}

func kernelOf[R Value](name string, row func([]*vec.Vector, int) (R, error)) fn.Kernel {
	put, t := writerOf[R](), typeOf[R]()
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := vec.NewBuilder(t)
		for i := range rows.Len() {
			r := rows.At(i)
			for out.Len() < r {
				out.AppendNull() // nobody looks at it
			}
			x, err := row(args, r)
			switch {
			case err == nil:
				put(out, x)
			case c.NullOnError:
				c.Errors++
				out.AppendNull()
			default:
				return nil, &fn.DataError{Func: name, Row: r, Msg: err.Error()}
			}
		}
		for out.Len() < rows.N {
			out.AppendNull()
		}
		return out.Take(), nil
	}
}

// typeOf is the SQL type of a Go type.
func typeOf[T Value]() types.Type {
	var zero T
	switch any(zero).(type) {
	case int64:
		return types.Of(types.Int64)
	case float64:
		return types.Of(types.Float64)
	case string:
		return types.Of(types.String)
	case bool:
		return types.Of(types.Bool)
	case []byte:
		return types.Of(types.Bytes)
	}
	return types.Of(types.Timestamp)
}

// readerOf gives what reads a row of a column, chosen once.
func readerOf[T Value]() func(*vec.Vector, int) T {
	var f any
	switch typeOf[T]().Kind {
	case types.Int64:
		f = (*vec.Vector).Int
	case types.Float64:
		f = (*vec.Vector).Float
	case types.String:
		f = (*vec.Vector).Text
	case types.Bool:
		f = (*vec.Vector).IsTrue
	case types.Bytes:
		f = (*vec.Vector).Bytes
	default:
		f = func(v *vec.Vector, row int) time.Time { return time.UnixMicro(v.Int(row)).UTC() }
	}
	return f.(func(*vec.Vector, int) T)
}

// writerOf gives what appends a value to a column, chosen once.
func writerOf[T Value]() func(*vec.Builder, T) {
	var f any
	switch typeOf[T]().Kind {
	case types.Int64:
		f = (*vec.Builder).AppendInt
	case types.Float64:
		f = (*vec.Builder).AppendFloat
	case types.String:
		f = (*vec.Builder).AppendString
	case types.Bool:
		f = (*vec.Builder).AppendBool
	case types.Bytes:
		f = (*vec.Builder).AppendBytes
	default:
		f = func(b *vec.Builder, t time.Time) { b.AppendInt(t.UnixMicro()) }
	}
	return f.(func(*vec.Builder, T))
}
