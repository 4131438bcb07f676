package vec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
)

// The key encoding, version 1: one value after the other, each self-delimiting.
// Bytes compare as Compare does, and are equal exactly when Equal holds. It is
// persisted in state and must not change.
//
//	NULL                00
//	BOOLEAN             01 false, 02 true
//	whole numbers       80+n and n big-endian bytes, n as small as can be; negative
//	                    7F−n and the low n bytes. DECIMAL of any precision: unscaled
//	FLOAT, DOUBLE       01 and 8 bytes: sign flipped, or all bits if negative
//	INTERVAL            01 and three whole numbers: span, months, days
//	text, UUID, JSON    01, the bytes with 00 → 01 01 and 01 → 01 02, then 00
//	ARRAY               01, then 01 and the value for each element, then 00
//	MAP                 01, then 01, key, value for each entry in byte order, then 00
//	STRUCT              01 and the fields
const (
	keyNull  = 0x00
	keyValue = 0x01
	keyTrue  = 0x02
	keyEnd   = 0x00
	keyMore  = 0x01
	keyZero  = 0x80 // the whole number 0
)

// AppendKey appends the key encoding of the value of v at row.
func AppendKey(dst []byte, v *Vector, row int) []byte { return appendKey(dst, v, row, false) }

// AppendSameKey appends bytes that are equal exactly when Same holds: AppendKey, with the
// length of an interval alone. They are the keys of what SQL groups and joins.
func AppendSameKey(dst []byte, v *Vector, row int) []byte { return appendKey(dst, v, row, true) }

func appendKey(dst []byte, v *Vector, row int, lengths bool) []byte {
	if v.IsNull(row) {
		return append(dst, keyNull)
	}
	f, i := v.At(row)
	switch f.Type.Phys() {
	case types.PhysInt64:
		return AppendIntKey(dst, f.I64[i])
	case types.PhysString:
		return AppendBytesKey(dst, f.Bytes(i))
	case types.PhysBool:
		return append(dst, keyValue+f.Bool[i]&1)
	case types.PhysFloat64:
		return AppendFloatKey(dst, f.F64[i])
	case types.PhysInt128:
		return AppendInt128Key(dst, f.I128[i])
	case types.PhysInterval:
		if lengths {
			return AppendInt128Key(append(dst, keyValue), f.Iv[i].Span())
		}
		return AppendIntervalKey(dst, f.Iv[i])
	case types.PhysStruct:
		dst = append(dst, keyValue)
		for _, c := range f.Child {
			dst = appendKey(dst, c, i, lengths)
		}
		return dst
	}
	if f.Type.Kind == types.Map {
		return appendMapKey(dst, f, i, lengths)
	}
	return appendListKey(dst, f, i, lengths)
}

// AppendRowKey appends the key encodings of all columns at row.
func AppendRowKey(dst []byte, cols []*Vector, row int) []byte {
	for _, c := range cols {
		dst = AppendKey(dst, c, row)
	}
	return dst
}

// AppendNullKey appends the encoding of NULL, of any type.
func AppendNullKey(dst []byte) []byte { return append(dst, keyNull) }

// AppendStructKey appends what precedes the fields of a STRUCT that is not NULL.
func AppendStructKey(dst []byte) []byte { return append(dst, keyValue) }

// AppendBoolKey appends the encoding of a BOOLEAN.
func AppendBoolKey(dst []byte, x bool) []byte { return append(dst, keyValue+byte(boolInt(x))) }

// AppendIntKey appends the encoding of a PhysInt64 value.
func AppendIntKey(dst []byte, x int64) []byte {
	s := x >> 63
	n := (bits.Len64(uint64(x^s)) + 7) >> 3
	tag := keyZero + n
	if s < 0 {
		tag = keyZero - 1 - n
	}
	dst = append(dst, byte(tag))
	dst = binary.BigEndian.AppendUint64(dst, uint64(x)<<(64-8*uint(n)))
	return dst[:len(dst)-8+n]
}

// AppendInt128Key appends the encoding of a PhysInt128 value, which is that of a
// PhysInt64 value if it is one.
func AppendInt128Key(dst []byte, x types.Int128) []byte {
	if v, ok := x.Int64(); ok {
		return AppendIntKey(dst, v)
	}
	s := x.Hi >> 63
	n := 8 + (bits.Len64(uint64(x.Hi^s))+7)>>3
	tag := keyZero + n
	if s < 0 {
		tag = keyZero - 1 - n
	}
	if n == 8 { // the sign bit of the low half is taken
		dst = append(dst, byte(tag))
		return binary.BigEndian.AppendUint64(dst, x.Lo)
	}
	dst = append(dst, byte(tag))
	dst = binary.BigEndian.AppendUint64(dst, uint64(x.Hi)<<(128-8*uint(n)))
	dst = dst[:len(dst)-16+n]
	return binary.BigEndian.AppendUint64(dst, x.Lo)
}

// AppendFloatKey appends the encoding of a FLOAT or DOUBLE.
func AppendFloatKey(dst []byte, x float64) []byte {
	u := FloatBits(x)
	u ^= uint64(int64(u)>>63) | 1<<63
	return binary.BigEndian.AppendUint64(append(dst, keyValue), u)
}

// AppendIntervalKey appends the encoding of an INTERVAL.
func AppendIntervalKey(dst []byte, x types.IntervalValue) []byte {
	dst = AppendInt128Key(append(dst, keyValue), x.Span())
	return AppendIntKey(AppendIntKey(dst, int64(x.Months)), int64(x.Days))
}

// AppendBytesKey appends the encoding of a STRING or BYTES.
func AppendBytesKey(dst, x []byte) []byte {
	dst = append(dst, keyValue)
	for {
		i := indexLow(x)
		if i < 0 {
			break
		}
		dst = append(dst, x[:i]...)
		dst = append(dst, 1, x[i]+1)
		x = x[i+1:]
	}
	dst = append(dst, x...)
	return append(dst, keyEnd)
}

// indexLow finds the first byte below 2, eight at a time.
func indexLow(x []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(x); i += 8 {
		w := binary.LittleEndian.Uint64(x[i:])
		if m := (w - 2*ones) & ^w & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(x); i++ {
		if x[i] < 2 {
			return i
		}
	}
	return -1
}

func appendListKey(dst []byte, f *Vector, i int, lengths bool) []byte {
	dst = append(dst, keyValue)
	for e := int(f.Off[i]); e < int(f.Off[i+1]); e++ {
		dst = appendKey(append(dst, keyMore), f.Child[0], e, lengths)
	}
	return append(dst, keyEnd)
}

// appendMapKey encodes entries in the order of their bytes, so that equal maps have
// equal keys.
func appendMapKey(dst []byte, f *Vector, i int, lengths bool) []byte {
	from, to := int(f.Off[i]), int(f.Off[i+1])
	entries := make([][]byte, 0, to-from)
	for e := from; e < to; e++ {
		entries = append(entries, appendKey(appendKey(nil, f.Child[0], e, lengths), f.Child[1], e, lengths))
	}
	slices.SortFunc(entries, bytes.Compare)
	dst = append(dst, keyValue)
	for _, e := range entries {
		dst = append(append(dst, keyMore), e...)
	}
	return append(dst, keyEnd)
}

// AppendSortKey appends bytes that compare as CompareOrder does under o. They are
// self-delimiting among keys of the same order, and are not meant to be decoded.
func AppendSortKey(dst []byte, v *Vector, row int, o Order) []byte {
	if v.IsNull(row) {
		if o.NullsFirst() {
			return append(dst, 0x00)
		}
		return append(dst, 0xff)
	}
	from := len(dst)
	dst = AppendKey(dst, v, row)
	if o.Desc {
		for i := from; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

// KeyBuf holds one byte key per row, in one buffer that is used again.
type KeyBuf struct {
	Buf []byte
	Off []uint32 // key i is Buf[Off[i]:Off[i+1]]
}

// Len is the number of keys.
func (k *KeyBuf) Len() int { return max(len(k.Off)-1, 0) }

// Key is the i-th key, valid until the next AppendKeys or Reset.
func (k *KeyBuf) Key(i int) []byte { return k.Buf[k.Off[i]:k.Off[i+1]:k.Off[i+1]] }

// Reset drops the keys and keeps the memory.
func (k *KeyBuf) Reset() { k.Buf, k.Off = k.Buf[:0], k.Off[:0] }

// Append adds a key made by write, which appends to the slice it is given.
func (k *KeyBuf) Append(write func(dst []byte) []byte) {
	k.start()
	k.Buf = write(k.Buf)
	k.end()
}

func (k *KeyBuf) start() {
	if len(k.Off) == 0 {
		k.Off = append(k.Off, 0)
	}
}

func (k *KeyBuf) end() {
	checkBuf(len(k.Buf))
	k.Off = append(k.Off, uint32(len(k.Buf)))
}

// AppendKeys replaces the keys of kb by those of the rows that count, all columns
// one after the other: key i belongs to the i-th row of sel (nil = all n rows).
func AppendKeys(cols []*Vector, n int, sel []int32, kb *KeyBuf) {
	kb.Reset()
	kb.start()
	if sel != nil {
		n = len(sel)
	}
	for i := range n {
		row := at(sel, i)
		for _, c := range cols {
			kb.Buf = AppendKey(kb.Buf, c, row)
		}
		kb.end()
	}
}
