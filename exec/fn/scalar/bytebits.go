package scalar

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// byteParts are PostgreSQL's functions of the bits and bytes of BYTES.
func byteParts() []*fn.Scalar {
	group := "Bits"
	return []*fn.Scalar{
		{
			Name: "get_bit", Group: group, Syntax: []string{"get_bit(bytes, n)"}, Doc: "Is bit n of BYTES, from 0: the lowest bit of the first byte. An error if there is none.",
			Examples: []fn.Example{{SQL: "get_bit(unhex('1234'), 4)", Want: "1"}, {SQL: "get_bit(NULL, 0)", Want: "NULL"}},
			Resolve: fixed(integer, tryInts(integer, "get_bit", func(args []*vec.Vector, r int) (int64, string) {
				b, n := args[0].Bytes(r), args[1].Int(r)
				if msg := placeIn(n, 8*len(b)); msg != "" {
					return 0, msg
				}
				return int64(b[n/8] >> (n % 8) & 1), ""
			}), blob, bigint),
		},
		{
			Name: "set_bit", Group: group, Syntax: []string{"set_bit(bytes, n, bit)"}, Doc: "Is BYTES with another bit n, 0 or 1, counted as in get_bit.",
			Examples: []fn.Example{{SQL: "hex(set_bit(unhex('1234'), 0, 1))", Want: "1334"}, {SQL: "set_bit(unhex('12'), NULL, 1)", Want: "NULL"}},
			Resolve: fixed(blob, tryTexts(blob, "set_bit", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				b, n, bit := args[0].Bytes(r), args[1].Int(r), args[2].Int(r)
				if msg := placeIn(n, 8*len(b)); msg != "" {
					return nil, fmt.Sprint(n), msg
				}
				if bit != 0 && bit != 1 {
					return nil, fmt.Sprint(bit), "a bit is 0 or 1"
				}
				from := len(dst)
				dst = append(dst, b...)
				dst[from+int(n/8)] = b[n/8]&^(1<<(n%8)) | byte(bit)<<(n%8)
				return dst, "", ""
			}), blob, bigint, integer),
		},
		{
			Name: "get_byte", Group: group, Syntax: []string{"get_byte(bytes, n)"}, Doc: "Is byte n of BYTES, from 0, as a number from 0 to 255. An error if there is none.",
			Examples: []fn.Example{{SQL: "get_byte(unhex('1290'), 1)", Want: "144"}, {SQL: "get_byte(NULL, 0)", Want: "NULL"}},
			Resolve: fixed(integer, tryInts(integer, "get_byte", func(args []*vec.Vector, r int) (int64, string) {
				b, n := args[0].Bytes(r), args[1].Int(r)
				if msg := placeIn(n, len(b)); msg != "" {
					return 0, msg
				}
				return int64(b[n]), ""
			}), blob, bigint),
		},
		{
			Name: "set_byte", Group: group, Syntax: []string{"set_byte(bytes, n, value)"}, Doc: "Is BYTES with another byte n, from 0: the lowest eight bits of the value.",
			Examples: []fn.Example{{SQL: "hex(set_byte(unhex('1234'), 1, 255))", Want: "12FF"}, {SQL: "set_byte(NULL, 0, 1)", Want: "NULL"}},
			Resolve: fixed(blob, tryTexts(blob, "set_byte", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				b, n := args[0].Bytes(r), args[1].Int(r)
				if msg := placeIn(n, len(b)); msg != "" {
					return nil, fmt.Sprint(n), msg
				}
				from := len(dst)
				dst = append(dst, b...)
				dst[from+int(n)] = byte(args[2].Int(r))
				return dst, "", ""
			}), blob, bigint, integer),
		},
		{
			Name: "convert_to", Group: "Encoding", Syntax: []string{"convert_to(text, charset)"}, Doc: "Encodes a text in a charset of encode, as in PostgreSQL.",
			Examples: []fn.Example{{SQL: "hex(convert_to('é', 'UTF8'))", Want: "C3A9"}, {SQL: "convert_to(NULL, 'UTF8')", Want: "NULL"}},
			Resolve:  charsetAlone(text, resolveEncode),
		},
		{
			Name: "convert_from", Group: "Encoding", Nulls: fn.Custom, Syntax: []string{"convert_from(bytes, charset)"}, Doc: "Decodes BYTES in a charset of encode into text, as in PostgreSQL.",
			Examples: []fn.Example{{SQL: "convert_from(unhex('C3A9'), 'UTF8')", Want: "é"}, {SQL: "convert_from(NULL, 'UTF8')", Want: "NULL"}},
			Resolve:  charsetAlone(blob, resolveDecode),
		},
		{
			Name: "crc32c", Group: "Hash", Syntax: []string{"crc32c(a)"}, Doc: "Is the CRC-32C checksum, with Castagnoli's polynomial.",
			Examples: []fn.Example{{SQL: "crc32c('123456789')", Want: "3808858755"}, {SQL: "crc32c(NULL)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				table := crc32.MakeTable(crc32.Castagnoli)
				return bytesOrText(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 { return int64(crc32.Checksum(args[0].Bytes(r), table)) }))(args)
			},
		},
	}
}

// placeIn says what is wrong with a place among n.
func placeIn(i int64, n int) string {
	if i >= 0 && i < int64(n) {
		return ""
	}
	return fmt.Sprintf("there is none at %d, they are 0 to %d", i, n-1)
}

// charsetAlone takes a value of one type and a charset.
func charsetAlone(t types.Type, resolve resolver) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 2, 2); err != nil {
			return fn.Impl{}, err
		}
		if err := matches(args, []types.Type{t, text}); err != nil {
			return fn.Impl{}, err
		}
		if name, ok := constText(args, 1); ok {
			if _, known := charsetOf(name); !known {
				return fn.Impl{}, fmt.Errorf("has an %s", noCharset)
			}
		}
		return resolve([]fn.Arg{{Type: t}, {Type: text}})
	}
}

// bitsIn counts the bits of bytes.
func bitsIn(b []byte) int64 {
	n := 0
	for _, c := range b {
		n += bits.OnesCount8(c)
	}
	return int64(n)
}

// trimBytes removes the bytes of a set from both ends.
func trimBytes(s, set []byte, left, right bool) (from, to int) {
	to = len(s)
	for left && from < to && bytes.IndexByte(set, s[from]) >= 0 {
		from++
	}
	for right && from < to && bytes.IndexByte(set, s[to-1]) >= 0 {
		to--
	}
	return from, to
}
