package vec

import (
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Validity bitmaps hold one bit a row, set = not NULL; nil = every row is valid.

// Words is the length of a bitmap for n rows.
func Words(n int) int { return (n + 63) / 64 }

// AllValid returns a new bitmap in which n rows are not NULL.
func AllValid(n int) []uint64 {
	m := make([]uint64, Words(n))
	fillValid(m, n)
	return m
}

func fillValid(m []uint64, n int) {
	for i := range m {
		m[i] = ^uint64(0)
	}
	if n&63 != 0 {
		m[n>>6] = 1<<(uint(n)&63) - 1
	}
}

// BitGet reports whether bit i is set; every bit of a nil bitmap is.
func BitGet(m []uint64, i int) bool { return m == nil || m[i>>6]&(1<<(uint(i)&63)) != 0 }

// BitSet sets bit i.
func BitSet(m []uint64, i int) { m[i>>6] |= 1 << (uint(i) & 63) }

// BitClear clears bit i.
func BitClear(m []uint64, i int) { m[i>>6] &^= 1 << (uint(i) & 63) }

// CountValid is the number of set bits among the first n.
func CountValid(m []uint64, n int) int {
	if m == nil {
		return n
	}
	c := 0
	for _, w := range m[:n>>6] {
		c += bits.OnesCount64(w)
	}
	if n&63 != 0 {
		c += bits.OnesCount64(m[n>>6] & (1<<(uint(n)&63) - 1))
	}
	return c
}

// AndValid returns the rows that are valid in both bitmaps of n rows: one of them,
// or a new one.
func AndValid(a, b []uint64, n int) []uint64 {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := make([]uint64, Words(n))
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] & b[i]
	}
	return out
}

// SetNull makes a row of a vector under construction NULL. The vector must own its
// bitmap.
func (v *Vector) SetNull(row int) {
	if v.Valid == nil {
		v.Valid = AllValid(v.stored())
	}
	BitClear(v.Valid, v.Index(row))
}

// stored is the number of elements of v's own storage.
func (v *Vector) stored() int {
	if v.Const {
		return 1
	}
	return v.N
}

// HasNulls reports whether a row may be NULL, without looking at the rows.
func (v *Vector) HasNulls() bool {
	return v.Type.Kind == types.Null || v.Valid != nil || v.Dict != nil && v.Dict.Valid != nil
}

// NullCount is the number of NULL rows.
func (v *Vector) NullCount() int {
	if !v.HasNulls() {
		return 0
	}
	if v.Type.Kind == types.Null {
		return v.N
	}
	if v.Const {
		if v.N > 0 && v.IsNull(0) {
			return v.N
		}
		return 0
	}
	if v.Dict == nil && v.Valid != nil {
		return v.N - CountValid(v.Valid, v.N)
	}
	c := 0
	for i := range v.N {
		if v.IsNull(i) {
			c++
		}
	}
	return c
}

// FlatValid returns a bitmap by row, whatever the layout; nil = no NULL. It may be
// v's own.
func (v *Vector) FlatValid() []uint64 {
	if !v.HasNulls() {
		return nil
	}
	if !v.Const && v.Dict == nil && v.Valid != nil {
		return v.Valid
	}
	m := AllValid(v.N)
	for i := range v.N {
		if v.IsNull(i) {
			BitClear(m, i)
		}
	}
	return m
}
