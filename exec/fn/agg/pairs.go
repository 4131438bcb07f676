package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// RegrCount counts pairs: what the other regression aggregates are computed over.
var RegrCount = fn.Aggregate{
	Name: "regr_count", Group: "Statistics",
	Syntax: []string{"regr_count(y, x)"},
	Doc:    "Counts the pairs of numbers of which neither is NULL.",
	Examples: []fn.Example{
		{SQL: "regr_count(y, x) FROM (VALUES (1.0, 2.0), (3.0, NULL)) AS t(y, x)", Want: "1"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
		if err := wantArgs(args, 2, 2); err != nil {
			return fn.AggImpl{}, err
		}
		for i := range args {
			if err := wantNumber(args[i].Type, i+1); err != nil {
				return fn.AggImpl{}, err
			}
		}
		return fn.AggImpl{Args: argTypes(args), Result: types.Of(types.Int64),
			New: func(bool) fn.Accumulator { return &count{} }}, nil
	},
}

// pairMean is the mean of one side of pairs without NULL: what is infinite or NaN on the
// other side does not touch it.
type pairMean struct {
	avgFloat
	side   int
	sel    []int32 // of the rows under way, kept for their room
	groups []uint32
}

// meanOf gives f the accumulator of the mean of an argument.
func meanOf(f fn.Aggregate, side int) fn.Aggregate {
	resolve := f.Resolve
	f.Resolve = func(args []fn.Arg) (fn.AggImpl, error) {
		impl, err := resolve(args)
		impl.New = func(bool) fn.Accumulator { return &pairMean{side: side} }
		return impl, err
	}
	return f
}

// Add implements fn.Accumulator.
func (a *pairMean) Add(rows fn.AggRows) error {
	y, x := rows.Args[0], rows.Args[1]
	a.sel, a.groups = a.sel[:0], a.groups[:0]
	each(rows, y, func(g uint32, r int, _ int64) {
		if !x.IsNull(r) {
			a.sel, a.groups = append(a.sel, int32(r)), append(a.groups, g)
		}
	})
	rows.Args = []*vec.Vector{rows.Args[a.side]}
	rows.Sel, rows.Groups = a.sel, a.groups
	return a.avgFloat.Add(rows)
}

// Bytes implements fn.Accumulator.
func (a *pairMean) Bytes() int64 {
	return a.avgFloat.Bytes() + 4*int64(cap(a.sel)+cap(a.groups))
}

// Merge implements fn.Accumulator.
func (a *pairMean) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[pairMean](src).floatSums, from, into)
	return nil
}
