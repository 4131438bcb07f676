package scalar

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash/crc32"
	"math"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/cast"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// digests are the check sums.
func digests() []*fn.Scalar {
	return []*fn.Scalar{
		digest("md5", nil, "Is the MD5 sum of a text or BYTES as hexadecimal digits.", "md5('')", "d41d8cd98f00b204e9800998ecf8427e", func(dst, s []byte) []byte { h := md5.Sum(s); return hex.AppendEncode(dst, h[:]) }),
		digest("sha1", []string{"sha"}, "Is the SHA-1 sum as hexadecimal digits.", "sha1('')", "da39a3ee5e6b4b0d3255bfef95601890afd80709", func(dst, s []byte) []byte { h := sha1.Sum(s); return hex.AppendEncode(dst, h[:]) }),
		digest("sha224", nil, "Is the SHA-224 sum as hexadecimal digits.", "left(sha224(''), 8)", "d14a028c", func(dst, s []byte) []byte { return sha2(dst, s, 224) }),
		digest("sha256", nil, "Is the SHA-256 sum as hexadecimal digits.", "left(sha256(''), 8)", "e3b0c442", func(dst, s []byte) []byte { return sha2(dst, s, 256) }),
		digest("sha384", nil, "Is the SHA-384 sum as hexadecimal digits.", "left(sha384(''), 8)", "38b060a7", func(dst, s []byte) []byte { return sha2(dst, s, 384) }),
		digest("sha512", nil, "Is the SHA-512 sum as hexadecimal digits.", "left(sha512(''), 8)", "cf83e135", func(dst, s []byte) []byte { return sha2(dst, s, 512) }),
		{
			Name: "sha2", Group: "Hash", Syntax: []string{"sha2(a, bits)"}, Doc: "Is the SHA-2 sum of 224, 256 (or 0), 384 or 512 bits as hexadecimal digits; NULL for another number.",
			Examples: []fn.Example{{SQL: "left(sha2('', 256), 8)", Want: "e3b0c442"}, {SQL: "sha2('', 1)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return sha2(dst, args[0].Bytes(r), args[1].Int(r))
			}), blob, integer),
		},
		{
			Name: "crc32", Group: "Hash", Syntax: []string{"crc32(a)"}, Doc: "Is the CRC-32 checksum.",
			Examples: []fn.Example{{SQL: "crc32('Hello World')", Want: "1243066710"}, {SQL: "crc32(NULL)", Want: "NULL"}},
			Resolve:  bytesOrText(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 { return int64(crc32.ChecksumIEEE(args[0].Bytes(r))) })),
		},
	}
}

func digest(name string, aliases []string, doc, example, want string, f func(dst, s []byte) []byte) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: aliases, Group: "Hash", Syntax: []string{name + "(a)"}, Doc: doc,
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve:  bytesOrText(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return f(dst, args[0].Bytes(r)) })),
	}
}

func sha2(dst, s []byte, bits int64) []byte {
	switch bits {
	case 0, 256:
		h := sha256.Sum256(s)
		return hex.AppendEncode(dst, h[:])
	case 224:
		h := sha256.Sum224(s)
		return hex.AppendEncode(dst, h[:])
	case 384:
		h := sha512.Sum384(s)
		return hex.AppendEncode(dst, h[:])
	case 512:
		h := sha512.Sum512(s)
		return hex.AppendEncode(dst, h[:])
	}
	return nil
}

// bases write numbers and bytes in digits of other bases.
func bases() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "hex", Aliases: []string{"to_hex"}, Group: "Encoding", Syntax: []string{"hex(a)"}, Doc: "Is a number without its fraction, a text or BYTES in upper-case hexadecimal digits.",
			Examples: []fn.Example{{SQL: "hex(255)", Want: "FF"}, {SQL: "hex('Hi')", Want: "4869"}, {SQL: "hex(NULL)", Want: "NULL"}}, Resolve: resolveHex,
		},
		{
			Name: "unhex", Aliases: []string{"from_hex"}, Group: "Encoding", Syntax: []string{"unhex(a)"}, Doc: "Turns hexadecimal digits into BYTES; NULL if the text has anything else.",
			Examples: []fn.Example{{SQL: "CAST(unhex('4869') AS STRING)", Want: "Hi"}, {SQL: "unhex('x')", Want: "NULL"}},
			Resolve: fixed(blob, bytesOf(blob, func(dst []byte, args []*vec.Vector, r int) []byte {
				if res, ok := decodeHex(dst, args[0].Bytes(r)); ok {
					return res
				}
				return nil
			}), text),
		},
		{
			Name: "bin", Group: "Encoding", Syntax: []string{"bin(n)"}, Doc: "Is a number without its fraction in binary digits, or a text in those of its bytes.",
			Examples: []fn.Example{{SQL: "bin(5)", Want: "101"}, {SQL: "bin(NULL)", Want: "NULL"}}, Resolve: resolveBin,
		},
		{
			Name: "unbin", Aliases: []string{"from_binary"}, Group: "Encoding", Syntax: []string{"unbin(a)"}, Doc: "Turns binary digits, eight a byte, into BYTES; an error if the text has anything else.",
			Examples: []fn.Example{{SQL: "CAST(unbin('01000001') AS STRING)", Want: "A"}, {SQL: "unbin(NULL)", Want: "NULL"}},
			Resolve:  fixed(blob, tryTexts(blob, "unbin", unbin), text),
		},
		{
			Name: "to_base", Group: "Encoding", Syntax: []string{"to_base(n, base [, length])"}, Doc: "Is a number that is not negative in the digits of a base from 2 to 36, with zeros in front up to a length.",
			Examples: []fn.Example{{SQL: "to_base(42, 16, 4)", Want: "002A"}, {SQL: "to_base(NULL, 16)", Want: "NULL"}},
			Resolve:  optional(2, text, tryTexts(text, "to_base", toBase), bigint, integer, integer),
		},
		{
			Name: "to_oct", Group: "Encoding", Syntax: []string{"to_oct(n)"}, Doc: "Is an integer in octal digits, a negative one in 64 bits.",
			Examples: []fn.Example{{SQL: "to_oct(8)", Want: "10"}, {SQL: "to_oct(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return strconv.AppendUint(dst, uint64(args[0].Int(r)), 8)
			}), bigint),
		},
		{
			Name: "conv", Group: "Encoding", Syntax: []string{"conv(a, from, to)"}, Doc: "Turns a number written in one base (2 to 36) into another, reading as many digits as there are; a negative base to gives a signed number. NULL for other bases and an empty text, an error where it needs more than 64 bits.",
			Examples: []fn.Example{{SQL: "conv('ff', 16, 10)", Want: "255"}, {SQL: "conv('-10', 16, -10)", Want: "-16"}, {SQL: "conv('ff', 99, 10)", Want: "NULL"}},
			Resolve:  fixed(text, tryTexts(text, "conv", conv), text, integer, integer),
		},
	}
}

// wholeNumber resolves a function of a number whose fraction is dropped, as Spark does.
func wholeNumber(args []fn.Arg, k fn.Kernel) (fn.Impl, bool) {
	if len(args) != 1 || !args[0].Type.IsNumeric() {
		return fn.Impl{}, false
	}
	t := args[0].Type
	if t.IsInteger() {
		return fn.Impl{Args: []types.Type{bigint}, Result: text, Eval: k}, true
	}
	to := cast.Kernel(t, bigint, false)
	return fn.Impl{Args: []types.Type{t}, Result: text, Eval: func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		v, err := to(c, args, rows)
		if err != nil {
			return nil, err
		}
		return k(c, []*vec.Vector{v}, rows)
	}}, true
}

func resolveHex(args []fn.Arg) (fn.Impl, error) {
	impl, ok := wholeNumber(args, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		from := len(dst)
		dst = strconv.AppendUint(dst, uint64(args[0].Int(r)), 16)
		turnCase(dst[from:], 'a', 'z')
		return dst
	}))
	if ok {
		return impl, nil
	}
	return bytesOrText(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return appendHex(dst, args[0].Bytes(r)) }))(args)
}

func appendHex(dst, s []byte) []byte {
	for _, ch := range s {
		dst = append(dst, upperHex[ch>>4], upperHex[ch&15])
	}
	return dst
}

func resolveBin(args []fn.Arg) (fn.Impl, error) {
	impl, ok := wholeNumber(args, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		return strconv.AppendUint(dst, uint64(args[0].Int(r)), 2)
	}))
	if ok {
		return impl, nil
	}
	return bytesOrText(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		for _, ch := range args[0].Bytes(r) {
			for bit := 7; bit >= 0; bit-- {
				dst = append(dst, '0'+ch>>bit&1)
			}
		}
		return dst
	}))(args)
}

func unbin(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
	s := args[0].Bytes(r)
	b := byte(0)
	for i, ch := range s {
		if ch != '0' && ch != '1' {
			return nil, shown(args[0], r), "has other than binary digits"
		}
		b = b<<1 | (ch - '0')
		if (len(s)-i)%8 == 1 {
			dst = append(dst, b)
			b = 0
		}
	}
	return dst, "", ""
}

func toBase(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
	n, base, least := args[0].Int(r), args[1].Int(r), int64(0)
	if len(args) > 2 {
		least = args[2].Int(r)
	}
	switch {
	case n < 0:
		return nil, shown(args[0], r), "is negative"
	case base < 2 || base > 36:
		return nil, shown(args[1], r), "is no base from 2 to 36"
	case least < 0 || least > 64:
		return nil, shown(args[2], r), "is no length from 0 to 64"
	}
	s := strings.ToUpper(strconv.FormatInt(n, int(base)))
	for range int(least) - len(s) {
		dst = append(dst, '0')
	}
	return append(dst, s...), "", ""
}

// conv reads as many digits as there are, as Spark and MySQL do.
func conv(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
	from, to := args[1].Int(r), args[2].Int(r)
	s := strings.TrimSpace(args[0].Text(r))
	if from < 2 || from > 36 || max(to, -to) < 2 || max(to, -to) > 36 || s == "" {
		return nil, "", ""
	}
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	n := uint64(0)
	for i := range len(s) {
		d, err := strconv.ParseUint(s[i:i+1], int(from), 64)
		if err != nil {
			break
		}
		if n > (math.MaxUint64-d)/uint64(from) {
			return nil, shown(args[0], r), "needs more than 64 bits"
		}
		n = n*uint64(from) + d
	}
	return append(dst, convText(n, neg, int(to))...), "", ""
}

// convText writes what conv read. A positive base takes a negative number as 64 bits,
// all of them set where it has more than 63; a negative base gives a sign.
func convText(n uint64, neg bool, to int) string {
	switch {
	case neg && to > 0 && n > math.MaxInt64:
		n = math.MaxUint64
	case neg && to > 0:
		n = -n
	case to < 0 && n > math.MaxInt64:
		n, neg = -n, true
	}
	s := strings.ToUpper(strconv.FormatUint(n, max(to, -to)))
	if neg && to < 0 {
		return "-" + s
	}
	return s
}
