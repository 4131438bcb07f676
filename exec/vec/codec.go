package vec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/types"
)

// The batch encoding, version 1 (docs/formats/batch.md): the rows that count, column
// by column, with their weights. The column types are not part of it: who reads it
// knows the schema.
//
//	byte     version
//	uvarint  number of rows
//	byte     1 if weights follow: a signed varint a row
//	columns
//
// A column of m elements is a byte 1 if NULLs follow, then a bitmap of ⌈m/8⌉ bytes
// (bit set = not NULL), then its values; NULLs have none.
//
//	BOOLEAN           a byte
//	whole numbers     a signed varint
//	FLOAT, DOUBLE     8 bytes, little endian
//	DECIMAL(p > 18)   16 bytes, little endian
//	INTERVAL          three signed varints
//	text, UUID, JSON  all lengths as uvarints, then all bytes
//	ARRAY, MAP        all lengths as uvarints, then the children as columns
//	STRUCT            the children as columns of the values that are not NULL
const batchVersion = 1

var errBatch = errors.New("corrupt batch")

// EncodeBatch appends the rows of b that count, with their weights, to dst.
func EncodeBatch(dst []byte, b *Batch) []byte {
	dst = append(dst, batchVersion)
	dst = binary.AppendUvarint(dst, uint64(b.Rows()))
	if b.W == nil {
		dst = append(dst, 0)
	} else {
		dst = append(dst, 1)
		b.Each(func(r int) { dst = binary.AppendVarint(dst, b.W[r]) })
	}
	rows := make([]int32, 0, b.Rows())
	b.Each(func(r int) { rows = append(rows, int32(r)) })
	for _, c := range b.Cols {
		dst = encodeColumn(dst, c, rows)
	}
	return dst
}

// encodeColumn appends the values of v at rows.
func encodeColumn(dst []byte, v *Vector, rows []int32) []byte {
	if v.Type.Kind == types.Null {
		return dst
	}
	dst, rows = encodeNulls(dst, v, rows)
	switch v.Type.Phys() {
	case types.PhysBool:
		for _, r := range rows {
			f, i := v.At(int(r))
			dst = append(dst, f.Bool[i]&1)
		}
	case types.PhysInt64:
		for _, r := range rows {
			dst = binary.AppendVarint(dst, v.Int(int(r)))
		}
	case types.PhysFloat64:
		for _, r := range rows {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Float(int(r))))
		}
	case types.PhysInt128:
		for _, r := range rows {
			f, i := v.At(int(r))
			dst = binary.LittleEndian.AppendUint64(dst, f.I128[i].Lo)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(f.I128[i].Hi))
		}
	case types.PhysInterval:
		for _, r := range rows {
			f, i := v.At(int(r))
			dst = binary.AppendVarint(dst, int64(f.Iv[i].Months))
			dst = binary.AppendVarint(dst, int64(f.Iv[i].Days))
			dst = binary.AppendVarint(dst, f.Iv[i].Micros)
		}
	case types.PhysString:
		dst = encodeStrings(dst, v, rows)
	default:
		dst = encodeNested(dst, v, rows)
	}
	return dst
}

// encodeNulls appends the bitmap and returns the rows that are not NULL.
func encodeNulls(dst []byte, v *Vector, rows []int32) ([]byte, []int32) {
	if !v.HasNulls() {
		return append(dst, 0), rows
	}
	dst = append(dst, 1)
	from := len(dst)
	dst = append(dst, make([]byte, (len(rows)+7)/8)...)
	kept := make([]int32, 0, len(rows))
	for i, r := range rows {
		if !v.IsNull(int(r)) {
			dst[from+i>>3] |= 1 << (uint(i) & 7)
			kept = append(kept, r)
		}
	}
	return dst, kept
}

func encodeStrings(dst []byte, v *Vector, rows []int32) []byte {
	for _, r := range rows {
		f, i := v.At(int(r))
		dst = binary.AppendUvarint(dst, uint64(f.Str[i].Len))
	}
	for _, r := range rows {
		dst = append(dst, v.Bytes(int(r))...)
	}
	return dst
}

func encodeNested(dst []byte, v *Vector, rows []int32) []byte {
	elems := make([]int32, 0, len(rows))
	f := v
	if v.Dict != nil {
		f = v.Dict
	}
	for _, r := range rows {
		_, i := v.At(int(r))
		if v.Type.Kind == types.Struct {
			elems = append(elems, int32(i))
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(f.Off[i+1]-f.Off[i]))
		for e := f.Off[i]; e < f.Off[i+1]; e++ {
			elems = append(elems, int32(e))
		}
	}
	for _, c := range f.Child {
		dst = encodeColumn(dst, c, elems)
	}
	return dst
}

// DecodeBatch reads what EncodeBatch wrote of columns with the given types, and
// returns the rest. The batch owns its memory. Whatever the input, it does not panic
// and takes no more memory than a small multiple of the input's length.
func DecodeBatch(src []byte, ts []types.Type) (b *Batch, rest []byte, err error) {
	d := decoder{src: src}
	b = d.batch(ts)
	if d.bad {
		return nil, nil, fmt.Errorf("%w: at byte %d of %d", errBatch, len(src)-len(d.src), len(src))
	}
	return b, d.src, nil
}

// decoder reads bytes; after an error every read gives zero.
type decoder struct {
	src []byte
	bad bool
}

func (d *decoder) fail() { d.bad = true }

func (d *decoder) take(n int) []byte {
	if d.bad || n < 0 || n > len(d.src) {
		d.bad = true
		return nil
	}
	out := d.src[:n]
	d.src = d.src[n:]
	return out
}

func (d *decoder) byte() byte {
	if p := d.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.src)
	if d.bad || n <= 0 {
		d.bad = true
		return 0
	}
	d.src = d.src[n:]
	return x
}

func (d *decoder) varint() int64 {
	u := d.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (d *decoder) u64() uint64 {
	if p := d.take(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

func (d *decoder) flag() bool {
	f := d.byte()
	if f > 1 {
		d.fail()
	}
	return f == 1
}

// maxRowsPerByte bounds the rows that input may claim: all-NULL columns take one
// bit a row, and no column none.
const maxRowsPerByte = 8

func (d *decoder) batch(ts []types.Type) *Batch {
	if d.byte() != batchVersion {
		d.fail()
	}
	rows := d.uvarint()
	b := &Batch{N: int(rows), Cols: make([]*Vector, len(ts))}
	weighted := d.flag()
	if d.bad || rows > math.MaxInt32 || sized(ts) && rows > maxRowsPerByte*uint64(len(d.src)) ||
		weighted && rows > uint64(len(d.src)) {
		d.fail()
		return nil
	}
	if weighted {
		b.W = make([]int64, rows)
		for i := range b.W {
			b.W[i] = d.varint()
		}
	}
	for i, t := range ts {
		b.Cols[i] = d.column(t, int(rows))
	}
	return b
}

// sized tells whether a column takes space for its rows.
func sized(ts []types.Type) bool {
	for _, t := range ts {
		if t.Kind != types.Null && t.Kind != types.Struct {
			return true
		}
		for _, f := range t.Fields {
			if sized([]types.Type{f.Type}) {
				return true
			}
		}
	}
	return false
}

func (d *decoder) column(t types.Type, n int) *Vector {
	v := &Vector{Type: t, N: n}
	if t.Kind == types.Null || d.bad {
		return v
	}
	values := n
	if d.flag() {
		if v.Valid = d.bitmap(n); v.Valid != nil {
			values = CountValid(v.Valid, n)
		}
	}
	if d.bad || values > len(d.src) && t.Kind != types.Struct {
		d.fail()
		return v
	}
	if t.IsNested() {
		d.nested(v, values)
	} else {
		d.values(v, values)
	}
	return v
}

func (d *decoder) bitmap(n int) []uint64 {
	p := d.take((n + 7) / 8)
	if p == nil {
		return nil
	}
	m := make([]uint64, Words(n))
	for i, x := range p {
		m[i>>3] |= uint64(x) << (8 * (uint(i) & 7))
	}
	if n&63 != 0 && m[len(m)-1]>>(uint(n)&63) != 0 {
		d.fail()
	}
	return m
}

// spread calls put for each row of v that is not NULL.
func spread(v *Vector, put func(row int)) {
	for i := range v.N {
		if BitGet(v.Valid, i) {
			put(i)
		}
	}
}

func (d *decoder) values(v *Vector, n int) {
	switch v.Type.Phys() {
	case types.PhysBool:
		v.Bool = make([]uint8, v.N)
		spread(v, func(i int) { v.Bool[i] = d.byte() & 1 })
	case types.PhysInt64:
		v.I64 = make([]int64, v.N)
		spread(v, func(i int) { v.I64[i] = d.varint() })
	case types.PhysFloat64:
		v.F64 = make([]float64, v.N)
		spread(v, func(i int) { v.F64[i] = math.Float64frombits(d.u64()) })
	case types.PhysInt128:
		v.I128 = make([]types.Int128, v.N)
		spread(v, func(i int) { v.I128[i].Lo = d.u64(); v.I128[i].Hi = int64(d.u64()) })
	case types.PhysInterval:
		v.Iv = make([]types.IntervalValue, v.N)
		spread(v, func(i int) {
			v.Iv[i] = types.IntervalValue{Months: int32(d.varint()), Days: int32(d.varint()), Micros: d.varint()}
		})
	case types.PhysString:
		d.strings(v)
	}
}

func (d *decoder) strings(v *Vector) {
	v.Str = make([]StrRef, v.N)
	total := uint64(0)
	spread(v, func(i int) {
		n := d.uvarint()
		if n > uint64(len(d.src)) || total+n > math.MaxUint32 {
			d.fail()
			return
		}
		v.Str[i] = StrRef{Off: uint32(total), Len: uint32(n)}
		total += n
	})
	v.Buf = append([]byte{}, d.take(int(total))...)
}

func (d *decoder) nested(v *Vector, n int) {
	if v.Type.Kind == types.Struct {
		for _, f := range v.Type.Fields {
			c := d.column(f.Type, n)
			if d.bad {
				return
			}
			v.Child = append(v.Child, spreadChild(c, v))
		}
		return
	}
	bounded := v.Type.Key != nil || sized([]types.Type{*v.Type.Elem})
	v.Off = make([]uint32, v.N+1)
	total := uint64(0)
	for i := range v.N {
		if BitGet(v.Valid, i) {
			total += min(d.uvarint(), math.MaxUint32)
		}
		if total > math.MaxInt32 || bounded && total > maxRowsPerByte*uint64(len(d.src)) {
			d.fail()
			return
		}
		v.Off[i+1] = uint32(total)
	}
	if v.Type.Kind == types.Map {
		v.Child = append(v.Child, d.column(*v.Type.Key, int(total)))
	}
	v.Child = append(v.Child, d.column(*v.Type.Elem, int(total)))
}

// spreadChild gives a struct's field an element for each row of the struct.
func spreadChild(c *Vector, v *Vector) *Vector {
	if v.Valid == nil {
		return c
	}
	rows := make([]int32, v.N)
	next := int32(0)
	for i := range rows {
		rows[i] = -1
		if BitGet(v.Valid, i) {
			rows[i] = next
			next++
		}
	}
	return Flatten(GatherOuter(c, rows))
}
