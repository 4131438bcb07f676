package conformance

import (
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
		return d.value(v, k)
	}
	if f.Type.Kind == types.Struct {
		s.WriteString("(")
		for k, c := range f.Child {
			if k > 0 {
				s.WriteString(", ")
			}
			if d.flavor == duckdbText {
				s.WriteString("'" + f.Type.Fields[k].Name + "': ")
			}
			s.WriteString(one(c, i))
		}
		return s.String() + ")"
	}
	s.WriteString("[")
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		if e > int(f.Off[i]) {
			s.WriteString(", ")
		}
		s.WriteString(one(f.Child[0], e))
		if f.Type.Kind == types.Map {
			s.WriteString("=" + one(f.Child[1], e))
		}
	}
	return s.String() + "]"
}
