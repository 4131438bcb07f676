package scalar

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func regexps() []*fn.Scalar {
	group := "Regular expressions"
	return []*fn.Scalar{
		{
			Name: "rlike", Aliases: []string{"regexp_like", "regexp", "$~"}, Group: group,
			Syntax:   []string{"a RLIKE pattern", "regexp_like(a, pattern [, 'flags'])"},
			Doc:      "Is true where the regular expression (RE2 syntax) matches somewhere in the text. $ is the end of the text, not a place before a last line end as in Java. Flags: i without regard to case, s . takes line ends, m ^ and $ at line ends, l literally.",
			Examples: []fn.Example{{SQL: "'row 42' RLIKE '[0-9]+'", Want: "true"}, {SQL: "regexp_like('row', '^o')", Want: "false"}, {SQL: "regexp_like(NULL, 'a')", Want: "NULL"}},
			Resolve: resolveRegexp(boolean, 2, []types.Type{text, text}, func(re *pattern, args []*vec.Vector, r int, out *vec.Vector, dst []byte) ([]byte, string) {
				out.Bool[r] = truth(re.match(args[0].Bytes(r)))
				return dst, ""
			}),
		},
		{
			Name: "regexp_ilike", Group: group, Syntax: []string{"a ~* pattern", "regexp_ilike(a, pattern)"},
			Doc:      "Is rlike without regard to case.",
			Examples: []fn.Example{{SQL: "regexp_ilike('ROW', 'o')", Want: "true"}, {SQL: "regexp_ilike(NULL, 'a')", Want: "NULL"}},
			Resolve:  rewritten(2, func(s string, _ []fn.Arg) (string, error) { return "(?i)" + s, nil }),
		},
		{
			Name: "similar_to", Group: group, Syntax: []string{"a SIMILAR TO pattern [ESCAPE c]"},
			Doc:      "Matches the whole text against an SQL pattern: % and _ as in LIKE, with | * + ? {n} ( ) and [ ] as in regular expressions.",
			Examples: []fn.Example{{SQL: "similar_to('abc', '%(b|d)_')", Want: "true"}, {SQL: "similar_to(NULL, 'a')", Want: "NULL"}},
			Resolve:  rewritten(3, similarPattern),
		},
		{
			Name: "regexp_full_match", Group: group, Syntax: []string{"regexp_full_match(a, pattern [, 'flags'])"},
			Doc:      "Is true where the regular expression matches the whole text.",
			Examples: []fn.Example{{SQL: "regexp_full_match('42', '[0-9]+')", Want: "true"}, {SQL: "regexp_full_match('row 42', '[0-9]+')", Want: "false"}, {SQL: "regexp_full_match(NULL, 'a')", Want: "NULL"}},
			Resolve: rewritten(3, func(s string, args []fn.Arg) (string, error) {
				flags, err := flagsArg(args, 2)
				return `\A(?:` + flags.pattern(s) + `)\z`, err
			}),
		},
		{
			Name: "regexp_escape", Group: group, Syntax: []string{"regexp_escape(a)"},
			Doc:      "Puts a backslash before every character but letters, digits and underscores, so that a text is a regular expression for itself.",
			Examples: []fn.Example{{SQL: "regexp_escape('a.b')", Want: `a\.b`}, {SQL: "regexp_escape(NULL)", Want: "NULL"}},
			Resolve:  fixed(text, texts(func(dst []byte, args []*vec.Vector, r int) []byte { return escapeRegexp(dst, args[0].Bytes(r)) }), text),
		},
		{
			Name: "regexp_extract", Group: group, Syntax: []string{"regexp_extract(a, pattern [, group])", "regexp_extract(a, pattern, names)"},
			Doc:      "Is the part of the first match that the group (1 by default, 0 = the whole match) captured, and '' if there is no match. With a list of names it is a struct of the groups.",
			Examples: []fn.Example{{SQL: "regexp_extract('id=17&x', 'id=([0-9]+)', 1)", Want: "17"}, {SQL: "regexp_extract('id=17', '[0-9]+', 0)", Want: "17"}, {SQL: "regexp_extract('a=1', '(.)=(.)', array('k', 'v'))", Want: `{"k":"a","v":"1"}`}, {SQL: "regexp_extract(NULL, 'a', 0)", Want: "NULL"}},
			Resolve:  namedGroups(false, withGroup(resolveRegexp(text, 2, []types.Type{text, text, integer}, regexpExtract))),
		},
		{
			Name: "regexp_substr", Group: group, Syntax: []string{"regexp_substr(a, pattern)"},
			Doc:      "Is the first match, and NULL if there is none.",
			Examples: []fn.Example{{SQL: "regexp_substr('row 42', '[0-9]+')", Want: "42"}, {SQL: "regexp_substr('row', '[0-9]+')", Want: "NULL"}},
			Resolve: resolveRegexp(text, 2, []types.Type{text, text}, func(re *pattern, args []*vec.Vector, r int, out *vec.Vector, dst []byte) ([]byte, string) {
				s := args[0].Bytes(r)
				var room [2 * maxGroups]int
				if m := re.find(s, room[:0]); m != nil {
					return append(dst, s[m[0]:m[1]]...), ""
				}
				out.SetNull(r)
				return dst, ""
			}),
		},
		{
			Name: "regexp_replace", Group: group, Syntax: []string{"regexp_replace(a, pattern [, replacement [, start]])", "regexp_replace(a, pattern, replacement, 'flags')", "regexp_replace(a, pattern, replacement, start, n [, 'flags'])"},
			Doc:      "Replaces every match from a position on; $1 or ${name} in the replacement stand for a group, and a dollar is \\$. With flags (g every match, i without regard to case) it replaces only the first match unless g is one of them, as in Postgres and DuckDB. With n it replaces the n-th match from the position on, with 0 all of them.",
			Examples: []fn.Example{{SQL: "regexp_replace('a1b22', '[0-9]+', '#')", Want: "a#b#"}, {SQL: "regexp_replace('ab', '(a)(b)', '$2$1')", Want: "ba"}, {SQL: "regexp_replace('ABA', 'a', '-', 'i')", Want: "-BA"}, {SQL: "regexp_replace('a1b22', '[0-9]+')", Want: "ab"}, {SQL: "regexp_replace('aAa', 'a', '-', 1, 2, 'i')", Want: "a-a"}, {SQL: "regexp_replace('aAa', 'a', '-', 1, 3)", Want: "aAa"}, {SQL: "regexp_replace('hi', '(h|i)?', 'x')", Want: "xxx"}, {SQL: "regexp_replace(NULL, 'a', 'b')", Want: "NULL"}},
			Resolve:  resolveReplace,
		},
		{
			Name: "regexp_count", Group: group, Syntax: []string{"regexp_count(a, pattern [, start] [, 'flags'])"},
			Doc:      "Counts the matches that do not overlap, from a character on. As in Spark, an empty match counts also where it stands directly behind another.",
			Examples: []fn.Example{{SQL: "regexp_count('a1b22', '[0-9]')", Want: "3"}, {SQL: "regexp_count('a1b22', '[0-9]', 3)", Want: "2"}, {SQL: "regexp_count('aab', 'a*')", Want: "3"}, {SQL: "regexp_count(NULL, 'a')", Want: "NULL"}},
			Resolve:  resolveCount,
		},
		{
			Name: "regexp_instr", Group: group, Syntax: []string{"regexp_instr(a, pattern [, group])"},
			Doc:      "Is the position of the first match, counted from 1 in characters, and 0 if there is none; a group changes nothing, as in Spark.",
			Examples: []fn.Example{{SQL: "regexp_instr('row 42', '[0-9]')", Want: "5"}, {SQL: "regexp_instr(NULL, 'a')", Want: "NULL"}},
			Resolve: resolveRegexp(integer, 2, []types.Type{text, text, integer}, func(re *pattern, args []*vec.Vector, r int, out *vec.Vector, dst []byte) ([]byte, string) {
				s := args[0].Bytes(r)
				out.I64[r] = 0
				var room [2 * maxGroups]int
				if m := re.find(s, room[:0]); m != nil {
					out.I64[r] = int64(runes(s[:m[0]])) + 1
				}
				return dst, ""
			}),
		},
		{
			Name: "regexp_extract_all", Group: group, Syntax: []string{"regexp_extract_all(a, pattern [, group])", "regexp_extract_all(a, pattern, names)"},
			Doc:      "Lists what the group (1 by default, 0 = the whole match) captured in every match. With a list of names its elements are structs of the groups.",
			Examples: []fn.Example{{SQL: "regexp_extract_all('a1b22', '[0-9]+', 0)", Want: `["1","22"]`}, {SQL: "regexp_extract_all('a1b', '(.)(1)?', array('c', 'n'))", Want: `[{"c":"a","n":"1"},{"c":"b","n":null}]`}, {SQL: "regexp_extract_all(NULL, 'a', 0)", Want: "NULL"}},
			Resolve:  namedGroups(true, withGroup(resolveExtractAll)),
		},
		{
			Name: "regexp_match", Group: group, Syntax: []string{"regexp_match(a, pattern)"},
			Doc:      "Lists the groups of the first match (the whole match if the pattern has none), and is NULL if there is none.",
			Examples: []fn.Example{{SQL: "regexp_match('k=v', '(.)=(.)')", Want: `["k","v"]`}, {SQL: "regexp_match('k', '=')", Want: "NULL"}},
			Resolve:  resolveMatch,
		},
	}
}

// pattern is a compiled expression with the text that every match must contain.
type pattern struct {
	*regexp.Regexp
	need []byte
	fast *fastProgram // nil = Regexp alone
	// behind finds a match behind one character; nil = no match is empty.
	behind *regexp.Regexp
}

func compile(s string) (*pattern, error) {
	if msg := regexpProblem(s); msg != "" {
		return nil, errors.New(msg)
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, err
	}
	p := &pattern{Regexp: re}
	if tree, err := syntax.Parse(s, syntax.Perl); err == nil {
		tree = tree.Simplify()
		p.need, p.fast, p.behind = []byte(required(tree)), newFastProgram(tree), behindOne(tree)
	}
	return p, nil
}

// required is the longest literal that every match contains, "" if none is found.
func required(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if lit := required(sub); len(lit) > len(best) {
				best = lit
			}
		}
		return best
	}
	return ""
}

func (p *pattern) may(s []byte) bool { return len(p.need) == 0 || bytes.Contains(s, p.need) }

func (p *pattern) match(s []byte) bool {
	var room [2 * maxGroups]int
	return p.find(s, room[:0]) != nil
}

// find appends the bounds of the first match and of its groups to dst; nil = none.
func (p *pattern) find(s []byte, dst []int) []int {
	if !p.may(s) {
		return nil
	}
	if p.fast != nil {
		if m, decided := p.fast.find(s, dst); decided {
			return m
		}
	}
	return p.FindSubmatchIndex(s)
}

// patterns caches the last pattern that was used, for patterns that are not
// constant.
type patternCache struct {
	fixed *pattern
	flags regexpFlags
	last  *pattern
	text  string
	// translate makes a regular expression of a pattern in another notation; nil = it is one.
	translate func(s string) (string, error)
}

func (c *patternCache) at(v *vec.Vector, r int) (*pattern, error) {
	if c.fixed != nil {
		return c.fixed, nil
	}
	s := v.Text(r)
	if c.last != nil && c.text == s {
		return c.last, nil
	}
	expression, err := strings.Clone(s), error(nil)
	if c.translate != nil {
		expression, err = c.translate(expression)
	}
	if err != nil {
		return nil, err
	}
	p, err := compile(c.flags.pattern(expression))
	if err == nil {
		c.last, c.text = p, strings.Clone(s)
	}
	return p, err
}

// constPattern compiles a constant pattern once, when the query is planned.
func constPattern(args []fn.Arg, i int, flags regexpFlags) (*pattern, error) {
	s, ok := constText(args, i)
	if !ok {
		return nil, nil
	}
	p, err := compile(flags.pattern(strings.Clone(s)))
	if err != nil {
		return nil, fmt.Errorf("needs a regular expression as argument %d: %s %v", i+1, fn.Quote(s), err)
	}
	return p, nil
}

// regexpOne computes row r: it stores a fixed-width result in out, or appends text to
// dst. msg ≠ "" is a failure.
type regexpOne = func(re *pattern, args []*vec.Vector, r int, out *vec.Vector, dst []byte) (res []byte, msg string)

func resolveRegexp(result types.Type, least int, want []types.Type, one regexpOne) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := optional(least, result, nil, append(want[:len(want):len(want)], text)...)(args)
		if err != nil {
			return impl, err
		}
		flags, err := flagsArg(args, len(want))
		if err != nil {
			return impl, err
		}
		fixed, err := constPattern(args, 1, flags)
		if err != nil {
			return impl, err
		}
		most := len(want)
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return evalRegexp(c, result, patternCache{fixed: fixed, flags: flags}, one, args[:min(most, len(args))], rows)
		}
		return impl, nil
	}
}

func evalRegexp(c *fn.Ctx, result types.Type, cache patternCache, one regexpOne, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
	out := c.New(result, rows.N)
	var buf []byte
	err := try(rows, func(r int) error {
		re, err := cache.at(args[1], r)
		if err != nil {
			return c.Fail(out, r, "regular expression", fn.Quote(args[1].Text(r)), err.Error())
		}
		from := len(buf)
		var msg string
		if buf, msg = one(re, args, r, out, buf); msg != "" {
			return c.Fail(out, r, "regular expression", fn.Quote(re.String()), msg)
		}
		if out.Str != nil {
			out.Str[r] = vec.StrRef{Off: uint32(from), Len: uint32(len(buf) - from)}
		}
		return nil
	})
	out.Buf = buf
	return out, err
}

// groupOf is the group that argument i names, 1 by default.
func groupOf(re *pattern, args []*vec.Vector, i, r int) (group int, msg string) {
	group = 1
	if i < len(args) {
		group = int(args[i].Int(r))
	}
	if group < 0 || group > re.NumSubexp() {
		return 0, noGroup(re, group)
	}
	return group, ""
}

// noGroup says that a pattern does not have a group.
func noGroup(re *pattern, group int) string {
	return fmt.Sprintf("has %d groups, not %d; group 0 is the whole match", re.NumSubexp(), group)
}

// withGroup refuses a group that a constant pattern does not have when the query is planned.
func withGroup(other resolver) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := other(args)
		if err != nil || len(args) > 3 {
			return impl, err
		}
		group := 1
		if len(args) == 3 {
			c := args[2].Const
			if c == nil || !args[2].Type.IsInteger() || c.IsNull(0) {
				return impl, nil
			}
			group = int(c.Int(0))
		}
		re, err := constPattern(args, 1, regexpFlags{})
		if err != nil || re == nil || group >= 0 && group <= re.NumSubexp() {
			return impl, nil
		}
		return impl, fmt.Errorf("needs another group: the pattern %s %s", fn.Quote(re.String()), noGroup(re, group))
	}
}

func regexpExtract(re *pattern, args []*vec.Vector, r int, _ *vec.Vector, dst []byte) ([]byte, string) {
	group, msg := groupOf(re, args, 2, r)
	if msg != "" {
		return dst, msg
	}
	s := args[0].Bytes(r)
	var room [2 * maxGroups]int
	m := re.find(s, room[:0])
	if m == nil || m[2*group] < 0 {
		return dst, ""
	}
	return append(dst, s[m[2*group]:m[2*group+1]]...), ""
}

// resolveLists resolves a function of a regular expression with an ARRAY result.
func resolveLists(least int, want []types.Type, one func(b *vec.Builder, re *pattern, args []*vec.Vector, r int) string) resolver {
	result := types.ArrayOf(text)
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := optional(least, result, nil, append(want[:len(want):len(want)], text)...)(args)
		if err != nil {
			return impl, err
		}
		flags, err := flagsArg(args, len(want))
		if err != nil {
			return impl, err
		}
		fixed, err := constPattern(args, 1, flags)
		if err != nil {
			return impl, err
		}
		most := len(want)
		impl.Eval = tryBuilt(result, func(b *vec.Builder, args []*vec.Vector, r int) error {
			re, args := fixed, args[:min(most, len(args))]
			if re == nil {
				var err error
				if re, err = compile(flags.pattern(strings.Clone(args[1].Text(r)))); err != nil {
					return &fn.DataError{Func: "regular expression", Value: fn.Quote(args[1].Text(r)), Row: r, Msg: err.Error()}
				}
			}
			if msg := one(b, re, args, r); msg != "" {
				return &fn.DataError{Func: "regular expression", Value: fn.Quote(re.String()), Row: r, Msg: msg}
			}
			return nil
		})
		return impl, nil
	}
}

func resolveExtractAll(args []fn.Arg) (fn.Impl, error) {
	return resolveLists(2, []types.Type{text, text, integer}, func(b *vec.Builder, re *pattern, args []*vec.Vector, r int) string {
		group, msg := groupOf(re, args, 2, r)
		if msg != "" {
			return msg
		}
		s := args[0].Bytes(r)
		for _, m := range re.all(s, -1) {
			if m[2*group] < 0 {
				b.Child(0).AppendString("")
				continue
			}
			b.Child(0).AppendBytes(s[m[2*group]:m[2*group+1]])
		}
		b.EndList()
		return ""
	})(args)
}

func resolveMatch(args []fn.Arg) (fn.Impl, error) {
	return resolveLists(2, []types.Type{text, text}, func(b *vec.Builder, re *pattern, args []*vec.Vector, r int) string {
		s := args[0].Bytes(r)
		var room [2 * maxGroups]int
		m := re.find(s, room[:0])
		if m == nil {
			b.AppendNull()
			return ""
		}
		if len(m) > 2 {
			m = m[2:]
		}
		for i := 0; i < len(m); i += 2 {
			if m[i] < 0 {
				b.Child(0).AppendNull()
				continue
			}
			b.Child(0).AppendBytes(s[m[i]:m[i+1]])
		}
		b.EndList()
		return ""
	})(args)
}

// rewritten is rlike with a pattern that is translated first.
func rewritten(most int, translate func(s string, args []fn.Arg) (string, error)) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		impl, err := optional(2, boolean, nil, same(text, most)...)(args)
		if err != nil {
			return impl, err
		}
		s, ok := constText(args, 1)
		if !ok {
			impl.Eval = translated(func(s string) (string, error) { return translate(s, args) })
			return impl, nil
		}
		expression, err := translate(strings.Clone(s), args)
		if err != nil {
			return impl, err
		}
		re, err := compile(expression)
		if err != nil {
			return impl, fmt.Errorf("needs a pattern as argument 2: %v", err)
		}
		impl.Eval = bools(func(args []*vec.Vector, r int) bool { return re.match(args[0].Bytes(r)) })
		return impl, nil
	}
}

// resolveCount is regexp_count, with or without a place to start from.
func resolveCount(args []fn.Arg) (fn.Impl, error) {
	want := []types.Type{text, text}
	if len(args) > 2 && args[2].Type.IsInteger() {
		want = append(want, integer)
	}
	return resolveRegexp(integer, 2, want, func(re *pattern, args []*vec.Vector, r int, out *vec.Vector, dst []byte) ([]byte, string) {
		s := args[0].Bytes(r)
		if len(args) > 2 {
			start := args[2].Int(r)
			if start < 1 {
				return dst, "places count from 1"
			}
			s = s[byRunes.index(s, int(start)-1):]
		}
		out.I64[r] = int64(len(re.all(s, -1)))
		return dst, ""
	})(args)
}

// translated matches patterns that are no constants.
func translated(translate func(s string) (string, error)) fn.Kernel {
	return func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		return evalRegexp(c, boolean, patternCache{translate: translate}, func(re *pattern, args []*vec.Vector, r int, out *vec.Vector, dst []byte) ([]byte, string) {
			out.Bool[r] = truth(re.match(args[0].Bytes(r)))
			return dst, ""
		}, args[:2], rows)
	}
}

func escapeRegexp(dst, s []byte) []byte {
	for _, ch := range s {
		if !alphanumeric(ch) && ch != '_' && ch < utf8.RuneSelf {
			dst = append(dst, '\\')
		}
		dst = append(dst, ch)
	}
	return dst
}

// similarPattern turns an SQL pattern into a regular expression for the whole text. A quote behind
// the escape is a mark of SUBSTRING … SIMILAR, and matches nothing.
func similarPattern(s string, args []fn.Arg) (string, error) {
	escape := `\`
	if len(args) > 2 {
		var ok bool
		if escape, ok = constText(args, 2); !ok || runes([]byte(escape)) > 1 {
			return "", fmt.Errorf("needs one constant character as argument 3")
		}
	}
	var b strings.Builder
	b.WriteString("(?s)^(?:")
	class := false
	for len(s) > 0 {
		_, size := utf8.DecodeRuneInString(s)
		ch := s[:size]
		s = s[size:]
		switch {
		case ch == escape && s != "" && s[0] == '"':
			s = s[1:]
		case ch == escape && s != "":
			_, size = utf8.DecodeRuneInString(s)
			b.WriteString(regexp.QuoteMeta(s[:size]))
			s = s[size:]
		case class && ch != `\`:
			class = ch != "]"
			b.WriteString(ch)
		case ch == "%":
			b.WriteString(".*")
		case ch == "_":
			b.WriteString(".")
		case ch == "." || ch == "^" || ch == "$" || ch == `\`:
			b.WriteString(`\` + ch)
		default:
			class = ch == "["
			b.WriteString(ch)
		}
	}
	b.WriteString(")$")
	return b.String(), nil
}
