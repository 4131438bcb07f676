package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Generators lists every generator, as fresh values.
func Generators() []*fn.Generator {
	all := append(append(explosions(), repeatRows()), seriesRows()...)
	return append(append(all, splittings()...), jsonRows()...)
}

// explosions make rows of arrays, maps and lists of arguments.
func explosions() []*fn.Generator {
	group := "Generators"
	return []*fn.Generator{
		{
			Name: "explode", Group: group, Pairs: true, Syntax: []string{"explode(array)", "explode(map)"}, Doc: "Makes a row of each element (col) or entry (key, value); nothing of an empty or NULL one.",
			Examples: []fn.Example{{SQL: "SELECT * FROM explode(array(1, 2))", Want: "1\n2"}, {SQL: "SELECT * FROM explode(array(1, NULL))", Want: "1\nNULL"}, {SQL: "SELECT * FROM explode(CAST(NULL AS ARRAY<INT>))", Want: ""}}, Resolve: resolveExplode(false),
		},
		{
			Name: "explode_outer", Group: group, Pairs: true, Outer: true, Syntax: []string{"explode_outer(array)"}, Doc: "Is explode, but makes a row of NULLs of an empty or NULL one.",
			Examples: []fn.Example{{SQL: "SELECT * FROM explode_outer(CAST(NULL AS ARRAY<INT>))", Want: "NULL"}}, Resolve: resolveExplode(false),
		},
		{
			Name: "posexplode", Group: group, Pairs: true, Syntax: []string{"posexplode(array)"}, Doc: "Is explode with the place of each element (pos) before it, from 0.",
			Examples: []fn.Example{{SQL: "SELECT * FROM posexplode(array('a', 'b'))", Want: "0|a\n1|b"}, {SQL: "SELECT * FROM posexplode(array('a', NULL))", Want: "0|a\n1|NULL"}}, Resolve: resolveExplode(true),
		},
		{
			Name: "posexplode_outer", Group: group, Pairs: true, Outer: true, Syntax: []string{"posexplode_outer(array)"}, Doc: "Is posexplode, but makes a row of NULLs of an empty or NULL one.",
			Examples: []fn.Example{{SQL: "SELECT * FROM posexplode_outer(CAST(NULL AS ARRAY<INT>))", Want: "NULL|NULL"}}, Resolve: resolveExplode(true),
		},
		{
			Name: "unnest", Group: group, Syntax: []string{"UNNEST(array, ...)", "UNNEST(array, recursive := true)", "UNNEST(array, max_depth := n)"},
			Doc: "Makes a row of the elements of arrays side by side; shorter ones are filled with NULL. Elements that are structs become one column for each field if there is only one array. " +
				"Of one array it goes deeper with recursive := true, through all arrays in it and then through all structs; with max_depth := n it goes through so many of both: with 1, structs stay whole. " +
				"With keep_parent_names := true the fields of structs in structs are called outer.inner. In the select list it also makes columns of the fields of a struct.",
			Examples: []fn.Example{{SQL: "SELECT * FROM UNNEST(array(1, 2), array('a'))", Want: "1|a\n2|NULL"}, {SQL: "SELECT * FROM UNNEST([[1, 2], NULL, [], [3, NULL]], recursive := true)", Want: "1\n2\n3\nNULL"},
				{SQL: "SELECT * FROM UNNEST([{'a': 1, 'b': {'c': 2}}], recursive := true)", Want: "1|2"}, {SQL: "SELECT * FROM UNNEST([{'a': 1}], max_depth := 1)", Want: "{\"a\":1}"}}, Resolve: resolveUnnest,
		},
		{Name: "$unnest", Group: group, Hidden: true, Resolve: resolveDeepUnnest},
		{
			Name: "inline", Group: group, Pairs: true, Syntax: []string{"inline(array of structs)"}, Doc: "Makes a row of each struct, with its fields as columns.",
			Examples: []fn.Example{{SQL: "SELECT * FROM inline(array(struct(1, 'a')))", Want: "1|a"}, {SQL: "SELECT * FROM inline(array(struct(1, NULL)))", Want: "1|NULL"}}, Resolve: resolveInline,
		},
		{
			Name: "inline_outer", Group: group, Pairs: true, Outer: true, Syntax: []string{"inline_outer(array of structs)"}, Doc: "Is inline, but makes a row of NULLs of an empty or NULL array.",
			Examples: []fn.Example{{SQL: "SELECT * FROM inline_outer(array(struct(1, 'a')))", Want: "1|a"}, {SQL: "SELECT * FROM inline_outer(CAST(NULL AS ARRAY<STRUCT<a: INT, b: STRING>>))", Want: "NULL|NULL"}}, Resolve: resolveInline,
		},
		{
			Name: "stack", Group: group, Pairs: true, Syntax: []string{"stack(n, a, b, ...)"}, Doc: "Makes n rows of the other arguments, in order; the last row is filled with NULL.",
			Examples: []fn.Example{{SQL: "SELECT * FROM stack(2, 1, 2, 3)", Want: "1|2\n3|NULL"}}, Resolve: resolveStack,
		},
	}
}

// counter collects the ends of groups.
type counter struct {
	ends []uint32
	n    uint32
}

func (c *counter) end(n int) {
	c.n += uint32(n)
	c.ends = append(c.ends, c.n)
}

// spread lists the elements of all arrays that count, one group a row.
func spread(v *vec.Vector, rows fn.Rows) (index []int32, pos []int64, ends []uint32) {
	var c counter
	each(rows, func(r int) {
		if v.IsNull(r) {
			c.end(0)
			return
		}
		_, from, to := list(v, r)
		for e := from; e < to; e++ {
			index, pos = append(index, int32(e)), append(pos, int64(e-from))
		}
		c.end(to - from)
	})
	return index, pos, c.ends
}

// storageOf is the flat vector that holds a column's list elements.
func storageOf(v *vec.Vector) *vec.Vector {
	if v.Dict != nil {
		return v.Dict
	}
	return v
}

func resolveExplode(withPos bool) func(args []fn.Arg) (fn.GenImpl, error) {
	return func(args []fn.Arg) (fn.GenImpl, error) {
		if err := arity(args, 1, 1); err != nil {
			return fn.GenImpl{}, err
		}
		t := args[0].Type
		impl := fn.GenImpl{}
		if withPos {
			impl.Columns = append(impl.Columns, types.Column{Name: "pos", Type: integer})
		}
		switch t.Kind {
		case types.Null:
			t = types.ArrayOf(null)
			fallthrough
		case types.Array:
			impl.Columns = append(impl.Columns, types.Column{Name: "col", Type: *t.Elem})
		case types.Map:
			impl.Columns = append(impl.Columns, types.Column{Name: "key", Type: *t.Key}, types.Column{Name: "value", Type: *t.Elem})
		default:
			return impl, mismatch(args, 0, "ARRAY or MAP")
		}
		impl.Args = []types.Type{t}
		impl.Eval = func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
			index, pos, ends := spread(args[0], rows)
			g := fn.Generated{Ends: ends}
			if withPos {
				g.Cols = append(g.Cols, vec.FromInts(integer, pos))
			}
			for _, child := range storageOf(args[0]).Child {
				g.Cols = append(g.Cols, vec.Gather(child, index))
			}
			return g, nil
		}
		return impl, nil
	}
}

func resolveInline(args []fn.Arg) (fn.GenImpl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.GenImpl{}, err
	}
	t := args[0].Type
	if t.Kind != types.Array || t.Elem.Kind != types.Struct {
		return fn.GenImpl{}, mismatch(args, 0, "ARRAY of structs")
	}
	impl := fn.GenImpl{Args: []types.Type{t}}
	for _, f := range t.Elem.Fields {
		impl.Columns = append(impl.Columns, types.Column{Name: f.Name, Type: f.Type})
	}
	impl.Eval = func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
		index, _, ends := spread(args[0], rows)
		structs := vec.Flatten(vec.Gather(storageOf(args[0]).Child[0], index))
		return fn.Generated{Cols: fieldsOf(structs), Ends: ends}, nil
	}
	return impl, nil
}

// fieldsOf are the columns of a flat struct column, NULL where the struct is.
func fieldsOf(v *vec.Vector) []*vec.Vector {
	cols := make([]*vec.Vector, len(v.Child))
	for i, child := range v.Child {
		cols[i] = child
		if v.Valid != nil {
			out := *vec.Flatten(child)
			out.Valid = vec.AndValid(out.Valid, v.Valid, v.N)
			cols[i] = &out
		}
	}
	return cols
}

func resolveUnnest(args []fn.Arg) (fn.GenImpl, error) {
	if err := arity(args, 1, -1); err != nil {
		return fn.GenImpl{}, err
	}
	if len(args) == 1 {
		if t := args[0].Type; t.Kind == types.Array && t.Elem.Kind == types.Struct {
			return resolveInline(args)
		}
		return resolveExplode(false)(args)
	}
	impl := fn.GenImpl{}
	for i := range args {
		t, err := arrayArg(args, i)
		if err != nil {
			return impl, err
		}
		impl.Args = append(impl.Args, t)
		impl.Columns = append(impl.Columns, types.Column{Name: fmt.Sprintf("col%d", i+1), Type: *t.Elem})
	}
	impl.Eval = unnestSide
	return impl, nil
}

// unnestSide lays arrays side by side.
func unnestSide(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
	index := make([][]int32, len(args))
	var c counter
	each(rows, func(r int) {
		longest := 0
		for _, a := range args {
			if !a.IsNull(r) {
				_, from, to := list(a, r)
				longest = max(longest, to-from)
			}
		}
		for i, a := range args {
			from, to := 0, 0
			if !a.IsNull(r) {
				_, from, to = list(a, r)
			}
			for k := range longest {
				e := int32(-1)
				if from+k < to {
					e = int32(from + k)
				}
				index[i] = append(index[i], e)
			}
		}
		c.end(longest)
	})
	g := fn.Generated{Ends: c.ends}
	for i, a := range args {
		g.Cols = append(g.Cols, vec.GatherOuter(storageOf(a).Child[0], index[i]))
	}
	return g, nil
}

func resolveStack(args []fn.Arg) (fn.GenImpl, error) {
	if err := arity(args, 2, -1); err != nil {
		return fn.GenImpl{}, err
	}
	k := args[0].Const
	if k == nil || !k.Type.IsInteger() || k.IsNull(0) || k.Int(0) < 1 {
		return fn.GenImpl{}, mismatch(args, 0, "positive constant")
	}
	n := int(k.Int(0))
	width := (len(args) - 1 + n - 1) / n
	impl := fn.GenImpl{Args: argTypes(args)}
	for col := range width {
		t := null
		for i := 1 + col; i < len(args); i += width {
			u, ok := types.CommonType(t, args[i].Type)
			if !ok {
				return impl, mismatch(args, i, t.String())
			}
			t = u
		}
		for i := 1 + col; i < len(args); i += width {
			impl.Args[i] = t
		}
		impl.Columns = append(impl.Columns, types.Column{Name: fmt.Sprintf("col%d", col), Type: t})
	}
	impl.Eval = func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
		return stack(impl.Columns, n, args[1:], rows), nil
	}
	return impl, nil
}

func stack(columns []types.Column, n int, args []*vec.Vector, rows fn.Rows) fn.Generated {
	var c counter
	g := fn.Generated{}
	for col := range columns {
		b := vec.NewBuilder(columns[col].Type)
		each(rows, func(r int) {
			for row := range n {
				if i := row*len(columns) + col; i < len(args) {
					b.AppendFrom(args[i], r)
				} else {
					b.AppendNull()
				}
			}
		})
		g.Cols = append(g.Cols, b.Take())
	}
	each(rows, func(int) { c.end(n) })
	g.Ends = c.ends
	return g
}
