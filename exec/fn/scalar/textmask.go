package scalar

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// masks hide, quote and cut texts into words.
func masks() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "mask", Group: "Text", Nulls: fn.Custom, Syntax: []string{"mask(a [, upper [, lower [, digit [, other]]]])"},
			Doc:      "Replaces capital letters by X, small ones by x, digits by n, or by the characters that are given; NULL leaves a kind as it is, as it does all other characters by default.",
			Examples: []fn.Example{{SQL: "mask('AbCD123-@$#')", Want: "XxXXnnn-@$#"}, {SQL: "mask('AbCD123-', 'Q', NULL, 'd', 'o')", Want: "QbQQdddo"}, {SQL: "mask(NULL)", Want: "NULL"}},
			Resolve:  resolveMask,
		},
		{
			Name: "quote", Group: "Text", Syntax: []string{"quote(a)"},
			Doc:      "Puts a text into single quotes, with a backslash before each quote in it, as Spark reads it. What SQL reads here is quote_literal.",
			Examples: []fn.Example{{SQL: "quote('it''s')", Want: `'it\'s'`}, {SQL: "quote(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return appendQuoted(dst, args[0].Bytes(r), '\'', '\\')
			}), text),
		},
		{
			Name: "quote_literal", Group: "Text", Syntax: []string{"quote_literal(a)"},
			Doc:      "Is a value as a string literal of SQL.",
			Examples: []fn.Example{{SQL: "quote_literal('it''s')", Want: "'it''s'"}, {SQL: "quote_literal(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				return appendQuoted(dst, args[0].Bytes(r), '\'', '\'')
			}), text),
		},
		{
			Name: "quote_nullable", Group: "Text", Nulls: fn.Custom, Syntax: []string{"quote_nullable(a)"},
			Doc:      "Is quote_literal, and the word NULL for NULL.",
			Examples: []fn.Example{{SQL: "quote_nullable('a')", Want: "'a'"}, {SQL: "quote_nullable(NULL)", Want: "NULL"}},
			Resolve: fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
				if args[0].IsNull(r) {
					return append(dst, "NULL"...)
				}
				return appendQuoted(dst, args[0].Bytes(r), '\'', '\'')
			}), text),
		},
		{
			Name: "quote_ident", Group: "Text", Syntax: []string{"quote_ident(a)"},
			Doc:      "Is a text as a name in SQL: in double quotes unless it is a word of small letters, digits and underscores.",
			Examples: []fn.Example{{SQL: "quote_ident('two words')", Want: `"two words"`}, {SQL: "quote_ident('word')", Want: "word"}, {SQL: "quote_ident(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return appendIdent(dst, args[0].Bytes(r)) }), text),
		},
		{
			Name: "sentences", Group: "Text", Syntax: []string{"sentences(a [, language [, country]])"},
			Doc:      "Splits a text into sentences and these into words; language and country change nothing.",
			Examples: []fn.Example{{SQL: "sentences('Hi there! Good morning.')", Want: `[["Hi","there"],["Good","morning"]]`}, {SQL: "sentences(NULL)", Want: "NULL"}},
			Resolve: optional(1, types.ArrayOf(types.ArrayOf(text)), built(types.ArrayOf(types.ArrayOf(text)), func(b *vec.Builder, args []*vec.Vector, r int) {
				buildSentences(b, args[0].Bytes(r))
			}), text, text, text),
		},
	}
}

// masking is what each kind of character becomes; −1 = it stays.
type masking struct{ upper, lower, digit, other rune }

func (m masking) of(ch rune) rune {
	switch {
	case unicode.Is(unicode.Lu, ch):
		return m.upper
	case unicode.Is(unicode.Ll, ch):
		return m.lower
	case unicode.Is(unicode.Nd, ch):
		return m.digit
	}
	return m.other
}

func resolveMask(args []fn.Arg) (fn.Impl, error) {
	impl, err := optional(1, text, nil, same(text, 5)...)(args)
	if err != nil {
		return impl, err
	}
	by := [...]rune{'X', 'x', 'n', -1}
	for i := 1; i < len(args); i++ {
		v := args[i].Const
		switch {
		case v != nil && v.IsNull(0):
			by[i-1] = -1
		case v == nil || v.Type.Kind != types.String || utf8.RuneCount(v.Bytes(0)) != 1:
			return impl, fmt.Errorf("needs one constant character, or NULL, as argument %d", i+1)
		default:
			by[i-1], _ = utf8.DecodeRune(v.Bytes(0))
		}
	}
	m := masking{by[0], by[1], by[2], by[3]}
	impl.Eval = texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		if args[0].IsNull(r) {
			return nil
		}
		for _, ch := range args[0].Text(r) {
			if to := m.of(ch); to >= 0 {
				ch = to
			}
			dst = utf8.AppendRune(dst, ch)
		}
		return dst
	})
	return impl, nil
}

// appendQuoted puts s between quotes, with an escape before each quote in it.
func appendQuoted(dst, s []byte, quote, escape byte) []byte {
	dst = append(dst, quote)
	for _, ch := range s {
		if ch == quote {
			dst = append(dst, escape)
		}
		dst = append(dst, ch)
	}
	return append(dst, quote)
}

func appendIdent(dst, s []byte) []byte {
	plain := len(s) > 0 && (s[0] < '0' || s[0] > '9')
	for _, ch := range s {
		plain = plain && (ch == '_' || ch >= 'a' && ch <= 'z' || ch >= '0' && ch <= '9')
	}
	if plain {
		return append(dst, s...)
	}
	return appendQuoted(dst, s, '"', '"')
}

// buildSentences ends a sentence behind ! and ?, and behind a full stop that a blank
// and anything but a small letter follow. Sentences without words are left out.
func buildSentences(b *vec.Builder, s []byte) {
	words := b.Child(0)
	open, end := false, false
	for len(s) > 0 {
		if n := wordLen(s); n > 0 {
			first, _ := utf8.DecodeRune(s)
			if end && open && !unicode.IsLower(first) {
				words.EndList()
			}
			open, end = true, false
			words.Child(0).AppendBytes(s[:n])
			s = s[n:]
			continue
		}
		ch, size := utf8.DecodeRune(s)
		s = s[size:]
		switch {
		case (ch == '!' || ch == '?') && open:
			words.EndList()
			open, end = false, false
		case ch == '.' || ch == '…':
			end = true
		}
	}
	if open {
		words.EndList()
	}
	b.EndList()
}

// wordLen is the length of the word at the start of s: letters and digits, with
// single marks between them.
func wordLen(s []byte) int {
	n := 0
	for n < len(s) {
		ch, size := utf8.DecodeRune(s[n:])
		if unicode.IsLetter(ch) || unicode.IsDigit(ch) || n > 0 && unicode.Is(unicode.M, ch) {
			n += size
			continue
		}
		next, _ := utf8.DecodeRune(s[n+size:])
		inside := n > 0 && (ch == '\'' || ch == '.' || ch == '-' || ch == '_' || ch == '’' || ch == ',' && unicode.IsDigit(next))
		if !inside || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			break
		}
		n += size
	}
	return n
}
