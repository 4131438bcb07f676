package scalar

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// byteFormats are ways to write bytes as text.
func byteTexts() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "base64", Aliases: []string{"to_base64"}, Group: "Encoding", Syntax: []string{"base64(a)"}, Doc: "Encodes bytes, or the UTF-8 of a text, as Base64, in one line; Spark breaks lines behind 76 characters unless told otherwise.",
			Examples: []fn.Example{{SQL: "base64('1,x')", Want: "MSx4"}, {SQL: "base64(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return base64.StdEncoding.AppendEncode(dst, args[0].Bytes(r))
			}), blob),
		},
		{
			Name: "unbase64", Aliases: []string{"from_base64"}, Group: "Encoding", Syntax: []string{"unbase64(a)"},
			Doc:      "Decodes Base64 into BYTES. Characters that are not of Base64 are left out, and padding may be missing, as in Spark; to_binary is strict.",
			Examples: []fn.Example{{SQL: "CAST(unbase64('aGk=') AS STRING)", Want: "hi"}, {SQL: "unbase64(NULL)", Want: "NULL"}},
			Resolve: fixed(blob, tryTexts(blob, "unbase64", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				res, ok := decodeBase64(dst, args[0].Bytes(r), false)
				if !ok {
					return nil, shown(args[0], r), "not Base64"
				}
				return res, "", ""
			}), text),
		},
		{
			Name: "to_base32", Aliases: []string{"base32"}, Group: "Encoding", Syntax: []string{"to_base32(a)"}, Doc: "Encodes bytes, or the UTF-8 of a text, as Base32.",
			Examples: []fn.Example{{SQL: "to_base32('foobar')", Want: "MZXW6YTBOI======"}, {SQL: "to_base32(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return base32.StdEncoding.AppendEncode(dst, args[0].Bytes(r))
			}), blob),
		},
		{
			Name: "from_base32", Aliases: []string{"unbase32"}, Group: "Encoding", Syntax: []string{"from_base32(a)"}, Doc: "Decodes Base32, of capital or small letters, into BYTES. Characters that are not of Base32 are left out, padding may be missing and ends the text, as in Spark.",
			Examples: []fn.Example{{SQL: "CAST(from_base32('mzxw6ytboi') AS STRING)", Want: "foobar"}, {SQL: "from_base32(NULL)", Want: "NULL"}},
			Resolve:  fixed(blob, bytesOf(blob, fromBase32), text),
		},
		{
			Name: "to_binary", Group: "Encoding", Syntax: []string{"to_binary(a [, 'hex' | 'base64' | 'utf-8'])"},
			Doc:      "Reads BYTES from text, in hexadecimal digits by default; an error where the text is something else. DuckDB's to_binary is bin.",
			Examples: []fn.Example{{SQL: "CAST(to_binary('4869') AS STRING)", Want: "Hi"}, {SQL: "CAST(to_binary('SGk=', 'base64') AS STRING)", Want: "Hi"}, {SQL: "to_binary(NULL)", Want: "NULL"}},
			Resolve:  resolveToBinary(false),
		},
		{
			Name: "try_to_binary", Group: "Encoding", Syntax: []string{"try_to_binary(a [, 'hex' | 'base64' | 'utf-8'])"}, Doc: "Is to_binary, and NULL where that is an error.",
			Examples: []fn.Example{{SQL: "try_to_binary('x')", Want: "NULL"}, {SQL: "CAST(try_to_binary('4869') AS STRING)", Want: "Hi"}},
			Resolve:  resolveToBinary(true),
		},
	}
}

// byteFormat writes bytes as text and reads them.
type byteFormat struct {
	encode func(dst, s []byte) []byte
	decode func(dst, s []byte) (res []byte, ok bool)
}

// formatArg is the format of Postgres that a constant second argument names.
func formatArg(args []fn.Arg) (byteFormat, bool) {
	name, ok := constText(args, 1)
	if !ok || len(args) != 2 {
		return byteFormat{}, false
	}
	switch strings.ToLower(name) {
	case "hex":
		return byteFormat{hexEncode, decodeHex}, true
	case "base64":
		return byteFormat{func(dst, s []byte) []byte { return base64.StdEncoding.AppendEncode(dst, s) }, func(dst, s []byte) ([]byte, bool) { return decodeBase64(dst, s, true) }}, true
	case "escape":
		return byteFormat{escapeBytes, unescapeBytes}, true
	}
	return byteFormat{}, false
}

func hexEncode(dst, s []byte) []byte { return hex.AppendEncode(dst, s) }

// decodeHex reads hexadecimal digits; an odd number has a zero before it.
func decodeHex(dst, s []byte) ([]byte, bool) {
	if len(s)%2 == 1 {
		d, ok := hexDigit(s[0])
		if !ok {
			return nil, false
		}
		dst, s = append(dst, d), s[1:]
	}
	out, err := hex.AppendDecode(dst, s)
	return out, err == nil
}

func hexDigit(ch byte) (byte, bool) {
	switch {
	case ch >= '0' && ch <= '9':
		return ch - '0', true
	case ch|0x20 >= 'a' && ch|0x20 <= 'f':
		return ch | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// decodeBase64 reads Base64 as Java's MIME decoder does; strict allows only blanks
// beside its characters.
func decodeBase64(dst, s []byte, strict bool) ([]byte, bool) {
	bits, n, pads := uint32(0), 0, 0
	for _, ch := range s {
		six, ok := base64Digit(ch)
		switch {
		case ch == '=':
			pads++
		case !ok && strict && ch != ' ' && ch != '\n' && ch != '\r' && ch != '\t':
			return nil, false
		case !ok:
		case pads > 0:
			return nil, false
		default:
			if bits, n = bits<<6|six, n+1; n == 4 {
				dst, bits, n = append(dst, byte(bits>>16), byte(bits>>8), byte(bits)), 0, 0
			}
		}
	}
	switch {
	case n == 1, pads > 0 && n+pads != 4:
		return nil, false
	case n == 2:
		dst = append(dst, byte(bits>>4))
	case n == 3:
		dst = append(dst, byte(bits>>10), byte(bits>>2))
	}
	return dst, true
}

func base64Digit(ch byte) (uint32, bool) {
	switch {
	case ch >= 'A' && ch <= 'Z':
		return uint32(ch - 'A'), true
	case ch >= 'a' && ch <= 'z':
		return uint32(ch-'a') + 26, true
	case ch >= '0' && ch <= '9':
		return uint32(ch-'0') + 52, true
	case ch == '+':
		return 62, true
	case ch == '/':
		return 63, true
	}
	return 0, false
}

// fromBase32 leaves out what is no letter, and the bits that make no whole byte.
func fromBase32(dst []byte, args []*vec.Vector, r int) []byte {
	bits, n := uint32(0), 0
	for _, ch := range args[0].Bytes(r) {
		five, ok := base32Digit(ch)
		switch {
		case ch == '=':
			return dst
		case !ok:
			continue
		}
		if bits, n = bits<<5|five, n+5; n >= 8 {
			n -= 8
			dst = append(dst, byte(bits>>n))
		}
	}
	return dst
}

func base32Digit(ch byte) (uint32, bool) {
	switch {
	case ch|0x20 >= 'a' && ch|0x20 <= 'z':
		return uint32(ch | 0x20 - 'a'), true
	case ch >= '2' && ch <= '7':
		return uint32(ch-'2') + 26, true
	}
	return 0, false
}

// escapeBytes writes bytes outside ASCII and zero as \ooo, and a backslash twice.
func escapeBytes(dst, s []byte) []byte {
	for _, ch := range s {
		switch {
		case ch == '\\':
			dst = append(dst, '\\', '\\')
		case ch == 0 || ch >= utf8.RuneSelf:
			dst = append(dst, '\\', '0'+ch>>6, '0'+ch>>3&7, '0'+ch&7)
		default:
			dst = append(dst, ch)
		}
	}
	return dst
}

func unescapeBytes(dst, s []byte) ([]byte, bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			dst = append(dst, s[i])
		case i+1 < len(s) && s[i+1] == '\\':
			dst = append(dst, '\\')
			i++
		case i+3 < len(s) && s[i+1] >= '0' && s[i+1] <= '3' && octal(s[i+2]) && octal(s[i+3]):
			dst = append(dst, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
		default:
			return nil, false
		}
	}
	return dst, true
}

func octal(ch byte) bool { return ch >= '0' && ch <= '7' }

func resolveToBinary(lenient bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := optional(1, blob, nil, text, text)(args)
		if err != nil {
			return impl, err
		}
		decode, name := decodeHex, "hex"
		if len(args) == 2 {
			var ok bool
			if name, ok = constText(args, 1); !ok && args[1].Type.Kind != types.Null {
				return impl, fmt.Errorf("needs a constant format as argument 2")
			}
			if decode, ok = binaryFormat(name); !ok {
				return impl, fmt.Errorf("needs 'hex', 'base64' or 'utf-8' as argument 2, got %s", fn.Quote(name))
			}
		}
		name = strings.ToUpper(name)
		eval := func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
			res, ok := decode(dst, args[0].Bytes(r))
			if !ok && !lenient {
				return nil, shown(args[0], r), "not " + name
			}
			if !ok {
				return nil, "", ""
			}
			return res, "", ""
		}
		impl.Eval = tryTexts(blob, "to_binary", eval)
		return impl, nil
	}
}

func binaryFormat(name string) (func(dst, s []byte) ([]byte, bool), bool) {
	switch strings.ToLower(name) {
	case "hex", "":
		return decodeHex, true
	case "base64":
		return func(dst, s []byte) ([]byte, bool) { return decodeBase64(dst, s, true) }, true
	case "utf-8", "utf8":
		return func(dst, s []byte) ([]byte, bool) { return append(dst, s...), true }, true
	}
	return nil, false
}
