package scalar

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// codecs are the functions that hash, encode and decode.
func codecs() []*fn.Scalar {
	all := []*fn.Scalar{
		digest("md5", nil, "Is the MD5 sum of a text or BYTES as hexadecimal digits.", "md5('')", "d41d8cd98f00b204e9800998ecf8427e", func(dst, s []byte) []byte { h := md5.Sum(s); return hex.AppendEncode(dst, h[:]) }),
		digest("sha1", []string{"sha"}, "Is the SHA-1 sum as hexadecimal digits.", "sha1('')", "da39a3ee5e6b4b0d3255bfef95601890afd80709", func(dst, s []byte) []byte { h := sha1.Sum(s); return hex.AppendEncode(dst, h[:]) }),
		digest("sha256", nil, "Is the SHA-256 sum as hexadecimal digits.", "left(sha256(''), 8)", "e3b0c442", func(dst, s []byte) []byte { h := sha256.Sum256(s); return hex.AppendEncode(dst, h[:]) }),
		digest("sha512", nil, "Is the SHA-512 sum as hexadecimal digits.", "left(sha512(''), 8)", "cf83e135", func(dst, s []byte) []byte { h := sha512.Sum512(s); return hex.AppendEncode(dst, h[:]) }),
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
		{
			Name: "base64", Aliases: []string{"to_base64"}, Group: "Encoding", Syntax: []string{"base64(a)"}, Doc: "Encodes bytes, or the UTF-8 of a text, as Base64.",
			Examples: []fn.Example{{SQL: "base64('1,x')", Want: "MSx4"}, {SQL: "base64(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return base64.StdEncoding.AppendEncode(dst, args[0].Bytes(r))
			}), blob),
		},
		{
			Name: "unbase64", Aliases: []string{"from_base64"}, Group: "Encoding", Syntax: []string{"unbase64(a)"}, Doc: "Decodes Base64 into BYTES.",
			Examples: []fn.Example{{SQL: "CAST(unbase64('aGk=') AS STRING)", Want: "hi"}, {SQL: "unbase64(NULL)", Want: "NULL"}},
			Resolve: fixed(blob, tryTexts(blob, "unbase64", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				out, err := base64.StdEncoding.AppendDecode(dst, args[0].Bytes(r))
				if err != nil {
					return nil, fn.Quote(args[0].Text(r)), "not Base64"
				}
				return out, "", ""
			}), text),
		},
		{
			Name: "hex", Aliases: []string{"to_hex"}, Group: "Encoding", Syntax: []string{"hex(a)"}, Doc: "Is an integer, a text or BYTES in upper-case hexadecimal digits.",
			Examples: []fn.Example{{SQL: "hex(255)", Want: "FF"}, {SQL: "hex('Hi')", Want: "4869"}, {SQL: "hex(NULL)", Want: "NULL"}}, Resolve: resolveHex,
		},
		{
			Name: "unhex", Aliases: []string{"from_hex"}, Group: "Encoding", Syntax: []string{"unhex(a)"}, Doc: "Turns hexadecimal digits into BYTES; NULL if the text has anything else.",
			Examples: []fn.Example{{SQL: "CAST(unhex('4869') AS STRING)", Want: "Hi"}, {SQL: "unhex('x')", Want: "NULL"}},
			Resolve:  fixed(blob, bytesOf(blob, unhex), text),
		},
		{
			Name: "bin", Group: "Encoding", Syntax: []string{"bin(n)"}, Doc: "Is an integer in binary digits.",
			Examples: []fn.Example{{SQL: "bin(5)", Want: "101"}, {SQL: "bin(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return strconv.AppendUint(dst, uint64(args[0].Int(r)), 2)
			}), bigint),
		},
		{
			Name: "conv", Group: "Encoding", Syntax: []string{"conv(a, from, to)"}, Doc: "Turns a number written in one base (2 to 36) into another.",
			Examples: []fn.Example{{SQL: "conv('ff', 16, 10)", Want: "255"}, {SQL: "conv('ff', 99, 10)", Want: "NULL"}},
			Resolve:  fixed(text, bytesOf(text, conv), text, integer, integer),
		},
		{
			Name: "encode", Group: "Encoding", Syntax: []string{"encode(a, charset)"}, Doc: "Encodes a text in UTF-8, ISO-8859-1 or US-ASCII; a character that does not exist there becomes ?.",
			Examples: []fn.Example{{SQL: "hex(encode('é', 'ISO-8859-1'))", Want: "E9"}, {SQL: "encode(NULL, 'UTF-8')", Want: "NULL"}},
			Resolve:  fixed(blob, tryTexts(blob, "encode", encodeText), text, text),
		},
		{
			Name: "decode", Group: "Encoding", Syntax: []string{"decode(a, charset)"}, Doc: "Decodes BYTES in UTF-8, ISO-8859-1 or US-ASCII.",
			Examples: []fn.Example{{SQL: "decode(unhex('E9'), 'ISO-8859-1')", Want: "é"}, {SQL: "decode(NULL, 'UTF-8')", Want: "NULL"}},
			Resolve:  fixed(text, tryTexts(text, "decode", decodeText), blob, text),
		},
		{
			Name: "url_encode", Group: "URL", Syntax: []string{"url_encode(a)"}, Doc: "Encodes a text for use in a form or query of a URL.",
			Examples: []fn.Example{{SQL: "url_encode('1,x y')", Want: "1%2Cx+y"}, {SQL: "url_encode(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return append(dst, url.QueryEscape(args[0].Text(r))...)
			}), text),
		},
		{
			Name: "url_decode", Group: "URL", Syntax: []string{"url_decode(a)"}, Doc: "Undoes url_encode.",
			Examples: []fn.Example{{SQL: "url_decode('1%2Cx+y')", Want: "1,x y"}, {SQL: "url_decode(NULL)", Want: "NULL"}},
			Resolve: fixed(text, tryTexts(text, "url_decode", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				s, err := url.QueryUnescape(args[0].Text(r))
				if err != nil {
					return nil, fn.Quote(args[0].Text(r)), "not an encoded URL part"
				}
				return append(dst, s...), "", ""
			}), text),
		},
		{
			Name: "parse_url", Group: "URL", Syntax: []string{"parse_url(url, part [, key])"},
			Doc:      "Takes PROTOCOL, HOST, PATH, QUERY, REF, FILE, AUTHORITY or USERINFO out of a URL, or with QUERY and a key one parameter; NULL if it is not there.",
			Examples: []fn.Example{{SQL: "parse_url('http://h.example/p?q=1#f', 'QUERY', 'q')", Want: "1"}, {SQL: "parse_url('http://h.example/p', 'QUERY')", Want: "NULL"}},
			Resolve:  optional(2, text, bytesOf(text, parseURL), text, text, text),
		},
		{
			Name: "format_number", Group: "Text", Syntax: []string{"format_number(n, digits)"}, Doc: "Writes a number with commas between thousands and a number of digits after the point.",
			Examples: []fn.Example{{SQL: "format_number(12345.678, 2)", Want: "12,345.68"}, {SQL: "format_number(NULL, 2)", Want: "NULL"}},
			Resolve:  fixed(text, bytesOf(text, formatNumber), double, integer),
		},
		{
			Name: "format_string", Aliases: []string{"printf", "format"}, Group: "Text", Nulls: fn.Custom, Syntax: []string{"format_string(format, a, b, ...)"},
			Doc:      "Writes values as a printf format says (%s %d %f %e %g %x %X %o %b %c %%, with flags, width and precision); NULL prints as null.",
			Examples: []fn.Example{{SQL: "format_string('%05d|%s', 7, 'x')", Want: "00007|x"}, {SQL: "format_string(NULL, 1)", Want: "NULL"}},
			Resolve:  resolvePrintf,
		},
		hashing("xxhash64", bigint, "Is a 64-bit hash of its arguments; NULL counts as a value.", func(h uint64) int64 { return int64(h) }),
		hashing("hash", integer, "Is a 32-bit hash of its arguments; NULL counts as a value.", func(h uint64) int64 { return int64(int32(h)) }),
	}
	return all
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

func hashing(name string, t types.Type, doc string, fold func(uint64) int64) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Group: "Hash", Nulls: fn.Custom, Syntax: []string{name + "(a, b, ...)"}, Doc: doc,
		Examples: []fn.Example{{SQL: name + "(NULL, 1) = " + name + "(NULL, 1)", Want: "true"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			eval := ints(t, func(args []*vec.Vector, r int) int64 { return fold(vec.HashRow(args, r)) })
			return fn.Impl{Args: argTypes(args), Result: t, Eval: eval}, arity(args, 1, -1)
		},
	}
}

const upperHex = "0123456789ABCDEF"

func resolveHex(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 && args[0].Type.IsInteger() {
		return fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
			return append(dst, strings.ToUpper(strconv.FormatUint(uint64(args[0].Int(r)), 16))...)
		}), bigint)(args)
	}
	return bytesOrText(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		for _, ch := range args[0].Bytes(r) {
			dst = append(dst, upperHex[ch>>4], upperHex[ch&15])
		}
		return dst
	}))(args)
}

func unhex(dst []byte, args []*vec.Vector, r int) []byte {
	s := args[0].Bytes(r)
	if len(s)%2 == 1 {
		s = append([]byte{'0'}, s...)
	}
	out, err := hex.AppendDecode(dst, s)
	if err != nil {
		return nil
	}
	return out
}

// conv reads as many digits as there are, as Spark and MySQL do.
func conv(dst []byte, args []*vec.Vector, r int) []byte {
	from, to := int(args[1].Int(r)), int(args[2].Int(r))
	if from < 2 || from > 36 || to < 2 || to > 36 {
		return nil
	}
	s := strings.TrimSpace(args[0].Text(r))
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	n := uint64(0)
	for i := range len(s) {
		d, err := strconv.ParseUint(s[i:i+1], from, 64)
		if err != nil {
			break
		}
		n = n*uint64(from) + d
	}
	if neg {
		n = -n
	}
	return append(dst, strings.ToUpper(strconv.FormatUint(n, to))...)
}

// charset is the greatest code point of a single-byte charset, or 0 for UTF-8.
func charset(name string) (limit rune, ok bool) {
	switch strings.ToUpper(name) {
	case "UTF-8", "UTF8":
		return 0, true
	case "ISO-8859-1", "LATIN1":
		return 0xff, true
	case "US-ASCII", "ASCII":
		return 0x7f, true
	}
	return 0, false
}

const noCharset = "unknown charset; there are UTF-8, ISO-8859-1 and US-ASCII"

func encodeText(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
	limit, ok := charset(args[1].Text(r))
	if !ok {
		return nil, fn.Quote(args[1].Text(r)), noCharset
	}
	if limit == 0 {
		return append(dst, args[0].Bytes(r)...), "", ""
	}
	for _, ch := range args[0].Text(r) {
		if ch > limit {
			ch = '?'
		}
		dst = append(dst, byte(ch))
	}
	return dst, "", ""
}

func decodeText(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
	limit, ok := charset(args[1].Text(r))
	if !ok {
		return nil, fn.Quote(args[1].Text(r)), noCharset
	}
	s := args[0].Bytes(r)
	switch {
	case limit == 0 && utf8.Valid(s):
		return append(dst, s...), "", ""
	case limit == 0:
		return append(dst, strings.ToValidUTF8(string(s), "\ufffd")...), "", ""
	}
	for _, ch := range s {
		c := rune(ch)
		if c > limit {
			c = utf8.RuneError
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst, "", ""
}

func parseURL(dst []byte, args []*vec.Vector, r int) []byte {
	u, err := url.Parse(args[0].Text(r))
	if err != nil {
		return nil
	}
	part := urlPart(u, args[1].Text(r))
	if len(args) > 2 {
		if args[1].Text(r) != "QUERY" {
			return nil
		}
		for _, pair := range strings.Split(u.RawQuery, "&") {
			if k, v, ok := strings.Cut(pair, "="); ok && k == args[2].Text(r) {
				return append(dst, v...)
			}
		}
		return nil
	}
	if part == "" {
		return nil
	}
	return append(dst, part...)
}

func urlPart(u *url.URL, part string) string {
	switch part {
	case "PROTOCOL":
		return u.Scheme
	case "HOST":
		return u.Hostname()
	case "PATH":
		return u.EscapedPath()
	case "QUERY":
		return u.RawQuery
	case "REF":
		return u.EscapedFragment()
	case "FILE":
		if u.RawQuery != "" {
			return u.EscapedPath() + "?" + u.RawQuery
		}
		return u.EscapedPath()
	case "AUTHORITY":
		if u.User != nil {
			return u.User.String() + "@" + u.Host
		}
		return u.Host
	case "USERINFO":
		if u.User != nil {
			return u.User.String()
		}
	}
	return ""
}

func formatNumber(dst []byte, args []*vec.Vector, r int) []byte {
	digits := int(args[1].Int(r))
	if digits < 0 {
		return nil
	}
	x := roundFloat(halfEven, args[0].Float(r), digits, 64)
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.HasPrefix(s, "-") {
		dst, s = append(dst, '-'), s[1:]
	}
	whole, frac, _ := strings.Cut(s, ".")
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, whole[i])
	}
	if frac != "" {
		dst = append(append(dst, '.'), frac...)
	}
	return dst
}

func resolvePrintf(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, -1); err != nil {
		return fn.Impl{}, err
	}
	want := argTypes(args)
	want[0] = text
	for i := range want {
		switch {
		case want[i].Kind == types.Decimal:
			want[i] = double
		case want[i].IsTime():
			want[i] = text
		}
	}
	if err := matches(args[:1], want[:1]); err != nil {
		return fn.Impl{}, err
	}
	eval := tryTexts(text, "format_string", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
		if args[0].IsNull(r) {
			return nil, "", ""
		}
		return printf(dst, args[0].Text(r), args[1:], r)
	})
	return fn.Impl{Args: want, Result: text, Eval: eval}, nil
}

// printf runs Java's common conversions through fmt.
func printf(dst []byte, format string, args []*vec.Vector, r int) ([]byte, string, string) {
	next := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			dst = append(dst, format[i])
			continue
		}
		j := i + 1
		for j < len(format) && strings.IndexByte("-+ #0,.123456789", format[j]) >= 0 {
			j++
		}
		if j == len(format) {
			return nil, fn.Quote(format), "ends within a conversion"
		}
		spec, verb := strings.ReplaceAll(format[i:j], ",", ""), format[j]
		i = j
		switch verb {
		case '%':
			dst = append(dst, '%')
			continue
		case 'n':
			dst = append(dst, '\n')
			continue
		}
		if next >= len(args) {
			return nil, fn.Quote(format), "has more conversions than arguments"
		}
		var msg string
		if dst, msg = appendVerb(dst, spec, verb, args[next], r); msg != "" {
			return nil, fn.Quote(format), msg
		}
		next++
	}
	return dst, "", ""
}

func appendVerb(dst []byte, spec string, verb byte, v *vec.Vector, r int) ([]byte, string) {
	switch {
	case v.IsNull(r):
		return fmt.Appendf(dst, strings.ReplaceAll(spec, "0", "")+"s", "null"), ""
	case verb == 's' || verb == 'S':
		s := vec.RowString(v, r, nil)
		if verb == 'S' {
			s = strings.ToUpper(s)
		}
		return fmt.Appendf(dst, spec+"s", s), ""
	case strings.IndexByte("dxXobc", verb) >= 0 && v.Type.IsInteger():
		return fmt.Appendf(dst, spec+string(verb), v.Int(r)), ""
	case strings.IndexByte("feEgG", verb) >= 0 && v.Type.IsFloat():
		return fmt.Appendf(dst, spec+string(verb), v.Float(r)), ""
	case strings.IndexByte("feEgG", verb) >= 0 && v.Type.IsInteger():
		return fmt.Appendf(dst, spec+string(verb), float64(v.Int(r))), ""
	}
	return nil, "conversion %" + string(verb) + " does not take " + v.Type.String()
}
