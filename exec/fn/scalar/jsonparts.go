package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// jsonParts take parts out of JSON under the names of DuckDB, PostgreSQL and Spark's
// VARIANT.
func jsonParts() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "json_keys", Group: "JSON", Syntax: []string{"json_keys(json [, '$.path'])"}, Doc: "Lists the members' names of a JSON object, or of the one at a path; none for anything else, NULL where a path leads nowhere.",
			Examples: []fn.Example{{SQL: `json_keys('{"a":1,"b":2}')`, Want: `["a","b"]`}, {SQL: "json_keys('[]')", Want: "[]"}, {SQL: "json_keys(NULL)", Want: "NULL"}},
			Resolve:  optional(1, types.ArrayOf(text), built(types.ArrayOf(text), jsonKeys), text, text),
		},
		keyPath("json_extract_path", "jsonb_extract_path", false, `json_extract_path('{"a":["x"]}', 'a', '0')`, `"x"`),
		keyPath("json_extract_path_text", "jsonb_extract_path_text", true, `json_extract_path_text('{"a":["x"]}', 'a', '0')`, "x"),
		variantGet("variant_get", false, "a value that does not fit the type is an error", `variant_get('{"a":5}', '$.a', 'int')`, "5"),
		variantGet("try_variant_get", true, "a value that does not fit the type is NULL", `try_variant_get('{"a":"x"}', '$.a', 'int')`, "NULL"),
	}
}

func jsonKeys(b *vec.Builder, args []*vec.Vector, r int) {
	v := jsonAt(args, r)
	if v == nil {
		b.AppendNull()
		return
	}
	c := jsonCursor{b: v}
	c.object(0, func(key []byte) (bool, bool) {
		b.Child(0).AppendBytes(unquoteJSON(key))
		return true, false
	})
	b.EndList()
}

// keyPath follows a list of members and indexes; a single one that starts with $ is a path.
func keyPath(name, alias string, asText bool, example, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: []string{alias}, Group: "JSON", Syntax: []string{name + "(json, 'member', ...)", name + "(json, '$.path')"}, Doc: "Takes out of JSON text what a list of members and indexes, or a path that starts with $, leads to; NULL if that is nowhere.",
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "('{}', 'a')", Want: "NULL"}},
		Resolve: jsonFrom(asText, func(args []fn.Arg) (fn.Impl, error) {
			if err := arity(args, 2, -1); err != nil {
				return fn.Impl{}, err
			}
			if s, ok := constText(args, 1); ok && len(args) == 2 && strings.HasPrefix(s, "$") {
				return resolvePath(asText)(args)
			}
			return fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				doc := args[0].Bytes(r)
				for _, key := range args[1:] {
					if doc = childOf(doc, key.Text(r)); doc == nil {
						return nil
					}
				}
				return appendFound(dst, doc, asText)
			}), same(text, len(args))...)(args)
		}),
	}
}

func variantGet(name string, try bool, doc, example, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "JSON", Syntax: []string{name + "(json, '$.path' [, 'type'])"}, Doc: "Takes the value at a path out of JSON, as JSON or as a type that is named by a constant; NULL if the path leads nowhere, and " + doc + ".",
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "('{}', '$.a')", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if err := arity(args, 2, 3); err != nil {
				return fn.Impl{}, err
			}
			t := document
			if len(args) == 3 {
				name, ok := constText(args, 2)
				if !ok {
					return fn.Impl{}, mismatch(args, 2, "constant type such as 'int'")
				}
				var err error
				if t, err = parseSchema(strings.Clone(name)); err != nil {
					return fn.Impl{}, fmt.Errorf("cannot read the type %q", name)
				}
			}
			impl, err := optional(2, t, nil, document, text, text)(args)
			if err != nil {
				return impl, err
			}
			take, err := resolvePath(false)([]fn.Arg{{Type: document}, args[1]})
			impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
				return variantPart(c, take.Eval, t, try, args, rows)
			}
			return impl, err
		},
	}
}

// variantPart takes the part and casts what is there.
func variantPart(c *fn.Ctx, take fn.Kernel, t types.Type, try bool, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	found, err := take(c, args[:2], rows)
	if err != nil || t.Equal(document) {
		return found, err
	}
	out, err := cast.Kernel(document, t, try)(c, []*vec.Vector{found}, presentRows(found, rows))
	if err != nil {
		return nil, err
	}
	copied := *out
	copied.Valid = vec.AndValid(out.Valid, found.Valid, rows.N)
	return &copied, nil
}
