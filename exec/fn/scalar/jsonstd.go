package scalar

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// jsonStandard are the functions of the SQL standard and of Flink. Their clauses are
// constants behind the path: the binder puts them there.
func jsonStandard() []*fn.Scalar {
	group := "JSON"
	return []*fn.Scalar{
		{
			Name: "json_value", Group: group, Nulls: fn.Custom,
			Syntax: []string{"json_value(json, '$.path' [RETURNING type] [NULL | ERROR | DEFAULT value ON EMPTY] [… ON ERROR])"},
			Doc:    "Takes a string, number or boolean at a path out of JSON text, as STRING or as another type. ON EMPTY says what a path that leads nowhere gives, ON ERROR what objects, arrays, text that is no JSON and values that are not of the type give: NULL without the clause.",
			Examples: []fn.Example{{SQL: `json_value('{"a":1}', '$.a')`, Want: "1"}, {SQL: `json_value('{"a":[1]}', '$.a')`, Want: "NULL"},
				{SQL: `json_value('{"a":1}', 'lax $.b', 'DEFAULT', 'NULL', 'none', NULL)`, Want: "none"}, {SQL: "json_value(NULL, '$.a')", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) { return resolveStandard("json_value", args, scalarAt) },
		},
		{
			Name: "json_query", Group: group, Nulls: fn.Custom,
			Syntax: []string{"json_query(json, '$.path' [WITHOUT | WITH [CONDITIONAL | UNCONDITIONAL] WRAPPER] [NULL | ERROR | EMPTY ARRAY | EMPTY OBJECT ON EMPTY] [… ON ERROR])"},
			Doc:    "Takes an object or array at a path out of JSON text, as JSON text. With a wrapper what is found becomes an array (conditional: unless it is an object or array); without one a string, number or boolean counts as nothing. ON EMPTY and ON ERROR say what nothing and bad text give: NULL without the clause.",
			Examples: []fn.Example{{SQL: `json_query('{"a":[1, 2]}', '$.a')`, Want: "[1,2]"}, {SQL: `json_query('{"a":1}', '$.a')`, Want: "NULL"},
				{SQL: `json_query('{"a":1}', '$.a', 'NULL', 'NULL', 'WITH')`, Want: "[1]"}, {SQL: "json_query(NULL, '$.a')", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) { return resolveStandard("json_query", args, queryAt) },
		},
		{
			Name: "json_exists", Group: group, Nulls: fn.Custom,
			Syntax:   []string{"json_exists(json, '$.path' [TRUE | FALSE | UNKNOWN | ERROR ON ERROR])"},
			Doc:      "Is true where a path leads to a value, null included. ON ERROR says what text that is no JSON gives: false without the clause.",
			Examples: []fn.Example{{SQL: `json_exists('{"a":null}', '$.a')`, Want: "true"}, {SQL: `json_exists('{', '$.a', 'UNKNOWN')`, Want: "NULL"}, {SQL: "json_exists(NULL, '$.a')", Want: "NULL"}},
			Resolve:  resolveJSONExists,
		},
		{
			Name: "is_json", Group: group, Syntax: []string{"a IS [NOT] JSON [VALUE | SCALAR | OBJECT | ARRAY]", "is_json(text [, 'OBJECT'])"}, Doc: "Is true where a text is JSON, of a kind if one is given.",
			Examples: []fn.Example{{SQL: "is_json('[1]')", Want: "true"}, {SQL: "is_json('[1]', 'OBJECT')", Want: "false"}, {SQL: "is_json(NULL)", Want: "NULL"}},
			Resolve:  resolveIsJSON,
		},
	}
}

func resolveIsJSON(args []fn.Arg) (fn.Impl, error) {
	kind := "VALUE"
	if len(args) == 2 {
		s, ok := constText(args, 1)
		if kind = strings.ToUpper(s); !ok || kind != "VALUE" && kind != "SCALAR" && kind != "OBJECT" && kind != "ARRAY" {
			return fn.Impl{}, fmt.Errorf("needs 'VALUE', 'SCALAR', 'OBJECT' or 'ARRAY' as argument 2")
		}
	}
	return optional(1, boolean, bools(func(args []*vec.Vector, r int) bool {
		c := jsonCursor{b: args[0].Bytes(r)}
		open := c.next()
		_, ok := c.value(0)
		return ok && c.next() == 0 && map[string]bool{"VALUE": true, "SCALAR": open != '{' && open != '[', "OBJECT": open == '{', "ARRAY": open == '['}[kind]
	}), text, text)(args)
}

// clause is what a function does where there is nothing, or something wrong.
type clause uint8

const (
	giveNull clause = iota
	giveError
	giveDefault // the argument
	giveArray
	giveObject
)

func readClause(args []fn.Arg, i int) (clause, error) {
	if i >= len(args) {
		return giveNull, nil
	}
	word, _ := constText(args, i)
	c, ok := map[string]clause{"NULL": giveNull, "ERROR": giveError, "DEFAULT": giveDefault, "EMPTY ARRAY": giveArray, "EMPTY OBJECT": giveObject}[strings.ToUpper(word)]
	if !ok {
		return 0, fmt.Errorf("needs NULL, ERROR, DEFAULT, EMPTY ARRAY or EMPTY OBJECT as what is given where there is nothing")
	}
	return c, nil
}

// outcome is what a path led to.
type outcome uint8

const (
	gotValue outcome = iota
	gotNull          // JSON null
	gotNothing
	gotError
)

// standard is a call of json_value or json_query.
type standard struct {
	name           string
	empty, failure clause
	wrapper        string // of json_query
	find           func(s *standard, dst, doc []byte, path []jsonStep) ([]byte, outcome)
}

// resolveStandard reads (json, path [, on_empty, on_error [, default_on_empty,
// default_on_error | wrapper]]).
func resolveStandard(name string, args []fn.Arg, find func(s *standard, dst, doc []byte, path []jsonStep) ([]byte, outcome)) (fn.Impl, error) {
	if err := arity(args, 2, 6); err != nil {
		return fn.Impl{}, err
	}
	s := &standard{name: name, find: find}
	var err error
	if s.empty, err = readClause(args, 2); err != nil {
		return fn.Impl{}, err
	}
	if s.failure, err = readClause(args, 3); err != nil {
		return fn.Impl{}, err
	}
	if name == "json_query" {
		s.wrapper, _ = constText(args, 4)
	}
	impl, err := optional(2, text, nil, same(text, 6)...)(args)
	if err != nil {
		return impl, err
	}
	steps := pathReader(args)
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return tryTexts(text, name, func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
			if args[0].IsNull(r) || args[1].IsNull(r) {
				return nil, "", ""
			}
			path, ok := steps(args, r)
			got, out := []byte(nil), gotError
			if doc := args[0].Bytes(r); ok && wholeJSON(doc) {
				got, out = find(s, dst, doc, path)
			}
			return s.result(dst, got, out, args, r)
		})(c, args, rows)
	}
	return impl, nil
}

func (s *standard) result(dst, got []byte, out outcome, args []*vec.Vector, r int) ([]byte, string, string) {
	what, msg, def := s.empty, "the path leads to nothing", 4
	switch out {
	case gotValue:
		return got, "", ""
	case gotNull:
		return nil, "", ""
	case gotError:
		what, msg, def = s.failure, "there is no such value at the path", 5
	}
	switch what {
	case giveError:
		return nil, fn.Quote(args[0].Text(r)), msg
	case giveDefault:
		if def < len(args) && !args[def].IsNull(r) {
			return append(dst, args[def].Bytes(r)...), "", ""
		}
	case giveArray:
		return append(dst, "[]"...), "", ""
	case giveObject:
		return append(dst, "{}"...), "", ""
	}
	return nil, "", ""
}

func wholeJSON(doc []byte) bool {
	c := jsonCursor{b: doc}
	_, ok := c.value(0)
	return ok && c.next() == 0
}

// pathReader reads the path of argument 1, with the words lax or strict before it.
func pathReader(args []fn.Arg) func(args []*vec.Vector, r int) ([]jsonStep, bool) {
	return pathSteps(args, func(s string) ([]jsonStep, bool) {
		s = strings.TrimSpace(s)
		for _, mode := range []string{"lax", "strict"} {
			if len(s) > len(mode) && strings.EqualFold(s[:len(mode)], mode) && s[len(mode)] == ' ' {
				s = strings.TrimSpace(s[len(mode):])
			}
		}
		return parsePath(s)
	})
}

func scalarAt(_ *standard, dst, doc []byte, path []jsonStep) ([]byte, outcome) {
	v := lookupPlain(doc, path)
	switch {
	case v == nil:
		return nil, gotNothing
	case v[0] == '{' || v[0] == '[':
		return nil, gotError
	case string(v) == "null":
		return nil, gotNull
	case v[0] == '"':
		return append(dst, unquoteJSON(v)...), gotValue
	}
	return append(dst, v...), gotValue
}

// lookupPlain is lookup, or the array of what a path with wildcards finds.
func lookupPlain(doc []byte, path []jsonStep) []byte {
	if hasWildcard(path) {
		return appendWild([]byte{}, doc, path, false)
	}
	return lookup(doc, path)
}

func queryAt(s *standard, dst, doc []byte, path []jsonStep) ([]byte, outcome) {
	v := lookupPlain(doc, path)
	if v == nil {
		return nil, gotNothing
	}
	nested := v[0] == '{' || v[0] == '['
	switch {
	case s.wrapper == "WITH" && !hasWildcard(path), s.wrapper == "CONDITIONAL" && !nested:
		return append(appendCompact(append(dst, '['), v), ']'), gotValue
	case !nested:
		return nil, gotNothing
	}
	return appendCompact(dst, bytes.TrimSpace(v)), gotValue
}

func resolveJSONExists(args []fn.Arg) (fn.Impl, error) {
	word := "FALSE"
	if s, ok := constText(args, 2); ok {
		word = strings.ToUpper(s)
	}
	impl, err := optional(2, boolean, nil, text, text, text)(args)
	if err != nil {
		return impl, err
	}
	steps := pathReader(args)
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		return out, try(rows, func(r int) error {
			out.Bool[r] = 0
			if args[0].IsNull(r) || args[1].IsNull(r) {
				out.SetNull(r)
				return nil
			}
			path, ok := steps(args, r)
			doc := args[0].Bytes(r)
			switch {
			case ok && wholeJSON(doc):
				out.Bool[r] = truth(lookupPlain(doc, path) != nil)
			case word == "TRUE":
				out.Bool[r] = 1
			case word == "UNKNOWN":
				out.SetNull(r)
			case word == "ERROR":
				return c.Fail(out, r, "json_exists", fn.Quote(string(doc)), "not JSON")
			}
			return nil
		})
	}
	return impl, nil
}
