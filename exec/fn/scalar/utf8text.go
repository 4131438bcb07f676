package scalar

import (
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// utf8Texts look at bytes that should be UTF-8. A STRING always is: its casts and
// readers see to it.
func utf8Texts() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "is_valid_utf8", Group: "Encoding", Syntax: []string{"is_valid_utf8(a)"}, Doc: "Is true where bytes are a text in UTF-8.",
			Examples: []fn.Example{{SQL: "is_valid_utf8(unhex('61'))", Want: "true"}, {SQL: "is_valid_utf8(unhex('80'))", Want: "false"}, {SQL: "is_valid_utf8(NULL)", Want: "NULL"}},
			Resolve:  bytesOrText(boolean, bools(func(args []*vec.Vector, r int) bool { return utf8.Valid(args[0].Bytes(r)) })),
		},
		{
			Name: "make_valid_utf8", Group: "Encoding", Syntax: []string{"make_valid_utf8(a)"}, Doc: "Turns bytes into a text in which U+FFFD stands for what is not UTF-8.",
			Examples: []fn.Example{{SQL: "make_valid_utf8(unhex('61C262'))", Want: "a\ufffdb"}, {SQL: "make_valid_utf8(NULL)", Want: "NULL"}},
			Resolve:  bytesOrText(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return appendValid(dst, args[0].Bytes(r)) })),
		},
		{
			Name: "validate_utf8", Group: "Encoding", Syntax: []string{"validate_utf8(a)"}, Doc: "Turns bytes in UTF-8 into a text; an error where they are something else.",
			Examples: []fn.Example{{SQL: "validate_utf8(unhex('61'))", Want: "a"}, {SQL: "validate_utf8(NULL)", Want: "NULL"}},
			Resolve: bytesOrText(text, tryTexts(text, "validate_utf8", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				if s := args[0].Bytes(r); utf8.Valid(s) {
					return append(dst, s...), "", ""
				}
				return nil, shown(args[0], r), "not UTF-8"
			})),
		},
		{
			Name: "try_validate_utf8", Group: "Encoding", Syntax: []string{"try_validate_utf8(a)"}, Doc: "Is validate_utf8, and NULL where that is an error.",
			Examples: []fn.Example{{SQL: "try_validate_utf8(unhex('61'))", Want: "a"}, {SQL: "try_validate_utf8(unhex('80'))", Want: "NULL"}},
			Resolve: bytesOrText(text, bytesOf(text, func(dst []byte, args []*vec.Vector, r int) []byte {
				if s := args[0].Bytes(r); utf8.Valid(s) {
					return append(dst, s...)
				}
				return nil
			})),
		},
	}
}

// appendValid puts one U+FFFD for each longest run that could have begun a character,
// as Unicode recommends and Spark does.
func appendValid(dst, s []byte) []byte {
	for len(s) > 0 {
		ch, size := utf8.DecodeRune(s)
		if ch == utf8.RuneError && size <= 1 {
			size = brokenLen(s)
		}
		dst, s = utf8.AppendRune(dst, ch), s[size:]
	}
	return dst
}

// brokenLen is the length of the longest start of a character at the beginning of s,
// at least 1.
func brokenLen(s []byte) int {
	low, high, more := byte(0x80), byte(0xbf), 0
	switch first := s[0]; {
	case first >= 0xc2 && first <= 0xdf:
		more = 1
	case first >= 0xe0 && first <= 0xef:
		more = 2
	case first >= 0xf0 && first <= 0xf4:
		more = 3
	}
	switch s[0] {
	case 0xe0:
		low = 0xa0
	case 0xed:
		high = 0x9f
	case 0xf0:
		low = 0x90
	case 0xf4:
		high = 0x8f
	}
	n := 1
	for n < len(s) && n <= more && s[n] >= low && s[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}
