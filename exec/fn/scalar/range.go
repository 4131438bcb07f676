package scalar

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// resolveRangeRows is generate_series without its end; one argument is the end of a range
// from 0.
func resolveRangeRows(args []fn.Arg) (fn.GenImpl, error) {
	one := len(args) == 1
	if one {
		args = []fn.Arg{{Type: integer}, args[0]}
	}
	s, want, err := resolveSeries(args)
	if err != nil {
		return fn.GenImpl{}, err
	}
	if one {
		want = want[1:]
	}
	impl := fn.GenImpl{Args: want, Columns: []types.Column{{Name: "id", Type: s.elem}}}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (fn.Generated, error) {
		if one {
			args = []*vec.Vector{vec.NewConst(s.elem, int64(0), args[0].N), args[0]}
		}
		b := vec.NewBuilder(s.elem)
		var ends counter
		err := try(rows, func(r int) error {
			n := 0
			if !anyNull(args, r) && !s.nowhere(args, r) {
				part := vec.NewBuilder(s.elem)
				if err := s.appendTo(part, args, r, c.Zone); err != nil {
					return err
				}
				n = appendOpen(b, part.Take(), args[1].Int(r))
			}
			ends.end(n)
			return nil
		})
		return fn.Generated{Cols: []*vec.Vector{b.Take()}, Ends: ends.ends}, err
	}
	return impl, nil
}

func anyNull(args []*vec.Vector, r int) bool {
	for _, a := range args {
		if a.IsNull(r) {
			return true
		}
	}
	return false
}

// appendOpen appends a series without its last element, if that is the end, and tells how
// many elements it has then.
func appendOpen(b *vec.Builder, v *vec.Vector, end int64) int {
	n := v.N
	if n > 0 && v.Int(n-1) == end {
		n--
	}
	sel := make([]int32, n)
	for i := range sel {
		sel[i] = int32(i)
	}
	b.AppendRows(v, sel)
	return n
}
