package scalar

import (
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// seriesRows make rows of numbers and times that follow each other.
func seriesRows() []*fn.Generator {
	group := "Generators"
	return []*fn.Generator{
		{
			Name: "generate_series", Aliases: []string{"range_inclusive"}, Group: group, Syntax: []string{"generate_series(from, to [, step])", "generate_series(to)"},
			Doc:      "Makes a row of each integer, DECIMAL, date or timestamp from one (or 0) to another, both included; none if the step leads nowhere or a bound is NULL.",
			Examples: []fn.Example{{SQL: "SELECT * FROM generate_series(1, 5, 2)", Want: "1\n3\n5"}, {SQL: "SELECT * FROM generate_series(0.5, 2, 0.5)", Want: "0.5\n1.0\n1.5\n2.0"}, {SQL: "SELECT * FROM generate_series(1, NULL)", Want: ""}}, Resolve: resolveSeriesRows("generate_series", "generate_series", false),
		},
		{
			Name: "range", Group: group, FromOnly: true, Syntax: []string{"range(end)", "range(from, end [, step])"},
			Doc:      "Makes a row of each number from 0 or another start, the end left out, as BIGINT in the column id; or of each timestamp, by an interval.",
			Examples: []fn.Example{{SQL: "SELECT * FROM range(3)", Want: "0\n1\n2"}, {SQL: "SELECT * FROM range(5, 0, -2)", Want: "5\n3\n1"}, {SQL: "SELECT * FROM range(CAST(NULL AS INT))", Want: ""}}, Resolve: resolveSeriesRows("range", "id", true),
		},
		{
			Name: "generate_subscripts", Group: group, Syntax: []string{"generate_subscripts(array, dimension [, reverse])"}, Doc: "Makes a row of each place in a dimension of an array, from 1: of the array itself in dimension 1, of the first array in it in dimension 2.",
			Examples: []fn.Example{{SQL: "SELECT * FROM generate_subscripts(array('a', 'b'), 1)", Want: "1\n2"}, {SQL: "SELECT * FROM generate_subscripts(array('a', 'b'), 1, true)", Want: "2\n1"}, {SQL: "SELECT * FROM generate_subscripts(CAST(NULL AS ARRAY<INT>), 1)", Want: ""}}, Resolve: resolveSubscripts,
		},
	}
}

// resolveSeriesRows resolves a series with or without its end.
func resolveSeriesRows(name, column string, open bool) func(args []fn.Arg) (fn.GenImpl, error) {
	return func(args []fn.Arg) (fn.GenImpl, error) {
		s, want, err := resolveEnds(args, open)
		if err != nil {
			return fn.GenImpl{}, err
		}
		impl := fn.GenImpl{Args: want, Columns: []types.Column{{Name: column, Type: s.elem}}}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
			return s.rows(c, name, open, args, rows)
		}
		return impl, nil
	}
}

// resolveSeriesList resolves a series that is one array.
func resolveSeriesList(name string, open bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		s, want, err := resolveEnds(args, open)
		if err != nil {
			return fn.Impl{}, err
		}
		eval := s.array(func(one *vec.Builder, args []*vec.Vector, r int, zone *time.Location) error {
			return s.row(one, name, open, args, r, zone)
		})
		return fn.Impl{Args: want, Result: types.ArrayOf(s.elem), Eval: eval}, nil
	}
}

// resolveEnds finds the types of a series that may begin at 0.
func resolveEnds(args []fn.Arg, open bool) (series, []types.Type, error) {
	if err := arity(args, 1, 3); err != nil {
		return series{}, nil, err
	}
	given := args
	if len(args) == 1 {
		if !args[0].Type.IsInteger() && args[0].Type.Kind != types.Null {
			return series{}, nil, mismatch(args, 0, "integer")
		}
		given = []fn.Arg{args[0], args[0]}
	}
	if t, ok := decimalOf(given); ok {
		return seriesOf(t, given)
	}
	s, want, err := resolveSeries(given)
	if err == nil && !s.elem.IsTime() && open {
		s.elem, want[0], want[1] = bigint, bigint, bigint
	}
	if err != nil {
		return s, nil, err
	}
	return s, want[:len(args)], nil
}

// rows makes the rows of a series for each row of a batch.
func (s series) rows(c *fn.Ctx, name string, open bool, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
	out := vec.NewBuilder(s.elem)
	var ends counter
	err := try(rows, func(r int) error {
		before := out.Len()
		if anyNull(args, r) {
			ends.end(0)
			return nil
		}
		if err := s.row(out, name, open, args, r, c.Zone); err != nil {
			return err
		}
		ends.end(out.Len() - before)
		return nil
	})
	return fn.Generated{Cols: []*vec.Vector{out.Take()}, Ends: ends.ends}, err
}

// row appends the series of a row. One that leads nowhere is empty, as in PostgreSQL.
func (s series) row(out *vec.Builder, name string, open bool, args []*vec.Vector, r int, zone *time.Location) error {
	if s.elem.Kind == types.Decimal {
		return s.decimals(out, name, open, args, r)
	}
	b := s.boundsOf(name, args, r, zone)
	if len(args) < 3 && b.from > b.to { // no step counts backwards of itself
		b.step, b.by.Days = 1, 1
	}
	if s.sign(b) == 0 {
		return b.fail("the step is zero")
	}
	if s.nowhere(b) || open && b.from == b.to {
		return nil
	}
	if open {
		b.to -= int64(s.sign(b))
	}
	return s.appendTo(out, b)
}

// seriesLists are the series as arrays, wherever a value stands.
func seriesLists() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "range", Group: "Arrays", Syntax: []string{"range(end)", "range(from, end [, step])"},
			Doc:      "Is the array of each number from 0 or another start, the end left out; or of each time, by an interval. In FROM it makes rows.",
			Examples: []fn.Example{{SQL: "range(3)", Want: "[0,1,2]"}, {SQL: "range(5, 0, -2)", Want: "[5,3,1]"}, {SQL: "range(3, 1)", Want: "[]"}, {SQL: "range(NULL)", Want: "NULL"}},
			Resolve:  resolveSeriesList("range", true),
		},
		{
			Name: "generate_series", Group: "Arrays", Syntax: []string{"f(generate_series([from,] to [, step]))"},
			Doc:      "Inside an expression it is the array of each number or time, the end included. Alone in the select list and in FROM it makes rows.",
			Examples: []fn.Example{{SQL: "size(generate_series(1, 3))", Want: "3"}, {SQL: "array_join(generate_series(3), '-')", Want: "0-1-2-3"}, {SQL: "size(generate_series(NULL, 3))", Want: "NULL"}},
			Resolve:  resolveSeriesList("generate_series", false),
		},
	}
}

func anyNull(args []*vec.Vector, r int) bool {
	for _, a := range args {
		if a.IsNull(r) {
			return true
		}
	}
	return false
}

func resolveSubscripts(args []fn.Arg) (fn.GenImpl, error) {
	if err := arity(args, 2, 3); err != nil {
		return fn.GenImpl{}, err
	}
	t, err := arrayArg(args, 0)
	if err != nil {
		return fn.GenImpl{}, err
	}
	if err := matches(args[1:2], []types.Type{integer}); err != nil {
		return fn.GenImpl{}, mismatch(args, 1, "INT")
	}
	if len(args) == 3 && args[2].Type.Kind != types.Bool {
		return fn.GenImpl{}, mismatch(args, 2, "BOOLEAN")
	}
	impl := fn.GenImpl{Args: []types.Type{t, integer, boolean}[:len(args)], Columns: []types.Column{{Name: "generate_subscripts", Type: integer}}}
	impl.Eval = func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
		var places []int64
		var c counter
		each(rows, func(r int) {
			if anyNull(args, r) {
				c.end(0)
				return
			}
			n := int(dimension(args[0], r, args[1].Int(r)))
			for i := range n {
				if len(args) == 3 && args[2].IsTrue(r) {
					i = n - 1 - i
				}
				places = append(places, int64(i)+1)
			}
			c.end(n)
		})
		return fn.Generated{Cols: []*vec.Vector{vec.FromInts(integer, places)}, Ends: c.ends}, nil
	}
	return impl, nil
}
