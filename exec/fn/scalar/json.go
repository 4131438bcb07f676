package scalar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// JSON is text. A path that leads nowhere, and text that is no JSON, give NULL.

func jsonFunctions() []*fn.Scalar {
	group := "JSON"
	return []*fn.Scalar{
		{
			Name: "get_json_object", Aliases: []string{"json_extract_string", "json_extract_scalar"}, Group: group, Syntax: []string{"get_json_object(json, '$.path')"},
			Doc:      "Takes the value at a path out of JSON text: a string without quotes, anything else as JSON.",
			Examples: []fn.Example{{SQL: `get_json_object('{"a":{"b":[1,"x"]}}', '$.a.b[1]')`, Want: "x"}, {SQL: `get_json_object('{"a":1}', '$.b')`, Want: "NULL"}},
			Resolve:  resolvePath(true),
		},
		{
			Name: "json_extract", Group: group, Syntax: []string{"json_extract(json, '$.path')"}, Doc: "Takes the value at a path as JSON, strings with their quotes.",
			Examples: []fn.Example{{SQL: `json_extract('{"a":"x"}', '$.a')`, Want: `"x"`}, {SQL: `json_extract(NULL, '$.a')`, Want: "NULL"}},
			Resolve:  resolvePath(false),
		},
		arrow("->", false, "Takes a member or element of JSON text, or what a path starting with $ leads to, as JSON.", `'{"a":"x"}' -> 'a'`, `"x"`),
		arrow("->>", true, "Takes a member or element of JSON text, or what a path starting with $ leads to, as text.", `'{"a":"x"}' ->> 'a'`, "x"),
		braces("#>", false, `'{"a":[1,"x"]}'`),
		braces("#>>", true, `'{"a":[1,"x"]}'`),
		{
			Name: "json_array_length", Aliases: []string{"jsonb_array_length"}, Group: group, Syntax: []string{"json_array_length(json [, '$.path'])"}, Doc: "Counts the elements of a JSON array, or of the one at a path; NULL for anything else.",
			Examples: []fn.Example{{SQL: "json_array_length('[1,2]')", Want: "2"}, {SQL: `json_array_length('{"a":[1]}', '$.a')`, Want: "1"}, {SQL: "json_array_length('{}')", Want: "NULL"}},
			Resolve:  resolveArrayCount,
		},
		{
			Name: "json_object_keys", Group: group, Syntax: []string{"json_object_keys(json)"}, Doc: "Lists the members' names of a JSON object; NULL for anything else.",
			Examples: []fn.Example{{SQL: `json_object_keys('{"a":1,"b":2}')`, Want: `["a","b"]`}, {SQL: "json_object_keys('[]')", Want: "NULL"}},
			Resolve:  fixed(types.ArrayOf(text), built(types.ArrayOf(text), objectKeys), text),
		},
		{
			Name: "json_valid", Group: group, Syntax: []string{"json_valid(text)"}, Doc: "Is true where a text is JSON.",
			Examples: []fn.Example{{SQL: "json_valid('{}')", Want: "true"}, {SQL: "json_valid('{')", Want: "false"}, {SQL: "json_valid(NULL)", Want: "NULL"}},
			Resolve: fixed(boolean, bools(func(args []*vec.Vector, r int) bool {
				c := jsonCursor{b: args[0].Bytes(r)}
				_, ok := c.value(0)
				return ok && c.next() == 0
			}), text),
		},
		{
			Name: "to_json", Group: group, Syntax: []string{"to_json(value [, map('ignoreNullFields', 'false')])"}, Doc: "Writes a value as JSON; fields of structs that are NULL are left out unless told otherwise.",
			Examples: []fn.Example{{SQL: "to_json(named_struct('a', 1, 'b', NULL))", Want: `{"a":1}`}, {SQL: "to_json(array(1, NULL))", Want: "[1,null]"}, {SQL: "to_json(TIMESTAMP 'infinity')", Want: `"infinity"`}, {SQL: "to_json(NULL)", Want: "NULL"}},
			Resolve:  resolveToJSON,
		},
		{
			Name: "from_json", Group: group, Syntax: []string{"from_json(json, 'a INT, b ARRAY<STRING>' [, map('mode', 'FAILFAST')])"},
			Doc:      "Reads JSON text into a struct, array or map of a declared type. What does not fit is NULL; with mode FAILFAST it is an error.",
			Examples: []fn.Example{{SQL: `from_json('{"a":1,"s":"t"}', 'a INT, s STRING')`, Want: `{"a":1,"s":"t"}`}, {SQL: `from_json('{"a":"x"}', 'a INT')`, Want: `{"a":null}`}, {SQL: "from_json(NULL, 'a INT')", Want: "NULL"}},
			Resolve:  resolveFromJSON,
		},
	}
}

// appendFound appends what a path found: as text or as JSON. nil = NULL.
func appendFound(dst, v []byte, asText bool) []byte {
	switch {
	case v == nil, asText && string(v) == "null":
		return nil
	case asText && v[0] == '"':
		return append(dst, unquoteJSON(v)...)
	}
	return appendCompact(dst, v)
}

// resolvePath resolves a function of JSON text and a $ path.
func resolvePath(asText bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := fixed(text, nil, text, text)(args)
		if err != nil {
			return impl, err
		}
		steps := pathSteps(args, parsePath)
		impl.Eval = bytesOf(text, func(dst []byte, args []*vec.Vector, r int) []byte {
			path, ok := steps(args, r)
			switch {
			case !ok:
				return nil
			case hasWildcard(path):
				return appendWild(dst, args[0].Bytes(r), path, asText)
			}
			return appendFound(dst, lookup(args[0].Bytes(r), path), asText)
		})
		return jsonOf(args, asText, impl), nil
	}
}

// jsonOf makes what a function takes out of a JSON value, not of text, JSON again.
func jsonOf(args []fn.Arg, asText bool, impl fn.Impl) fn.Impl {
	if asText || args[0].Type.Kind != types.JSON {
		return impl
	}
	take := impl.Eval
	impl.Result = document
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		v, err := take(c, args, rows)
		if err != nil {
			return nil, err
		}
		return v.WithType(document), nil
	}
	return impl
}

// jsonFrom is jsonOf for what r resolves.
func jsonFrom(asText bool, r resolver) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := r(args)
		if err != nil {
			return impl, err
		}
		return jsonOf(args, asText, impl), nil
	}
}

// pathSteps reads the path of argument 1, once if it is constant.
func pathSteps(args []fn.Arg, read func(string) ([]jsonStep, bool)) func(args []*vec.Vector, r int) ([]jsonStep, bool) {
	if s, ok := constText(args, 1); ok {
		path, valid := read(strings.Clone(s))
		return func([]*vec.Vector, int) ([]jsonStep, bool) { return path, valid }
	}
	return func(args []*vec.Vector, r int) ([]jsonStep, bool) { return read(args[1].Text(r)) }
}

func arrow(name string, asText bool, doc, example, want string) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "JSON", Syntax: []string{"json " + name + " 'member'", "json " + name + " index"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: "'{}' " + name + " 'a'", Want: "NULL"}},
		Resolve:  jsonFrom(asText, func(args []fn.Arg) (fn.Impl, error) { return resolveArrow(args, asText) }),
	}
}

func resolveArrow(args []fn.Arg, asText bool) (fn.Impl, error) {
	if len(args) == 2 && args[1].Type.IsInteger() {
		return fixed(text, bytesOf(text, func(dst []byte, args []*vec.Vector, r int) []byte {
			path := [1]jsonStep{{kind: '[', index: int(args[1].Int(r))}}
			return appendFound(dst, lookup(args[0].Bytes(r), path[:]), asText)
		}), text, bigint)(args)
	}
	if s, ok := constText(args, 1); ok && strings.HasPrefix(s, "$") {
		return resolvePath(asText)(args)
	}
	return fixed(text, bytesOf(text, func(dst []byte, args []*vec.Vector, r int) []byte {
		path := [1]jsonStep{{kind: '.', name: args[1].Text(r)}}
		return appendFound(dst, lookup(args[0].Bytes(r), path[:]), asText)
	}), text, text)(args)
}

// braces are PostgreSQL's #> and #>>, with a path like '{a,0}'.
func braces(name string, asText bool, doc string) *fn.Scalar {
	want := `"x"`
	if asText {
		want = "x"
	}
	call := map[bool]string{false: "json_path", true: "json_path_text"}[asText]
	return &fn.Scalar{
		Name: name, Aliases: []string{call}, Group: "JSON", Syntax: []string{"json " + name + " '{a,0}'"}, Doc: "Takes what a list of members and indexes leads to out of JSON text.",
		Examples: []fn.Example{{SQL: call + "(" + doc + ", '{a,1}')", Want: want}, {SQL: call + "(" + doc + ", '{b}')", Want: "NULL"}},
		Resolve: jsonFrom(asText, fixed(text, bytesOf(text, func(dst []byte, args []*vec.Vector, r int) []byte {
			doc := args[0].Bytes(r)
			for _, part := range strings.Split(strings.Trim(args[1].Text(r), "{}"), ",") {
				if doc = childOf(doc, strings.TrimSpace(part)); doc == nil {
					return nil
				}
			}
			return appendFound(dst, doc, asText)
		}), text, text)),
	}
}

// childOf is the member of an object, or the element of an array, that a text names; nil
// if there is none.
func childOf(doc []byte, name string) []byte {
	step := jsonStep{kind: '.', name: name}
	c := jsonCursor{b: doc}
	if c.next() == '[' {
		var err error
		step.kind = '['
		if step.index, err = strconv.Atoi(name); err != nil {
			return nil
		}
	}
	return lookup(doc, []jsonStep{step})
}

// jsonAt is the whole text, or the value at the path of argument 1; nil if it is no JSON or
// the path leads nowhere.
func jsonAt(args []*vec.Vector, r int) []byte {
	doc := args[0].Bytes(r)
	if !wholeJSON(doc) {
		return nil
	}
	path := []jsonStep{}
	if len(args) > 1 {
		var ok bool
		if path, ok = parsePath(args[1].Text(r)); !ok {
			return nil
		}
	}
	return lookup(doc, path)
}

func resolveArrayCount(args []fn.Arg) (fn.Impl, error) {
	return optional(1, integer, func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(integer, rows.N)
		each(rows, func(r int) {
			v := jsonAt(args, r)
			if v == nil || v[0] != '[' {
				out.SetNull(r)
				return
			}
			out.I64[r] = int64(countElements(v))
		})
		return out, nil
	}, text, text)(args)
}

func objectKeys(b *vec.Builder, args []*vec.Vector, r int) {
	var keys [][]byte
	c := jsonCursor{b: args[0].Bytes(r)}
	ok := c.object(0, func(key []byte) (bool, bool) { keys = append(keys, key); return true, false })
	if !ok || c.next() != 0 {
		b.AppendNull()
		return
	}
	for _, k := range keys {
		b.Child(0).AppendBytes(unquoteJSON(k))
	}
	b.EndList()
}

// jsonOptions reads a constant map of options.
func jsonOptions(args []fn.Arg, i int) (map[string]string, error) {
	opts := map[string]string{}
	if i >= len(args) {
		return opts, nil
	}
	v := args[i].Const
	if v == nil || v.Type.Kind != types.Map || v.IsNull(0) {
		return nil, mismatch(args, i, "constant MAP of options")
	}
	f, from, to := list(v, 0)
	for e := from; e < to; e++ {
		if f.Child[1].IsNull(e) {
			continue
		}
		opts[strings.ToLower(vec.RowString(f.Child[0], e, nil))] = vec.RowString(f.Child[1], e, nil)
	}
	return opts, nil
}

func resolveToJSON(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, 2); err != nil {
		return fn.Impl{}, err
	}
	opts, err := jsonOptions(args, 1)
	if err != nil {
		return fn.Impl{}, err
	}
	for name := range opts {
		if name != "ignorenullfields" {
			return fn.Impl{}, fmt.Errorf("knows the option ignoreNullFields alone, not %s", name)
		}
	}
	keep := strings.EqualFold(opts["ignorenullfields"], "false")
	eval := func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		w := jsonWriter{zone: c.Zone, keepNull: keep}
		return texts(func(dst []byte, args []*vec.Vector, r int) []byte { return w.append(dst, args[0], r) })(c, args, rows)
	}
	return fn.Impl{Args: argTypes(args), Result: text, Eval: eval}, nil
}
