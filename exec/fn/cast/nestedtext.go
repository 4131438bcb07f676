package cast

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file reads nested values from text, in the forms of DuckDB and JSON: [a, "b", NULL],
// {k: v}, for a map also {k=v}, for a struct also (a, b); and PostgreSQL's {a, b} for an
// array. Quotes stand around a whole value; a backslash makes the next character plain inside
// of them and in PostgreSQL's form, else only a quote. Brackets in a text are all its own.

// fromNestedText makes arrays, structs and maps of text. What is no such form fails, or is
// NULL with try; an element that does not convert fails, or is NULL itself.
func fromNestedText(to types.Type) fn.Kernel {
	return nestedKernel(to, func(c *fn.Ctx, b *vec.Builder, text []byte) string {
		rd := textReader{zone: c.Zone, lenient: c.NullOnError}
		if text = trim(text); !wellFormed(text, to) {
			b.AppendNull()
			return "not " + to.WithArticle()
		}
		rd.value(b, text, to, false)
		return rd.msg
	})
}

// wellFormed reports that a text has the brackets of a type, and those inside close.
func wellFormed(s []byte, t types.Type) bool {
	n := len(s)
	if n < 2 {
		return false
	}
	switch both := string(s[0]) + string(s[n-1]); {
	case both == "[]":
		return t.Kind == types.Array && splits(s[1:n-1], false, nil)
	case both == "{}":
		return splits(s[1:n-1], t.Kind == types.Array, nil)
	case both == "()":
		return t.Kind == types.Struct && splits(s[1:n-1], false, nil)
	}
	return false
}

// escapes reports that the backslash at i, outside of quotes, makes the next character plain:
// a quote, with all any.
func escapes(s []byte, i int, all bool) bool {
	return s[i] == '\\' && i+1 < len(s) && (all || s[i+1] == '"' || s[i+1] == '\'')
}

// splits cuts a text at the commas outside of quotes and brackets; false if those do not
// close. Nothing but blanks has no parts. all says what a backslash means (see escapes).
func splits(s []byte, all bool, part func(p []byte)) bool {
	if len(trim(s)) == 0 {
		return true
	}
	var open []byte
	from, fresh := 0, true // fresh: a quote here is around a value
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case escapes(s, i, all):
			i++
			fresh = false
		case (ch == '\'' || ch == '"') && fresh:
			if i = endOfQuotes(s, i); i >= len(s) {
				return false
			}
			fresh = false
		case ch == '[' || ch == '{' || ch == '(':
			open = append(open, ch)
			fresh = true
		case ch == ']' || ch == '}' || ch == ')':
			if len(open) == 0 || open[len(open)-1] != opener(ch) {
				return false
			}
			open = open[:len(open)-1]
			fresh = false
		case ch == ',' && len(open) == 0:
			if part != nil {
				part(s[from:i])
			}
			from, fresh = i+1, true
		case ch == ',' || ch == ':' || ch == '=':
			fresh = true
		case ch > ' ':
			fresh = false
		}
	}
	if part != nil {
		part(s[from:])
	}
	return len(open) == 0
}

func opener(ch byte) byte {
	switch ch {
	case ']':
		return '['
	case '}':
		return '{'
	}
	return '('
}

// endOfQuotes is the place of the quote that closes the one at i, or the end.
func endOfQuotes(s []byte, i int) int {
	q := s[i]
	for i++; i < len(s) && s[i] != q; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i
}

// textReader appends values to builders. msg tells of the first that does not fit; with
// lenient it is NULL instead.
type textReader struct {
	zone    *time.Location
	lenient bool
	msg     string
}

// value appends one; all says what a backslash means (see escapes).
func (rd *textReader) value(b *vec.Builder, s []byte, t types.Type, all bool) {
	s = trim(s)
	switch {
	case equalFold(s, "null"):
		b.AppendNull()
	case !t.IsNested() && t.Kind != types.JSON:
		if AppendParsed(b, plain(s, all), t, rd.zone) != nil {
			rd.misfit(b, s, t)
		}
	case t.Kind == types.JSON:
		if AppendParsed(b, s, t, rd.zone) != nil {
			rd.misfit(b, s, t)
		}
	case !wellFormed(unwrapped(s), t):
		rd.misfit(b, s, t)
	default:
		rd.nested(b, unwrapped(s), t)
	}
}

// unwrapped is a nested value without the quotes around it: JSON in a text has them.
func unwrapped(s []byte) []byte {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		return trim(bare(s, true))
	}
	return s
}

func (rd *textReader) nested(b *vec.Builder, s []byte, t types.Type) {
	inner := s[1 : len(s)-1]
	switch t.Kind {
	case types.Array:
		all := s[0] == '{'
		splits(inner, all, func(p []byte) { rd.value(b.Child(0), p, *t.Elem, all) })
		b.EndList()
	case types.Map:
		rd.entries(b, inner, t)
	default:
		rd.fields(b, s, t)
	}
}

// entries appends a map; a later entry of a key counts. NULL is no key, nor is, with lenient
// too, what does not convert: the text as a whole fails.
func (rd *textReader) entries(b *vec.Builder, inner []byte, t types.Type) {
	keys := vec.NewBuilder(*t.Key)
	strict := textReader{zone: rd.zone}
	var values [][]byte
	splits(inner, false, func(p []byte) {
		k, v, ok := keyed(p, '=', ':')
		if !ok || equalFold(k, "null") {
			strict.msg = "not " + t.WithArticle()
			return
		}
		strict.value(keys, k, *t.Key, false)
		values = append(values, v)
	})
	if strict.msg != "" {
		rd.msg = strict.msg
		b.AppendNull()
		return
	}
	own := keys.Finish()
	for i, v := range values {
		later := false
		for k := i + 1; k < len(values) && !later; k++ {
			later = vec.Same(own, i, own, k)
		}
		if !later {
			b.Child(0).AppendFrom(own, i)
			rd.value(b.Child(1), v, *t.Elem, false)
		}
	}
	b.EndList()
}

// fields appends a struct, by names or, in round brackets, by places.
func (rd *textReader) fields(b *vec.Builder, s []byte, t types.Type) {
	found := make([][]byte, len(t.Fields))
	n, ok := 0, true
	splits(s[1:len(s)-1], false, func(p []byte) {
		at := n
		if s[0] != '(' {
			k, v, named := keyed(p, ':', '=')
			p, at = v, -1
			for i, f := range t.Fields {
				if named && strings.EqualFold(f.Name, string(bare(k, false))) {
					at = i
				}
			}
		}
		if n++; at < 0 || at >= len(found) || found[at] != nil {
			ok = false
			return
		}
		found[at] = p
	})
	if !ok || s[0] == '(' && n != len(found) {
		rd.misfit(b, s, t)
		return
	}
	for i, f := range t.Fields {
		if found[i] == nil {
			b.Child(i).AppendNull()
			continue
		}
		rd.value(b.Child(i), found[i], f.Type, false)
	}
	b.EndStruct()
}

// keyed cuts an entry at the first of a mark outside of quotes and brackets, else at the
// first of the other.
func keyed(p []byte, marks ...byte) (key, value []byte, ok bool) {
	p = trim(p)
	for _, mark := range marks {
		depth := 0
		for i := 0; i < len(p); i++ {
			switch ch := p[i]; {
			case escapes(p, i, false):
				i++
			case (ch == '\'' || ch == '"') && i == 0:
				i = endOfQuotes(p, i)
			case ch == '[' || ch == '{' || ch == '(':
				depth++
			case ch == ']' || ch == '}' || ch == ')':
				depth--
			case ch == mark && depth == 0:
				return trim(p[:i]), trim(p[i+1:]), true
			}
		}
	}
	return nil, nil, false
}

// plain is the text of a value: one in brackets is as it is written.
func plain(s []byte, all bool) []byte {
	if n := len(s); !all && n > 1 && (s[0] == '{' && s[n-1] == '}' || s[0] == '[' && s[n-1] == ']') {
		return s
	}
	return bare(s, all)
}

// bare is a value without its quotes and backslashes.
func bare(s []byte, all bool) []byte {
	if len(s) > 1 && (s[0] == '\'' || s[0] == '"') && endOfQuotes(s, 0) == len(s)-1 {
		s, all = s[1:len(s)-1], true
	}
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if escapes(s, i, all) {
			i++
		}
		_, n := utf8.DecodeRune(s[i:])
		out = append(out, s[i:i+n]...)
		i += n - 1
	}
	return out
}

func (rd *textReader) misfit(b *vec.Builder, s []byte, t types.Type) {
	if rd.msg == "" && !rd.lenient {
		rd.msg = fn.Quote(string(s)) + " is not " + t.WithArticle() + ", in"
	}
	b.AppendNull()
}
