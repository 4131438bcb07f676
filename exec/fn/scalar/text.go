package scalar

import (
	"bytes"
	stdslices "slices"
	"unicode"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Positions and lengths of text count characters (code points), from 1.

func texts1() []*fn.Scalar {
	all := []*fn.Scalar{
		{
			Name: "length", Aliases: []string{"char_length", "character_length", "len"}, Group: "Text", Syntax: []string{"length(a)"},
			Doc:      "Counts the characters of a text, the bytes of BYTES, the elements of an ARRAY or the entries of a MAP.",
			Examples: []fn.Example{{SQL: "length('naïve')", Want: "5"}, {SQL: "length(array(1, NULL))", Want: "2"}, {SQL: "length(NULL)", Want: "NULL"}}, Resolve: resolveLength,
		},
		{
			Name: "octet_length", Aliases: []string{"strlen"}, Group: "Text", Syntax: []string{"octet_length(a)"}, Doc: "Counts the bytes of a text in UTF-8, or of BYTES.",
			Examples: []fn.Example{{SQL: "octet_length('naïve')", Want: "6"}, {SQL: "octet_length(NULL)", Want: "NULL"}},
			Resolve:  bytesOrText(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return int64(len(args[0].Bytes(r))) })),
		},
		{
			Name: "bit_length", Group: "Text", Syntax: []string{"bit_length(a)"}, Doc: "Counts bits.",
			Examples: []fn.Example{{SQL: "bit_length('ab')", Want: "16"}, {SQL: "bit_length(NULL)", Want: "NULL"}},
			Resolve:  bytesOrText(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return 8 * int64(len(args[0].Bytes(r))) })),
		},
		{
			Name: "upper", Aliases: []string{"ucase"}, Group: "Text", Syntax: []string{"upper(a)"}, Doc: "Turns letters to upper case.",
			Examples: []fn.Example{{SQL: "upper('naïve')", Want: "NAÏVE"}, {SQL: "upper(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, caseKernel('a', 'z', appendUpper), text),
		},
		{
			Name: "lower", Aliases: []string{"lcase"}, Group: "Text", Syntax: []string{"lower(a)"}, Doc: "Turns letters to lower case.",
			Examples: []fn.Example{{SQL: "lower('LATE')", Want: "late"}, {SQL: "lower(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, caseKernel('A', 'Z', appendLower), text),
		},
		{
			Name: "initcap", Group: "Text", Syntax: []string{"initcap(a)"}, Doc: "Turns the first letter of each word, after a blank, to upper case and the others to lower case.",
			Examples: []fn.Example{{SQL: "initcap('late record')", Want: "Late Record"}, {SQL: "initcap(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(initcap), text),
		},
		{
			Name: "reverse", Group: "Text", Syntax: []string{"reverse(a)"}, Doc: "Reverses the characters of a text, the bytes of BYTES, or the elements of an array.",
			Examples: []fn.Example{{SQL: "reverse('abc')", Want: "cba"}, {SQL: "reverse(array(1, 2))", Want: "[2,1]"}, {SQL: "reverse(NULL)", Want: "NULL"}},
			Resolve:  resolveReverse,
		},
		{
			Name: "repeat", Group: "Text", Syntax: []string{"repeat(a, n)"}, Doc: "Repeats a text, or the elements of an array, n times.",
			Examples: []fn.Example{{SQL: "repeat('ab', 3)", Want: "ababab"}, {SQL: "repeat(array(1, 2), 2)", Want: "[1,2,1,2]"}, {SQL: "repeat('ab', NULL)", Want: "NULL"}},
			Resolve: ofArray(resolveRepeatArray, fixed(text, tryTexts(text, "repeat", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				s, n := args[0].Bytes(r), args[1].Int(r)
				if n > 0 && int64(len(s)) > maxText/n {
					return nil, "", tooLong
				}
				return append(dst, bytes.Repeat(s, int(max(n, 0)))...), "", ""
			}), text, bigint)),
		},
		{
			Name: "space", Group: "Text", Syntax: []string{"space(n)"}, Doc: "Is a text of n blanks.",
			Examples: []fn.Example{{SQL: "concat('a', space(2), 'b')", Want: "a  b"}, {SQL: "space(NULL)", Want: "NULL"}},
			Resolve: fixed(text, tryTexts(text, "space", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				n := args[0].Int(r)
				if n > maxText {
					return nil, "", tooLong
				}
				return append(dst, bytes.Repeat([]byte{' '}, int(max(n, 0)))...), "", ""
			}), bigint),
		},
		{
			Name: "concat", Aliases: []string{"||"}, Group: "Text", Syntax: []string{"concat(a, b, ...)", "a || b"},
			Doc:      "Joins texts, or arrays, or an array and an element; NULL if a part is NULL.",
			Examples: []fn.Example{{SQL: "concat('a', 'b', 1)", Want: "ab1"}, {SQL: "'a' || 'b'", Want: "ab"}, {SQL: "1 || array(2) || 3", Want: "[1,2,3]"}, {SQL: "concat('a', NULL)", Want: "NULL"}},
			Resolve:  resolveConcat,
		},
		{
			Name: "concat_ws", Group: "Text", Nulls: fn.Custom, Syntax: []string{"concat_ws(separator, a, b, ...)"},
			Doc:      "Joins texts and the elements of arrays with a separator, skipping NULLs; NULL if the separator is.",
			Examples: []fn.Example{{SQL: "concat_ws('-', 'a', NULL, 'b')", Want: "a-b"}, {SQL: "concat_ws(NULL, 'a')", Want: "NULL"}},
			Resolve:  resolveConcatWS,
		},
		{
			Name: "ascii", Group: "Text", Syntax: []string{"ascii(a)"}, Doc: "Is the code point of the first character, and 0 for an empty text.",
			Examples: []fn.Example{{SQL: "ascii('A')", Want: "65"}, {SQL: "ascii(NULL)", Want: "NULL"}},
			Resolve: fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 {
				s := args[0].Bytes(r)
				if len(s) == 0 {
					return 0
				}
				ch, _ := utf8.DecodeRune(s)
				return int64(ch)
			}), text),
		},
		{
			Name: "unicode", Aliases: []string{"ord"}, Group: "Text", Syntax: []string{"unicode(a)"}, Doc: "Is the code point of the first character, and -1 for an empty text, as in DuckDB.",
			Examples: []fn.Example{{SQL: "unicode('é')", Want: "233"}, {SQL: "unicode('')", Want: "-1"}, {SQL: "unicode(NULL)", Want: "NULL"}},
			Resolve: fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 {
				s := args[0].Bytes(r)
				if len(s) == 0 {
					return -1
				}
				ch, _ := utf8.DecodeRune(s)
				return int64(ch)
			}), text),
		},
		{
			Name: "chr", Aliases: []string{"char"}, Group: "Text", Syntax: []string{"chr(n)"},
			Doc:      "Is the character with the code n modulo 256, as in Spark and Flink, and '' for a negative n. DuckDB's and Postgres' chr is unichr.",
			Examples: []fn.Example{{SQL: "chr(65)", Want: "A"}, {SQL: "chr(321)", Want: "A"}, {SQL: "chr(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				if n := args[0].Int(r); n >= 0 {
					return utf8.AppendRune(dst, rune(n&0xff))
				}
				return dst
			}), bigint),
		},
		{
			Name: "unichr", Aliases: []string{"nchar", "nchr"}, Group: "Text", Syntax: []string{"unichr(n)"},
			Doc:      "Is the character with a code point of Unicode; an error where there is none.",
			Examples: []fn.Example{{SQL: "unichr(960)", Want: "π"}, {SQL: "unichr(NULL)", Want: "NULL"}},
			Resolve: fixed(text, tryTexts(text, "unichr", func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
				n := args[0].Int(r)
				if n < 0 || n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
					return nil, vec.RowString(args[0], r, nil), "not a code point"
				}
				return utf8.AppendRune(dst, rune(n)), "", ""
			}), bigint),
		},
	}
	return append(all, parts()...)
}

const (
	maxText = 1 << 28 // bytes that one value may grow to
	tooLong = "the text would be longer than 256 MiB"
)

// runes counts characters.
func runes(s []byte) int {
	for i, ch := range s {
		if ch >= utf8.RuneSelf {
			return i + utf8.RuneCount(s[i:])
		}
	}
	return len(s)
}

// runeIndex is the byte position of character n (from 0); len(s) if s is shorter.
func runeIndex(s []byte, n int) int {
	if n <= 0 {
		return 0
	}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
		} else {
			_, size := utf8.DecodeRune(s[i:])
			i += size
		}
		if n--; n == 0 {
			return i
		}
	}
	return len(s)
}

// foldRune is the lower case of a character.
func foldRune(ch rune) rune {
	if ch < utf8.RuneSelf {
		if ch >= 'A' && ch <= 'Z' {
			return ch | 0x20
		}
		return ch
	}
	return unicode.ToLower(ch)
}

// counting is what a length counts: the characters of a text, the bytes of BYTES.
type counting struct {
	len   func(s []byte) int
	index func(s []byte, n int) int // the place of the n-th in s, or its end
	fill  func(dst, fill []byte, n int) []byte
	blank []byte // what pads by default
}

var (
	byRunes = counting{runes, runeIndex, appendFill, []byte{' '}}
	byBytes = counting{
		func(s []byte) int { return len(s) },
		func(s []byte, n int) int { return max(min(n, len(s)), 0) },
		func(dst, fill []byte, n int) []byte {
			for ; n > 0; n -= len(fill) {
				dst = append(dst, fill[:min(n, len(fill))]...)
			}
			return dst
		},
		[]byte{0},
	}
)

// bytesOrTextAnd resolves a function of a STRING or BYTES, which is its result too, and
// of other arguments.
func bytesOrTextAnd(kernel func(count counting) fn.Kernel, more ...types.Type) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) > 0 && args[0].Type.Kind == types.Bytes {
			return fixed(blob, kernel(byBytes), append([]types.Type{blob}, more...)...)(args)
		}
		return fixed(text, kernel(byRunes), append([]types.Type{text}, more...)...)(args)
	}
}

// bytesOrText resolves a function of one STRING or BYTES.
func bytesOrText(result types.Type, k fn.Kernel) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) == 1 && args[0].Type.Kind == types.Bytes {
			return fixed(result, k, blob)(args)
		}
		return fixed(result, k, text)(args)
	}
}

func resolveLength(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 && (args[0].Type.Kind == types.Array || args[0].Type.Kind == types.Map) {
		return fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 {
			_, from, to := list(args[0], r)
			return int64(to - from)
		}), args[0].Type)(args)
	}
	if len(args) == 1 && args[0].Type.Kind == types.Bytes {
		return fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return int64(len(args[0].Bytes(r))) }), blob)(args)
	}
	return fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return int64(runes(args[0].Bytes(r))) }), text)(args)
}

// caseKernel turns ASCII letters between from and to; slow does the texts that have
// other characters.
func caseKernel(from, to byte, slow func(dst, s []byte) []byte) fn.Kernel {
	rowwise := texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		s := args[0].Bytes(r)
		start := len(dst)
		dst = append(dst, s...)
		if !turnCase(dst[start:], from, to) {
			return slow(dst[:start], s)
		}
		return dst
	})
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in := args[0]
		if in.Const || len(in.Buf) > 32*rows.Len() {
			return rowwise(c, args, rows)
		}
		buf := append([]byte(nil), in.Buf...) // all texts at once, in place
		if !turnCase(buf, from, to) {
			return rowwise(c, args, rows)
		}
		return &vec.Vector{Type: text, N: rows.N, Str: in.Str, Buf: buf}, nil
	}
}

// turnCase turns letters in place; false at a character outside ASCII.
func turnCase(b []byte, from, to byte) bool {
	var seen byte
	for i, ch := range b {
		seen |= ch
		if ch-from <= to-from {
			b[i] = ch ^ 0x20
		}
	}
	return seen < utf8.RuneSelf
}

func resolveReverse(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 1 && args[0].Type.Kind == types.Array {
		return arraysOf(args, func(b *vec.Builder, in *vec.Vector, from, to int) {
			for e := to - 1; e >= from; e-- {
				b.Child(0).AppendFrom(in, e)
			}
			b.EndList()
		})
	}
	if len(args) == 1 && args[0].Type.Kind == types.Bytes {
		return fixed(blob, bytesOf(blob, func(dst []byte, args []*vec.Vector, r int) []byte {
			from := len(dst)
			dst = append(dst, args[0].Bytes(r)...)
			stdslices.Reverse(dst[from:])
			return dst
		}), blob)(args)
	}
	return fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		s := args[0].Bytes(r)
		if ascii(s) {
			from := len(dst)
			dst = append(dst, s...)
			stdslices.Reverse(dst[from:])
			return dst
		}
		for len(s) > 0 {
			_, size := utf8.DecodeLastRune(s)
			dst = append(dst, s[len(s)-size:]...)
			s = s[:len(s)-size]
		}
		return dst
	}), text)(args)
}

func resolveConcat(args []fn.Arg) (fn.Impl, error) {
	t := text
	blobs, nulls := 0, 0
	for _, a := range args {
		if a.Type.Kind == types.Array {
			return resolveArrayConcat(args)
		}
		switch a.Type.Kind {
		case types.Bytes:
			blobs++
		case types.Null:
			nulls++
		}
	}
	if blobs+nulls == len(args) && blobs > 0 {
		t = blob
	}
	want := same(t, len(args))
	if err := matches(args, want); err != nil {
		return fn.Impl{}, err
	}
	eval := bytesOf(t, func(dst []byte, args []*vec.Vector, r int) []byte {
		for _, a := range args {
			dst = append(dst, a.Bytes(r)...)
		}
		return dst
	})
	return fn.Impl{Args: want, Result: t, Eval: eval}, nil
}

func resolveConcatWS(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 1, -1); err != nil {
		return fn.Impl{}, err
	}
	want := same(text, len(args))
	for i, a := range args {
		if i > 0 && a.Type.Kind == types.Array {
			want[i] = types.ArrayOf(text)
		}
		if !types.CanCoerce(a.Type, want[i]) {
			return fn.Impl{}, mismatch(args, i, "STRING")
		}
	}
	return fn.Impl{Args: want, Result: text, Eval: tryTexts(text, "concat_ws", concatWS)}, nil
}

func concatWS(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	if args[0].IsNull(r) {
		return nil, "", ""
	}
	sep, first, begin := args[0].Bytes(r), true, len(dst)
	put := func(v *vec.Vector, i int) {
		if v.IsNull(i) {
			return
		}
		if !first {
			dst = append(dst, sep...)
		}
		first = false
		dst = append(dst, v.Bytes(i)...)
	}
	for _, a := range args[1:] {
		if a.Type.Kind != types.Array {
			put(a, r)
			continue
		}
		if !a.IsNull(r) {
			f, i := a.At(r)
			for e := int(f.Off[i]); e < int(f.Off[i+1]) && len(dst)-begin <= maxText; e++ {
				put(f.Child[0], e)
			}
		}
	}
	if len(dst)-begin > maxText {
		return nil, "", tooLong
	}
	return dst, "", ""
}
