package cast

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// structToMap makes a map of each struct: its keys are the names of the fields. Names that
// are no keys of the type, or the same one, fail for each struct that is not NULL.
func structToMap(from, to types.Type) fn.Kernel {
	names := make([]string, len(from.Fields))
	parts := make([]fn.Kernel, len(from.Fields))
	for i, f := range from.Fields {
		names[i], parts[i] = f.Name, pick(f.Type, *to.Elem)
	}
	toKey := Kernel(types.Of(types.String), *to.Key, true)
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := vec.Flatten(args[0])
		keys, err := convertChild(c, toKey, vec.FromStrings(names), *to.Key, fn.Rows{N: len(names)})
		if err != nil {
			return nil, err
		}
		msg := notKeys(keys, 0, len(names))
		fields := make([]*vec.Vector, len(parts))
		for k, child := range in.Child {
			if fields[k], err = convertChild(c, parts[k], child, *to.Elem, childRows(in, rows, child.N)); err != nil {
				return nil, err
			}
		}
		out := &vec.Vector{Type: to, N: rows.N, Off: make([]uint32, rows.N+1)}
		var fromKeys, fromFields []int32
		err = each(rows, func(r int) error {
			switch {
			case in.IsNull(r):
				out.SetNull(r)
				return nil
			case msg != "":
				return fail(c, out, r, in, msg)
			}
			for k := range names {
				fromKeys, fromFields = append(fromKeys, int32(k)), append(fromFields, int32(k*in.N+r))
			}
			out.Off[r+1] = uint32(len(names))
			return nil
		})
		for r := range rows.N {
			out.Off[r+1] += out.Off[r]
		}
		out.Child = []*vec.Vector{vec.Gather(keys, fromKeys), vec.Gather(vec.Concat(*to.Elem, fields...), fromFields)}
		return out, err
	}
}

// notKeys says why the elements from, to are not the keys of a map, "" if they are.
func notKeys(keys *vec.Vector, from, to int) string {
	for e := from; e < to; e++ {
		if keys.IsNull(e) {
			return "a key is no " + keys.Type.String()
		}
		for k := from; k < e; k++ {
			if vec.Same(keys, k, keys, e) {
				return "two keys are the same " + keys.Type.String()
			}
		}
	}
	return ""
}

// checkKeys fails maps of which two keys have become the same, or one NULL, which a key that
// could not be converted is.
func checkKeys(c *fn.Ctx, out, in *vec.Vector, rows fn.Rows) error {
	out.Valid = append([]uint64(nil), out.Valid...)
	if len(out.Valid) == 0 {
		out.Valid = nil
	}
	return each(rows, func(r int) error {
		if out.IsNull(r) {
			return nil
		}
		if msg := notKeys(out.Child[0], int(out.Off[r]), int(out.Off[r+1])); msg != "" {
			return fail(c, out, r, in, msg)
		}
		return nil
	})
}
