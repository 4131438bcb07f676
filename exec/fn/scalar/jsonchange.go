package scalar

import (
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func appendJSONText(dst []byte, s string) []byte { return vec.AppendJSONString(dst, []byte(s)) }

// jsonChanges make JSON values and change them. They give JSON in its canonical form; text
// that is no JSON is an error where a JSON value is wanted.
func jsonChanges() []*fn.Scalar {
	return append(append(jsonMakers(), jsonEdits()...), jsonLooks()...)
}

func jsonMakers() []*fn.Scalar {
	group := "JSON"
	return []*fn.Scalar{
		{
			Name: "parse_json", Aliases: []string{"json_normalize", "json"}, Group: group, Syntax: []string{"parse_json(text)"}, Doc: "Reads text as a JSON value: CAST(text AS JSON). Text that is no JSON is an error.",
			Examples: []fn.Example{{SQL: `parse_json('{"b": 1, "a": [2]}')`, Want: `{"a":[2],"b":1}`}, {SQL: "parse_json(NULL)", Want: "NULL"}},
			Resolve:  fixed(document, tryTexts(document, "parse_json", parseJSON), text),
		},
		{
			Name: "try_parse_json", Group: group, Syntax: []string{"try_parse_json(text)"}, Doc: "Reads text as a JSON value; NULL where it is no JSON.",
			Examples: []fn.Example{{SQL: "try_parse_json('{')", Want: "NULL"}, {SQL: "try_parse_json('[1]')", Want: "[1]"}},
			Resolve: fixed(document, bytesOf(document, func(dst []byte, args []*vec.Vector, r int) []byte {
				out, err := types.AppendCanonicalJSON(dst, args[0].Bytes(r))
				if err != nil {
					return nil
				}
				return out
			}), text),
		},
		{
			Name: "json_quote", Aliases: []string{"array_to_json", "row_to_json", "to_jsonb", "to_variant_object"}, Group: group, Syntax: []string{"json_quote(value)"}, Doc: "Writes a value as JSON, NULL fields included: CAST(value AS JSON) of a value that is no text, and a JSON string of a text.",
			Examples: []fn.Example{{SQL: "json_quote('x')", Want: `"x"`}, {SQL: "json_quote(named_struct('a', 1, 'b', NULL))", Want: `{"a":1,"b":null}`}, {SQL: "json_quote(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 1, 1); err != nil {
					return fn.Impl{}, err
				}
				return jsonImpl(args, func(w jsonWriter, dst []byte, args []*vec.Vector, r int) []byte { return w.append(dst, args[0], r) }), nil
			},
		},
		jsonObject("json_object", []string{"json_build_object", "jsonb_build_object"}, true),
		jsonObject("$json_object_absent", nil, false),
		jsonArray("json_array", nil, false, "NULLs are left out, unless json_array(… NULL ON NULL) or json_build_array keeps them.", "json_array(1, 'x', NULL)", `[1,"x"]`),
		jsonArray("json_build_array", []string{"jsonb_build_array"}, true, "NULLs are null.", "json_build_array(1, 'x', NULL)", `[1,"x",null]`),
	}
}

func parseJSON(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
	doc := args[0].Bytes(r)
	out, err := types.AppendCanonicalJSON(dst, doc)
	if err != nil {
		return nil, fn.Quote(string(doc)), err.Error()
	}
	return out, "", ""
}

// jsonImpl makes JSON of arguments of any type.
func jsonImpl(args []fn.Arg, f func(w jsonWriter, dst []byte, args []*vec.Vector, r int) []byte) fn.Impl {
	return fn.Impl{Args: argTypes(args), Result: document, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		w := jsonWriter{zone: c.Zone, keepNull: true}
		var tmp []byte
		return tryTexts(document, "JSON", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
			tmp = f(w, tmp[:0], args, r)
			out, err := types.AppendCanonicalJSON(dst, tmp)
			if err != nil {
				return nil, "", err.Error()
			}
			return out, "", ""
		})(c, args, rows)
	}}
}

func jsonObject(name string, aliases []string, nulls bool) *fn.Scalar {
	f := &fn.Scalar{
		Name: name, Aliases: aliases, Group: "JSON", Nulls: fn.Custom, Hidden: !nulls, Syntax: []string{name + "(name, value, ...)", name + "(KEY name VALUE value, ... [ABSENT ON NULL])"},
		Doc:      "Makes a JSON object of names and values; NULL is null, or with ABSENT ON NULL left out. Of a name that is there twice the last value counts; a NULL name is an error.",
		Examples: []fn.Example{{SQL: name + "('a', 1, 'b', NULL)", Want: `{"a":1,"b":null}`}, {SQL: name + "('a', json_array(1, 2))", Want: `{"a":[1,2]}`}},
		Resolve:  func(args []fn.Arg) (fn.Impl, error) { return resolveJSONObject(args, nulls) },
	}
	if !nulls {
		f.Examples = []fn.Example{{SQL: name + "('a', 1, 'b', NULL)", Want: `{"a":1}`}}
	}
	return f
}

func resolveJSONObject(args []fn.Arg, nulls bool) (fn.Impl, error) {
	if len(args)%2 != 0 {
		return fn.Impl{}, mismatch(append(args, fn.Arg{Type: null}), len(args), "value")
	}
	for i := 0; i < len(args); i += 2 {
		if !types.CanCoerce(args[i].Type, text) {
			return fn.Impl{}, mismatch(args, i, "STRING")
		}
	}
	impl := jsonImpl(args, func(w jsonWriter, dst []byte, args []*vec.Vector, r int) []byte {
		dst = append(dst, '{')
		for i := 0; i < len(args); i += 2 {
			if args[i+1].IsNull(r) && !nulls {
				continue
			}
			if len(dst) > 1 {
				dst = append(dst, ',')
			}
			dst = w.append(append(vec.AppendJSONString(dst, args[i].Bytes(r)), ':'), args[i+1], r)
		}
		return append(dst, '}')
	})
	write := impl.Eval
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		named := []int32{}
		var failed error
		each(rows, func(r int) {
			for i := 0; i < len(args); i += 2 {
				if args[i].IsNull(r) {
					if failed == nil && !c.NullOnError {
						failed = &fn.DataError{Func: "json_object", Row: r, Msg: "a name is NULL"}
					}
					c.Errors++
					return
				}
			}
			named = append(named, int32(r))
		})
		if failed != nil {
			return nil, failed
		}
		out, err := write(c, args, fn.Rows{N: rows.N, Sel: named})
		if err == nil && len(named) < rows.Len() {
			nullOthers(out, named)
		}
		return out, err
	}
	for i := 0; i < len(args); i += 2 {
		impl.Args[i] = text
	}
	return impl, nil
}

// nullOthers makes the rows NULL that are not listed.
func nullOthers(v *vec.Vector, rows []int32) {
	k := 0
	for r := range v.N {
		if k < len(rows) && int(rows[k]) == r {
			k++
			continue
		}
		v.SetNull(r)
	}
}

func jsonArray(name string, aliases []string, nulls bool, doc, example, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: aliases, Group: "JSON", Nulls: fn.Custom, Syntax: []string{name + "(a, b, ...)"}, Doc: "Makes a JSON array of values. " + doc,
		Examples: []fn.Example{{SQL: example, Want: want}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			return jsonImpl(args, func(w jsonWriter, dst []byte, args []*vec.Vector, r int) []byte {
				dst = append(dst, '[')
				for _, a := range args {
					if a.IsNull(r) && !nulls {
						continue
					}
					if len(dst) > 1 {
						dst = append(dst, ',')
					}
					dst = w.append(dst, a, r)
				}
				return append(dst, ']')
			}), nil
		},
	}
}

// edited makes a kernel that takes its first argument apart and writes it again.
func edited(result types.Type, f func(n *jsonNode, args []*vec.Vector, r int) (*jsonNode, string)) fn.Kernel {
	return tryTexts(result, "JSON", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
		n, msg := f(jsonTree(args[0].Bytes(r)), args, r)
		if msg != "" {
			return nil, fn.Quote(args[1].Text(r)), msg
		}
		return n.append(dst), "", ""
	})
}

const badPath = "no path of members and elements such as $.a[0]"

// plainPath reads a path without wildcards.
func plainPath(s string) ([]jsonStep, bool) {
	path, ok := parsePath(strings.Clone(s))
	for _, step := range path {
		ok = ok && step.kind != '*' && step.index >= 0
	}
	return path, ok
}

func jsonEdits() []*fn.Scalar {
	put := func(name, doc, example, want string, replace, add bool) *fn.Scalar {
		return &fn.Scalar{
			Name: name, Group: "JSON", Syntax: []string{name + "(json, '$.path', value)"}, Doc: doc + " An element may be added right behind the last one; what leads nowhere changes nothing.",
			Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "('{}', '$.a', NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if len(args) == 3 && args[2].Type.Kind != types.JSON && args[2].Type.Kind != types.Null {
					return resolvePutValue(args, replace, add)
				}
				return fixed(document, edited(document, putAt(replace, add, nil)), document, text, document)(args)
			},
		}
	}
	return []*fn.Scalar{
		put("json_set", "Replaces the value at a path, or adds it with the objects on the way. A value that is not JSON is written as json_quote does.", `json_set('{"a":1}', '$.b.c', 'x')`, `{"a":1,"b":{"c":"x"}}`, true, true),
		put("json_insert", "Adds a value at a path where there is none.", `json_insert('{"a":1}', '$.a', 2)`, `{"a":1}`, false, true),
		put("json_replace", "Replaces the value at a path where there is one.", `json_replace('{"a":1}', '$.a', 2)`, `{"a":2}`, true, false),
		{
			Name: "json_remove", Group: "JSON", Syntax: []string{"json_remove(json, '$.path', ...)"}, Doc: "Takes the values at paths away, one after the other; what leads nowhere changes nothing.",
			Examples: []fn.Example{{SQL: `json_remove('{"a":[1,2],"b":2}', '$.b', '$.a[0]')`, Want: `{"a":[2]}`}, {SQL: "json_remove(NULL, '$.a')", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if err := arity(args, 2, -1); err != nil {
					return fn.Impl{}, err
				}
				return fixed(document, edited(document, removeAt), append([]types.Type{document}, same(text, len(args)-1)...)...)(args)
			},
		},
		jsonPair("json_merge_patch", "Changes a JSON value by another one (RFC 7386): members that are null there go, others are replaced or added, objects member by member.", `json_merge_patch('{"a":1,"b":2}', '{"b":null,"c":3}')`, `{"a":1,"c":3}`,
			func(a, b *jsonNode) *jsonNode { return a.patched(b, false) }),
		jsonPair("json_deep_merge", "Joins two JSON objects member by member, at any depth; of values that are no objects the second one's counts, null too.", `json_deep_merge('{"a":{"x":1}}', '{"a":{"y":2}}')`, `{"a":{"x":1,"y":2}}`,
			func(a, b *jsonNode) *jsonNode { return a.patched(b, true) }),
		jsonStrip("json_strip_nulls", []string{"jsonb_strip_nulls"}, false, "Drops the members that are null, at any depth; elements of arrays stay.", `json_strip_nulls('{"a":null,"b":[null]}')`, `{"b":[null]}`),
		jsonStrip("variant_strip_nulls", nil, true, "Drops the members and elements that are null, at any depth.", `variant_strip_nulls('{"a":null,"b":[null,1]}')`, `{"b":[1]}`),
	}
}

// putAt puts the third argument, or what value makes of it, at the path of the second.
func putAt(replace, add bool, value func(args []*vec.Vector, r int) []byte) func(n *jsonNode, args []*vec.Vector, r int) (*jsonNode, string) {
	return func(n *jsonNode, args []*vec.Vector, r int) (*jsonNode, string) {
		path, ok := plainPath(args[1].Text(r))
		if !ok {
			return nil, badPath
		}
		raw := args[2].Bytes
		v := jsonTree(func() []byte {
			if value != nil {
				return value(args, r)
			}
			return raw(r)
		}())
		n.put(path, v, replace, add)
		return n, ""
	}
}

// resolvePutValue writes the value as JSON first.
func resolvePutValue(args []fn.Arg, replace, add bool) (fn.Impl, error) {
	for i, want := range []types.Type{document, text} {
		if !types.CanCoerce(args[i].Type, want) {
			return fn.Impl{}, mismatch(args, i, want.String())
		}
	}
	return fn.Impl{Args: []types.Type{document, text, args[2].Type}, Result: document, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		w := jsonWriter{zone: c.Zone, keepNull: true}
		return edited(document, putAt(replace, add, func(args []*vec.Vector, r int) []byte { return w.append(nil, args[2], r) }))(c, args, rows)
	}}, nil
}

func removeAt(n *jsonNode, args []*vec.Vector, r int) (*jsonNode, string) {
	for _, a := range args[1:] {
		path, ok := plainPath(a.Text(r))
		if !ok || len(path) == 0 {
			return nil, badPath
		}
		n.remove(path)
	}
	return n, ""
}

func jsonPair(name, doc, example, want string, f func(a, b *jsonNode) *jsonNode) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "JSON", Syntax: []string{name + "(a, b)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "('{}', NULL)", Want: "NULL"}},
		Resolve: fixed(document, edited(document, func(n *jsonNode, args []*vec.Vector, r int) (*jsonNode, string) {
			return f(n, jsonTree(args[1].Bytes(r))), ""
		}), document, document),
	}
}

func jsonStrip(name string, aliases []string, elements bool, doc, example, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: aliases, Group: "JSON", Syntax: []string{name + "(json)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve: fixed(document, edited(document, func(n *jsonNode, _ []*vec.Vector, _ int) (*jsonNode, string) {
			n.strip(elements)
			return n, ""
		}), document),
	}
}

// jsonLooks tell what a JSON value is.
func jsonLooks() []*fn.Scalar {
	group := "JSON"
	return []*fn.Scalar{
		{
			Name: "json_contains", Group: group, Syntax: []string{"json_contains(json, part)"}, Doc: "Is true where the second value is somewhere within the first: an equal scalar, an object with all its members, an array with all its elements.",
			Examples: []fn.Example{{SQL: `json_contains('{"a":[1,2]}', '{"a":[2]}')`, Want: "true"}, {SQL: "json_contains('[1]', NULL)", Want: "NULL"}},
			Resolve: fixed(boolean, bools(func(args []*vec.Vector, r int) bool {
				return jsonTree(args[0].Bytes(r)).contains(jsonTree(args[1].Bytes(r)))
			}), document, document),
		},
		{
			Name: "json_pretty", Group: group, Syntax: []string{"json_pretty(json)"}, Doc: "Writes a JSON value over several lines, with four blanks for each level.",
			Examples: []fn.Example{{SQL: "json_pretty('[]')", Want: "[]"}, {SQL: "json_pretty(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return jsonTree(args[0].Bytes(r)).pretty(dst, "")
			}), document),
		},
		{
			Name: "is_variant_null", Group: group, Nulls: fn.Custom, Syntax: []string{"is_variant_null(json)"}, Doc: "Is true where a JSON value is null; false where there is none.",
			Examples: []fn.Example{{SQL: "is_variant_null('null')", Want: "true"}, {SQL: "is_variant_null(NULL)", Want: "false"}},
			Resolve: fixed(boolean, bools(func(args []*vec.Vector, r int) bool {
				return !args[0].IsNull(r) && string(args[0].Bytes(r)) == "null"
			}), document),
		},
		jsonTypeName("json_type", nil, "Names what JSON text, or what is at a path in it, is: OBJECT, ARRAY, VARCHAR, UBIGINT, BIGINT (negative), DOUBLE, BOOLEAN or NULL.", "json_type('[1]')", "ARRAY", duckTypeName),
		jsonTypeName("json_typeof", []string{"jsonb_typeof"}, "Names what JSON text is: object, array, string, number, boolean or null.", "json_typeof('[1]')", "array", postgresTypeName),
	}
}

func jsonTypeName(name string, aliases []string, doc, example, want string, of func(v []byte) string) *fn.Scalar {
	most := 1
	if aliases == nil {
		most = 2
	}
	return &fn.Scalar{
		Name: name, Aliases: aliases, Group: "JSON", Syntax: []string{name + "(json [, '$.path'])", name + "(json)"}[2-most : 3-most], Doc: doc + " NULL where a path leads nowhere; text that is no JSON is an error.",
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve: optional(1, text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
			v := args[0].Bytes(r)
			if len(args) > 1 {
				path, ok := parsePath(args[1].Text(r))
				if !ok {
					return nil
				}
				if v = lookup(v, path); v == nil {
					return nil
				}
			}
			return append(dst, of(v)...)
		}), []types.Type{document, text}[:most]...),
	}
}

func duckTypeName(v []byte) string {
	switch v[0] {
	case '{':
		return "OBJECT"
	case '[':
		return "ARRAY"
	case '"':
		return "VARCHAR"
	case 't', 'f':
		return "BOOLEAN"
	case 'n':
		return "NULL"
	}
	switch {
	case strings.ContainsAny(string(v), ".eE"):
		return "DOUBLE"
	case v[0] == '-':
		return "BIGINT"
	}
	return "UBIGINT"
}

func postgresTypeName(v []byte) string {
	switch v[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
