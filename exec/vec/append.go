package vec

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
)

// AppendFrom appends the value of v at row, NULL included. v has the builder's type
// and any layout; nothing of it is kept.
func (b *Builder) AppendFrom(v *Vector, row int) {
	if v.IsNull(row) {
		b.AppendNull()
		return
	}
	f, i := v.At(row)
	b.appendValue(f, i)
}

// appendValue appends the element i of the storage of f, which is not NULL.
func (b *Builder) appendValue(f *Vector, i int) {
	switch b.phys {
	case types.PhysBool:
		b.v.Bool = append(b.v.Bool, f.Bool[i])
	case types.PhysInt64:
		b.v.I64 = append(b.v.I64, f.I64[i])
	case types.PhysFloat64:
		b.v.F64 = append(b.v.F64, f.F64[i])
	case types.PhysInt128:
		b.v.I128 = append(b.v.I128, f.I128[i])
	case types.PhysInterval:
		b.v.Iv = append(b.v.Iv, f.Iv[i])
	case types.PhysString:
		r := f.Str[i]
		b.AppendBytes(f.Buf[r.Off : r.Off+r.Len])
		return
	case types.PhysList:
		for k, c := range b.child {
			c.appendRange(f.Child[k], int(f.Off[i]), int(f.Off[i+1]))
		}
		b.EndList()
		return
	case types.PhysStruct:
		for k, c := range b.child {
			c.AppendFrom(f.Child[k], i)
		}
	}
	b.row()
}

// AppendRows appends the rows of v that sel lists; nil = all. Column operations are
// done in bulk where the layout allows it.
func (b *Builder) AppendRows(v *Vector, sel []int32) {
	if sel == nil {
		b.appendRange(v, 0, v.N)
		return
	}
	if b.bulk(v) {
		switch b.phys {
		case types.PhysInt64:
			b.v.I64 = appendSel(b.v.I64, v.I64, sel)
		case types.PhysFloat64:
			b.v.F64 = appendSel(b.v.F64, v.F64, sel)
		case types.PhysString:
			b.appendTexts(v, sel)
		}
		b.v.N += len(sel)
		return
	}
	for _, r := range sel {
		b.AppendFrom(v, int(r))
	}
}

// bulk tells whether v's storage can be appended as it lies: flat 64-bit numbers and
// texts without NULLs on either side.
func (b *Builder) bulk(v *Vector) bool {
	return b.v.Valid == nil && v.Valid == nil && v.Dict == nil && !v.Const &&
		(b.phys == types.PhysInt64 || b.phys == types.PhysFloat64 || b.phys == types.PhysString)
}

// appendText copies texts in two passes, so that memory grows once.
func (b *Builder) appendText(buf []byte, refs []StrRef) {
	n := len(b.v.Buf)
	for _, r := range refs {
		n += int(r.Len)
	}
	checkBuf(n)
	b.v.Buf, b.v.Str = slices.Grow(b.v.Buf, n-len(b.v.Buf)), slices.Grow(b.v.Str, len(refs))
	for _, r := range refs {
		b.v.Str = append(b.v.Str, StrRef{uint32(len(b.v.Buf)), r.Len})
		b.v.Buf = append(b.v.Buf, buf[r.Off:r.Off+r.Len]...)
	}
}

func (b *Builder) appendTexts(v *Vector, sel []int32) {
	for _, r := range sel {
		x := v.Str[r]
		b.v.Str = append(b.v.Str, StrRef{uint32(len(b.v.Buf)), x.Len})
		b.v.Buf = append(b.v.Buf, v.Buf[x.Off:x.Off+x.Len]...)
	}
	checkBuf(len(b.v.Buf))
}

func appendSel[T any](dst, src []T, sel []int32) []T {
	for _, r := range sel {
		dst = append(dst, src[r])
	}
	return dst
}

func (b *Builder) appendRange(v *Vector, from, to int) {
	if b.bulk(v) {
		switch b.phys {
		case types.PhysInt64:
			b.v.I64 = append(b.v.I64, v.I64[from:to]...)
		case types.PhysFloat64:
			b.v.F64 = append(b.v.F64, v.F64[from:to]...)
		case types.PhysString:
			b.appendText(v.Buf, v.Str[from:to])
		}
		b.v.N += to - from
		return
	}
	for r := from; r < to; r++ {
		b.AppendFrom(v, r)
	}
}
