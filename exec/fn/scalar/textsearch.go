package scalar

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// searches are the functions that look for one text in another, or replace it.
func searches() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "instr", Aliases: []string{"strpos"}, Group: "Text", Syntax: []string{"instr(a, part)", "strpos(a, part)"},
			Doc:      "Is the position of the first occurrence of part in a, 0 if there is none; of BYTES in bytes.",
			Examples: []fn.Example{{SQL: "instr('stream', 're')", Want: "3"}, {SQL: "instr(unhex('102023'), unhex('23'))", Want: "3"}, {SQL: "instr('stream', NULL)", Want: "NULL"}},
			Resolve: inBytes(func(t types.Type, position positioner) resolver {
				return fixed(integer, ints(integer, func(args []*vec.Vector, r int) int64 { return position(args[0].Bytes(r), args[1].Bytes(r), 1) }), t, t)
			}),
		},
		{
			Name: "position", Aliases: []string{"locate", "charindex"}, Group: "Text", Syntax: []string{"position(part IN a)", "locate(part, a [, start])"},
			Doc:      "Is the position of the first occurrence of part in a from a start on, 0 if there is none; an empty part is at 1.",
			Examples: []fn.Example{{SQL: "locate('a', 'banana', 3)", Want: "4"}, {SQL: "position('x', 'abc')", Want: "0"}, {SQL: "position(NULL, 'abc')", Want: "NULL"}},
			Resolve: inBytes(func(t types.Type, position positioner) resolver {
				return optional(2, integer, ints(integer, func(args []*vec.Vector, r int) int64 {
					start := int64(1)
					if len(args) > 2 {
						start = args[2].Int(r)
					}
					return position(args[1].Bytes(r), args[0].Bytes(r), start)
				}), t, t, integer)
			}),
		},
		finder("starts_with", []string{"startswith", "prefix"}, "starts", "starts_with('stream', 'st')", bytes.HasPrefix),
		finder("ends_with", []string{"endswith", "suffix"}, "ends", "ends_with('stream', 'am')", bytes.HasSuffix),
		{
			Name: "contains", Group: "Text", Syntax: []string{"contains(a, part)"}, Doc: "Is true where a text contains another, or an array an element.",
			Examples: []fn.Example{{SQL: "contains('stream', 're')", Want: "true"}, {SQL: "contains(NULL, 'a')", Want: "NULL"}}, Resolve: resolveContains,
		},
		{
			Name: "replace", Group: "Text", Syntax: []string{"replace(a, from [, to])"}, Doc: "Replaces every occurrence of a text, or removes it.",
			Examples: []fn.Example{{SQL: "replace('banana', 'an', '-')", Want: "b--a"}, {SQL: "replace('banana', 'an')", Want: "ba"}, {SQL: "replace(NULL, 'a', 'b')", Want: "NULL"}},
			Resolve:  optional(2, text, tryTexts(text, "replace", replace), text, text, text),
		},
		{
			Name: "translate", Group: "Text", Syntax: []string{"translate(a, from, to)"},
			Doc:      "Replaces each character of from by the one at the same place in to; characters without one are removed.",
			Examples: []fn.Example{{SQL: "translate('hello', 'lo', '01')", Want: "he001"}, {SQL: "translate(NULL, 'a', 'b')", Want: "NULL"}},
			Resolve:  fixed(text, texts(translate), text, text, text),
		},
		{
			Name: "overlay", Group: "Text", Syntax: []string{"overlay(a PLACING b FROM start [FOR length])"},
			Doc:      "Replaces length characters of a text, or bytes of BYTES, (as many as b has by default) from a position on.",
			Examples: []fn.Example{{SQL: "overlay('abcdef', 'X', 2, 3)", Want: "aXef"}, {SQL: "overlay(NULL, 'X', 2)", Want: "NULL"}},
			Resolve: func(args []fn.Arg) (fn.Impl, error) {
				if len(args) > 1 && args[0].Type.Kind == types.Bytes {
					return optional(3, blob, bytesOf(blob, overlay(byBytes)), blob, blob, integer, integer)(args)
				}
				return optional(3, text, texts(overlay(byRunes)), text, text, integer, integer)(args)
			},
		},
		{
			Name: "split", Aliases: []string{"regexp_split_to_array", "string_split_regex", "str_split_regex"}, Group: "Text", Syntax: []string{"split(a, pattern [, limit])"},
			Doc:      "Splits a text at the matches of a regular expression into an array of at most limit parts.",
			Examples: []fn.Example{{SQL: "split('a,b,', ',')", Want: `["a","b",""]`}, {SQL: "split('a,b,c', ',', 2)", Want: `["a","b,c"]`}, {SQL: "split(NULL, ',')", Want: "NULL"}},
			Resolve:  resolveSplit,
		},
		{
			Name: "string_split", Aliases: []string{"str_split"}, Group: "Text", Syntax: []string{"string_split(a, separator)"},
			Doc:      "Splits a text at a separator, which is taken literally; at an empty one into characters, as in DuckDB.",
			Examples: []fn.Example{{SQL: "string_split('a.b', '.')", Want: `["a","b"]`}, {SQL: "string_split('ab', '')", Want: `["a","b"]`}, {SQL: "string_split(NULL, '.')", Want: "NULL"}},
			Resolve: fixed(types.ArrayOf(text), built(types.ArrayOf(text), func(b *vec.Builder, args []*vec.Vector, r int) {
				if len(args[1].Bytes(r)) == 0 {
					splitCharacters(b, args[0].Bytes(r))
					return
				}
				splitLiteral(b, args[0].Bytes(r), args[1].Bytes(r), -1)
			}), text, text),
		},
		{
			Name: "string_to_array", Group: "Text", Nulls: fn.Custom, Syntax: []string{"string_to_array(a, separator [, null_text])"},
			Doc:      "Splits a text as Postgres does: an empty text has no parts, an empty separator leaves one, a NULL separator cuts it into characters, and a part that equals null_text is NULL.",
			Examples: []fn.Example{{SQL: "string_to_array('a.b', '.')", Want: `["a","b"]`}, {SQL: "string_to_array('a,-', ',', '-')", Want: `["a",null]`}, {SQL: "string_to_array('ab', NULL)", Want: `["a","b"]`}, {SQL: "string_to_array(NULL, '.')", Want: "NULL"}},
			Resolve:  optional(2, types.ArrayOf(text), built(types.ArrayOf(text), stringToArray), text, text, text),
		},
		{
			Name: "soundex", Group: "Text", Syntax: []string{"soundex(a)"}, Doc: "Is the Soundex code of a word; a text that does not begin with a Latin letter stays as it is.",
			Examples: []fn.Example{{SQL: "soundex('Robert')", Want: "R163"}, {SQL: "soundex(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return appendSoundex(dst, args[0].Bytes(r)) }), text),
		},
	}
}

func finder(name string, aliases []string, verb, example string, f func(s, part []byte) bool) *fn.Scalar {
	return &fn.Scalar{
		Name: name, Aliases: aliases, Group: "Text", Syntax: []string{name + "(a, part)"}, Doc: "Is true where a text " + verb + " with another.",
		Examples: []fn.Example{{SQL: example, Want: "true"}, {SQL: name + "(NULL, 'a')", Want: "NULL"}},
		Resolve:  searching(f),
	}
}

// searching resolves a test of two STRINGs, or two BYTES.
func searching(f func(s, part []byte) bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		t := text
		if len(args) == 2 && (args[0].Type.Kind == types.Bytes || args[1].Type.Kind == types.Bytes) {
			t = blob
		}
		return fixed(boolean, bools(func(args []*vec.Vector, r int) bool { return f(args[0].Bytes(r), args[1].Bytes(r)) }), t, t)(args)
	}
}

// position finds part in s from character start on.
func position(s, part []byte, start int64) int64 {
	switch {
	case start < 1:
		return 0
	case len(part) == 0:
		return 1
	}
	from := runeIndex(s, int(start-1))
	i := bytes.Index(s[from:], part)
	if i < 0 {
		return 0
	}
	return int64(runes(s[:from+i])) + 1
}

func resolveContains(args []fn.Arg) (fn.Impl, error) {
	if len(args) == 2 && args[0].Type.Kind == types.Array {
		return resolveArrayContains(args)
	}
	return searching(bytes.Contains)(args)
}

func replace(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	s, from, begin := args[0].Bytes(r), args[1].Bytes(r), len(dst)
	var to []byte
	if len(args) > 2 {
		to = args[2].Bytes(r)
	}
	if len(from) == 0 {
		return append(dst, s...), "", ""
	}
	for {
		i := bytes.Index(s, from)
		if i < 0 {
			return append(dst, s...), "", ""
		}
		dst = append(append(dst, s[:i]...), to...)
		if s = s[i+len(from):]; len(dst)-begin > maxText {
			return nil, "", tooLong
		}
	}
}

func translate(dst []byte, args []*vec.Vector, r int) []byte {
	from, to := []rune(args[1].Text(r)), []rune(args[2].Text(r))
	for _, ch := range args[0].Text(r) {
		i := 0
		for i < len(from) && from[i] != ch {
			i++
		}
		switch {
		case i == len(from):
			dst = utf8.AppendRune(dst, ch)
		case i < len(to):
			dst = utf8.AppendRune(dst, to[i])
		}
	}
	return dst
}

// overlay puts together what substring finds before and behind, as Spark does, also for
// positions outside of the text.
func overlay(count counting) func(dst []byte, args []*vec.Vector, r int) []byte {
	return func(dst []byte, args []*vec.Vector, r int) []byte {
		s, b, start := args[0].Bytes(r), args[1].Bytes(r), int(args[2].Int(r))
		n, have := count.len(b), count.len(s)
		if len(args) > 3 && args[3].Int(r) >= 0 {
			n = int(args[3].Int(r))
		}
		dst = append(dst, s[:count.index(s, start-1)]...)
		dst = append(dst, b...)
		from := start + n
		switch {
		case from > 0:
			from--
		case from < 0:
			from += have
		}
		return append(dst, s[count.index(s, from):]...)
	}
}

func resolveSplit(args []fn.Arg) (fn.Impl, error) {
	want := []types.Type{text, text, integer}
	list := types.ArrayOf(text)
	sep, ok := constText(args, 1)
	if ok && sep != "" && !strings.ContainsAny(sep, `\.+*?()|[]{}^$`) {
		literal := []byte(strings.Clone(sep))
		return optional(2, list, built(list, func(b *vec.Builder, args []*vec.Vector, r int) {
			splitLiteral(b, args[0].Bytes(r), literal, limitOf(args, r))
		}), want...)(args)
	}
	return resolveLists(2, want, func(b *vec.Builder, re *pattern, args []*vec.Vector, r int) string {
		splitPattern(b, re, args[0].Bytes(r), limitOf(args, r))
		return ""
	})(args)
}

func limitOf(args []*vec.Vector, r int) int {
	if len(args) > 2 {
		if n := int(args[2].Int(r)); n > 0 {
			return n
		}
	}
	return -1
}

// splitCharacters makes a part of each character; an empty text is one part.
func splitCharacters(b *vec.Builder, s []byte) {
	if len(s) == 0 {
		b.Child(0).AppendBytes(s)
	}
	for len(s) > 0 {
		_, size := utf8.DecodeRune(s)
		b.Child(0).AppendBytes(s[:size])
		s = s[size:]
	}
	b.EndList()
}

func stringToArray(b *vec.Builder, args []*vec.Vector, r int) {
	if args[0].IsNull(r) {
		b.AppendNull()
		return
	}
	put := func(part []byte) {
		if len(args) > 2 && !args[2].IsNull(r) && bytes.Equal(part, args[2].Bytes(r)) {
			b.Child(0).AppendNull()
			return
		}
		b.Child(0).AppendBytes(part)
	}
	s := args[0].Bytes(r)
	for whole := !args[1].IsNull(r); len(s) > 0; {
		if !whole {
			_, size := utf8.DecodeRune(s)
			put(s[:size])
			s = s[size:]
			continue
		}
		sep := args[1].Bytes(r)
		i := bytes.Index(s, sep)
		if len(sep) == 0 || i < 0 {
			put(s)
			break
		}
		put(s[:i])
		if s = s[i+len(sep):]; len(s) == 0 {
			put(s)
		}
	}
	b.EndList()
}

func splitLiteral(b *vec.Builder, s, sep []byte, limit int) {
	out := b.Child(0)
	for limit != 1 && len(sep) > 0 {
		i := bytes.Index(s, sep)
		if i < 0 {
			break
		}
		out.AppendBytes(s[:i])
		s = s[i+len(sep):]
		limit--
	}
	out.AppendBytes(s)
	b.EndList()
}

// splitPattern follows java.lang.String.split with a limit: an empty match at the
// start gives no empty part. The empty pattern gives no part behind the last character.
func splitPattern(b *vec.Builder, re *pattern, s []byte, limit int) {
	out := b.Child(0)
	last := 0
	for _, m := range re.all(s, -1) {
		if limit == 1 {
			break
		}
		if m[1] == 0 || m[0] == m[1] && m[0] == len(s) && re.String() == "" {
			continue
		}
		out.AppendBytes(s[last:m[0]])
		last = m[1]
		limit--
	}
	out.AppendBytes(s[last:])
	b.EndList()
}

// soundexCodes are the digits of A to Z: 7 marks letters (H, W) that do not separate
// equal codes, 0 the vowels that do.
const soundexCodes = "01230127022455012623017202"

func appendSoundex(dst, s []byte) []byte {
	letter := func(ch byte) byte {
		if ch >= 'a' && ch <= 'z' {
			ch ^= 0x20
		}
		return ch
	}
	if len(s) == 0 || letter(s[0]) < 'A' || letter(s[0]) > 'Z' {
		return append(dst, s...)
	}
	start := len(dst)
	dst = append(dst, letter(s[0]))
	last := soundexCodes[letter(s[0])-'A']
	for _, ch := range s[1:] {
		if ch = letter(ch); ch < 'A' || ch > 'Z' {
			last = '0'
			continue
		}
		code := soundexCodes[ch-'A']
		if code >= '1' && code <= '6' && code != last {
			if dst = append(dst, code); len(dst)-start == 4 {
				return dst
			}
		}
		if code != '7' {
			last = code
		}
	}
	for len(dst)-start < 4 {
		dst = append(dst, '0')
	}
	return dst
}

// positioner finds a part from a start on, and counts from 1.
type positioner func(s, part []byte, start int64) int64

// inBytes resolves a function of two texts for two BYTES as well, whose places are bytes.
func inBytes(of func(t types.Type, position positioner) resolver) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if len(args) > 1 && (args[0].Type.Kind == types.Bytes || args[1].Type.Kind == types.Bytes) {
			return of(blob, bytePosition)(args)
		}
		return of(text, position)(args)
	}
}

func bytePosition(s, part []byte, start int64) int64 {
	if start < 1 || start > int64(len(s))+1 {
		return 0
	}
	if i := bytes.Index(s[start-1:], part); i >= 0 {
		return int64(i) + start
	}
	return 0
}
