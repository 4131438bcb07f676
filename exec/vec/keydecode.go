package vec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/types"
)

var errKey = errors.New("corrupt key")

// DecodeKey appends the first value of src, encoded by AppendKey from type t, to b,
// and returns the rest. After an error b holds an unusable row.
func DecodeKey(src []byte, t types.Type, b *Builder) (rest []byte, err error) {
	rest, ok := decodeKey(src, b)
	if !ok {
		return nil, fmt.Errorf("%s: %w", t, errKey)
	}
	return rest, nil
}

// DecodeRowKey appends one value to each builder, and requires that src ends there.
func DecodeRowKey(src []byte, bs []*Builder) error {
	for _, b := range bs {
		rest, ok := decodeKey(src, b)
		if !ok {
			return fmt.Errorf("%s: %w", b.v.Type, errKey)
		}
		src = rest
	}
	if len(src) > 0 {
		return fmt.Errorf("%d bytes too many: %w", len(src), errKey)
	}
	return nil
}

func decodeKey(src []byte, b *Builder) ([]byte, bool) {
	if len(src) == 0 {
		return nil, false
	}
	tag := src[0]
	if tag == keyNull {
		b.AppendNull()
		return src[1:], true
	}
	switch b.phys {
	case types.PhysInt64, types.PhysInt128:
		return decodeWhole(src, b)
	case types.PhysBool:
		b.AppendBool(tag == keyTrue)
		return src[1:], tag <= keyTrue
	}
	if tag != keyValue {
		return nil, false
	}
	src = src[1:]
	switch b.phys {
	case types.PhysFloat64:
		return decodeFloat(src, b)
	case types.PhysString:
		return decodeBytes(src, b)
	case types.PhysInterval:
		return decodeInterval(src, b)
	case types.PhysList:
		return decodeListKey(src, b)
	case types.PhysStruct:
		return decodeStructKey(src, b)
	}
	return nil, false
}

func decodeWhole(src []byte, b *Builder) ([]byte, bool) {
	x, rest, ok := readInt128(src)
	if !ok {
		return nil, false
	}
	if v, fits := x.Int64(); fits || b.phys == types.PhysInt128 {
		if b.phys == types.PhysInt64 {
			b.AppendInt(v)
		} else {
			b.AppendInt128(x)
		}
		return rest, true
	}
	return nil, false
}

func readInt128(src []byte) (x types.Int128, rest []byte, ok bool) {
	if len(src) == 0 {
		return x, nil, false
	}
	n := int(src[0]) - keyZero
	if n < 0 {
		n = -n - 1
		x = types.Int128{Hi: -1, Lo: math.MaxUint64}
	}
	if n > 16 || len(src) <= n {
		return x, nil, false
	}
	for _, c := range src[1 : n+1] {
		x = types.Int128{Hi: x.Hi<<8 | int64(x.Lo>>56), Lo: x.Lo<<8 | uint64(c)}
	}
	return x, src[n+1:], x.Hi < 0 == (src[0] < keyZero)
}

func decodeFloat(src []byte, b *Builder) ([]byte, bool) {
	if len(src) < 8 {
		return nil, false
	}
	u := binary.BigEndian.Uint64(src)
	u ^= ^uint64(int64(u)>>63) | 1<<63
	b.AppendFloat(math.Float64frombits(u))
	return src[8:], true
}

func decodeBytes(src []byte, b *Builder) ([]byte, bool) {
	off := len(b.v.Buf)
	for {
		i := indexLow(src)
		if i < 0 {
			return nil, false
		}
		b.v.Buf = append(b.v.Buf, src[:i]...)
		if src[i] == keyEnd {
			b.endBytes(off)
			return src[i+1:], true
		}
		if i+1 >= len(src) || src[i+1] != 1 && src[i+1] != 2 {
			return nil, false
		}
		b.v.Buf = append(b.v.Buf, src[i+1]-1)
		src = src[i+2:]
	}
}

func decodeInterval(src []byte, b *Builder) ([]byte, bool) {
	span, src, ok := readInt128(src)
	if !ok {
		return nil, false
	}
	months, src, ok := readInt128(src)
	if !ok {
		return nil, false
	}
	days, src, ok := readInt128(src)
	if !ok {
		return nil, false
	}
	iv := types.IntervalValue{Months: int32(months.Lo), Days: int32(days.Lo)}
	if types.Int128From(int64(iv.Months)) != months || types.Int128From(int64(iv.Days)) != days {
		return nil, false
	}
	micros, ok := span.Sub(iv.Span())
	if !ok {
		return nil, false
	}
	if iv.Micros, ok = micros.Int64(); !ok {
		return nil, false
	}
	b.AppendInterval(iv)
	return src, true
}

func decodeListKey(src []byte, b *Builder) ([]byte, bool) {
	for {
		if len(src) == 0 {
			return nil, false
		}
		more := src[0]
		src = src[1:]
		if more == keyEnd {
			b.EndList()
			return src, true
		}
		if more != keyMore {
			return nil, false
		}
		for _, c := range b.child {
			var ok bool
			if src, ok = decodeKey(src, c); !ok {
				return nil, false
			}
		}
	}
}

func decodeStructKey(src []byte, b *Builder) ([]byte, bool) {
	for _, c := range b.child {
		var ok bool
		if src, ok = decodeKey(src, c); !ok {
			return nil, false
		}
	}
	b.EndStruct()
	return src, true
}
