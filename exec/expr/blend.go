package expr

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// blend is CASE WHEN cond THEN a ELSE b END of columns and constants, which cost nothing to
// have for all rows: one pass over them, without lists of rows. It is nil where they have
// another shape.
func (n *Case) blend(c *fn.Ctx, b *vec.Batch, cond *vec.Vector) *vec.Vector {
	if len(n.Conds) > 1 || cond.Const || cond.Dict != nil || n.Type().IsNested() {
		return nil
	}
	yes, no := atHand(n.Thens[0], b), atHand(n.Else, b)
	if yes == nil || no == nil {
		return nil
	}
	rows := fn.Rows{N: b.N, Sel: b.Sel}
	bits := certain(c, cond, rows)
	if n.Type().Phys() == types.PhysString && yes.Const && no.Const {
		return blendConstants(c, bits, yes, no, rows)
	}
	out := c.New(n.Type(), b.N)
	switch n.Type().Phys() {
	case types.PhysBool:
		pick(out.Bool, yes.Bool, no.Bool, yes.Const, no.Const, bits, rows)
	case types.PhysInt64:
		pick(out.I64, yes.I64, no.I64, yes.Const, no.Const, bits, rows)
	case types.PhysFloat64:
		pick(out.F64, yes.F64, no.F64, yes.Const, no.Const, bits, rows)
	case types.PhysInt128:
		pick(out.I128, yes.I128, no.I128, yes.Const, no.Const, bits, rows)
	case types.PhysInterval:
		pick(out.Iv, yes.Iv, no.Iv, yes.Const, no.Const, bits, rows)
	case types.PhysString:
		blendText(out, yes, no, bits, rows)
	}
	pickNulls(out, yes, no, bits, rows)
	return out
}

// atHand is the flat vector of a column or a constant; nil for anything else, and for text of
// which there is much more than the rows need.
func atHand(n Node, b *vec.Batch) *vec.Vector {
	var v *vec.Vector
	switch n := n.(type) {
	case *Column:
		v = b.Cols[n.Index]
	case *Const:
		v = n.V
	}
	if v == nil || v.Dict != nil || len(v.Buf) > 64*b.N+4096 {
		return nil
	}
	return v
}

// certain are the bits of the rows for which a condition is true, not NULL.
func certain(c *fn.Ctx, cond *vec.Vector, rows fn.Rows) []uint8 {
	if cond.Valid == nil {
		return cond.Bool
	}
	bits := c.Bools(rows.N)
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		bits[r] = cond.Bool[r] & uint8(cond.Valid[r>>6]>>(uint(r)&63)&1)
	}
	return bits
}

// blendConstants makes a dictionary of two texts.
func blendConstants(c *fn.Ctx, bits []uint8, yes, no *vec.Vector, rows fn.Rows) *vec.Vector {
	entries := vec.NewBuilder(yes.Type)
	entries.AppendFrom(no, 0)
	entries.AppendFrom(yes, 0)
	out := &vec.Vector{Type: yes.Type, N: rows.N, Codes: c.Codes(rows.N), Dict: entries.Take()}
	if rows.Sel != nil {
		clear(out.Codes)
	}
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		out.Codes[r] = uint32(bits[r])
	}
	return out
}

// pick takes the value of each row from one of two columns or constants.
func pick[T any](dst, yes, no []T, yesConst, noConst bool, bits []uint8, rows fn.Rows) {
	ym, nm := indexMask(yesConst), indexMask(noConst)
	if rows.Sel == nil {
		for r, bit := range bits[:len(dst)] {
			x, y := no[r&nm], yes[r&ym]
			if bit != 0 {
				x = y
			}
			dst[r] = x
		}
		return
	}
	for _, s := range rows.Sel {
		r := int(s)
		x := no[r&nm]
		if bits[r] != 0 {
			x = yes[r&ym]
		}
		dst[r] = x
	}
}

// indexMask makes every row the first one where there is one value for all.
func indexMask(constant bool) int {
	if constant {
		return 0
	}
	return -1
}

// blendText has the bytes of both sides, one behind the other, or shares those of one.
func blendText(out, yes, no *vec.Vector, bits []uint8, rows fn.Rows) {
	switch { // one side is NULL or the empty text
	case len(no.Buf) == 0:
		out.Buf = yes.Buf
	case len(yes.Buf) == 0:
		out.Buf = no.Buf
	default:
		out.Buf = slices.Concat(yes.Buf, no.Buf)
	}
	base := uint32(len(yes.Buf))
	ym, nm := indexMask(yes.Const), indexMask(no.Const)
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		x, y := no.Str[r&nm], yes.Str[r&ym]
		x.Off += base
		if bits[r] != 0 {
			x = y
		}
		out.Str[r] = x
	}
}

func pickNulls(out, yes, no *vec.Vector, bits []uint8, rows fn.Rows) {
	if !yes.HasNulls() && !no.HasNulls() {
		return
	}
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		from := no
		if bits[r] != 0 {
			from = yes
		}
		if from.IsNull(r) {
			out.SetNull(r)
		}
	}
}
