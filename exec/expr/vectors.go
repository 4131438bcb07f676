package expr

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file brings argument vectors into the layouts that kernels take, and results
// back.

// flatten turns a dictionary into a flat vector; flat and constant vectors stay.
// Text is shared, not copied.
func flatten(c *fn.Ctx, v *vec.Vector, rows fn.Rows) *vec.Vector {
	if v.Dict == nil {
		return v
	}
	d := v.Dict
	if v.Const {
		if v.IsNull(0) {
			return vec.Nulls(v.Type, v.N)
		}
		return vec.ConstOf(d, int(v.Codes[0]), v.N)
	}
	out := c.New(v.Type, v.N)
	codes := v.Codes[:v.N]
	switch v.Type.Phys() {
	case types.PhysBool:
		spread(out.Bool, d.Bool, codes, rows)
	case types.PhysInt64:
		spread(out.I64, d.I64, codes, rows)
	case types.PhysFloat64:
		spread(out.F64, d.F64, codes, rows)
	case types.PhysInt128:
		spread(out.I128, d.I128, codes, rows)
	case types.PhysInterval:
		spread(out.Iv, d.Iv, codes, rows)
	case types.PhysString:
		spread(out.Str, d.Str, codes, rows)
		out.Buf = d.Buf
	default:
		return vec.Flatten(v)
	}
	out.Valid = v.FlatValid()
	return out
}

// spread looks codes up. Under a NULL a code may be anything.
func spread[T any](dst, dict []T, codes []uint32, rows fn.Rows) {
	if rows.Sel == nil {
		for i, code := range codes {
			if int(code) < len(dict) {
				dst[i] = dict[code]
			}
		}
		return
	}
	for _, r := range rows.Sel {
		if code := codes[r]; int(code) < len(dict) {
			dst[r] = dict[code]
		}
	}
}

// jointValidity is where all arguments are present: nil if everywhere. allNull is
// set when an argument is the constant NULL.
func jointValidity(c *fn.Ctx, args []*vec.Vector, n int) (valid []uint64, allNull bool) {
	owned := false
	for _, a := range args {
		switch {
		case a.Type.Kind == types.Null, a.Const && a.IsNull(0):
			return nil, true
		case a.Const || a.Valid == nil:
		case valid == nil:
			valid = a.Valid
		case !owned:
			both := c.Bits(n)
			copy(both, valid)
			valid, owned = both, true
			andBits(valid, a.Valid)
		default:
			andBits(valid, a.Valid)
		}
	}
	return valid, false
}

func andBits(dst, src []uint64) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] &= src[i]
	}
}

// narrowValid lists the rows that count and are valid.
func narrowValid(c *fn.Ctx, rows fn.Rows, valid []uint64) []int32 {
	sel := c.Sel(rows.N)
	k := 0
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		sel[k] = int32(r)
		k += int(valid[r>>6] >> (uint(r) & 63) & 1)
	}
	return sel[:k]
}

// withValidity gives a copy of v's header with more NULLs.
func withValidity(c *fn.Ctx, v *vec.Vector, valid []uint64) *vec.Vector {
	if v.Const {
		v = vec.Flatten(v)
	}
	out := *v
	if v.Valid == nil {
		out.Valid = valid
		return &out
	}
	both := c.Bits(v.N)
	copy(both, v.Valid)
	andBits(both, valid)
	out.Valid = both
	return &out
}

// soleDictionary is the one argument that is a dictionary while all others are
// constant, or −1.
func soleDictionary(args []*vec.Vector) int {
	found := -1
	for i, a := range args {
		switch {
		case a.Dict != nil && !a.Const:
			if found >= 0 {
				return -1
			}
			found = i
		case !a.Const || a.Dict != nil:
			return -1
		}
	}
	return found
}

// usesDictionary says whether computing once per entry is right (the function does
// not look at NULLs that only the rows have) and pays.
func usesDictionary(f *fn.Scalar, v *vec.Vector, rows fn.Rows) bool {
	if f.Nulls == fn.Custom && v.Valid != nil {
		return false
	}
	return v.Dict.N <= rows.Len()
}

// applyToEntries computes a function for the dictionary entries that the rows use.
func applyToEntries(c *fn.Ctx, f *fn.Scalar, impl *fn.Impl, args []*vec.Vector, d int, rows fn.Rows) (*vec.Vector, error) {
	v := args[d]
	used := fn.Rows{N: v.Dict.N}
	if !impl.Total && !impl.Safe || v.Dict.Valid != nil {
		used.Sel = usedEntries(c, v, rows)
		if len(used.Sel) == 0 { // every row is NULL
			return repeat(nullVector(impl.Result), v.N), nil
		}
	}
	entries := make([]*vec.Vector, len(args))
	for i, a := range args {
		entries[i] = repeat(a, v.Dict.N)
	}
	entries[d] = v.Dict
	scratch := c.Scratch
	c.Scratch = nil // dictionaries may be shared beyond the batch
	res, err := applyRows(c, f, impl, entries, used)
	c.Scratch = scratch
	if err != nil {
		return nil, AtRow(err, func(code int) int { return firstWith(v, code, rows) })
	}
	if res.Const && f.Nulls == fn.Propagate && v.Valid == nil {
		return repeat(res, v.N), nil
	}
	out := &vec.Vector{Type: impl.Result, N: v.N, Codes: v.Codes, Valid: v.Valid, Dict: vec.Flatten(res)}
	if impl.Result.Phys() == types.PhysBool {
		return flatten(c, out, rows), nil
	}
	return out, nil
}

// firstWith is the first row that counts and has a code.
func firstWith(v *vec.Vector, code int, rows fn.Rows) int {
	for i, n := 0, rows.Len(); i < n; i++ {
		if r := rows.At(i); int(v.Codes[r]) == code && vec.BitGet(v.Valid, r) {
			return r
		}
	}
	return -1
}

// usedEntries lists the dictionary entries of the rows that count and are not NULL.
func usedEntries(c *fn.Ctx, v *vec.Vector, rows fn.Rows) []int32 {
	seen := c.Bits(v.Dict.N)
	for i, n := 0, rows.Len(); i < n; i++ {
		r := rows.At(i)
		if v.Valid != nil && v.Valid[r>>6]&(1<<(uint(r)&63)) == 0 {
			continue
		}
		code := v.Codes[r]
		seen[code>>6] |= 1 << (code & 63)
	}
	var sel []int32
	for code := range v.Dict.N {
		if seen[code>>6]&(1<<(uint(code)&63)) != 0 {
			sel = append(sel, int32(code))
		}
	}
	return sel
}

// mapStorage applies an infallible operation on fixed-width storage, whatever the
// layout; NULLs stay where they are.
func mapStorage(c *fn.Ctx, v *vec.Vector, t types.Type, rows fn.Rows, op func(src, dst *vec.Vector)) *vec.Vector {
	if v.Type.Kind == types.Null {
		return repeat(nullVector(t), v.N)
	}
	v = flatten(c, v, rows)
	if v.Const {
		one := *v
		one.N, one.Const = 1, false
		res := vec.Flatten(vec.Nulls(t, 1))
		res.Valid = v.Valid
		op(&one, res)
		return repeat(res, v.N)
	}
	out := c.New(t, v.N)
	op(v, out)
	out.Valid = v.Valid
	return out
}
