package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// resolveDeepUnnest is UNNEST of one array that goes through so many levels: arrays in
// arrays, then structs. The binder writes depth and whether names have those around.
func resolveDeepUnnest(args []fn.Arg) (fn.GenImpl, error) {
	t := args[0].Type
	if t.Kind == types.Null {
		t = types.ArrayOf(null)
	}
	if t.Kind != types.Array {
		return fn.GenImpl{}, mismatch(args, 0, "ARRAY")
	}
	levels, elem := int(args[1].Const.Int(0)), t
	arrays := 0
	for ; elem.Kind == types.Array && arrays < levels; arrays++ {
		elem = *elem.Elem
	}
	structs := levels - arrays
	impl := fn.GenImpl{Args: []types.Type{t, args[1].Type, args[2].Type}, Columns: []types.Column{{Name: "col", Type: elem}}}
	if elem.Kind == types.Struct && structs > 0 {
		impl.Columns = deepFields(elem, structs, args[2].Const.IsTrue(0), "")
	}
	impl.Eval = func(_ *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
		values, ends := deepSpread(args[0], rows, arrays)
		return fn.Generated{Cols: deepColumns(values, structs), Ends: ends}, nil
	}
	return impl, nil
}

// deepFields are the columns that structs in structs make.
func deepFields(t types.Type, levels int, parents bool, before string) []types.Column {
	if levels == 0 || t.Kind != types.Struct {
		return nil
	}
	var out []types.Column
	for _, f := range t.Fields {
		around := ""
		if parents {
			around = before + f.Name + "."
		}
		if kids := deepFields(f.Type, levels-1, parents, around); kids != nil {
			out = append(out, kids...)
			continue
		}
		out = append(out, types.Column{Name: before + f.Name, Type: f.Type})
	}
	return out
}

func deepColumns(v *vec.Vector, levels int) []*vec.Vector {
	if levels == 0 || v.Type.Kind != types.Struct {
		return []*vec.Vector{v}
	}
	var out []*vec.Vector
	for _, f := range fieldsOf(vec.Flatten(v)) {
		out = append(out, deepColumns(f, levels-1)...)
	}
	return out
}

// deepSpread lists the values in arrays in arrays, one group a row.
func deepSpread(v *vec.Vector, rows fn.Rows, levels int) (*vec.Vector, []uint32) {
	index, _, ends := spread(v, rows)
	v = storageOf(v).Child[0]
	for range levels - 1 {
		if index == nil {
			index = []int32{} // no rows, not all of them
		}
		inner, _, innerEnds := spread(v, fn.Rows{N: v.N, Sel: index})
		for i, e := range ends {
			if e > 0 {
				ends[i] = innerEnds[e-1]
			}
		}
		index, v = inner, storageOf(v).Child[0]
	}
	return vec.Gather(v, index), ends
}
