package conformance

import (
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// nested writes element i of flat nested storage as the dialect does.
func nested(d *dialect, f *vec.Vector, i int) string {
	var s strings.Builder
	one := func(v *vec.Vector, k int) string {
		if v.IsNull(k) {
			return "NULL"
		}
		if f, i := v.At(k); d.flavor == duckdbText && f.Type.Kind == types.String {
			return duckInside(strings.ReplaceAll(vec.RowString(f, i, nil), "\x00", `\0`))
		}
		if d.flavor == postgresText && !v.Type.IsNested() {
			return risingInner(d.value(v, k), f.Type.Kind == types.Struct)
		}
		return d.value(v, k)
	}
	if f.Type.Kind == types.Struct {
		open, end := "(", ")"
		if d.flavor == duckdbText && !isTuple(f.Type) {
			open, end = "{", "}"
		}
		s.WriteString(open)
		for k, c := range f.Child {
			if k > 0 {
				s.WriteString(", ")
			}
			if d.flavor == duckdbText && !isTuple(f.Type) {
				s.WriteString("'" + f.Type.Fields[k].Name + "': ")
			}
			s.WriteString(one(c, i))
		}
		return s.String() + end
	}
	between := "="
	if d.flavor == postgresText {
		between = ":"
	}
	if d.blankNull {
		between = ": "
	}
	open, end := "{", "}"
	if d.flavor == duckdbText && f.Type.Kind == types.Array {
		open, end = "[", "]"
	}
	var parts []string
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		part := one(f.Child[0], e)
		if f.Type.Kind == types.Map {
			part += between + one(f.Child[1], e)
		}
		parts = append(parts, part)
	}
	if f.Type.Kind == types.Map && d.sortedMaps {
		slices.Sort(parts)
	}
	return open + strings.Join(parts, ", ") + end
}

// lowerBytes writes the cells of BYTES columns in small letters: the tests have both.
func lowerBytes(lines []string, cols []types.Column) []string {
	if !slices.ContainsFunc(cols, func(c types.Column) bool { return c.Type.Kind == types.Bytes }) {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		cells := strings.Split(l, "\t")
		for k := range cells {
			if k < len(cols) && cols[k].Type.Kind == types.Bytes && cells[k] != "NULL" {
				cells[k] = strings.ToLower(cells[k])
			}
		}
		out[i] = strings.Join(cells, "\t")
	}
	return out
}
