package agg

import (
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Count is count(*) and count(x, …).
var Count = fn.Aggregate{
	Name: "count", Group: "Aggregate",
	Syntax: []string{"count(*)", "count(x [, …])"},
	Doc:    "Counts the rows; with arguments, the rows in which none of them is NULL.",
	Examples: []fn.Example{
		{SQL: "count(*) FROM (VALUES (1), (NULL)) AS t(x)", Want: "2"},
		{SQL: "count(x) FROM (VALUES (1), (NULL)) AS t(x)", Want: "1"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		return fn.AggImpl{Args: argTypes(args), Result: types.Of(types.Int64),
			New: func(bool) fn.Accumulator { return &count{} }}, nil
	},
}

// CountIf counts the rows in which a condition is true.
var CountIf = fn.Aggregate{
	Name: "count_if", Aliases: []string{"countif"}, Group: "Aggregate",
	Syntax: []string{"count_if(condition)"},
	Doc:    "Counts the rows in which the condition is true. NULL is not true; without rows the count is 0.",
	Examples: []fn.Example{
		{SQL: "count_if(x > 1) FROM (VALUES (1), (2), (3), (NULL)) AS t(x)", Want: "2"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 1); err != nil {
			return fn.AggImpl{}, err
		}
		if err := wantBool(args[0].Type); err != nil {
			return fn.AggImpl{}, err
		}
		return fn.AggImpl{Args: []types.Type{types.Of(types.Bool)}, Result: types.Of(types.Int64),
			New: func(bool) fn.Accumulator { return &countIf{} }}, nil
	},
}

// ApproxCountDistinct is count(DISTINCT x) under the name that approximate engines use.
var ApproxCountDistinct = fn.Aggregate{
	Name: "approx_count_distinct", Aliases: []string{"approx_distinct"}, Group: "Aggregate",
	Syntax: []string{"approx_count_distinct(x [, error])"},
	Doc: "Counts the different values that are not NULL. The count is exact: it is the same as count(DISTINCT x), " +
		"and takes as much state. The second argument, an error that other engines allow, changes nothing.",
	Examples: []fn.Example{
		{SQL: "approx_count_distinct(x) FROM (VALUES (1), (1), (2), (NULL)) AS t(x)", Want: "2"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 1, 2); err != nil {
			return fn.AggImpl{}, err
		}
		if len(args) == 2 {
			if _, err := constNumber(args[1], 2); err != nil {
				return fn.AggImpl{}, err
			}
		}
		inner, err := Count.Resolve(args) // a constant makes no difference to what is distinct
		return Distinct(inner), err
	},
}

// count counts the rows in which no argument is NULL. State: a varint.
type count struct {
	cells[int64]
}

// Add implements fn.Accumulator.
func (a *count) Add(rows fn.AggRows) error {
	n := a.at
	if !anyNulls(rows.Args) {
		if rows.W == nil {
			for _, g := range rows.Groups {
				n[g]++
			}
			return nil
		}
		for i, g := range rows.Groups {
			n[g] += rows.W[rowAt(rows.Sel, i)]
		}
		return nil
	}
	for i, g := range rows.Groups {
		if r := rowAt(rows.Sel, i); !nullIn(rows.Args, r) {
			n[g] += weightAt(rows.W, r)
		}
	}
	return nil
}

func anyNulls(args []*vec.Vector) bool {
	for _, v := range args {
		if v.HasNulls() {
			return true
		}
	}
	return false
}

func nullIn(args []*vec.Vector, row int) bool {
	for _, v := range args {
		if v.IsNull(row) {
			return true
		}
	}
	return false
}

// Merge implements fn.Accumulator.
func (a *count) Merge(src fn.Accumulator, from, into []uint32) error {
	mergeCounts(a.at, sameKind[count](src).at, from, into)
	return nil
}

func mergeCounts(dst, src []int64, from, into []uint32) {
	for i, f := range from {
		dst[into[i]] += src[f]
	}
}

// Result implements fn.Accumulator.
func (a *count) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		out.AppendInt(a.at[g])
	}
	return nil
}

// AppendState implements fn.Accumulator.
func (a *count) AppendState(dst []byte, group uint32) []byte {
	return binary.AppendVarint(dst, a.at[group])
}

// LoadState implements fn.Accumulator.
func (a *count) LoadState(src []byte, group uint32) (rest []byte, err error) {
	a.at[group], rest, err = cutVarint(src)
	return rest, err
}

// countIf counts the rows in which a boolean is true. State as count.
type countIf struct {
	count
}

// Add implements fn.Accumulator.
func (a *countIf) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		if isTrue(v, r) {
			a.at[g] += w
		}
	})
	return nil
}

func isTrue(v *vec.Vector, row int) bool {
	f, i := v.At(row)
	return f.Bool[i] != 0
}

// Merge implements fn.Accumulator.
func (a *countIf) Merge(src fn.Accumulator, from, into []uint32) error {
	mergeCounts(a.at, sameKind[countIf](src).at, from, into)
	return nil
}

// CountsRows reports whether an accumulator counts all rows it is given: who counts
// them anyway need not do it twice.
func CountsRows(impl fn.AggImpl) bool {
	if len(impl.Args) > 0 {
		return false
	}
	_, ok := impl.New(true).(*count)
	return ok
}
