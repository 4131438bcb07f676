package scalar

import (
	"encoding/csv"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func csvFunctions() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "from_csv", Group: "CSV", Syntax: []string{"from_csv(text, 'a INT, b STRING' [, map('sep', ';')])"}, Doc: "Reads one line of comma-separated values into a struct; what does not fit is NULL.",
			Examples: []fn.Example{{SQL: "from_csv('1,x', 'a INT, b STRING')", Want: `{"a":1,"b":"x"}`}, {SQL: "from_csv('1;x', 'a INT, b STRING', map('sep', ';'))", Want: `{"a":1,"b":"x"}`}, {SQL: "from_csv('z', 'a INT, b STRING')", Want: `{"a":null,"b":null}`}, {SQL: "from_csv(NULL, 'a INT')", Want: "NULL"}},
			Resolve:  resolveFromCSV,
		},
		{
			Name: "to_csv", Group: "CSV", Syntax: []string{"to_csv(struct [, map('sep', ';')])"}, Doc: "Writes a struct as one line of comma-separated values: NULL is nothing, an empty text is \"\", and quotes in text are doubled.",
			Examples: []fn.Example{{SQL: "to_csv(struct(1, '1,x', NULL))", Want: `1,"1,x",`}, {SQL: "to_csv(NULL)", Want: "NULL"}},
			Resolve:  resolveToCSV,
		},
		{
			Name: "schema_of_json", Group: "JSON", Syntax: []string{"schema_of_json(json)"}, Doc: "Names the type that a JSON text would be read as: of all elements of an array together, with the members of objects by name.",
			Examples: []fn.Example{{SQL: `schema_of_json('{"b":[1, 2.5],"a":null}')`, Want: "STRUCT<a: STRING, b: ARRAY<DOUBLE>>"}, {SQL: "schema_of_json(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, tryTexts(text, "schema_of_json", schemaOfJSON), text),
		},
		{
			Name: "schema_of_csv", Group: "CSV", Syntax: []string{"schema_of_csv(text [, map('sep', ';')])"}, Doc: "Names the type that a line of comma-separated values would be read as.",
			Examples: []fn.Example{{SQL: "schema_of_csv('1,abc,2.5,2024-01-01')", Want: "STRUCT<_c0: INT, _c1: STRING, _c2: DOUBLE, _c3: DATE>"}, {SQL: "schema_of_csv(NULL)", Want: "NULL"}},
			Resolve:  resolveSchemaOfCSV,
		},
	}
}

func resolveFromCSV(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 3); err != nil {
		return fn.Impl{}, err
	}
	sep, err := csvSeparator(args, 2)
	if err != nil {
		return fn.Impl{}, err
	}
	t, err := schemaArg(args)
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
	return fn.Impl{Args: append([]types.Type{text, text}, argTypes(args[2:])...), Result: t, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return fromCSV(c, t, sep, args[0], rows)
	}}, nil
}

// fromCSV reads the texts of all rows column by column and casts them leniently.
func fromCSV(c *fn.Ctx, t types.Type, sep rune, in *vec.Vector, rows fn.Rows) (*vec.Vector, error) {
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
		record, err := csvRecord(in.Text(r), sep)
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

// csvRecord reads one line.
func csvRecord(line string, sep rune) ([]string, error) {
	rd := csv.NewReader(strings.NewReader(line))
	rd.Comma = sep
	rd.LazyQuotes = true // a quote inside a field is one, as in Spark
	return rd.Read()
}

// appendCell quotes an empty text, which is no NULL, and one that holds what ends a cell.
func appendCell(dst []byte, s string, sep rune) []byte {
	if s != "" && s[0] != ' ' && s[0] != '\t' && !strings.ContainsAny(s, "\"\r\n") && !strings.ContainsRune(s, sep) {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}

func resolveToCSV(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 2); err != nil {
		return fn.Impl{}, err
	}
	sep, err := csvSeparator(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	if k := args[0].Type.Kind; k != types.Struct && k != types.Null {
		return fn.Impl{}, mismatch(args, 0, "STRUCT")
	}
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return texts(func(dst []byte, args []*vec.Vector, r int) []byte {
			f, i := args[0].At(r)
			for k, child := range f.Child {
				if k > 0 {
					dst = utf8.AppendRune(dst, sep)
				}
				if !child.IsNull(i) {
					dst = appendCell(dst, vec.RowString(child, i, c.Zone), sep)
				}
			}
			return dst
		})(c, args, rows)
	}
	return fn.Impl{Args: argTypes(args), Result: text, Eval: eval}, nil
}
