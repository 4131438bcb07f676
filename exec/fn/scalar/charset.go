package scalar

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// charsets turn text into bytes of a charset and back. Text that the charset does not
// have, and bytes that are none, are an error, as in Spark.
func charsets() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "encode", Group: "Encoding", Syntax: []string{"encode(a [, charset])", "encode(bytes, 'hex' | 'base64' | 'escape')"},
			Doc:      "Encodes a text in UTF-8 (without a charset), ISO-8859-1, US-ASCII, UTF-16, UTF-16BE, UTF-16LE or UTF-32; an error where a character does not exist there. BYTES are written as text in Postgres' formats hex, base64 and escape.",
			Examples: []fn.Example{{SQL: "hex(encode('é', 'ISO-8859-1'))", Want: "E9"}, {SQL: "encode(unhex('00ff'), 'hex')", Want: "00ff"}, {SQL: "encode(NULL, 'UTF-8')", Want: "NULL"}},
			Resolve:  resolveEncode,
		},
		{
			Name: "decode", Group: "Encoding", Nulls: fn.Custom, Syntax: []string{"decode(bytes [, charset])", "decode(text, 'hex' | 'base64' | 'escape')", "decode(a, search, result, ... [, default])"},
			Doc:      "Decodes BYTES in a charset of encode, UTF-8 by default, into text, or text in a format of encode into BYTES. With more arguments it is the result behind the first search value that equals a (NULL equals NULL), else the default or NULL.",
			Examples: []fn.Example{{SQL: "decode(unhex('E9'), 'ISO-8859-1')", Want: "é"}, {SQL: "decode(2, 1, 'one', 2, 'two', 'more')", Want: "two"}, {SQL: "decode(NULL, 'UTF-8')", Want: "NULL"}, {SQL: "decode(3, 1, 'one')", Want: "NULL"}},
			Resolve:  resolveDecode,
		},
	}
}

// charset encodes and decodes; ok false where that cannot be.
type charset struct {
	encode func(dst, s []byte) (res []byte, ok bool)
	decode func(dst, s []byte) (res []byte, ok bool)
}

const noCharset = "unknown charset; there are UTF-8, ISO-8859-1, US-ASCII, UTF-16, UTF-16BE, UTF-16LE and UTF-32; bytes are written as text by base64(x) and hex(x)"

func charsetOf(name string) (charset, bool) {
	switch strings.ToUpper(name) {
	case "UTF-8", "UTF8":
		return charset{func(dst, s []byte) ([]byte, bool) { return append(dst, s...), true }, func(dst, s []byte) ([]byte, bool) { return append(dst, s...), utf8.Valid(s) }}, true
	case "ISO-8859-1", "LATIN1":
		return bytewise(0xff), true
	case "US-ASCII", "ASCII":
		return bytewise(0x7f), true
	case "UTF-16":
		return charset{func(dst, s []byte) ([]byte, bool) {
			if len(s) == 0 {
				return dst, true
			}
			return encode16(append(dst, 0xfe, 0xff), s, binary.BigEndian), true
		}, decodeMarked16}, true
	case "UTF-16BE":
		return plain16(binary.BigEndian), true
	case "UTF-16LE":
		return plain16(binary.LittleEndian), true
	case "UTF-32":
		return charset{encode32, decode32}, true
	}
	return charset{}, false
}

// bytewise is a charset of one byte a character, which is the code point.
func bytewise(limit rune) charset {
	return charset{
		encode: func(dst, s []byte) ([]byte, bool) {
			for len(s) > 0 {
				ch, size := utf8.DecodeRune(s)
				if ch > limit {
					return dst, false
				}
				dst, s = append(dst, byte(ch)), s[size:]
			}
			return dst, true
		},
		decode: func(dst, s []byte) ([]byte, bool) {
			for _, ch := range s {
				if rune(ch) > limit {
					return dst, false
				}
				dst = utf8.AppendRune(dst, rune(ch))
			}
			return dst, true
		},
	}
}

// order16 is the byte order of UTF-16.
type order16 interface {
	AppendUint16(b []byte, x uint16) []byte
	Uint16(b []byte) uint16
}

func encode16(dst, s []byte, order order16) []byte {
	for len(s) > 0 {
		ch, size := utf8.DecodeRune(s)
		if s = s[size:]; ch < 0x10000 {
			dst = order.AppendUint16(dst, uint16(ch))
			continue
		}
		high, low := utf16.EncodeRune(ch)
		dst = order.AppendUint16(order.AppendUint16(dst, uint16(high)), uint16(low))
	}
	return dst
}

func decode16(dst, s []byte, order order16) ([]byte, bool) {
	for len(s) >= 2 {
		ch := rune(order.Uint16(s))
		if s = s[2:]; utf16.IsSurrogate(ch) {
			if len(s) < 2 {
				return dst, false
			}
			if ch = utf16.DecodeRune(ch, rune(order.Uint16(s))); ch == utf8.RuneError {
				return dst, false
			}
			s = s[2:]
		}
		dst = utf8.AppendRune(dst, ch)
	}
	return dst, len(s) == 0
}

func plain16(order order16) charset {
	return charset{
		func(dst, s []byte) ([]byte, bool) { return encode16(dst, s, order), true },
		func(dst, s []byte) ([]byte, bool) { return decode16(dst, s, order) },
	}
}

// decodeMarked16 obeys a byte order mark; without one the high byte comes first.
func decodeMarked16(dst, s []byte) ([]byte, bool) {
	switch {
	case len(s) >= 2 && s[0] == 0xff && s[1] == 0xfe:
		return decode16(dst, s[2:], binary.LittleEndian)
	case len(s) >= 2 && s[0] == 0xfe && s[1] == 0xff:
		s = s[2:]
	}
	return decode16(dst, s, binary.BigEndian)
}

func encode32(dst, s []byte) ([]byte, bool) {
	for len(s) > 0 {
		ch, size := utf8.DecodeRune(s)
		dst, s = binary.BigEndian.AppendUint32(dst, uint32(ch)), s[size:]
	}
	return dst, true
}

func decode32(dst, s []byte) ([]byte, bool) {
	little := len(s) >= 4 && s[0] == 0xff && s[1] == 0xfe && s[2] == 0 && s[3] == 0
	for first := true; len(s) >= 4; s, first = s[4:], false {
		x := binary.BigEndian.Uint32(s)
		if little {
			x = binary.LittleEndian.Uint32(s)
		}
		if first && x == 0xfeff {
			continue
		}
		if x > utf8.MaxRune || !utf8.ValidRune(rune(x)) {
			return dst, false
		}
		dst = utf8.AppendRune(dst, rune(x))
	}
	return dst, len(s) == 0
}

func resolveEncode(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 {
		return fixed(blob, bytesOf(blob, func(dst []byte, args []*vec.Vector, r int) []byte { return append(dst, args[0].Bytes(r)...) }), text)(args)
	}
	if f, ok := formatArg(args); ok && args[0].Type.Kind == types.Bytes {
		return fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return f.encode(dst, args[0].Bytes(r)) }), blob, text)(args)
	}
	return fixed(blob, tryTexts(blob, "encode", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
		cs, ok := charsetOf(args[1].Text(r))
		if !ok {
			return nil, fn.Quote(args[1].Text(r)), noCharset
		}
		res, ok := cs.encode(dst, args[0].Bytes(r))
		if !ok {
			return nil, shown(args[0], r), "has a character that " + args[1].Text(r) + " does not have"
		}
		return res, "", ""
	}), text, text)(args)
}

func resolveDecode(args []fn.Arg) (fn.Impl, error) {
	if len(args) > 2 {
		return resolveSwitch(args)
	}
	if f, ok := formatArg(args); ok && args[0].Type.Kind == types.String {
		return fixed(blob, tryTexts(blob, "decode", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
			if args[0].IsNull(r) {
				return nil, "", ""
			}
			res, ok := f.decode(dst, args[0].Bytes(r))
			if !ok {
				return nil, shown(args[0], r), "is not in this format"
			}
			return res, "", ""
		}), text, text)(args)
	}
	return optional(1, text, tryTexts(text, "decode", decodeText), blob, text)(args)
}

func decodeText(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
	name := "UTF-8"
	if args[0].IsNull(r) || len(args) > 1 && args[1].IsNull(r) {
		return nil, "", ""
	}
	if len(args) > 1 {
		name = args[1].Text(r)
	}
	cs, ok := charsetOf(name)
	if !ok {
		return nil, fn.Quote(name), noCharset
	}
	res, ok := cs.decode(dst, args[0].Bytes(r))
	if !ok {
		return nil, shown(args[0], r), "is not " + name
	}
	return res, "", ""
}

// resolveSwitch is decode(a, search, result, ..., default).
func resolveSwitch(args []fn.Arg) (fn.Impl, error) {
	var searched, results []int
	for i := 1; i+1 < len(args); i += 2 {
		searched, results = append(searched, i), append(results, i+1)
	}
	if len(args)%2 == 0 {
		results = append(results, len(args)-1)
	}
	in, out := args[0].Type, args[results[0]].Type
	for _, i := range searched {
		t, ok := types.ComparisonType(in, args[i].Type)
		if !ok {
			return fn.Impl{}, fmt.Errorf("cannot compare %s with %s", in, args[i].Type)
		}
		in = t
	}
	for _, i := range results[1:] {
		t, ok := types.CommonType(out, args[i].Type)
		if !ok {
			return fn.Impl{}, fmt.Errorf("has no common type for %s and %s", out, args[i].Type)
		}
		out = t
	}
	want := same(in, len(args))
	for _, i := range results {
		want[i] = out
	}
	return fn.Impl{Args: want, Result: out, Eval: built(out, switchRow)}, nil
}

func switchRow(b *vec.Builder, args []*vec.Vector, r int) {
	for i := 1; i+1 < len(args); i += 2 {
		a, x := args[0], args[i]
		if a.IsNull(r) && x.IsNull(r) || !a.IsNull(r) && !x.IsNull(r) && vec.Same(a, r, x, r) {
			b.AppendFrom(args[i+1], r)
			return
		}
	}
	if len(args)%2 == 0 {
		b.AppendFrom(args[len(args)-1], r)
		return
	}
	b.AppendNull()
}
