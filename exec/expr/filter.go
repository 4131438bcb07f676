package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Filter lists the rows of b that count and for which the predicate is true. The
// list may be lent by the context's scratch, or be b.Sel itself; nil = all rows of
// b. A conjunction narrows step by step.
func Filter(c *fn.Ctx, n Node, b *vec.Batch) ([]int32, error) {
	if and, ok := n.(*And); ok {
		sub := *b
		for _, a := range and.Args {
			sel, err := Filter(c, a, &sub)
			if err != nil || sel != nil && len(sel) == 0 {
				return sel, err
			}
			sub.Sel = sel
		}
		return sub.Sel, nil
	}
	v, err := n.Eval(c, b)
	if err != nil {
		return nil, err
	}
	return trueRows(c, v, fn.Rows{N: b.N, Sel: b.Sel}), nil
}

// trueRows turns a BOOLEAN column into a selection, without branches.
func trueRows(c *fn.Ctx, v *vec.Vector, rows fn.Rows) []int32 {
	if v.Const {
		if v.N > 0 && v.IsTrue(0) {
			return rows.Sel
		}
		return []int32{}
	}
	v = flatten(c, v, rows)
	out := c.Sel(rows.N)
	k := 0
	bits := v.Bool[:rows.N]
	switch {
	case rows.Sel == nil && v.Valid == nil:
		for i, x := range bits {
			out[k] = int32(i)
			k += int(x)
		}
	case rows.Sel == nil:
		for i, x := range bits {
			out[k] = int32(i)
			k += int(x) & int(v.Valid[i>>6]>>(uint(i)&63))
		}
	case v.Valid == nil:
		for _, r := range rows.Sel {
			out[k] = r
			k += int(bits[r])
		}
	default:
		for _, r := range rows.Sel {
			out[k] = r
			k += int(bits[r]) & int(v.Valid[r>>6]>>(uint(r)&63))
		}
	}
	return out[:k:k]
}
