package cast

import (
	"errors"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// toText prints values as the shell does.
func toText(types.Type) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		out := c.New(types.Of(types.String), rows.N)
		buf, done := make([]byte, 0, 512), 0
		err := each(rows, func(r int) error {
			buf = fn.Room(buf, done, rows.Len())
			done++
			from := len(buf)
			buf = vec.AppendText(buf, in, r, c.Zone)
			out.Str[r] = vec.StrRef{Off: uint32(from), Len: uint32(len(buf) - from)}
			return nil
		})
		out.Buf = buf
		return out, err
	}
}

// nested converts the parts of lists and structs. Elements of rows that do not count
// are converted like NULLs: not at all.
func nested(from, to types.Type) fn.Kernel {
	var parts []fn.Kernel
	switch to.Kind {
	case types.Array:
		parts = []fn.Kernel{pick(*from.Elem, *to.Elem)}
	case types.Map:
		parts = []fn.Kernel{pick(*from.Key, *to.Key), pick(*from.Elem, *to.Elem)}
	default:
		for i, f := range from.Fields {
			parts = append(parts, pick(f.Type, to.Fields[i].Type))
		}
	}
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		if in.Const { // its parts have no rows
			in = vec.Flatten(in)
		}
		out := *in
		out.Type, out.Child = to, make([]*vec.Vector, len(in.Child))
		for k, child := range in.Child {
			part := childRows(in, rows, child.N)
			v, err := convertChild(c, parts[k], child, childType(to, k), part)
			if err != nil {
				return nil, blamed(err, in, rows)
			}
			out.Child[k] = v
		}
		if to.Kind == types.Map && !from.Key.Equal(*to.Key) {
			return &out, checkKeys(c, &out, in, rows)
		}
		return &out, nil
	}
}

// blamed gives an error in an element the row that the element belongs to.
func blamed(err error, in *vec.Vector, rows fn.Rows) error {
	var bad *fn.DataError
	if in.Type.Kind == types.Struct || !errors.As(err, &bad) {
		return err
	}
	for i := range rows.Len() {
		r := rows.At(i)
		if f, k := in.At(r); !in.IsNull(r) && int(f.Off[k]) <= bad.Row && bad.Row < int(f.Off[k+1]) {
			moved := *bad
			moved.Row = r
			return &moved
		}
	}
	return err
}

func childType(t types.Type, k int) types.Type {
	switch {
	case t.Kind == types.Struct:
		return t.Fields[k].Type
	case t.Kind == types.Map && k == 0:
		return *t.Key
	}
	return *t.Elem
}

// childRows are the child elements that belong to rows which count and are not NULL.
func childRows(in *vec.Vector, rows fn.Rows, n int) fn.Rows {
	if in.Type.Kind == types.Struct {
		if rows.Sel == nil && in.Valid == nil {
			return fn.Rows{N: n}
		}
	}
	sel := make([]int32, 0, n)
	for i := range rows.Len() {
		r := rows.At(i)
		switch {
		case in.IsNull(r):
		case in.Type.Kind == types.Struct:
			sel = append(sel, int32(r))
		default:
			for e := in.Off[r]; e < in.Off[r+1]; e++ {
				sel = append(sel, int32(e))
			}
		}
	}
	return fn.Rows{N: n, Sel: sel}
}

// convertChild converts a child column outside the batch's scratch, since lists share
// their children.
func convertChild(c *fn.Ctx, k fn.Kernel, child *vec.Vector, to types.Type, rows fn.Rows) (*vec.Vector, error) {
	child = vec.Flatten(child)
	if child.HasNulls() && child.Type.Kind != types.Null {
		rows.Sel = present(child, rows)
	}
	if rows.Len() == 0 || child.Type.Kind == types.Null {
		return vec.Flatten(vec.Nulls(to, child.N)), nil
	}
	scratch := c.Scratch
	c.Scratch = nil
	v, err := k(c, []*vec.Vector{child}, rows)
	c.Scratch = scratch
	if err != nil || child.Valid == nil {
		return v, err
	}
	out := *v
	out.Valid = vec.AndValid(v.Valid, child.Valid, child.N)
	return &out, nil
}

func present(v *vec.Vector, rows fn.Rows) []int32 {
	sel := make([]int32, 0, rows.N)
	for i := range rows.Len() {
		if r := rows.At(i); !v.IsNull(r) {
			sel = append(sel, int32(r))
		}
	}
	return sel
}
