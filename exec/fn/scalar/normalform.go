package scalar

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file brings texts to the normal forms of Unicode, in which a letter with its accents
// is either one character or several.

func normalForms() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "normalize", Aliases: []string{"nfc_normalize"}, Group: "Text", Syntax: []string{"normalize(a [, 'NFC' | 'NFD' | 'NFKC' | 'NFKD'])"},
			Doc:      "Brings a text to a normal form of Unicode, NFC without one, so that letters with accents are equal however they were written.",
			Examples: []fn.Example{{SQL: "length(normalize(normalize('é', 'NFD')))", Want: "1"}, {SQL: "length(normalize('é', 'NFD'))", Want: "2"}, {SQL: "normalize('ﬁ', 'NFKC')", Want: "fi"}, {SQL: "normalize(NULL)", Want: "NULL"}},
			Resolve:  resolveNormalize,
		},
		{
			Name: "strip_accents", Group: "Text", Syntax: []string{"strip_accents(a)"},
			Doc:      "Takes the accents and other marks off the letters. A letter that only looks like another with a mark, such as ø or ł, stays.",
			Examples: []fn.Example{{SQL: "strip_accents('Mühleisen, Łódź')", Want: "Muhleisen, Łodz"}, {SQL: "strip_accents(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return appendPlain(dst, args[0].Bytes(r)) }), text),
		},
	}
}

var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func resolveNormalize(args []fn.Arg) (fn.Impl, error) {
	form := norm.NFC
	if len(args) == 2 {
		name, ok := constText(args, 1)
		if form, ok = forms[strings.ToUpper(name)]; !ok {
			return fn.Impl{}, fmt.Errorf("needs 'NFC', 'NFD', 'NFKC' or 'NFKD' as argument 2")
		}
	}
	return optional(1, text, texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		return append(dst, formed(dst, args[0].Bytes(r), form)...)
	}), text, text)(args)
}

// formed is s in a normal form. It may lie behind dst, in what dst has to spare.
func formed(dst, s []byte, form norm.Form) []byte {
	if ascii(s) {
		return s
	}
	return form.Append(dst[len(dst):], s...)
}

// appendPlain appends s without marks, in NFC.
func appendPlain(dst, s []byte) []byte {
	if ascii(s) {
		return append(dst, s...)
	}
	apart := norm.NFD.Bytes(s)
	plain := apart[:0:0]
	for i := 0; i < len(apart); {
		ch, size := utf8.DecodeRune(apart[i:])
		if !unicode.Is(unicode.M, ch) {
			plain = append(plain, apart[i:i+size]...)
		}
		i += size
	}
	return append(dst, formed(dst, plain, norm.NFC)...)
}
