// Package window owns the functions that stand only before OVER: each is an fn.Window
// that describes itself and checks its arguments. What they compute is done by the
// operator, which knows their kinds. It knows types, and no rows. Open this file first.
package window

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

const rows = " FROM (VALUES (1, 'a'), (2, NULL), (2, 'c')) AS t(x, y) ORDER BY x, y"

// All lists the window functions.
func All() []*fn.Window { return append(ranking(), offsets()...) }

func ranking() []*fn.Window {
	return []*fn.Window{
		{Name: "row_number", Group: "Window", Kind: fn.RowNumber, Syntax: []string{"row_number() OVER (…)"},
			Doc:      "The number of the row in its partition, from 1. Rows that ORDER BY leaves equal are numbered in the order of all their columns.",
			Examples: examples("row_number() OVER (ORDER BY x, y)", "1\n2\n3"), Resolve: noArguments(types.Int64)},
		{Name: "rank", Group: "Window", Kind: fn.Rank, Syntax: []string{"rank() OVER (…)"},
			Doc:      "1 and the number of rows that come before in the order: equal rows have the same rank, and a gap follows them.",
			Examples: examples("rank() OVER (ORDER BY x)", "1\n2\n2"), Resolve: noArguments(types.Int64)},
		{Name: "dense_rank", Group: "Window", Kind: fn.DenseRank, Syntax: []string{"dense_rank() OVER (…)"},
			Doc:      "The rank without gaps: 1 and the number of different values that come before.",
			Examples: examples("dense_rank() OVER (ORDER BY x DESC)", "2\n1\n1"), Resolve: noArguments(types.Int64)},
		{Name: "percent_rank", Group: "Window", Kind: fn.PercentRank, Syntax: []string{"percent_rank() OVER (…)"},
			Doc:      "(rank − 1) / (rows of the partition − 1), and 0 in a partition of one row.",
			Examples: examples("percent_rank() OVER (ORDER BY x)", "0.0\n0.5\n0.5"), Resolve: noArguments(types.Float64)},
		{Name: "cume_dist", Group: "Window", Kind: fn.CumeDist, Syntax: []string{"cume_dist() OVER (…)"},
			Doc:      "The share of the rows of the partition that come before the row or are equal to it in the order.",
			Examples: examples("cume_dist() OVER (ORDER BY x DESC)", "1.0\n0.6666666666666666\n0.6666666666666666"), Resolve: noArguments(types.Float64)},
		{Name: "ntile", Group: "Window", Kind: fn.NTile, Syntax: []string{"ntile(n) OVER (…)"},
			Doc:      "Divides the rows of the partition into n parts that follow one another, of which the first ones may have a row more, and gives the number of the row's part, from 1. A NULL as n gives NULL.",
			Examples: examples("ntile(2) OVER (ORDER BY x, y)", "1\n1\n2"), Resolve: resolveNTile},
	}
}

func offsets() []*fn.Window {
	return []*fn.Window{
		{Name: "lag", Group: "Window", Kind: fn.Lag, Syntax: []string{"lag(col [, offset [, default]]) [IGNORE NULLS] OVER (…)"},
			Doc:      "col of the row so many rows before, by default of the row just before; outside of the partition the default, or NULL. IGNORE NULLS counts only rows whose col is not NULL. Where the offset is NULL, so is the result.",
			Examples: examples("lag(y) OVER (ORDER BY x, y)", "NULL\na\nNULL"), Resolve: resolveLag},
		{Name: "lead", Group: "Window", Kind: fn.Lead, Syntax: []string{"lead(col [, offset [, default]]) [IGNORE NULLS] OVER (…)"},
			Doc:      "col of the row so many rows after, by default of the row just after; outside of the partition the default, or NULL. IGNORE NULLS counts only rows whose col is not NULL. Where the offset is NULL, so is the result.",
			Examples: append(examples("lead(y, 1, 'none') OVER (ORDER BY x, y)", "NULL\nc\nnone"), examples("lead(default => 'none', col => y) OVER (ORDER BY x, y)", "NULL\nc\nnone")...), Resolve: resolveLag},
		{Name: "fill", Group: "Window", Kind: fn.Fill, Syntax: []string{"fill(x) OVER (… ORDER BY y)", "fill(x ORDER BY y) OVER (…)"},
			Doc:      "x, and where it is NULL the value on the straight line through the nearest rows before and after that have one; at the ends of the partition the line goes on, with one value alone that value is taken. x and the one ORDER BY column y are numbers or times; NULL stays where y is NULL, infinite or no number, where no row has a value, and where the line leaves the type. Whole numbers are rounded.",
			Examples: []fn.Example{{SQL: "fill(y) OVER (ORDER BY x) FROM (VALUES (1, 10), (2, NULL), (4, 40), (5, NULL)) AS t(x, y) ORDER BY x", Want: "10\n20\n40\n50"}}, Resolve: resolveFill},
		{Name: "first_value", Aliases: []string{"first"}, Group: "Window", Kind: fn.FirstValue, Syntax: []string{"first_value(x) [IGNORE NULLS] OVER (…)"},
			Doc:      "x of the first row of the frame; with IGNORE NULLS of the first whose x is not NULL. NULL where there is none.",
			Examples: examples("first_value(y) OVER (ORDER BY x DESC, y DESC)", "c\nc\nc"), Resolve: resolveEnd},
		{Name: "last_value", Aliases: []string{"last"}, Group: "Window", Kind: fn.LastValue, Syntax: []string{"last_value(x) [IGNORE NULLS] OVER (…)"},
			Doc:      "x of the last row of the frame; with IGNORE NULLS of the last whose x is not NULL. NULL where there is none. Without a frame the last row is the last one equal to the current row.",
			Examples: examples("last_value(y) IGNORE NULLS OVER (ORDER BY x, y)", "a\na\nc"), Resolve: resolveEnd},
		{Name: "nth_value", Group: "Window", Kind: fn.NthValue, Syntax: []string{"nth_value(x, n) [IGNORE NULLS] OVER (…)"},
			Doc:      "x of the n-th row of the frame, from 1; NULL where the frame has fewer rows, or n is NULL.",
			Examples: examples("nth_value(y, 3) OVER (ORDER BY x)", "NULL\nc\nc"), Resolve: resolveNth},
	}
}

func examples(call, want string) []fn.Example {
	return []fn.Example{{SQL: call + rows, Want: want}}
}

func noArguments(kind types.Kind) func([]fn.Arg) (fn.WindowImpl, error) {
	return func(args []fn.Arg) (fn.WindowImpl, error) {
		return fn.WindowImpl{Result: types.Of(kind)}, count(args, 0, 0)
	}
}

func count(args []fn.Arg, least, most int) error {
	switch {
	case len(args) >= least && len(args) <= most:
		return nil
	case most == 0:
		return fmt.Errorf("takes no arguments, got %d", len(args))
	case least == most:
		return fmt.Errorf("needs %d arguments, got %d", least, len(args))
	}
	return fmt.Errorf("needs %d to %d arguments, got %d", least, most, len(args))
}

// constant reads a whole number that is the same for all rows.
func constant(a fn.Arg, what string, least int64) (int64, error) {
	if a.Const == nil || !a.Type.IsInteger() || a.Const.IsNull(0) {
		return 0, fmt.Errorf("needs a constant whole number as %s", what)
	}
	n := a.Const.Int(0)
	if n < least {
		return 0, fmt.Errorf("needs at least %d as %s, got %d", least, what, n)
	}
	return n, nil
}

// steer takes what steers a function: a constant or, as the last argument, a number that
// is another one for each row.
func steer(impl *fn.WindowImpl, a fn.Arg, what string, least int64) (err error) {
	if a.Const != nil && !a.Const.IsNull(0) {
		impl.N, err = constant(a, what, least)
		impl.N = min(impl.N, maxOffset)
		return err
	}
	if !a.Type.IsInteger() && a.Type.Kind != types.Null {
		return fmt.Errorf("needs a whole number as %s, got %s", what, a.Type.WithArticle())
	}
	impl.Steered = true
	impl.Args = append(impl.Args, types.Of(types.Int64))
	return nil
}

func resolveNTile(args []fn.Arg) (fn.WindowImpl, error) {
	if err := count(args, 1, 1); err != nil {
		return fn.WindowImpl{}, fmt.Errorf("needs 1 argument, got %d", len(args))
	}
	impl := fn.WindowImpl{Result: types.Of(types.Int64)}
	return impl, steer(&impl, args[0], "the number of parts", 1)
}

// maxOffset bounds how far lag and lead look.
const maxOffset = 1 << 40

func resolveLag(args []fn.Arg) (impl fn.WindowImpl, err error) {
	if err := count(args, 1, 3); err != nil {
		return impl, err
	}
	impl.N = 1
	impl.Result = known(args[0].Type)
	if len(args) > 2 {
		t, ok := types.CommonType(args[0].Type, args[2].Type)
		if !ok {
			return impl, fmt.Errorf("has no common type for %s and the default %s", args[0].Type, args[2].Type)
		}
		impl.Result = known(t)
		impl.Args = append(impl.Args, impl.Result)
	}
	impl.Args = append(impl.Args, impl.Result)
	if len(args) > 1 {
		err = steer(&impl, args[1], "the offset", -maxOffset)
	}
	return impl, err
}

// resolveFill: the binder checks the order.
func resolveFill(args []fn.Arg) (impl fn.WindowImpl, err error) {
	if len(args) != 1 {
		return impl, fmt.Errorf("needs 1 argument, got %d", len(args))
	}
	t := known(args[0].Type)
	if !t.IsNumeric() && !t.IsTime() && t.Kind != types.Time {
		return impl, &fn.Mismatch{Want: "number or a time", Got: t.String()}
	}
	return fn.WindowImpl{Args: []types.Type{t}, Result: t}, nil
}

func known(t types.Type) types.Type {
	if t.Kind == types.Null {
		return types.Of(types.Int32)
	}
	return t
}

func resolveEnd(args []fn.Arg) (fn.WindowImpl, error) {
	if len(args) == 0 || len(args) > 2 {
		return fn.WindowImpl{}, fmt.Errorf("needs 1 argument, got %d", len(args))
	}
	t := known(args[0].Type)
	impl := fn.WindowImpl{Args: []types.Type{t}, Result: t}
	if len(args) == 2 {
		if args[1].Type.Kind != types.Bool || args[1].Const == nil || args[1].Const.IsNull(0) {
			return impl, fmt.Errorf("needs true or false as argument 2")
		}
		impl.IgnoreNulls = args[1].Const.IsTrue(0)
	}
	return impl, nil
}

func resolveNth(args []fn.Arg) (impl fn.WindowImpl, err error) {
	if err := count(args, 2, 2); err != nil {
		return impl, err
	}
	t := known(args[0].Type)
	impl = fn.WindowImpl{Args: []types.Type{t}, Result: t}
	return impl, steer(&impl, args[1], "the row", 1)
}
