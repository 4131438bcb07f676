package scalar

import (
	"unicode"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// graphemes are the functions that count what a reader sees as one character: a letter
// with its accents, a flag, a family of people. The rules are those of Unicode's annex 29
// for extended grapheme clusters.
func graphemes() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "length_grapheme", Group: "Text", Syntax: []string{"length_grapheme(a)"}, Doc: "Counts what a reader sees as characters: a letter with its accents is one, an emoji of several code points too.",
			Examples: []fn.Example{{SQL: "length_grapheme('e\u0301a')", Want: "2"}, {SQL: "length('e\u0301a')", Want: "3"}, {SQL: "length_grapheme(NULL)", Want: "NULL"}},
			Resolve:  fixed(bigint, ints(bigint, func(args []*vec.Vector, r int) int64 { return int64(clusters(args[0].Bytes(r))) }), text),
		},
		{
			Name: "left_grapheme", Group: "Text", Syntax: []string{"left_grapheme(a, n)"}, Doc: "Is the first n characters of a text as a reader sees them, or all but the last -n for a negative n.",
			Examples: []fn.Example{{SQL: "left_grapheme('🤦🏼\u200d♂️ab', 2)", Want: "🤦🏼\u200d♂️a"}, {SQL: "left_grapheme('abc', -1)", Want: "ab"}, {SQL: "left_grapheme(NULL, 1)", Want: "NULL"}},
			Resolve: fixed(text, slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
				n := args[1].Int(r)
				if n < 0 {
					n += int64(clusters(s))
				}
				return 0, clusterIndex(s, n)
			}), text, bigint),
		},
		{
			Name: "right_grapheme", Group: "Text", Syntax: []string{"right_grapheme(a, n)"}, Doc: "Is the last n characters of a text as a reader sees them, or all but the first -n for a negative n.",
			Examples: []fn.Example{{SQL: "right_grapheme('ab🤦🏼\u200d♂️', 2)", Want: "b🤦🏼\u200d♂️"}, {SQL: "right_grapheme('abc', -1)", Want: "bc"}, {SQL: "right_grapheme(NULL, 1)", Want: "NULL"}},
			Resolve: fixed(text, slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
				n := args[1].Int(r)
				if n >= 0 {
					return clusterIndex(s, int64(clusters(s))-min(n, int64(len(s)))), len(s)
				}
				return clusterIndex(s, -max(n, -int64(len(s)))), len(s)
			}), text, bigint),
		},
		{
			Name: "substring_grapheme", Group: "Text", Syntax: []string{"substring_grapheme(a, start [, length])"},
			Doc:      "Is the part from a character as a reader sees it, counted from 1, or from the end if it is negative. A negative length goes backwards from there.",
			Examples: []fn.Example{{SQL: "substring_grapheme('ne\u0301e', 2, 1)", Want: "e\u0301"}, {SQL: "substring_grapheme('abcd', -1, -2)", Want: "bc"}, {SQL: "substring_grapheme(NULL, 1)", Want: "NULL"}},
			Resolve:  optional(2, text, slices(substringGrapheme), text, bigint, bigint),
		},
		{
			Name: "reverse_grapheme", Group: "Text", Syntax: []string{"reverse_grapheme(a)"}, Doc: "Reverses a text, and leaves together what a reader sees as one character.",
			Examples: []fn.Example{{SQL: "reverse_grapheme('ae\u0301')", Want: "e\u0301a"}, {SQL: "reverse_grapheme(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(reverseGrapheme), text),
		},
	}
}

// substringGrapheme has the places of DuckDB's substring: from the place 0 the part has a
// character less.
func substringGrapheme(s []byte, args []*vec.Vector, r int) (int, int) {
	n := int64(clusters(s))
	limit := n + 2 // beyond it all numbers mean the same
	start := min(max(args[1].Int(r), -limit), limit)
	if start < 0 {
		start = max(start+n+1, 1)
	}
	from, to := start, limit
	if len(args) > 2 {
		length := min(max(args[2].Int(r), -2*limit), 2*limit)
		from, to = start+min(length, 0), start+max(length, 0)
	}
	from, to = min(max(from, 1), n+1), min(max(to, 1), n+1)
	first := clusterIndex(s, from-1)
	return first, first + clusterIndex(s[first:], max(to-from, 0))
}

func reverseGrapheme(dst []byte, args []*vec.Vector, r int) []byte {
	s := args[0].Bytes(r)
	at := len(dst)
	dst = append(dst, s...)
	end := len(dst)
	for len(s) > 0 {
		n := clusterLen(s)
		end -= n
		copy(dst[end:], s[:n])
		s = s[n:]
	}
	return dst[:at+len(args[0].Bytes(r))]
}

// clusters counts the grapheme clusters of a text.
func clusters(s []byte) int {
	n := 0
	for len(s) > 0 {
		s = s[clusterLen(s):]
		n++
	}
	return n
}

// clusterIndex is where the n-th cluster begins, from 0: at most at the end.
func clusterIndex(s []byte, n int64) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		at += clusterLen(s[at:])
	}
	return at
}

// clusterLen is the length of the first grapheme cluster of a text that is not empty.
func clusterLen(s []byte) int {
	if len(s) > 1 && s[0] < utf8.RuneSelf && s[1] < utf8.RuneSelf { // the usual text
		if s[0] == '\r' && s[1] == '\n' {
			return 2
		}
		return 1
	}
	ch, at := utf8.DecodeRune(s)
	b := breaking{last: breakOf(ch), flags: boolInt(breakOf(ch) == regional), emoji: breakOf(ch) == pictograph}
	for at < len(s) {
		ch, size := utf8.DecodeRune(s[at:])
		if b.before(breakOf(ch)) {
			return at
		}
		at += size
	}
	return at
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// breaking is what the rules ask of the code points of a cluster so far.
type breaking struct {
	last  breakClass
	flags int  // regional indicators
	emoji bool // a pictograph, and only extensions or a joiner behind it
}

// before reports that a cluster ends before a code point, and takes it in if it does not.
func (b *breaking) before(next breakClass) bool {
	if b.ends(next) {
		return true
	}
	switch {
	case next == regional:
		b.flags++
	case next == pictograph:
		b.emoji = true
	case next != extend && next != joiner:
		b.emoji = false
	}
	b.last = next
	return false
}

func (b *breaking) ends(next breakClass) bool {
	switch {
	case b.last == carriage && next == newline:
		return false
	case b.last <= control || next <= control:
		return true
	case next == extend || next == joiner || next == spacing || b.last == prepend:
		return false
	case b.last == hangulL:
		return next < hangulL || next > hangulLVT || next == hangulT
	case b.last == hangulV || b.last == hangulLV:
		return next != hangulV && next != hangulT
	case b.last == hangulT || b.last == hangulLVT:
		return next != hangulT
	case b.last == joiner && b.emoji && next == pictograph:
		return false
	case b.last == regional && next == regional:
		return b.flags%2 == 0
	}
	return true
}

// breakClass is what the rules call the property Grapheme_Cluster_Break.
type breakClass uint8

const (
	carriage breakClass = iota
	newline
	control
	other
	extend
	joiner
	spacing
	prepend
	regional
	pictograph
	hangulL
	hangulV
	hangulLV
	hangulLVT
	hangulT
)

func breakOf(ch rune) breakClass {
	switch {
	case ch == '\r':
		return carriage
	case ch == '\n':
		return newline
	case ch >= ' ' && ch < 0x7f:
		return other
	case ch == 0x200d:
		return joiner
	case ch >= 0x1f1e6 && ch <= 0x1f1ff:
		return regional
	case ch >= 0x1100 && ch <= 0xd7ff:
		if c := hangulOf(ch); c != other {
			return c
		}
	}
	switch {
	case unicode.In(ch, unicode.Mn, unicode.Me, unicode.Other_Grapheme_Extend) || ch >= 0x1f3fb && ch <= 0x1f3ff:
		return extend
	case unicode.Is(prepending, ch):
		return prepend
	case unicode.In(ch, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
		return control
	case unicode.Is(unicode.Mc, ch) && !unicode.Is(notSpacing, ch) || ch == 0x0e33 || ch == 0x0eb3:
		return spacing
	case unicode.Is(pictographs, ch):
		return pictograph
	}
	return other
}

// hangulOf is the class of Korean syllables and their parts.
func hangulOf(ch rune) breakClass {
	switch {
	case ch <= 0x115f || ch >= 0xa960 && ch <= 0xa97c:
		return hangulL
	case ch <= 0x11a7 || ch >= 0xd7b0 && ch <= 0xd7c6:
		return hangulV
	case ch <= 0x11ff || ch >= 0xd7cb && ch <= 0xd7fb:
		return hangulT
	case ch >= 0xac00 && ch <= 0xd7a3 && (ch-0xac00)%28 == 0:
		return hangulLV
	case ch >= 0xac00 && ch <= 0xd7a3:
		return hangulLVT
	}
	return other
}
