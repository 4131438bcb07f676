package scalar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// replacement is what stands for a match: literal text and groups.
type replacement []replacementPart

type replacementPart struct {
	text  string
	group int // −1 = text
}

// parseReplacement reads $1, ${name}, and \x, which is x, but a group if x is a digit. A
// group has as many digits as there are groups, as in Java.
func parseReplacement(s string, re *pattern) (parts replacement, msg string) {
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			parts = append(parts, replacementPart{lit.String(), -1})
			lit.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		escaped := s[i] == '\\'
		if !escaped && s[i] != '$' {
			lit.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return nil, "the replacement ends with " + s[i-1:]
		}
		switch {
		case s[i] >= '0' && s[i] <= '9':
			group := int(s[i] - '0')
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' && group*10+int(s[i+1]-'0') <= re.NumSubexp() {
				i++
				group = group*10 + int(s[i]-'0')
			}
			if group > re.NumSubexp() {
				return nil, fmt.Sprintf("has %d groups, not %d", re.NumSubexp(), group)
			}
			flush()
			parts = append(parts, replacementPart{group: group})
		case escaped:
			lit.WriteByte(s[i])
		case s[i] == '{' && strings.IndexByte(s[i:], '}') > 0:
			name := s[i+1 : i+strings.IndexByte(s[i:], '}')]
			group := re.SubexpIndex(name)
			if n, err := strconv.Atoi(name); err == nil && n <= re.NumSubexp() {
				group = n
			}
			if group < 0 {
				return nil, "has no group " + fn.Quote(name)
			}
			flush()
			parts = append(parts, replacementPart{group: group})
			i += len(name) + 1
		default:
			return nil, `the replacement has $ without a group; a dollar is written \$`
		}
	}
	flush()
	return parts, ""
}

func (t replacement) append(dst, s []byte, m []int) []byte {
	for _, p := range t {
		switch {
		case p.group < 0:
			dst = append(dst, p.text...)
		case m[2*p.group] >= 0:
			dst = append(dst, s[m[2*p.group]:m[2*p.group+1]]...)
		}
	}
	return dst
}

// resolveReplace resolves regexp_replace: without flags every match is replaced, with
// flags the first, unless g is one of them; with 5 or 6 arguments the match that is counted.
func resolveReplace(args []fn.Arg) (fn.Impl, error) {
	want := []types.Type{text, text, text, integer, integer, text}
	flags, flagged := regexpFlags{all: true}, len(args) == 4 && args[3].Type.Kind == types.String && !isNumber(args[3])
	if flagged {
		var err error
		if flags, err = flagsArg(args, 3); err != nil {
			return fn.Impl{}, err
		}
		want[3] = text
	}
	if len(args) == 6 {
		var err error
		if flags, err = flagsArg(args, 5); err != nil {
			return fn.Impl{}, err
		}
		flags.all = true
	}
	impl, err := optional(2, text, nil, want...)(args)
	if err != nil {
		return impl, err
	}
	fixed, err := constPattern(args, 1, flags)
	if err != nil {
		return impl, err
	}
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		if len(args) == 2 {
			args = append(args[:2:2], vec.NewConst(text, "", rows.N))
		}
		r := replacer{cache: patternCache{fixed: fixed, flags: flags}, all: flags.all, placed: len(args) > 3 && !flagged}
		return tryTexts(text, "regexp_replace", r.one)(c, args, rows)
	}
	return impl, nil
}

func isNumber(a fn.Arg) bool {
	s, ok := constText([]fn.Arg{a}, 0)
	_, err := strconv.Atoi(s)
	return ok && err == nil
}

// replacer is the state of one batch: the last pattern and replacement.
type replacer struct {
	cache    patternCache
	all      bool
	placed   bool // argument 4 is where to begin
	re       *pattern
	template replacement
	source   string // of template
}

// counted is how many matches the one that argument 5 counts needs, -1 for all of them.
func counted(args []*vec.Vector, r int) (n int, msg string) {
	if len(args) < 5 {
		return -1, ""
	}
	switch nth := args[4].Int(r); {
	case nth < 0:
		return 0, "matches are counted from 1, and 0 is all of them"
	case nth > 0:
		return int(nth), ""
	}
	return -1, ""
}

func (p *replacer) one(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	s, from := args[0].Bytes(r), len(dst)
	re, err := p.cache.at(args[1], r)
	if err != nil {
		return nil, fn.Quote(args[1].Text(r)), err.Error()
	}
	if p.placed {
		at := args[3].Int(r)
		if at < 1 {
			return nil, fmt.Sprint(at), "positions are counted from 1"
		}
		i := runeIndex(s, int(at-1))
		dst, s = append(dst, s[:i]...), s[i:]
		if i > 0 && len(s) == 0 {
			return dst, "", ""
		}
	}
	if !re.may(s) {
		return append(dst, s...), "", ""
	}
	n, msg := counted(args, r)
	if msg != "" {
		return nil, fmt.Sprint(args[4].Int(r)), msg
	}
	if !p.all {
		n = 1
	}
	last, found := 0, re.all(s, n)
	if len(args) > 4 && n > 0 {
		found = found[min(n-1, len(found)):]
	}
	for _, m := range found {
		if to := args[2].Text(r); p.re != re || p.source != to {
			if p.template, msg = parseReplacement(strings.Clone(to), re); msg != "" {
				return nil, fn.Quote(re.String()), msg
			}
			p.re, p.source = re, strings.Clone(to)
		}
		dst = p.template.append(append(dst, s[last:m[0]]...), s, m)
		if last = m[1]; len(dst)-from > maxText {
			return nil, "", tooLong
		}
	}
	return append(dst, s[last:]...), "", ""
}
