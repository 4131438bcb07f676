package scalar

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// splittings make rows of the parts of texts.
func splittings() []*fn.Generator {
	group := "Generators"
	return []*fn.Generator{
		{
			Name: "regexp_split_to_table", Group: group, Syntax: []string{"regexp_split_to_table(text, pattern)"}, Doc: "Splits a text at the matches of a regular expression into rows.",
			Examples: []fn.Example{{SQL: "SELECT * FROM regexp_split_to_table('a1b22c', '[0-9]+')", Want: "a\nb\nc"}, {SQL: "SELECT * FROM regexp_split_to_table(CAST(NULL AS STRING), ',')", Want: ""}},
			Resolve:  listed("regexp_split_to_table", 2, resolveSplit),
		},
		{
			Name: "string_to_table", Group: group, Syntax: []string{"string_to_table(text, separator [, null_text])"}, Doc: "Splits a text at a separator, which is taken literally, into rows; a part that equals null_text is NULL.",
			Examples: []fn.Example{{SQL: "SELECT * FROM string_to_table('a.b', '.')", Want: "a\nb"}, {SQL: "SELECT * FROM string_to_table('a.-', '.', '-')", Want: "a\nNULL"}, {SQL: "SELECT * FROM string_to_table(CAST(NULL AS STRING), '.')", Want: ""}},
			Resolve:  partsRows(false),
		},
		{
			Name: "split_to_table", Group: group, Syntax: []string{"split_to_table(text, separator)"}, Doc: "Splits a text at a separator, which is taken literally, into rows of the place (index, from 1) and the part (value).",
			Examples: []fn.Example{{SQL: "SELECT * FROM split_to_table('a.b', '.')", Want: "1|a\n2|b"}, {SQL: "SELECT * FROM split_to_table(CAST(NULL AS STRING), '.')", Want: ""}},
			Resolve:  partsRows(true),
		},
	}
}

// listed makes a generator of a function that gives an array: one row of each element.
func listed(column string, most int, r resolver) func(args []fn.Arg) (fn.GenImpl, error) {
	return func(args []fn.Arg) (fn.GenImpl, error) {
		if err := arity(args, 1, most); err != nil {
			return fn.GenImpl{}, err
		}
		f, err := r(args)
		if err != nil {
			return fn.GenImpl{}, err
		}
		impl := fn.GenImpl{Args: f.Args, Columns: []types.Column{{Name: column, Type: *f.Result.Elem}}}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
			sel := make([]int32, 0, rows.Len())
			for i, a := range args {
				args[i] = vec.Flatten(a)
			}
			each(rows, func(r int) {
				if !anyNull(args, r) {
					sel = append(sel, int32(r))
				}
			})
			v, err := f.Eval(c, args, fn.Rows{N: rows.N, Sel: sel})
			if err != nil {
				return fn.Generated{}, err
			}
			var index []int32
			var ends counter
			each(rows, func(r int) {
				if anyNull(args, r) || v.IsNull(r) {
					ends.end(0)
					return
				}
				_, from, to := list(v, r)
				for e := from; e < to; e++ {
					index = append(index, int32(e))
				}
				ends.end(to - from)
			})
			return fn.Generated{Cols: []*vec.Vector{vec.Gather(storageOf(v).Child[0], index)}, Ends: ends.ends}, nil
		}
		return impl, nil
	}
}

// partsRows splits at a literal separator; the places of the parts may stand before them.
func partsRows(places bool) func(args []fn.Arg) (fn.GenImpl, error) {
	return func(args []fn.Arg) (fn.GenImpl, error) {
		most, columns := 3, []types.Column{{Name: "string_to_table", Type: text}}
		if places {
			most, columns = 2, []types.Column{{Name: "index", Type: integer}, {Name: "value", Type: text}}
		}
		if err := arity(args, 2, most); err != nil {
			return fn.GenImpl{}, err
		}
		want := same(text, len(args))
		if err := matches(args, want); err != nil {
			return fn.GenImpl{}, err
		}
		return rowsBuilt(want, columns, func(out []*vec.Builder, args []*vec.Vector, r int) int {
			if args[0].IsNull(r) || args[1].IsNull(r) {
				return 0
			}
			parts := vec.NewBuilder(types.ArrayOf(text))
			splitLiteral(parts, args[0].Bytes(r), args[1].Bytes(r), -1)
			items := parts.Take().Child[0]
			for i := range items.N {
				if places {
					out[0].AppendInt(int64(i) + 1)
				}
				b := out[len(out)-1]
				if len(args) == 3 && !args[2].IsNull(r) && items.Text(i) == args[2].Text(r) {
					b.AppendNull()
				} else {
					b.AppendBytes(items.Bytes(i))
				}
			}
			return items.N
		}), nil
	}
}

// rowsBuilt is a generator that appends the rows of each row to builders and counts them.
func rowsBuilt(args []types.Type, columns []types.Column, one func(out []*vec.Builder, args []*vec.Vector, r int) int) fn.GenImpl {
	impl := fn.GenImpl{Args: args, Columns: columns}
	impl.Eval = func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
		out := make([]*vec.Builder, len(columns))
		for i, c := range columns {
			out[i] = vec.NewBuilder(c.Type)
		}
		var c counter
		each(rows, func(r int) { c.end(one(out, args, r)) })
		g := fn.Generated{Ends: c.ends}
		for _, b := range out {
			g.Cols = append(g.Cols, b.Take())
		}
		return g, nil
	}
	return impl
}

// jsonRows make rows of JSON.
func jsonRows() []*fn.Generator {
	group := "Generators"
	list := []*fn.Generator{{
		Name: "json_tuple", Group: group, Pairs: true, Syntax: []string{"json_tuple(json, name, ...)"}, Doc: "Makes one row of the members of a JSON object with these names, as text (c0, c1, ...); NULL where there is none, and where the text is not JSON to its end.",
		Examples: []fn.Example{{SQL: `SELECT * FROM json_tuple('{"a":1,"b":{"c":2}}', 'a', 'b', 'x')`, Want: `1|{"c":2}|NULL`}, {SQL: "SELECT * FROM json_tuple(CAST(NULL AS STRING), 'a')", Want: "NULL"}},
		Resolve:  resolveJSONTuple,
	}}
	for _, x := range []struct {
		name, alias string
		asText      bool
		doc, want   string
	}{
		{"json_each", "jsonb_each", false, "as JSON", `a|1` + "\n" + `b|"x"`}, {"json_each_text", "jsonb_each_text", true, "as text", "a|1\nb|x"},
	} {
		list = append(list, &fn.Generator{
			Name: x.name, Aliases: []string{x.alias}, Group: group, Syntax: []string{x.name + "(json)"},
			Doc:      "Makes a row of each member of a JSON object or element of an array: the name, or the place from 0 (key), and the value " + x.doc + "; nothing of another value.",
			Examples: []fn.Example{{SQL: "SELECT * FROM " + x.name + `('{"a":1,"b":"x"}')`, Want: x.want}, {SQL: "SELECT * FROM " + x.name + "(CAST(NULL AS STRING))", Want: ""}},
			Resolve:  resolveJSONEach(x.asText, true),
		})
	}
	for _, x := range []struct {
		name, alias string
		asText      bool
		doc, want   string
	}{
		{"json_array_elements", "jsonb_array_elements", false, "as JSON", `1` + "\n" + `"x"`}, {"json_array_elements_text", "jsonb_array_elements_text", true, "as text", "1\nx"},
	} {
		list = append(list, &fn.Generator{
			Name: x.name, Aliases: []string{x.alias}, Group: group, Syntax: []string{x.name + "(json)"}, Doc: "Makes a row of each element of a JSON array, " + x.doc + "; nothing of another value.",
			Examples: []fn.Example{{SQL: "SELECT * FROM " + x.name + `('[1,"x"]')`, Want: x.want}, {SQL: "SELECT * FROM " + x.name + "(CAST(NULL AS STRING))", Want: ""}},
			Resolve:  resolveJSONEach(x.asText, false),
		})
	}
	return list
}

func resolveJSONTuple(args []fn.Arg) (fn.GenImpl, error) {
	if err := arity(args, 2, -1); err != nil {
		return fn.GenImpl{}, err
	}
	want := same(text, len(args))
	if err := matches(args, want); err != nil {
		return fn.GenImpl{}, err
	}
	var columns []types.Column
	for i := range args[1:] {
		columns = append(columns, types.Column{Name: fmt.Sprintf("c%d", i), Type: text})
	}
	return rowsBuilt(want, columns, func(out []*vec.Builder, args []*vec.Vector, r int) int {
		valid := !args[0].IsNull(r) && wholeJSON(args[0].Bytes(r))
		for i, b := range out {
			name := args[i+1]
			var found []byte
			if valid && !name.IsNull(r) {
				found = appendFound([]byte{}, lookup(args[0].Bytes(r), []jsonStep{{name: name.Text(r), kind: '.'}}), true)
			}
			if found == nil {
				b.AppendNull()
			} else {
				b.AppendBytes(found)
			}
		}
		return 1
	}), nil
}

// resolveJSONEach walks the members of objects and the elements of arrays, or arrays
// alone. The values of a JSON argument are JSON, unless they are wanted as text.
func resolveJSONEach(asText, keyed bool) func(args []fn.Arg) (fn.GenImpl, error) {
	return func(args []fn.Arg) (fn.GenImpl, error) {
		if err := arity(args, 1, 1); err != nil {
			return fn.GenImpl{}, err
		}
		t, value := text, text
		if args[0].Type.Kind == types.JSON {
			t = document
			if !asText {
				value = document
			}
		} else if err := matches(args, []types.Type{text}); err != nil {
			return fn.GenImpl{}, err
		}
		columns := []types.Column{{Name: "value", Type: value}}
		if keyed {
			columns = []types.Column{{Name: "key", Type: text}, columns[0]}
		}
		return rowsBuilt([]types.Type{t}, columns, func(out []*vec.Builder, args []*vec.Vector, r int) int {
			if args[0].IsNull(r) {
				return 0
			}
			return eachJSON(args[0].Bytes(r), keyed, func(key, v []byte) {
				if keyed {
					out[0].AppendBytes(key)
				}
				if found := appendFound([]byte{}, v, asText); found == nil {
					out[len(out)-1].AppendNull()
				} else {
					out[len(out)-1].AppendBytes(found)
				}
			})
		}), nil
	}
}

// eachJSON walks over a document that is valid as a whole, and counts.
func eachJSON(doc []byte, objects bool, do func(key, value []byte)) int {
	var keys, values [][]byte
	bad := false
	c := jsonCursor{b: doc}
	take := func(key []byte) (skip, done bool) {
		v, ok := c.value(1)
		keys, values = append(keys, key), append(values, v)
		bad = !ok
		return false, bad
	}
	ok := false
	switch c.next() {
	case '{':
		ok = objects && c.object(0, func(key []byte) (bool, bool) { return take(unquoteJSON(key)) })
	case '[':
		ok = c.array(0, func(i int) (bool, bool) { return take(appendPadded(nil, int64(i), 1)) })
	}
	if !ok || bad || c.next() != 0 {
		return 0
	}
	for i, k := range keys {
		do(k, values[i])
	}
	return len(keys)
}
