package vec

import "github.com/sqlstream/sqlstream/exec/types"

// Gather returns the rows of v that rows lists, in that order. Constants stay
// constant, dictionaries stay dictionaries, and text is shared with v.
func Gather(v *Vector, rows []int32) *Vector {
	out := &Vector{Type: v.Type, N: len(rows)}
	if v.Const {
		*out = *v
		out.N = len(rows)
		return out
	}
	if v.Valid != nil {
		out.Valid = gatherValid(v.Valid, rows)
	}
	if v.Dict != nil {
		out.Dict = v.Dict
		out.Codes = take(v.Codes, rows)
		return out
	}
	gatherStorage(out, v, rows)
	return out
}

func take[T any](src []T, rows []int32) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = src[r]
	}
	return out
}

func gatherValid(m []uint64, rows []int32) []uint64 {
	out := make([]uint64, Words(len(rows)))
	for i, r := range rows {
		out[i>>6] |= m[r>>6] >> (uint(r) & 63) & 1 << (uint(i) & 63)
	}
	return out
}

func gatherStorage(out, v *Vector, rows []int32) {
	switch v.Type.Phys() {
	case types.PhysBool:
		out.Bool = take(v.Bool, rows)
	case types.PhysInt64:
		out.I64 = take(v.I64, rows)
	case types.PhysFloat64:
		out.F64 = take(v.F64, rows)
	case types.PhysInt128:
		out.I128 = take(v.I128, rows)
	case types.PhysInterval:
		out.Iv = take(v.Iv, rows)
	case types.PhysString:
		out.Str, out.Buf = take(v.Str, rows), v.Buf
	case types.PhysStruct:
		for _, c := range v.Child {
			out.Child = append(out.Child, Gather(c, rows))
		}
	case types.PhysList:
		gatherLists(out, v, rows)
	}
}

func gatherLists(out, v *Vector, rows []int32) {
	out.Off = make([]uint32, len(rows)+1)
	total := 0
	for i, r := range rows {
		if BitGet(v.Valid, int(r)) {
			total += int(v.Off[r+1] - v.Off[r])
		}
		out.Off[i+1] = uint32(total)
	}
	elems := make([]int32, 0, total)
	for i, r := range rows {
		n := out.Off[i+1] - out.Off[i]
		for e := v.Off[r]; n > 0; n-- {
			elems = append(elems, int32(e))
			e++
		}
	}
	for _, c := range v.Child {
		out.Child = append(out.Child, Gather(c, elems))
	}
}

// GatherOuter is Gather in which row −1 stands for NULL: the padding of outer joins.
func GatherOuter(v *Vector, rows []int32) *Vector {
	missing := 0
	for _, r := range rows {
		missing += int(uint32(r) >> 31)
	}
	if missing == 0 {
		return Gather(v, rows)
	}
	if missing == len(rows) || v.N == 0 || v.Type.Kind == types.Null {
		return Nulls(v.Type, len(rows))
	}
	return gatherSome(v, rows)
}

func gatherSome(v *Vector, rows []int32) *Vector {
	if v.Const {
		v = Flatten(v)
	}
	at := make([]int32, len(rows))
	for i, r := range rows {
		at[i] = max(r, 0)
	}
	out := Gather(v, at)
	if out.Valid == nil {
		out.Valid = AllValid(len(rows))
	}
	for i, r := range rows {
		if r < 0 {
			BitClear(out.Valid, i)
		}
	}
	return out
}

// Flatten returns v without constant and dictionary: v itself if it has neither.
// Children of nested values keep their layout.
func Flatten(v *Vector) *Vector {
	if v.Const {
		return flattenConst(v)
	}
	if v.Dict == nil {
		return v
	}
	rows := make([]int32, v.N)
	for i := range rows {
		if BitGet(v.Valid, i) {
			rows[i] = int32(v.Codes[i])
		}
	}
	if v.Dict.N == 0 { // every row is NULL
		return Flatten(Nulls(v.Type, v.N))
	}
	out := Gather(v.Dict, rows)
	out.Valid = AndValid(out.Valid, v.Valid, v.N)
	return out
}

func flattenConst(v *Vector) *Vector {
	one := *v
	one.Const, one.N = false, 1
	return Gather(Flatten(&one), make([]int32, v.N))
}

// Slice returns rows from … to−1 of v, sharing its storage.
func Slice(v *Vector, from, to int) *Vector {
	out := *v
	out.N = to - from
	if v.Const {
		return &out
	}
	out.Valid = sliceValid(v.Valid, from, to)
	out.Bool, out.I64, out.F64 = cut(v.Bool, from, to), cut(v.I64, from, to), cut(v.F64, from, to)
	out.I128, out.Iv, out.Str = cut(v.I128, from, to), cut(v.Iv, from, to), cut(v.Str, from, to)
	out.Codes = cut(v.Codes, from, to)
	if v.Off != nil {
		out.Off = v.Off[from : to+1 : to+1]
	}
	if v.Type.Kind == types.Struct && v.Dict == nil {
		out.Child = make([]*Vector, len(v.Child))
		for i, c := range v.Child {
			out.Child[i] = Slice(c, from, to)
		}
	}
	return &out
}

func cut[T any](s []T, from, to int) []T {
	if s == nil {
		return nil
	}
	return s[from:to:to]
}

func sliceValid(m []uint64, from, to int) []uint64 {
	if m == nil || from&63 == 0 {
		return cut(m, from>>6, Words(to))
	}
	out := make([]uint64, Words(to-from))
	for i := range out {
		lo := from>>6 + i
		out[i] = m[lo] >> (uint(from) & 63)
		if lo+1 < len(m) {
			out[i] |= m[lo+1] << (64 - uint(from)&63)
		}
	}
	return out
}

// Concat returns the rows of all vectors, which have type t, one after the other. A
// single one is returned as it is.
func Concat(t types.Type, vs ...*Vector) *Vector {
	if len(vs) == 1 {
		return vs[0]
	}
	b := NewBuilder(t)
	for _, v := range vs {
		b.AppendRows(v, nil)
	}
	return b.Take()
}
