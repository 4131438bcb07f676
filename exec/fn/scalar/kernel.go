package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// The types that signatures are made of.
var (
	null      = types.Of(types.Null)
	boolean   = types.Of(types.Bool)
	tinyint   = types.Of(types.Int8)
	integer   = types.Of(types.Int32)
	bigint    = types.Of(types.Int64)
	float     = types.Of(types.Float32)
	double    = types.Of(types.Float64)
	text      = types.Of(types.String)
	blob      = types.Of(types.Bytes)
	date      = types.Of(types.Date)
	timestamp = types.Of(types.Timestamp)
	ntz       = types.Of(types.TimestampNTZ)
	interval  = types.Of(types.Interval)
	timeOfDay = types.Of(types.Time)
	document  = types.Of(types.JSON)
)

// resolver is the type of fn.Scalar's Resolve.
type resolver = func(args []fn.Arg) (fn.Impl, error)

// fixed resolves a function of fixed argument types.
func fixed(result types.Type, eval fn.Kernel, args ...types.Type) resolver {
	return optional(len(args), result, eval, args...)
}

// optional resolves a function whose arguments from least on may be left out.
func optional(least int, result types.Type, eval fn.Kernel, want ...types.Type) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, least, len(want)); err != nil {
			return fn.Impl{}, err
		}
		if err := matches(args, want); err != nil {
			return fn.Impl{}, err
		}
		return fn.Impl{Args: want[:len(args):len(args)], Result: result, Eval: eval}, nil
	}
}

// arity checks the number of arguments; most < 0 = any.
func arity(args []fn.Arg, least, most int) error {
	n := len(args)
	if n >= least && (most < 0 || n <= most) {
		return nil
	}
	want := fmt.Sprint(least)
	switch {
	case most < 0:
		want = fmt.Sprintf("at least %d", least)
	case most == least+1:
		want = fmt.Sprintf("%d or %d", least, most)
	case most != least:
		want = fmt.Sprintf("%d to %d", least, most)
	}
	noun := "arguments"
	if want == "1" || want == "at least 1" {
		noun = "argument"
	}
	return fmt.Errorf("takes %s %s, got %d", want, noun, n)
}

// firstArg checks the number of arguments and reads the first of them.
func firstArg(args []fn.Arg, least, most int, read func([]fn.Arg, int) (types.Type, error)) (types.Type, error) {
	if err := arity(args, least, most); err != nil {
		return types.Type{}, err
	}
	return read(args, 0)
}

// numberArg is the type of a number; a text is taken as DOUBLE.
func numberArg(args []fn.Arg, i int) (types.Type, error) {
	t := args[i].Type
	if t.Kind == types.String || t.Kind == types.Null {
		t = double
	}
	if !t.IsNumeric() {
		return t, mismatch(args, i, "number")
	}
	return t, nil
}

// matches checks that arguments can stand for the wanted types. Where a DATE is
// wanted a timestamp gives its date, as in Spark.
func matches(args []fn.Arg, want []types.Type) error {
	for i, a := range args {
		dated := want[i].Kind == types.Date && a.Type.IsTime()
		if !dated && !types.CanCoerce(a.Type, want[i]) || a.Body != nil {
			return mismatch(args, i, want[i].String())
		}
	}
	return nil
}

// mismatch says what argument i should be.
func mismatch(args []fn.Arg, i int, want string) error {
	got := args[i].Type.String()
	if args[i].Body != nil {
		got = "a lambda"
	}
	return &fn.Mismatch{Arg: i, Want: want, Got: got}
}

// argTypes lists the types of arguments as they are.
func argTypes(args []fn.Arg) []types.Type {
	ts := make([]types.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type
	}
	return ts
}

// same repeats a type.
func same(t types.Type, n int) []types.Type {
	ts := make([]types.Type, n)
	for i := range ts {
		ts[i] = t
	}
	return ts
}

// common is the type that all arguments from i on can have.
func common(args []fn.Arg, from int) (types.Type, error) {
	t := args[from].Type
	for i := from + 1; i < len(args); i++ {
		c, ok := types.CommonType(t, args[i].Type)
		if !ok {
			return t, fmt.Errorf("has no common type for %s and %s", t, args[i].Type)
		}
		t = c
	}
	return t, nil
}

// ordered refuses a type whose values have no order.
func ordered(t types.Type) error {
	if t.Ordered() {
		return nil
	}
	return fmt.Errorf("cannot order values of %s: a MAP and JSON have no order", t)
}

// constText is the value of a constant text argument; ok false when it is not
// constant or NULL.
func constText(args []fn.Arg, i int) (string, bool) {
	if i >= len(args) || args[i].Const == nil || args[i].Type.Kind != types.String || args[i].Const.IsNull(0) {
		return "", false
	}
	return args[i].Const.Text(0), true
}

// each calls do for every row that counts.
func each(rows fn.Rows, do func(r int)) {
	if rows.Sel == nil {
		for r := range rows.N {
			do(r)
		}
		return
	}
	for _, r := range rows.Sel {
		do(int(r))
	}
}

// try calls do for every row that counts until one fails.
func try(rows fn.Rows, do func(r int) error) error {
	if rows.Sel == nil {
		for r := range rows.N {
			if err := do(r); err != nil {
				return err
			}
		}
		return nil
	}
	for _, r := range rows.Sel {
		if err := do(int(r)); err != nil {
			return err
		}
	}
	return nil
}

// mask makes the storage index of row i: i & mask(v), which is 0 for constants.
func mask(v *vec.Vector) int {
	if v.Const {
		return 0
	}
	return -1
}

// sparse reports that so few rows count that going row by row is cheaper.
func sparse(rows fn.Rows) bool { return rows.Sel != nil && len(rows.Sel)*2 < rows.N }

// floats makes a kernel of DOUBLE arguments from a function of one.
func floats(f func(float64) float64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		each(rows, func(r int) { out.F64[r] = f(args[0].F64[r]) })
		return out, nil
	}
}

// ints makes a kernel with a result in an int64 from a function that sees the row.
func ints(t types.Type, f func(args []*vec.Vector, r int) int64) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		each(rows, func(r int) { out.I64[r] = f(args, r) })
		return out, nil
	}
}

// bools makes a kernel with a BOOLEAN result.
func bools(f func(args []*vec.Vector, r int) bool) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		each(rows, func(r int) { out.Bool[r] = truth(f(args, r)) })
		return out, nil
	}
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// texts makes a kernel with a STRING result that f appends.
func texts(f func(dst []byte, args []*vec.Vector, r int) []byte) fn.Kernel { return bytesOf(text, f) }

// bytesOf makes a kernel with a STRING or BYTES result that f appends. f returns nil
// for NULL. A result longer than maxText is an error: a recursion may double it each time.
func bytesOf(t types.Type, f func(dst []byte, args []*vec.Vector, r int) []byte) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		buf, done := make([]byte, 0, 512), 0
		err := try(rows, func(r int) error {
			buf = fn.Room(buf, done, rows.Len())
			done++
			from := len(buf)
			next := f(buf, args, r)
			switch {
			case next == nil:
				out.SetNull(r)
				return nil
			case len(next)-from > maxText:
				return c.Fail(out, r, "text", "", tooLong)
			}
			buf = next
			out.Str[r] = vec.StrRef{Off: uint32(from), Len: uint32(len(buf) - from)}
			return fitsBatch(buf)
		})
		out.Buf = buf
		return out, err
	}
}

// maxTexts bounds the bytes of a column of one batch.
const maxTexts = 1 << 31

// fitsBatch refuses what no vector can hold.
func fitsBatch(buf []byte) error {
	if len(buf) > maxTexts {
		return &fn.DataError{Func: "text", Row: -1, Msg: "the texts of one batch would be longer than 2 GiB"}
	}
	return nil
}

// tryTexts is texts for functions that can fail: msg ≠ "" says why, and
// res nil is NULL.
func tryTexts(t types.Type, name string, f func(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string)) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		buf, done := make([]byte, 0, 512), 0
		err := try(rows, func(r int) error {
			buf = fn.Room(buf, done, rows.Len())
			done++
			from := len(buf)
			next, value, msg := f(buf, args, r)
			switch {
			case msg != "":
				return c.Fail(out, r, name, value, msg)
			case next == nil:
				out.SetNull(r)
				return nil
			}
			buf = next
			out.Str[r] = vec.StrRef{Off: uint32(from), Len: uint32(len(buf) - from)}
			return fitsBatch(buf)
		})
		out.Buf = buf
		return out, err
	}
}

// slices makes a kernel whose result is a part of its first argument, sharing its
// bytes: f returns the part.
func slices(f func(s []byte, args []*vec.Vector, r int) (from, to int)) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(in.Type, rows.N)
		out.Buf = in.Buf
		m := mask(in)
		each(rows, func(r int) {
			ref := in.Str[r&m]
			from, to := f(in.Buf[ref.Off:ref.Off+ref.Len], args, r)
			if from < 0 {
				out.SetNull(r)
				return
			}
			out.Str[r] = vec.StrRef{Off: ref.Off + uint32(from), Len: uint32(to - from)}
		})
		return out, nil
	}
}

// shown is a value as error messages show it.
func shown(v *vec.Vector, r int) string {
	if v.Type.Kind == types.String {
		return fn.Quote(v.Text(r))
	}
	return vec.RowString(v, r, nil)
}

// tryInts is ints for functions that can fail: msg ≠ "" says why the first argument
// has no result.
func tryInts(t types.Type, name string, f func(args []*vec.Vector, r int) (x int64, msg string)) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(t, rows.N)
		err := try(rows, func(r int) error {
			x, msg := f(args, r)
			if msg != "" {
				return c.Fail(out, r, name, shown(args[0], r), msg)
			}
			out.I64[r] = x
			return nil
		})
		return out, err
	}
}

// tryFloats is tryInts with a DOUBLE result.
func tryFloats(name string, f func(args []*vec.Vector, r int) (x float64, msg string)) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(double, rows.N)
		err := try(rows, func(r int) error {
			x, msg := f(args, r)
			if msg != "" {
				return c.Fail(out, r, name, shown(args[0], r), msg)
			}
			out.F64[r] = x
			return nil
		})
		return out, err
	}
}

// built makes a kernel that appends its results to a builder, for nested types. f
// appends exactly one value.
func built(t types.Type, f func(b *vec.Builder, args []*vec.Vector, r int)) fn.Kernel {
	return tryBuilt(t, func(b *vec.Builder, args []*vec.Vector, r int) error { f(b, args, r); return nil })
}

// tryBuilt is built for functions that can fail with a *fn.DataError, before they
// append anything.
func tryBuilt(t types.Type, f func(b *vec.Builder, args []*vec.Vector, r int) error) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		b := vec.NewBuilder(t)
		err := try(rows, func(r int) error {
			for b.Len() < r {
				b.AppendNull()
			}
			err := f(b, args, r)
			switch {
			case err != nil && c.NullOnError:
				c.Errors++
				b.AppendNull()
				return nil
			case err == nil && b.Bytes() > maxTexts:
				return &fn.DataError{Func: "array", Row: -1, Msg: "the arrays of one batch would take more than 2 GiB"}
			}
			return err
		})
		for b.Len() < rows.N {
			b.AppendNull()
		}
		return b.Take(), err
	}
}
