package scalar

import (
	"bytes"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// parts are the functions that take a part of a text, or pad it.
func parts() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "substring", Aliases: []string{"substr", "mid"}, Group: "Text", Syntax: []string{"substring(a, start [, length])", "substring(a FROM start FOR length)"},
			Doc:      "Is the part from a character, counted from 1, or from the end if it is negative.",
			Examples: []fn.Example{{SQL: "substring('stream', 2, 3)", Want: "tre"}, {SQL: "substring('stream', -3)", Want: "eam"}, {SQL: "substring(NULL, 1)", Want: "NULL"}},
			Resolve:  resolveSubstring,
		},
		{
			Name: "left", Group: "Text", Syntax: []string{"left(a, n)"}, Doc: "Is the first n characters of a text, or bytes of BYTES; nothing for a negative n.",
			Examples: []fn.Example{{SQL: "left('stream', 2)", Want: "st"}, {SQL: "left(NULL, 2)", Want: "NULL"}},
			Resolve: bytesOrTextAnd(func(count counting) fn.Kernel {
				return slices(func(s []byte, args []*vec.Vector, r int) (int, int) { return 0, count.index(s, int(args[1].Int(r))) })
			}, bigint),
		},
		{
			Name: "right", Group: "Text", Syntax: []string{"right(a, n)"}, Doc: "Is the last n characters of a text, or bytes of BYTES; nothing for a negative n.",
			Examples: []fn.Example{{SQL: "right('stream', 2)", Want: "am"}, {SQL: "right(NULL, 2)", Want: "NULL"}},
			Resolve: bytesOrTextAnd(func(count counting) fn.Kernel {
				return slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
					return count.index(s, count.len(s)-int(max(args[1].Int(r), 0))), len(s)
				})
			}, bigint),
		},
		trimmer("trim", []string{"btrim"}, "on both sides", "trim('  a ')", "a", true, true),
		trimmer("ltrim", nil, "on the left", "concat(ltrim('  a '), '.')", "a .", true, false),
		trimmer("rtrim", nil, "on the right", "concat('.', rtrim(' a  '))", ". a", false, true),
		padder("lpad", true, "left", "lpad('7', 3, '0')", "007"),
		padder("rpad", false, "right", "rpad('7', 3, '0')", "700"),
		{
			Name: "split_part", Group: "Text", Syntax: []string{"split_part(a, separator, n)"},
			Doc:      "Is the n-th part of a text between separators, from 1, or from the end if n is negative; '' if there are fewer, and an error for 0. An empty separator leaves one part, the text.",
			Examples: []fn.Example{{SQL: "split_part('a,b,c', ',', 2)", Want: "b"}, {SQL: "split_part('a,b,c', ',', -1)", Want: "c"}, {SQL: "split_part(NULL, ',', 1)", Want: "NULL"}},
			Resolve:  fixed(text, tryTexts(text, "split_part", splitPart), text, text, integer),
		},
		{
			Name: "split_index", Group: "Text", Syntax: []string{"split_index(a, separator, n)"},
			Doc:      "Is the n-th part of a text between separators, from 0; NULL if there are fewer.",
			Examples: []fn.Example{{SQL: "split_index('a,b,c', ',', 0)", Want: "a"}, {SQL: "split_index('a', ',', 1)", Want: "NULL"}},
			Resolve: fixed(text, slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
				return nthPart(s, args[1].Bytes(r), int(args[2].Int(r)))
			}), text, text, integer),
		},
		{
			Name: "substring_index", Group: "Text", Syntax: []string{"substring_index(a, separator, n)"},
			Doc:      "Is everything before the n-th separator, or after the n-th from the end if n is negative; separators may overlap.",
			Examples: []fn.Example{{SQL: "substring_index('a.b.c', '.', 2)", Want: "a.b"}, {SQL: "substring_index('a.b.c', '.', -1)", Want: "c"}, {SQL: "substring_index(NULL, '.', 1)", Want: "NULL"}},
			Resolve:  fixed(text, slices(substringIndex), text, text, integer),
		},
	}
}

func resolveSubstring(args []fn.Arg) (fn.Impl, error) {
	if len(args) > 0 && args[0].Type.Kind == types.Bytes {
		return optional(2, blob, slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
			return window(len(s), args, r)
		}), blob, integer, integer)(args)
	}
	return optional(2, text, slices(substring), text, integer, integer)(args)
}

// window is the half-open range of characters that start and length select of n.
func window(n int, args []*vec.Vector, r int) (from, to int) {
	start := int(args[1].Int(r))
	switch {
	case start > 0:
		start--
	case start < 0:
		start += n
	}
	end := n
	if len(args) > 2 {
		end = start + int(max(args[2].Int(r), 0))
	}
	from = max(min(start, n), 0)
	return from, max(min(end, n), from)
}

func substring(s []byte, args []*vec.Vector, r int) (int, int) {
	start := int(args[1].Int(r))
	if start > 0 && len(args) > 2 { // no need to count the whole text
		from := runeIndex(s, start-1)
		return from, from + runeIndex(s[from:], int(max(args[2].Int(r), 0)))
	}
	from, to := window(runes(s), args, r)
	first := runeIndex(s, from)
	return first, first + runeIndex(s[first:], to-from)
}

// trimmer makes the trim functions: of blanks, or of the characters of a second
// argument.
func trimmer(name string, aliases []string, where, example, want string, left, right bool) *fn.Scalar {
	kernel := slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
		set := " "
		if len(args) > 1 {
			set = args[1].Text(r)
		}
		from, to := 0, len(s)
		if left {
			from = len(s) - len(bytes.TrimLeft(s, set))
		}
		if right {
			to = from + len(bytes.TrimRight(s[from:], set))
		}
		return from, to
	})
	cut := slices(func(s []byte, args []*vec.Vector, r int) (int, int) {
		return trimBytes(s, args[1].Bytes(r), left, right)
	})
	return &fn.Scalar{
		Name: name, Aliases: aliases, Group: "Text", Syntax: []string{name + "(a [, characters])"},
		Doc:      "Removes blanks, or any of the given characters, " + where + "; of BYTES, any of the given bytes.",
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if len(args) == 2 && args[0].Type.Kind == types.Bytes && args[1].Type.Kind == types.Bytes {
				return fixed(blob, cut, blob, blob)(args)
			}
			return optional(1, text, kernel, text, text)(args)
		},
	}
}

func padder(name string, left bool, side, example, want string) *fn.Scalar {
	kernel := func(t types.Type, count counting) fn.Kernel {
		return tryTexts(t, name, func(dst []byte, args []*vec.Vector, r int) ([]byte, string, string) {
			s, n, fill := args[0].Bytes(r), int(args[1].Int(r)), count.blank
			if len(args) > 2 {
				fill = args[2].Bytes(r)
			}
			if n > maxText/4 {
				return nil, "", tooLong
			}
			have := count.len(s)
			if have >= n || len(fill) == 0 {
				return append(dst, s[:count.index(s, n)]...), "", ""
			}
			if !left {
				dst = append(dst, s...)
			}
			dst = count.fill(dst, fill, n-have)
			if left {
				dst = append(dst, s...)
			}
			return dst, "", ""
		})
	}
	return &fn.Scalar{
		Name: name, Group: "Text", Syntax: []string{name + "(a, n [, fill])"},
		Doc:      "Brings a text to n characters, or BYTES to n bytes: pads on the " + side + " with blanks (zeros) or the given fill, or cuts.",
		Examples: []fn.Example{{SQL: example, Want: want}, {SQL: name + "(NULL, 3)", Want: "NULL"}},
		Resolve: func(args []fn.Arg) (fn.Impl, error) {
			if len(args) > 0 && args[0].Type.Kind == types.Bytes {
				return optional(2, blob, kernel(blob, byBytes), blob, bigint, blob)(args)
			}
			return optional(2, text, kernel(text, byRunes), text, bigint, text)(args)
		},
	}
}

// appendFill appends n characters of a repeated fill.
func appendFill(dst, fill []byte, n int) []byte {
	for n > 0 {
		rest := fill
		for len(rest) > 0 && n > 0 {
			_, size := utf8.DecodeRune(rest)
			dst = append(dst, rest[:size]...)
			rest = rest[size:]
			n--
		}
	}
	return dst
}

// nthPart finds the n-th part between separators, from 0; −1 if there are fewer.
func nthPart(s, sep []byte, n int) (from, to int) {
	if n < 0 || len(sep) == 0 && n > 0 {
		return -1, -1
	}
	if len(sep) == 0 {
		return 0, len(s)
	}
	for ; ; n-- {
		i := bytes.Index(s[from:], sep)
		switch {
		case n == 0 && i < 0:
			return from, len(s)
		case n == 0:
			return from, from + i
		case i < 0:
			return -1, -1
		}
		from += i + len(sep)
	}
}

func splitPart(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	s, sep, n := args[0].Bytes(r), args[1].Bytes(r), int(args[2].Int(r))
	switch {
	case n == 0:
		return nil, "0", "parts are counted from 1, or from -1 at the end"
	case n < 0 && len(sep) == 0:
		n += 2
	case n < 0:
		n += bytes.Count(s, sep) + 2
	}
	if from, to := nthPart(s, sep, n-1); from >= 0 {
		return append(dst, s[from:to]...), "", ""
	}
	return dst, "", ""
}

func substringIndex(s []byte, args []*vec.Vector, r int) (int, int) {
	sep, n := args[1].Bytes(r), int(args[2].Int(r))
	if n == 0 || len(sep) == 0 {
		return 0, 0
	}
	if n < 0 {
		end := len(s)
		for ; n < 0; n++ {
			i := bytes.LastIndex(s[:min(end+len(sep)-1, len(s))], sep)
			if i < 0 {
				return 0, len(s)
			}
			end = i
		}
		return end + len(sep), len(s)
	}
	at := -1
	for ; n > 0; n-- {
		i := bytes.Index(s[at+1:], sep)
		if i < 0 {
			return 0, len(s)
		}
		at += i + 1
	}
	return 0, at
}
