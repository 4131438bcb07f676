package scalar

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func csvFunctions() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "from_csv", Group: "CSV", Syntax: []string{"from_csv(text, 'a INT, b STRING')"}, Doc: "Reads one line of comma-separated values into a struct; what does not fit is NULL.",
			Examples: []fn.Example{{SQL: "from_csv('1,x', 'a INT, b STRING')", Want: `{"a":1,"b":"x"}`}, {SQL: "from_csv('z', 'a INT, b STRING')", Want: `{"a":null,"b":null}`}, {SQL: "from_csv(NULL, 'a INT')", Want: "NULL"}},
			Resolve:  resolveFromCSV,
		},
		{
			Name: "to_csv", Group: "CSV", Syntax: []string{"to_csv(struct)"}, Doc: "Writes a struct as one line of comma-separated values; NULLs are empty.",
			Examples: []fn.Example{{SQL: "to_csv(struct(1, '1,x', NULL))", Want: `1,"1,x",`}, {SQL: "to_csv(NULL)", Want: "NULL"}},
			Resolve:  resolveToCSV,
		},
		{
			Name: "schema_of_json", Group: "JSON", Syntax: []string{"schema_of_json(json)"}, Doc: "Names the type that a JSON text would be read as.",
			Examples: []fn.Example{{SQL: `schema_of_json('{"a":[1]}')`, Want: "STRUCT<a: ARRAY<BIGINT>>"}, {SQL: "schema_of_json(NULL)", Want: "NULL"}},
			Resolve: fixed(text, tryTexts(text, "schema_of_json", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				doc := args[0].Bytes(r)
				c := jsonCursor{b: doc}
				v, ok := c.value(0)
				if !ok || c.next() != 0 {
					return nil, fn.Quote(string(doc)), "not JSON"
				}
				return appendSchema(dst, v), "", ""
			}), text),
		},
	}
}

func resolveFromCSV(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	schema, ok := constText(args, 1)
	if !ok || !types.CanCoerce(args[0].Type, text) {
		return fn.Impl{}, fmt.Errorf("needs a STRING and a constant schema such as 'a INT, b STRING'")
	}
	t, err := parseSchema(strings.Clone(schema))
	if err != nil {
		return fn.Impl{}, err
	}
	if t.Kind != types.Struct {
		return fn.Impl{}, fmt.Errorf("needs a list of columns as schema, got %s", t)
	}
	for _, f := range t.Fields {
		if f.Type.IsNested() {
			return fn.Impl{}, fmt.Errorf("cannot read %s from CSV", f.Type)
		}
	}
	return fn.Impl{Args: []types.Type{text, text}, Result: t, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return fromCSV(c, t, args[0], rows)
	}}, nil
}

// fromCSV reads the texts of all rows column by column and casts them leniently.
func fromCSV(c *fn.Ctx, t types.Type, in *vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	cols := make([]*vec.Builder, len(t.Fields))
	for i := range cols {
		cols[i] = vec.NewBuilder(text)
	}
	fill := func(to int) {
		for _, b := range cols {
			for b.Len() < to {
				b.AppendNull()
			}
		}
	}
	each(rows, func(r int) {
		fill(r)
		record, err := csv.NewReader(strings.NewReader(in.Text(r))).Read()
		for i, b := range cols {
			if err != nil || i >= len(record) || record[i] == "" {
				b.AppendNull()
				continue
			}
			b.AppendString(record[i])
		}
	})
	fill(rows.N)
	out := &vec.Vector{Type: t, N: rows.N}
	scratch := c.Scratch
	c.Scratch = nil // fields of structs are not lent
	defer func() { c.Scratch = scratch }()
	for i, b := range cols {
		v := b.Take()
		field, err := cast.Kernel(text, t.Fields[i].Type, true)(c, []*vec.Vector{v}, presentRows(v, rows))
		if err != nil {
			return nil, err
		}
		copied := *field
		copied.Valid = vec.AndValid(field.Valid, v.Valid, rows.N)
		out.Child = append(out.Child, &copied)
	}
	return out, nil
}

// presentRows leaves NULLs out.
func presentRows(v *vec.Vector, rows fn.Rows) fn.Rows {
	sel := []int32{}
	each(rows, func(r int) {
		if !v.IsNull(r) {
			sel = append(sel, int32(r))
		}
	})
	return fn.Rows{N: rows.N, Sel: sel}
}

func resolveToCSV(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 1); err != nil {
		return fn.Impl{}, err
	}
	if k := args[0].Type.Kind; k != types.Struct && k != types.Null {
		return fn.Impl{}, mismatch(args, 0, "STRUCT")
	}
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return texts(func(dst []byte, args []*vec.Vector, r int) []byte {
			f, i := args[0].At(r)
			record := make([]string, len(f.Child))
			for k, child := range f.Child {
				if !child.IsNull(i) {
					record[k] = vec.RowString(child, i, c.Zone)
				}
			}
			var line bytes.Buffer
			w := csv.NewWriter(&line)
			if w.Write(record) != nil {
				return nil
			}
			w.Flush()
			return append(dst, bytes.TrimSuffix(line.Bytes(), []byte("\n"))...)
		})(c, args, rows)
	}
	return fn.Impl{Args: argTypes(args), Result: text, Eval: eval}, nil
}

// appendSchema names the type of a JSON value; an array's elements are judged by the
// first one.
func appendSchema(dst, v []byte) []byte {
	c := jsonCursor{b: v}
	switch v[0] {
	case '"', 'n':
		return append(dst, "STRING"...)
	case 't', 'f':
		return append(dst, "BOOLEAN"...)
	case '[':
		elem := []byte("null")
		c.array(0, func(int) (bool, bool) {
			if first, ok := c.value(0); ok {
				elem = first
			}
			return false, true
		})
		return append(appendSchema(append(dst, "ARRAY<"...), elem), '>')
	case '{':
		dst = append(dst, "STRUCT<"...)
		first := true
		c.object(0, func(key []byte) (bool, bool) {
			if !first {
				dst = append(dst, ", "...)
			}
			first = false
			val, ok := c.value(0)
			if ok {
				dst = appendSchema(append(append(dst, unquoteJSON(key)...), ": "...), val)
			}
			return false, !ok
		})
		return append(dst, '>')
	}
	var n json.Number
	if json.Unmarshal(v, &n) == nil && !strings.ContainsAny(n.String(), ".eE") {
		return append(dst, "BIGINT"...)
	}
	return append(dst, "DOUBLE"...)
}
