package scalar

import (
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file bounds what one array may grow to where a number, or an array in an array,
// makes much of little. It is checked before anything is built.

const (
	maxElements = 1 << 24
	tooMany     = "the array would have more than 16 million elements"
	maxArray    = maxText // bytes
	manyBytes   = "the array would take more than 256 MiB"
)

// tooBig says what is wrong with an array of n times row r of v, which is count elements.
func tooBig(v *vec.Vector, r int, count, n int64) string {
	switch {
	case n <= 0:
		return ""
	case count > maxElements/n:
		return tooMany
	case bytesIn(v, r) > maxArray/n:
		return manyBytes
	}
	return ""
}

// bytesIn is the bytes of row r: those of its texts, and the width of all that it has.
func bytesIn(v *vec.Vector, r int) int64 {
	f, i := v.At(r)
	return storedBytes(f, i, i+1)
}

// storedBytes is the bytes of the elements of a column, by their places in its storage.
func storedBytes(v *vec.Vector, from, to int) int64 {
	n := int64(to - from)
	switch v.Type.Phys() {
	case types.PhysInt64, types.PhysFloat64:
		return 8 * n
	case types.PhysInt128, types.PhysInterval:
		return 16 * n
	case types.PhysString:
		size := 8 * n
		for i := from; i < to; i++ {
			if vec.BitGet(v.Valid, i) { // what is stored under a NULL is anything
				size += int64(v.Str[i].Len)
			}
		}
		return size
	case types.PhysList, types.PhysStruct:
		size := 4 * n
		if v.Type.Phys() == types.PhysList {
			from, to = int(v.Off[from]), int(v.Off[to])
		}
		for _, c := range v.Child {
			size += childBytes(c, from, to)
		}
		return size
	}
	return n
}

// childBytes is storedBytes of rows, which may be of a constant or of a dictionary.
func childBytes(v *vec.Vector, from, to int) int64 {
	if !v.Const && v.Dict == nil {
		return storedBytes(v, from, to)
	}
	size := int64(0)
	for r := from; r < to; r++ {
		size += bytesIn(v, r)
	}
	return size
}
