package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
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
