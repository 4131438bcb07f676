package agg

import (
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// maxMany bounds how many values max(x, n) and its kin give.
const maxMany = 1_000_000

// constCount reads a constant number of values.
func constCount(arg fn.Arg, pos int) (int64, error) {
	c := arg.Const
	if c == nil || !arg.Type.IsInteger() || c.IsNull(0) || c.Int(0) < 1 || c.Int(0) > maxMany {
		return 0, fmt.Errorf("needs a constant whole number from 1 to %d as argument %d", maxMany, pos)
	}
	return c.Int(0), nil
}

// resolveMany is min(x, n) and max(x, n).
func resolveMany(args []fn.Arg, greatest bool) (fn.AggImpl, error) {
	n, err := constCount(args[1], 2)
	if err != nil {
		return fn.AggImpl{}, err
	}
	t := args[0].Type
	impl := fn.AggImpl{Args: argTypes(args), Result: types.ArrayOf(t)}
	impl.New = func(bool) fn.Accumulator {
		return &bagResult{t: t, append: func(a *bagResult, g uint32, out *vec.Builder) error {
			return a.appendFirst(g, n, greatest, out, func(key []byte) []byte { return key })
		}}
	}
	return impl, nil
}

// appendFirst appends an array of the values of the first n entries, or of the last ones,
// the last first; NULL if there are none. value is where the value lies in an entry.
func (a *bagResult) appendFirst(g uint32, n int64, back bool, out *vec.Builder, value func(key []byte) []byte) (failed error) {
	left := n
	visit := func(node *bagNode) bool {
		for w := node.weight; w > 0 && left > 0 && failed == nil; w-- {
			failed = appendKeyed(out.Child(0), a.t, value(a.bag.keys.get(node.key)))
			left--
		}
		return left > 0 && failed == nil
	}
	if root := a.root.at[g]; back {
		a.walkBack(root, visit)
	} else {
		a.walkFrom(root, visit)
	}
	if left == n {
		out.AppendNull()
		return failed
	}
	out.EndList()
	return failed
}

// byNulls says which rows arg_max and its kin look at.
type byNulls uint8

const (
	byAny       byNulls = iota // those whose y is not NULL
	bySome                     // those of which neither is NULL
	byNullsLast                // all, those whose y is NULL last
)

// resolveManyBy is max_by(x, y, n) and its kin. An entry is the sort key of y and then
// x, the key encoding of x, and in the last four bytes the length of the former.
func resolveManyBy(args []fn.Arg, greatest bool, nulls byNulls) (fn.AggImpl, error) {
	if err := wantArgs(args, 3, 3); err != nil {
		return fn.AggImpl{}, err
	}
	n, err := constCount(args[2], 3)
	if err != nil {
		return fn.AggImpl{}, err
	}
	order := vec.Order{Desc: greatest, Nulls: vec.NullsLast}
	t := args[0].Type
	impl := fn.AggImpl{Args: argTypes(args), Result: types.ArrayOf(t)}
	impl.New = func(bool) fn.Accumulator {
		return &bagResult{t: t, keys: func(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
			x, y := args[0], args[1]
			if nulls != byNullsLast && y.IsNull(r) || nulls == bySome && x.IsNull(r) {
				return nil
			}
			key = vec.AppendSortKey(vec.AppendSortKey(key, y, r, order), x, r, order)
			head := len(key)
			put(binary.BigEndian.AppendUint32(vec.AppendKey(key, x, r), uint32(head)), 1)
			return nil
		}, append: func(a *bagResult, g uint32, out *vec.Builder) error {
			return a.appendFirst(g, n, false, out, func(key []byte) []byte {
				end := len(key) - 4
				return key[binary.BigEndian.Uint32(key[end:]):end]
			})
		}}
	}
	return impl, nil
}

// ByArguments lists DuckDB's arg_min and arg_max, and their forms for NULLs.
func ByArguments() []fn.Aggregate {
	return []fn.Aggregate{
		argBy("arg_min", "argmin", "least", "ascending", false), argBy("arg_max", "argmax", "greatest", "descending", true),
		argNullsLast("arg_min_nulls_last", "least", `["b","a",null]`, false), argNullsLast("arg_max_nulls_last", "greatest", `["a","b",null]`, true),
	}
}

func argBy(name, alias, which, direction string, greatest bool) fn.Aggregate {
	want := map[bool]string{false: "b", true: "a"}[greatest]
	return fn.Aggregate{
		Name: name, Aliases: []string{alias}, Group: "Aggregate", Syntax: []string{name + "(x, y [, n] [ORDER BY z])"},
		Doc: fmt.Sprintf("The x of the row with the %s y, of the rows in which neither is NULL, and of several such rows the %s x, or the first by ORDER BY; NULL without rows. "+
			"With a constant n an array of the x of n rows, %s by y.", which, which, direction),
		Examples: []fn.Example{
			{SQL: name + "(x, y) FROM (VALUES ('a', 2), ('b', 1), (NULL, 0), (NULL, 9), ('c', NULL)) AS t(x, y)", Want: want},
			{SQL: name + "(x, y, 1) FROM (VALUES ('a', 2), ('b', 1), (NULL, 3)) AS t(x, y)", Want: `["` + want + `"]`},
		},
		Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
			if len(args) == 3 {
				return resolveManyBy(args, greatest, bySome)
			}
			if err := wantArgs(args, 2, 3); err != nil {
				return fn.AggImpl{}, err
			}
			return resolveBy(args, greatest, true)
		},
	}
}

func argNullsLast(name, which, want string, greatest bool) fn.Aggregate {
	return fn.Aggregate{
		Name: name, Group: "Aggregate", Syntax: []string{name + "(x, y, n)"},
		Doc: "An array of the x of the n rows with the " + which + " y, those whose y is NULL last; NULL without rows. n is a constant.",
		Examples: []fn.Example{
			{SQL: name + "(x, y, 3) FROM (VALUES ('a', 2), ('b', 1), (NULL, NULL)) AS t(x, y)", Want: want},
		},
		Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveManyBy(args, greatest, byNullsLast) },
	}
}
