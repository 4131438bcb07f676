package stateful

import (
	"encoding/binary"
	"math"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func floatWord(x float64) uint64 { return math.Float64bits(x) }

// gather writes one column of rows into out, whose memory is used again.
func (s *rowStore) gather(column int, slots []uint32, out *vec.Vector) {
	s.gatherNode(&s.nodes[column], slots, out)
}

func (s *rowStore) gatherNode(n *rowNode, slots []uint32, out *vec.Vector) {
	out.Type, out.N, out.Valid = n.typ, len(slots), out.Valid[:0]
	s.gatherValues(n, slots, out)
	if !n.nulls || n.phys == types.PhysNull {
		out.Valid = nil
		return
	}
	out.Valid = growZero(out.Valid, vec.Words(len(slots)))
	clear(out.Valid)
	for i, slot := range slots {
		if !s.isNull(s.row(slot), n.null) {
			vec.BitSet(out.Valid, i)
		}
	}
}

func (s *rowStore) gatherValues(n *rowNode, slots []uint32, out *vec.Vector) {
	k := len(slots)
	switch n.phys {
	case types.PhysInt64:
		out.I64 = growZero(out.I64, k)
		for i, slot := range slots {
			out.I64[i] = int64(s.word(slot, n.word))
		}
	case types.PhysBool:
		out.Bool = growZero(out.Bool, k)
		for i, slot := range slots {
			out.Bool[i] = uint8(s.word(slot, n.word))
		}
	case types.PhysFloat64:
		out.F64 = growZero(out.F64, k)
		for i, slot := range slots {
			out.F64[i] = math.Float64frombits(s.word(slot, n.word))
		}
	case types.PhysInt128:
		out.I128 = growZero(out.I128, k)
		for i, slot := range slots {
			out.I128[i] = types.Int128{Lo: s.word(slot, n.word), Hi: int64(s.word(slot, n.word+1))}
		}
	case types.PhysInterval:
		out.Iv = growZero(out.Iv, k)
		for i, slot := range slots {
			out.Iv[i] = unpackInterval(s.word(slot, n.word), s.word(slot, n.word+1))
		}
	case types.PhysString:
		s.gatherTexts(n, slots, out)
	default:
		s.gatherNested(n, slots, out)
	}
}

func (s *rowStore) word(slot uint32, w int) uint64 {
	return s.chunks[slot>>chunkBits].words[int(slot&chunkMask)*s.words+w]
}

func (s *rowStore) gatherTexts(n *rowNode, slots []uint32, out *vec.Vector) {
	out.Str, out.Buf = growZero(out.Str, len(slots)), out.Buf[:0]
	for i, slot := range slots {
		c := &s.chunks[slot>>chunkBits]
		b := textOf(c.arena, c.words[int(slot&chunkMask)*s.words+n.word])
		out.Str[i] = vec.StrRef{Off: uint32(len(out.Buf)), Len: uint32(len(b))}
		out.Buf = append(out.Buf, b...)
	}
	if uint64(len(out.Buf)) > math.MaxUint32 {
		panic(invariant.Limit("one column of a batch has more than 4 GiB of text"))
	}
}

func (s *rowStore) gatherNested(n *rowNode, slots []uint32, out *vec.Vector) {
	if n.phys == types.PhysStruct {
		for len(out.Child) < len(n.kids) {
			out.Child = append(out.Child, &vec.Vector{})
		}
		for k := range n.kids {
			s.gatherNode(&n.kids[k], slots, out.Child[k])
		}
		return
	}
	if n.phys != types.PhysList {
		return
	}
	b := vec.NewBuilder(n.typ)
	for _, slot := range slots {
		c := &s.chunks[slot>>chunkBits]
		row := s.row(slot)
		if s.isNull(row, n.null) {
			b.AppendNull()
			continue
		}
		v, err := decodeValue(n.typ, textOf(c.arena, row[n.word]))
		if err != nil {
			panic("stateful: a value that was encoded here cannot be decoded: " + err.Error())
		}
		b.AppendFrom(v, 0)
	}
	*out = *b.Take()
}

// same tells whether a stored row equals a row of columns, by vec.Equal.
func (s *rowStore) same(slot uint32, cols []*vec.Vector, row int) bool {
	words := s.row(slot)
	for k := range s.nodes {
		if !s.sameValue(&s.nodes[k], words, s.chunks[slot>>chunkBits].arena, cols[k], row) {
			return false
		}
	}
	return true
}

func (s *rowStore) sameValue(n *rowNode, words []uint64, arena []byte, v *vec.Vector, row int) bool {
	null := n.phys == types.PhysNull || s.isNull(words, n.null)
	if null || v.IsNull(row) {
		return null && v.IsNull(row)
	}
	f, i := v.At(row)
	w := words[n.word:]
	switch n.phys {
	case types.PhysBool:
		return w[0] == uint64(f.Bool[i]&1)
	case types.PhysInt64:
		return w[0] == uint64(f.I64[i])
	case types.PhysFloat64:
		return vec.FloatBits(math.Float64frombits(w[0])) == vec.FloatBits(f.F64[i])
	case types.PhysInt128:
		return w[0] == f.I128[i].Lo && w[1] == uint64(f.I128[i].Hi)
	case types.PhysInterval:
		return unpackInterval(w[0], w[1]) == f.Iv[i]
	case types.PhysString:
		return string(textOf(arena, w[0])) == string(f.Buf[f.Str[i].Off:f.Str[i].Off+f.Str[i].Len])
	case types.PhysStruct:
		for k := range n.kids {
			if !s.sameValue(&n.kids[k], words, arena, f.Child[k], i) {
				return false
			}
		}
		return true
	}
	own, err := decodeValue(n.typ, textOf(arena, w[0]))
	return err == nil && vec.Equal(own, 0, f, i)
}

// The encoding of a row, in the state: the words of its mask as uvarints, then the values
// that are not NULL, a field of a STRUCT like a column: whole numbers and BOOLEANs as
// varints, FLOAT and DOUBLE in 8 bytes, DECIMAL(p > 18) in two uvarints, INTERVAL in three
// varints, STRING and BYTES with their length in front, ARRAY and MAP as a batch of one
// value with its length in front.

// encode appends the encoding of a row.
func (s *rowStore) encode(dst []byte, slot uint32) []byte {
	row, arena := s.row(slot), s.chunks[slot>>chunkBits].arena
	for w := s.mask; w < s.mask+s.maskWords; w++ {
		dst = binary.AppendUvarint(dst, row[w])
	}
	for k := range s.nodes {
		dst = s.encodeValue(dst, &s.nodes[k], row, arena)
	}
	return dst
}

func (s *rowStore) encodeValue(dst []byte, n *rowNode, row []uint64, arena []byte) []byte {
	if n.phys == types.PhysNull || s.isNull(row, n.null) {
		return dst
	}
	switch n.phys {
	case types.PhysBool, types.PhysInt64:
		return binary.AppendVarint(dst, int64(row[n.word]))
	case types.PhysFloat64:
		return binary.LittleEndian.AppendUint64(dst, row[n.word])
	case types.PhysInt128:
		return binary.AppendUvarint(binary.AppendUvarint(dst, row[n.word]), row[n.word+1])
	case types.PhysInterval:
		x := unpackInterval(row[n.word], row[n.word+1])
		dst = binary.AppendVarint(dst, int64(x.Months))
		dst = binary.AppendVarint(dst, int64(x.Days))
		return binary.AppendVarint(dst, x.Micros)
	case types.PhysStruct:
		for k := range n.kids {
			dst = s.encodeValue(dst, &n.kids[k], row, arena)
		}
		return dst
	}
	b := textOf(arena, row[n.word])
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// decode stores a row that encode wrote, and returns the rest of src.
func (s *rowStore) decode(src []byte) (slot uint32, rest []byte, err error) {
	slot = s.place()
	d := rowDecoder{src: src}
	row := s.row(slot)
	for w := range s.maskWords {
		row[s.mask+w] = d.uvarint()
	}
	for k := range s.nodes {
		s.decodeValue(&d, &s.nodes[k], slot, row)
	}
	if d.bad {
		return slot, nil, errStateKey
	}
	return slot, d.src, nil
}

func (s *rowStore) decodeValue(d *rowDecoder, n *rowNode, slot uint32, row []uint64) {
	if n.phys == types.PhysNull || s.isNull(row, n.null) {
		n.markNulls()
		return
	}
	switch n.phys {
	case types.PhysBool, types.PhysInt64:
		row[n.word] = uint64(d.varint())
	case types.PhysFloat64:
		if b := d.take(8); b != nil {
			row[n.word] = binary.LittleEndian.Uint64(b)
		}
	case types.PhysInt128:
		row[n.word], row[n.word+1] = d.uvarint(), d.uvarint()
	case types.PhysInterval:
		row[n.word], row[n.word+1] = packInterval(types.IntervalValue{Months: int32(d.varint()), Days: int32(d.varint()), Micros: d.varint()})
	case types.PhysStruct:
		for k := range n.kids {
			s.decodeValue(d, &n.kids[k], slot, row)
		}
	default:
		b := d.take(d.uvarint())
		c := &s.chunks[slot>>chunkBits]
		row[n.word] = textRef(len(c.arena), len(b))
		c.arena = append(c.arena, b...)
	}
}

// markNulls notes that a row has NULL here, and in all fields.
func (n *rowNode) markNulls() {
	n.nulls = true
	for k := range n.kids {
		n.kids[k].markNulls()
	}
}

// rowDecoder reads bytes; after an error every read gives zero.
type rowDecoder struct {
	src []byte
	bad bool
}

func (d *rowDecoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.src)
	if n <= 0 || d.bad {
		d.bad = true
		return 0
	}
	d.src = d.src[n:]
	return x
}

func (d *rowDecoder) varint() int64 {
	u := d.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (d *rowDecoder) take(n uint64) []byte {
	if d.bad || n > uint64(len(d.src)) {
		d.bad = true
		return nil
	}
	b := d.src[:n]
	d.src = d.src[n:]
	return b
}
