// Package vec owns columnar data in memory: vectors, batches with weights and
// selections, builders, and the operations that depend on layout alone (gather,
// hash, compare, encode). It knows types but no functions and no SQL. Open this
// file first, then batch.go and builder.go; gather.go moves rows, hash.go and
// compare.go hold SQL's grouping equality and order, key.go and codec.go the bytes
// that are persisted, text.go what people read.
package vec

import (
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/types"
)

// BatchSize is the number of rows that producers aim at.
const BatchSize = 2048

// StrRef is one string of a vector: Buf[Off : Off+Len]. Several rows may share
// bytes, so gathering and filtering copy eight bytes a row and no text.
type StrRef struct {
	Off, Len uint32
}

// Vector is a column of N values of one type.
//
// Exactly one storage field is used, chosen by Type.Phys(). Storage is indexed by
// row, unless
//   - Const is set: the storage has one element, which stands for all N rows;
//   - Dict is set: row i has the value Dict[Codes[i]], and only Codes (and Valid)
//     are indexed by row. Dict is flat, never constant, never a dictionary itself,
//     may be shared by many vectors and is immutable.
//
// Valid is a bitmap indexed like the storage (for Dict: by row), bit set = not
// NULL; nil = no NULL. The storage under a NULL is any value, never read.
//
// A vector belongs to its batch; who receives a batch may keep no part of it after
// returning, unless the producer's contract says so. Dict and Buf may be shared
// by vectors, and are never written after they have been shared.
type Vector struct {
	Type  types.Type
	N     int
	Const bool
	Valid []uint64

	Bool []uint8
	I64  []int64
	F64  []float64
	I128 []types.Int128
	Iv   []types.IntervalValue
	Str  []StrRef
	Buf  []byte

	// Lists and maps: row i has the elements Off[i] to Off[i+1] of Child[0] (list
	// elements or map keys) and, for maps, Child[1] (map values).
	// Structs: Child[f] is field f, of the same length as the storage.
	Off   []uint32
	Child []*Vector

	Dict  *Vector
	Codes []uint32

	hashes []uint64 // of a dictionary's entries, if PrecomputeHashes was called
}

// Index maps a row to its place in the storage of the vector itself (Codes and
// Valid for a dictionary).
func (v *Vector) Index(row int) int {
	if v.Const {
		return 0
	}
	return row
}

// IsNull reports whether the row is NULL.
func (v *Vector) IsNull(row int) bool {
	if v.Type.Kind == types.Null {
		return true
	}
	if v.Valid == nil {
		return v.Dict != nil && v.Dict.Valid != nil && v.Dict.IsNull(int(v.Codes[v.Index(row)]))
	}
	i := v.Index(row)
	if v.Valid[i>>6]&(1<<(uint(i)&63)) == 0 {
		return true
	}
	return v.Dict != nil && v.Dict.Valid != nil && v.Dict.IsNull(int(v.Codes[i]))
}

// At resolves a row to the flat vector and index that hold its value.
func (v *Vector) At(row int) (*Vector, int) {
	if v.Dict != nil {
		return v.Dict, int(v.Codes[v.Index(row)])
	}
	return v, v.Index(row)
}

// Bytes returns the bytes of a STRING or BYTES row, valid as long as the vector.
func (v *Vector) Bytes(row int) []byte {
	f, i := v.At(row)
	r := f.Str[i]
	return f.Buf[r.Off : r.Off+r.Len : r.Off+r.Len]
}

// Text returns the row's text without copying, valid as long as the vector.
func (v *Vector) Text(row int) string {
	b := v.Bytes(row)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Int returns the value of a PhysInt64 row.
func (v *Vector) Int(row int) int64 {
	f, i := v.At(row)
	return f.I64[i]
}

// Float returns the value of a PhysFloat64 row.
func (v *Vector) Float(row int) float64 {
	f, i := v.At(row)
	return f.F64[i]
}

// IsTrue reports a BOOLEAN row that is neither false nor NULL.
func (v *Vector) IsTrue(row int) bool {
	if v.IsNull(row) {
		return false
	}
	f, i := v.At(row)
	return f.Bool[i] != 0
}
