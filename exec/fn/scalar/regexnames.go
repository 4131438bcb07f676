package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// namedGroups picks the form of a function whose third argument lists names: the groups of
// a match become the fields of a struct. all lists every match.
func namedGroups(all bool, other resolver) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) < 3 || args[2].Type.Kind != types.Array {
			return other(args)
		}
		if err := arity(args, 3, 4); err != nil {
			return fn.Impl{}, err
		}
		fields, err := groupNames(args)
		if err != nil {
			return fn.Impl{}, err
		}
		flags, err := flagsArg(args, 3)
		if err != nil {
			return fn.Impl{}, err
		}
		re, err := constPattern(args, 1, flags)
		if err != nil {
			return fn.Impl{}, err
		}
		if re == nil || re.NumSubexp() < len(fields) {
			return fn.Impl{}, fmt.Errorf("needs a constant pattern with %d groups, one for each name", len(fields))
		}
		return namedImpl(args, types.StructOf(fields...), re, all), nil
	}
}

// groupNames are the fields that the constant third argument names.
func groupNames(args []fn.Arg) ([]types.Field, error) {
	c := args[2].Const
	if c == nil || c.IsNull(0) || args[2].Type.Elem.Kind != types.String {
		return nil, mismatch(args, 2, "constant ARRAY<STRING>")
	}
	f, from, to := list(c, 0)
	var fields []types.Field
	for e := from; e < to; e++ {
		name := f.Child[0].Text(e)
		if f.Child[0].IsNull(e) || name == "" {
			return nil, fmt.Errorf("needs names that are not empty")
		}
		for _, before := range fields {
			if strings.EqualFold(before.Name, name) {
				return nil, fmt.Errorf("has the name %q twice", name)
			}
		}
		fields = append(fields, types.Field{Name: strings.Clone(name), Type: text})
	}
	if len(fields) == 0 {
		return nil, fmt.Errorf("needs at least one name")
	}
	return fields, nil
}

func namedImpl(args []fn.Arg, t types.Type, re *pattern, all bool) fn.Impl {
	impl := fn.Impl{Args: append([]types.Type{text, text, args[2].Type}, text)[:len(args)], Result: t}
	if all {
		impl.Result = types.ArrayOf(t)
	}
	impl.Eval = built(impl.Result, func(b *vec.Builder, args []*vec.Vector, r int) {
		s := args[0].Bytes(r)
		if !all {
			appendGroups(b, len(t.Fields), s, re.FindSubmatchIndex(s), true)
			return
		}
		for _, m := range re.all(s, -1) {
			appendGroups(b.Child(0), len(t.Fields), s, m, false)
		}
		b.EndList()
	})
	return impl
}

// appendGroups appends a struct of the first n groups of a match. A group that took no
// part is NULL, or ” with blank.
func appendGroups(b *vec.Builder, n int, s []byte, m []int, blank bool) {
	for i := range n {
		at := 2*i + 2
		switch {
		case at < len(m) && m[at] >= 0:
			b.Child(i).AppendBytes(s[m[at]:m[at+1]])
		case blank:
			b.Child(i).AppendString("")
		default:
			b.Child(i).AppendNull()
		}
	}
	b.EndStruct()
}
