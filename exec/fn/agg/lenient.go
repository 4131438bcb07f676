package agg

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// TrySum is sum(x) with NULL where the result does not fit.
var TrySum = fn.Aggregate{
	Name: "try_sum", Group: "Aggregate", Syntax: []string{"try_sum([DISTINCT] x)"},
	Doc: "As sum(x), but NULL where the result does not fit its type.",
	Examples: []fn.Example{
		{SQL: "try_sum(x) FROM (VALUES (1), (2), (NULL)) AS t(x)", Want: "3"},
		{SQL: "try_sum(x) FROM (VALUES (9223372036854775807), (1)) AS t(x)", Want: "NULL"},
	},
	Resolve: lenientResolve(resolveSum),
}

// TryAvg is avg(x) with NULL where the result does not fit.
var TryAvg = fn.Aggregate{
	Name: "try_avg", Group: "Aggregate", Syntax: []string{"try_avg([DISTINCT] x)"},
	Doc: "As avg(x), but NULL where the result does not fit its type.",
	Examples: []fn.Example{
		{SQL: "try_avg(x) FROM (VALUES (1), (2), (NULL)) AS t(x)", Want: "1.5"},
		{SQL: "try_avg(x) FROM (VALUES (CAST(NULL AS INT))) AS t(x)", Want: "NULL"},
	},
	Resolve: lenientResolve(resolveAvg),
}

func lenientResolve(resolve func([]fn.Arg) (fn.AggImpl, error)) func([]fn.Arg) (fn.AggImpl, error) {
	return func(args []fn.Arg) (fn.AggImpl, error) {
		impl, err := resolve(args)
		strict := impl.New
		impl.New = func(retract bool) fn.Accumulator { return &lenient{strict(retract)} }
		return impl, err
	}
}

// lenient gives NULL where the accumulator within fails: that has then appended the
// groups before, and nothing more.
type lenient struct{ fn.Accumulator }

// Merge implements fn.Accumulator.
func (a *lenient) Merge(src fn.Accumulator, from, into []uint32) error {
	return a.Accumulator.Merge(sameKind[lenient](src).Accumulator, from, into)
}

// Result implements fn.Accumulator.
func (a *lenient) Result(groups []uint32, out *vec.Builder) error {
	for {
		from := out.Len()
		err := a.Accumulator.Result(groups, out)
		var bad *fn.DataError
		if !errors.As(err, &bad) {
			return err
		}
		groups = groups[out.Len()-from+1:]
		out.AppendNull()
	}
}
