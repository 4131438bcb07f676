package stateful

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// A stored row is a run of 64-bit words: those of its owner (links, weights), then a
// mask with a bit for each NULL, then its values. Text and encoded values lie in the
// arena of the row's chunk, and words refer to them.

// rowNode is a stored column, or a field of a STRUCT.
type rowNode struct {
	typ  types.Type
	phys types.Phys
	word int // first word of the value
	null int // bit of the mask
	kids []rowNode
	// nulls: some row ever had NULL here.
	nulls bool
}

// rowLayout says where the parts of a row lie.
type rowLayout struct {
	nodes []rowNode
	mask  int   // first word of the mask
	words int   // of a row
	texts []int // words that refer to bytes

	maskWords int
}

// newRowLayout places columns behind the words of the owner.
func newRowLayout(own int, columns []types.Type) *rowLayout {
	bits := 0
	for _, t := range columns {
		bits += countNodes(t)
	}
	l := &rowLayout{mask: own, maskWords: (bits + 63) / 64}
	l.words = own + l.maskWords
	bits = 0
	for _, t := range columns {
		l.nodes = append(l.nodes, l.add(t, &bits))
	}
	return l
}

func countNodes(t types.Type) int {
	n := 1
	if t.Kind == types.Struct {
		for _, f := range t.Fields {
			n += countNodes(f.Type)
		}
	}
	return n
}

func (l *rowLayout) add(t types.Type, bits *int) rowNode {
	n := rowNode{typ: t, phys: t.Phys(), word: l.words, null: *bits}
	*bits++
	switch n.phys {
	case types.PhysNull:
		n.nulls = true
	case types.PhysInt128, types.PhysInterval:
		l.words += 2
	case types.PhysString, types.PhysList:
		l.texts = append(l.texts, n.word)
		l.words++
	case types.PhysStruct:
		for _, f := range t.Fields {
			n.kids = append(n.kids, l.add(f.Type, bits))
		}
	default:
		l.words++
	}
	return n
}

// isNull reads the mask of a row.
func (l *rowLayout) isNull(row []uint64, bit int) bool {
	return row[l.mask+bit>>6]>>(uint(bit)&63)&1 != 0
}

func (l *rowLayout) setNull(row []uint64, n *rowNode) {
	row[l.mask+n.null>>6] |= 1 << (uint(n.null) & 63)
	n.nulls = true
}

// A reference to bytes of an arena is an offset and a length.
const (
	textBits = 28
	textMask = 1<<textBits - 1
)

func textRef(off, n int) uint64 {
	if n > textMask || uint64(off) > math.MaxUint64>>textBits {
		panic(invariant.Limit("a value in a join is longer than 256 MiB"))
	}
	return uint64(off)<<textBits | uint64(n)
}

func textOf(arena []byte, w uint64) []byte {
	off, n := w>>textBits, w&textMask
	return arena[off : off+n : off+n]
}

// packInterval and unpackInterval move an INTERVAL to and from two words.
func packInterval(x types.IntervalValue) (uint64, uint64) {
	return uint64(uint32(x.Months))<<32 | uint64(uint32(x.Days)), uint64(x.Micros)
}

func unpackInterval(a, b uint64) types.IntervalValue {
	return types.IntervalValue{Months: int32(a >> 32), Days: int32(a), Micros: int64(b)}
}

// encodeValue appends the exact encoding of one ARRAY or MAP.
func encodeValue(dst []byte, v *vec.Vector, row int) []byte {
	return vec.EncodeBatch(dst, &vec.Batch{Cols: []*vec.Vector{v}, N: v.N, Sel: []int32{int32(row)}})
}

// decodeValue reads what encodeValue wrote.
func decodeValue(t types.Type, src []byte) (*vec.Vector, error) {
	b, _, err := vec.DecodeBatch(src, []types.Type{t})
	if err != nil {
		return nil, err
	}
	return b.Cols[0], nil
}
