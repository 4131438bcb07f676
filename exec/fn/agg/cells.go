package agg

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// cells is the state of the groups of an accumulator, one pointer-free C a group;
// the zero C is the empty state.
type cells[C any] struct {
	at []C
}

// Grow implements fn.Accumulator.
func (c *cells[C]) Grow(n int) {
	if n <= cap(c.at) {
		if n > len(c.at) {
			c.at = c.at[:n]
		}
		return
	}
	grown := make([]C, n, max(n, 2*cap(c.at)))
	copy(grown, c.at)
	c.at = grown
}

// Reset implements fn.Accumulator.
func (c *cells[C]) Reset(group uint32) {
	var empty C
	c.at[group] = empty
}

// Bytes implements fn.Accumulator.
func (c *cells[C]) Bytes() int64 {
	var one C
	return int64(cap(c.at)) * int64(unsafe.Sizeof(one))
}

// each calls f for every row that counts and in which v is not NULL; v may be nil.
func each(rows fn.AggRows, v *vec.Vector, f func(group uint32, row int, w int64)) {
	nulls := v != nil && v.HasNulls()
	for i, g := range rows.Groups {
		r := rowAt(rows.Sel, i)
		if nulls && v.IsNull(r) {
			continue
		}
		f(g, r, weightAt(rows.W, r))
	}
}

func rowAt(sel []int32, i int) int {
	if sel == nil {
		return i
	}
	return int(sel[i])
}

func weightAt(w []int64, row int) int64 {
	if w == nil {
		return 1
	}
	return w[row]
}

// plain tells that all rows count, once each, and none of v's is NULL, and that v's
// storage is indexed by row: the case for which kernels have a loop of their own.
func plain(rows fn.AggRows, v *vec.Vector) bool {
	return rows.Sel == nil && rows.W == nil && !v.Const && v.Dict == nil && v.Valid == nil
}

var errState = errors.New("aggregate state: unexpected end")

// cutVarint reads a signed varint and returns the rest of src.
func cutVarint(src []byte) (int64, []byte, error) {
	x, n := binary.Varint(src)
	if n <= 0 {
		return 0, nil, errState
	}
	return x, src[n:], nil
}

// cutUvarint reads an unsigned varint and returns the rest of src.
func cutUvarint(src []byte) (uint64, []byte, error) {
	x, n := binary.Uvarint(src)
	if n <= 0 {
		return 0, nil, errState
	}
	return x, src[n:], nil
}

// cutBytes reads what appendBytes wrote and returns the rest of src.
func cutBytes(src []byte) (b, rest []byte, err error) {
	n, rest, err := cutUvarint(src)
	if err != nil || n > uint64(len(rest)) {
		return nil, nil, errState
	}
	return rest[:n], rest[n:], nil
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// sameKind is the accumulator that Merge was given, which has the type of the receiver.
func sameKind[T any](src fn.Accumulator) *T { return any(src).(*T) }
