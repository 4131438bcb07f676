package expr

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// merger assembles a column from branches that were computed on disjoint rows.
// Branches that are constants, or dictionaries, of text stay a dictionary.
type merger struct {
	c     *fn.Ctx
	t     types.Type
	n     int
	parts []part
	texts bool // every part is a text constant or NULL so far
}

type part struct {
	v   *vec.Vector
	sel []int32 // nil = all rows
}

func newMerger(c *fn.Ctx, t types.Type, n int) *merger {
	return &merger{c: c, t: t, n: n, texts: t.Phys() == types.PhysString}
}

// branch computes node on some rows of b and takes the result.
func (m *merger) branch(c *fn.Ctx, node Node, b *vec.Batch, sel []int32) error {
	if sel != nil && len(sel) == 0 {
		return nil
	}
	sub := *b
	sub.Sel = sel
	v, err := node.Eval(c, &sub)
	if err != nil {
		return err
	}
	m.take(v, sel)
	return nil
}

// take adds the rows of a computed vector; sel nil = all.
func (m *merger) take(v *vec.Vector, sel []int32) {
	if sel != nil && len(sel) == 0 {
		return
	}
	m.parts = append(m.parts, part{v, sel})
	m.texts = m.texts && v.Const && v.Dict == nil
}

func (m *merger) result() (*vec.Vector, error) {
	switch {
	case len(m.parts) == 0:
		return repeat(nullVector(m.t), m.n), nil
	case len(m.parts) == 1:
		return m.parts[0].v, nil
	case m.texts:
		return m.dictionary(), nil
	case m.t.IsNested():
		return m.nested(), nil
	}
	return m.flat(), nil
}

// dictionary has an entry for each constant branch.
func (m *merger) dictionary() *vec.Vector {
	b := vec.NewBuilder(m.t)
	out := &vec.Vector{Type: m.t, N: m.n, Codes: m.c.Codes(m.n)}
	clear(out.Codes)
	for i, p := range m.parts {
		b.AppendFrom(p.v, 0)
		for _, r := range p.sel {
			out.Codes[r] = uint32(i)
		}
	}
	out.Dict = b.Take()
	return out
}

func (m *merger) flat() *vec.Vector {
	out := m.c.New(m.t, m.n)
	for _, p := range m.parts {
		v := flatten(m.c, p.v, fn.Rows{N: m.n, Sel: p.sel})
		m.copyNulls(out, v, p.sel)
		switch m.t.Phys() {
		case types.PhysBool:
			place(out.Bool, v.Bool, v.Const, p.sel)
		case types.PhysInt64:
			place(out.I64, v.I64, v.Const, p.sel)
		case types.PhysFloat64:
			place(out.F64, v.F64, v.Const, p.sel)
		case types.PhysInt128:
			place(out.I128, v.I128, v.Const, p.sel)
		case types.PhysInterval:
			place(out.Iv, v.Iv, v.Const, p.sel)
		case types.PhysString:
			placeText(out, v, p.sel)
		}
	}
	return out
}

func (m *merger) copyNulls(out, v *vec.Vector, sel []int32) {
	if !v.HasNulls() {
		return
	}
	for _, r := range sel {
		if v.IsNull(int(r)) {
			out.SetNull(int(r))
		}
	}
}

func place[T any](dst, src []T, constant bool, sel []int32) {
	if constant {
		for _, r := range sel {
			dst[r] = src[0]
		}
		return
	}
	for _, r := range sel {
		dst[r] = src[r]
	}
}

// spareText is how many times the bytes of the wanted rows are copied at most, to copy all at once.
const spareText = 3

// placeText copies the bytes of the rows behind those of earlier parts.
func placeText(out, v *vec.Vector, sel []int32) {
	if v.Const {
		ref := vec.StrRef{Off: uint32(len(out.Buf)), Len: v.Str[0].Len}
		out.Buf = append(out.Buf, v.Buf[v.Str[0].Off:][:ref.Len]...)
		for _, r := range sel {
			out.Str[r] = ref
		}
		return
	}
	nulls, size := v.HasNulls(), 0
	for _, r := range sel {
		if !nulls || !v.IsNull(int(r)) {
			size += int(v.Str[r].Len)
		}
	}
	if len(v.Buf) <= spareText*size {
		base := uint32(len(out.Buf))
		out.Buf = append(out.Buf, v.Buf...)
		for _, r := range sel {
			src := v.Str[r]
			out.Str[r] = vec.StrRef{Off: base + src.Off, Len: src.Len}
		}
		return
	}
	out.Buf = slices.Grow(out.Buf, size)
	for _, r := range sel {
		if nulls && v.IsNull(int(r)) {
			continue
		}
		src := v.Str[r]
		out.Str[r] = vec.StrRef{Off: uint32(len(out.Buf)), Len: src.Len}
		out.Buf = append(out.Buf, v.Buf[src.Off:][:src.Len]...)
	}
}

// nested goes row by row.
func (m *merger) nested() *vec.Vector {
	from := make([]*vec.Vector, m.n)
	for _, p := range m.parts {
		for _, r := range p.sel {
			from[r] = p.v
		}
	}
	b := vec.NewBuilder(m.t)
	for r, v := range from {
		if v == nil {
			b.AppendNull()
			continue
		}
		b.AppendFrom(v, r)
	}
	return b.Take()
}
