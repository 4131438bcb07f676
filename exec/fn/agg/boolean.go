package agg

import (
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// BoolAnd is bool_and(x).
var BoolAnd = fn.Aggregate{
	Name: "bool_and", Aliases: []string{"every"}, Group: "Aggregate",
	Syntax: []string{"bool_and(x)"},
	Doc:    "True if no value is false; NULL values do not count, and without others the result is NULL.",
	Examples: []fn.Example{
		{SQL: "bool_and(x) FROM (VALUES (true), (NULL)) AS t(x)", Want: "true"},
		{SQL: "bool_and(x) FROM (VALUES (true), (false)) AS t(x)", Want: "false"},
		{SQL: "bool_and(x) FROM (VALUES (CAST(NULL AS BOOLEAN))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		return resolveTruths(args, func(c truths) bool { return c.no == 0 })
	},
}

// BoolOr is bool_or(x).
var BoolOr = fn.Aggregate{
	Name: "bool_or", Aliases: []string{"some", "any"}, Group: "Aggregate",
	Syntax: []string{"bool_or(x)"},
	Doc:    "True if some value is true; NULL values do not count, and without others the result is NULL.",
	Examples: []fn.Example{
		{SQL: "bool_or(x) FROM (VALUES (true), (false), (NULL)) AS t(x)", Want: "true"},
		{SQL: "bool_or(x) FROM (VALUES (CAST(NULL AS BOOLEAN))) AS t(x)", Want: "NULL"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		return resolveTruths(args, func(c truths) bool { return c.yes > 0 })
	},
}

func resolveTruths(args []fn.Arg, value func(truths) bool) (fn.AggImpl, error) {
	if err := wantArgs(args, 1, 1); err != nil {
		return fn.AggImpl{}, err
	}
	if err := wantBool(args[0].Type); err != nil {
		return fn.AggImpl{}, err
	}
	return fn.AggImpl{Args: []types.Type{boolean}, Result: boolean,
		New: func(bool) fn.Accumulator { return &truthCounts{value: value} }}, nil
}

type truths struct {
	yes, no int64
}

// truthCounts counts true and false. State: two varints.
type truthCounts struct {
	cells[truths]
	value func(truths) bool
}

// Add implements fn.Accumulator.
func (a *truthCounts) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		if isTrue(v, r) {
			a.at[g].yes += w
		} else {
			a.at[g].no += w
		}
	})
	return nil
}

// Merge implements fn.Accumulator.
func (a *truthCounts) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[truthCounts](src)
	for i, f := range from {
		a.at[into[i]].yes += o.at[f].yes
		a.at[into[i]].no += o.at[f].no
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *truthCounts) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		if c := a.at[g]; c != (truths{}) {
			out.AppendBool(a.value(c))
			continue
		}
		out.AppendNull()
	}
	return nil
}

// AppendState implements fn.Accumulator.
func (a *truthCounts) AppendState(dst []byte, g uint32) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, a.at[g].yes), a.at[g].no)
}

// LoadState implements fn.Accumulator.
func (a *truthCounts) LoadState(src []byte, g uint32) (rest []byte, err error) {
	if a.at[g].yes, src, err = cutVarint(src); err != nil {
		return nil, err
	}
	a.at[g].no, rest, err = cutVarint(src)
	return rest, err
}
