package scalar

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func patterns() []*fn.Scalar {
	return []*fn.Scalar{
		{
			Name: "like", Aliases: []string{"like_escape"}, Group: "Operators", Syntax: []string{"a LIKE pattern [ESCAPE c]", "like(a, pattern [, c])"},
			Doc:      `Matches the whole text: % stands for any text, _ for one character, and the escape character (\ by default) takes the next one as it is.`,
			Examples: []fn.Example{{SQL: "'late row' LIKE 'l%w'", Want: "true"}, {SQL: "'a_b' LIKE 'a!_b' ESCAPE '!'", Want: "true"}, {SQL: "'a' LIKE NULL", Want: "NULL"}},
			Resolve:  resolveLike(false),
		},
		{
			Name: "ilike", Aliases: []string{"ilike_escape"}, Group: "Operators", Syntax: []string{"a ILIKE pattern [ESCAPE c]", "ilike(a, pattern [, c])"},
			Doc:      "Is LIKE without regard to case.",
			Examples: []fn.Example{{SQL: "'Late' ILIKE 'l%'", Want: "true"}, {SQL: "NULL ILIKE 'l%'", Want: "NULL"}},
			Resolve:  resolveLike(true),
		},
	}
}

// likeMatcher decides whether a text matches one pattern.
type likeMatcher func(s []byte) bool

func resolveLike(fold bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 2, 3); err != nil {
			return fn.Impl{}, err
		}
		want := same(text, len(args))
		if err := matches(args, want); err != nil {
			return fn.Impl{}, err
		}
		impl := fn.Impl{Args: want, Result: boolean, Eval: likeKernel(fold), Safe: true}
		pattern, ok := constText(args, 1)
		escape := `\`
		if ok && len(args) == 3 {
			escape, ok = constText(args, 2)
		}
		if ok && utf8.RuneCountInString(escape) > 1 {
			return impl, fmt.Errorf("needs one character as escape, got %s", fn.Quote(escape))
		}
		impl.Safe = ok || len(args) == 2
		if ok {
			m := compileLike(pattern, escape, fold)
			impl.Eval = likeConstant(m)
		}
		return impl, nil
	}
}

func likeConstant(matches likeMatcher) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		in, out := args[0], c.New(boolean, rows.N)
		m := mask(in)
		each(rows, func(r int) {
			ref := in.Str[r&m]
			out.Bool[r] = truth(matches(in.Buf[ref.Off : ref.Off+ref.Len]))
		})
		return out, nil
	}
}

// likeKernel compiles the pattern again whenever it changes from row to row.
func likeKernel(fold bool) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		out := c.New(boolean, rows.N)
		var m likeMatcher
		var last, lastEscape string
		err := try(rows, func(r int) error {
			pattern, escape := args[1].Text(r), `\`
			if len(args) == 3 {
				escape = args[2].Text(r)
			}
			if utf8.RuneCountInString(escape) > 1 {
				return c.Fail(out, r, "like", fn.Quote(escape), "an escape is one character")
			}
			if m == nil || pattern != last || escape != lastEscape {
				m, last, lastEscape = compileLike(pattern, escape, fold), pattern, escape
			}
			out.Bool[r] = truth(m(args[0].Bytes(r)))
			return nil
		})
		return out, err
	}
}

// likePart is a literal character or a wildcard.
type likePart struct {
	kind byte // 'c' a character, '_' any one, '%' any text
	char rune
}

// compileLike recognises the patterns that are an equality, a prefix, a suffix or a
// substring.
func compileLike(pattern, escape string, fold bool) likeMatcher {
	parts := likeParts(pattern, escape)
	if !fold {
		if m := simpleLike(parts); m != nil {
			return m
		}
	}
	if fold {
		for i := range parts {
			parts[i].char = foldRune(parts[i].char)
		}
	}
	return func(s []byte) bool { return matchLike(s, parts, fold) }
}

func likeParts(pattern, escape string) []likePart {
	esc, _ := utf8.DecodeRuneInString(escape)
	if escape == "" {
		esc = -1
	}
	var parts []likePart
	escaped := false
	for _, ch := range pattern {
		switch {
		case !escaped && ch == esc:
			escaped = true
			continue
		case !escaped && ch == '%':
			if n := len(parts); n == 0 || parts[n-1].kind != '%' {
				parts = append(parts, likePart{kind: '%'})
			}
		case !escaped && ch == '_':
			parts = append(parts, likePart{kind: '_'})
		default:
			parts = append(parts, likePart{kind: 'c', char: ch})
		}
		escaped = false
	}
	if escaped { // a trailing escape stands for itself
		parts = append(parts, likePart{kind: 'c', char: esc})
	}
	return parts
}

func simpleLike(parts []likePart) likeMatcher {
	var lit strings.Builder
	front, back := false, false
	for i, p := range parts {
		switch {
		case p.kind == 'c':
			lit.WriteRune(p.char)
		case p.kind == '%' && i == 0:
			front = true
		case p.kind == '%' && i == len(parts)-1:
			back = true
		default:
			return nil
		}
	}
	want := []byte(lit.String())
	switch {
	case front && (back || len(want) == 0):
		return func(s []byte) bool { return bytes.Contains(s, want) }
	case front:
		return func(s []byte) bool { return bytes.HasSuffix(s, want) }
	case back:
		return func(s []byte) bool { return bytes.HasPrefix(s, want) }
	}
	return func(s []byte) bool { return string(s) == string(want) }
}

// matchLike goes back to the last % on a mismatch, which is enough for any pattern.
func matchLike(s []byte, parts []likePart, fold bool) bool {
	i, p := 0, 0
	back, resume := -1, 0
	for i < len(s) {
		ch, size := utf8.DecodeRune(s[i:])
		if fold {
			ch = foldRune(ch)
		}
		switch {
		case p < len(parts) && parts[p].kind == '%':
			p++
			back, resume = p, i
		case p < len(parts) && (parts[p].kind == '_' || parts[p].char == ch):
			p++
			i += size
		case back >= 0:
			_, skip := utf8.DecodeRune(s[resume:])
			resume += skip
			p, i = back, resume
		default:
			return false
		}
	}
	for p < len(parts) && parts[p].kind == '%' {
		p++
	}
	return p == len(parts)
}
