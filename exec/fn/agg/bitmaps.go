package agg

import (
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// A bitmap has 32,768 bits, those of a byte from the lowest, as Spark's.
const (
	bitmapBits  = 32768
	bitmapBytes = bitmapBits / 8
)

var blob = types.Of(types.Bytes)

// Bitmaps lists the aggregates of bitmaps. Each counts how often a bit is set, so that
// deletions take their bits back: an entry is a position in two bytes, and for
// bitmap_and_agg one without a byte, whose weight is the number of bitmaps.
func Bitmaps() []fn.Aggregate {
	return []fn.Aggregate{
		bitmap("bitmap_construct_agg", "A bitmap of 4,096 bytes in which the bits at the positions (0 to 32767) are set that occur. bitmap_bit_position makes positions of numbers.",
			"substring(hex(bitmap_construct_agg(x)), 1, 6) FROM (VALUES (0), (1), (9), (NULL)) AS t(x)", "030200", bigint, positionKeys, appendBits),
		bitmap("bitmap_or_agg", "The bits that are set in some bitmap. A shorter one than 4,096 bytes is filled with zeros.",
			"substring(hex(bitmap_or_agg(x)), 1, 6) FROM (VALUES (unhex('10')), (unhex('2001')), (NULL)) AS t(x)", "300100", blob, bitKeys(false), appendBits),
		bitmap("bitmap_and_agg", "The bits that are set in all bitmaps, and all bits without a bitmap. A shorter one than 4,096 bytes is filled with zeros.",
			"substring(hex(bitmap_and_agg(x)), 1, 6) FROM (VALUES (unhex('F001')), (unhex('70')), (NULL)) AS t(x)", "700000", blob, bitKeys(true), appendCommonBits),
	}
}

func bitmap(name, doc, example, want string, arg types.Type,
	keys func([]byte, []*vec.Vector, int, func([]byte, int64)) error, append func(*bagResult, uint32, *vec.Builder) error) fn.Aggregate {
	return fn.Aggregate{
		Name: name, Group: "Sketches", Syntax: []string{name + "(x)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}},
		Resolve: func(args []fn.Arg) (fn.AggImpl, error) {
			if err := wantArgs(args, 1, 1); err != nil {
				return fn.AggImpl{}, err
			}
			if !types.CanCoerce(args[0].Type, arg) {
				return fn.AggImpl{}, fmt.Errorf("needs %s, got %s", arg, args[0].Type)
			}
			return fn.AggImpl{Args: []types.Type{arg}, Result: blob,
				New: func(bool) fn.Accumulator { return &bagResult{t: arg, keys: keys, append: append} }}, nil
		},
	}
}

func positionKeys(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
	if args[0].IsNull(r) {
		return nil
	}
	at := args[0].Int(r)
	if at < 0 || at >= bitmapBits {
		return &fn.DataError{Func: "bitmap_construct_agg", Value: fmt.Sprint(at), Row: r, Msg: "a position is not between 0 and 32767"}
	}
	put(binary.BigEndian.AppendUint16(key, uint16(at)), 1)
	return nil
}

// bitKeys makes an entry of every bit of a bitmap, and with count one for the bitmap.
func bitKeys(count bool) func([]byte, []*vec.Vector, int, func([]byte, int64)) error {
	return func(key []byte, args []*vec.Vector, r int, put func([]byte, int64)) error {
		if args[0].IsNull(r) {
			return nil
		}
		for i, b := range args[0].Bytes(r) {
			for bit := 0; b != 0 && i < bitmapBytes; bit, b = bit+1, b>>1 {
				if b&1 != 0 {
					put(binary.BigEndian.AppendUint16(key[:0], uint16(8*i+bit)), 1)
				}
			}
		}
		if count {
			put(key[:0], 1)
		}
		return nil
	}
}

func appendBits(a *bagResult, g uint32, out *vec.Builder) error {
	var bits [bitmapBytes]byte
	a.walk(g, func(key []byte, _ int64) bool {
		at := binary.BigEndian.Uint16(key)
		bits[at/8] |= 1 << (at % 8)
		return true
	})
	out.AppendBytes(bits[:])
	return nil
}

// appendCommonBits: the entry of the bitmaps is the first.
func appendCommonBits(a *bagResult, g uint32, out *vec.Builder) error {
	var bits [bitmapBytes]byte
	rows := int64(0)
	a.walk(g, func(key []byte, w int64) bool {
		if len(key) == 0 {
			rows = w
		} else if at := binary.BigEndian.Uint16(key); w >= rows {
			bits[at/8] |= 1 << (at % 8)
		}
		return true
	})
	if rows == 0 {
		for i := range bits {
			bits[i] = 0xff
		}
	}
	out.AppendBytes(bits[:])
	return nil
}
