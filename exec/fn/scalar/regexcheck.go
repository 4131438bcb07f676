package scalar

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// This file knows what RE2, whose time is linear in the text, lacks beside the regular
// expressions of Java and Perl, and what to write instead; and the flags of Postgres
// and DuckDB.

// lacking are constructs that RE2 refuses, by how they begin.
func lacking() [][2]string {
	return [][2]string{
		{"(?=", "looks ahead with (?=, which RE2 does not have: match what follows too and take a group, or test it in a second condition"},
		{"(?!", "looks ahead with (?!, which RE2 does not have: exclude it in a second condition with NOT"},
		{"(?<=", "looks behind with (?<=, which RE2 does not have: match what comes before too and take a group"},
		{"(?<!", "looks behind with (?<!, which RE2 does not have: exclude it in a second condition with NOT"},
		{"(?>", "has an atomic group (?>, which RE2 does not need: write (?:"},
		{`\k<`, `refers back to a group with \k, which RE2 cannot do: take both parts with regexp_extract and compare them`},
		{`\Z`, `has \Z, which RE2 does not have: write \n?\z`},
		{`\G`, `has \G, which RE2 does not have`},
		{`\h`, `has \h, which RE2 does not have: write [ \t]`},
		{`\H`, `has \H, which RE2 does not have: write [^ \t]`},
		{`\R`, `has \R, which RE2 does not have: write (?:\r\n|[\n\r])`},
		{`\X`, `has \X, which RE2 does not have: write .`},
		{`\e`, `has \e, which RE2 does not have: write \x1b`},
		{`\p{Alpha}`, `has \p{Alpha}, which RE2 calls [[:alpha:]]`},
		{`\p{Digit}`, `has \p{Digit}, which RE2 calls [[:digit:]]`},
		{`\p{Alnum}`, `has \p{Alnum}, which RE2 calls [[:alnum:]]`},
		{`\p{Punct}`, `has \p{Punct}, which RE2 calls [[:punct:]]`},
		{`\p{Upper}`, `has \p{Upper}, which RE2 calls [[:upper:]]`},
		{`\p{Lower}`, `has \p{Lower}, which RE2 calls [[:lower:]]`},
		{`\p{Space}`, `has \p{Space}, which RE2 calls [[:space:]]`},
		{`\p{Is`, `has \p{Is…}, which RE2 writes without Is, such as \p{L} or \p{Greek}`},
		{`\p{java`, `has \p{java…}, which RE2 does not have: \p{L} is a letter, \p{Lu} a capital one`},
	}
}

// regexpProblem says which construct RE2 does not have, or would read otherwise than
// Java; "" = none is known.
func regexpProblem(s string) string {
	class, nested := 0, false // where the class under way begins, from 1
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == '\\' && i+1 < len(s):
			if msg := beginsWith(s[i:]); msg != "" {
				return msg
			}
			if s[i+1] >= '1' && s[i+1] <= '9' && class == 0 {
				return fmt.Sprintf(`refers back to a group with \%c, which RE2 cannot do: take both parts with regexp_extract and compare them`, s[i+1])
			}
			if s[i+1] == 'Q' {
				return ""
			}
			i++
		case class > 0 && ch == ']' && i > class:
			if nested && strings.HasPrefix(s[i+1:], "]") {
				return "has a class in a class, which RE2 does not have: write one class"
			}
			class, nested = 0, false
		case class > 0 && strings.HasPrefix(s[i:], "[:"):
			i += max(strings.Index(s[i:], ":]"), 0) + 1
		case class > 0 && strings.HasPrefix(s[i:], "&&"):
			return "intersects classes with &&, which RE2 does not do: write the class out"
		case class > 0:
			nested = nested || ch == '['
		case ch == '[':
			if class = i + 1; strings.HasPrefix(s[i+1:], "^") {
				class++
			}
			i = class - 1
		case ch == '(':
			if msg := beginsWith(s[i:]); msg != "" {
				return msg
			}
		case i > 0 && ch == '+' && strings.IndexByte("+*?}", s[i-1]) >= 0 && (i < 2 || s[i-2] != '\\'):
			return fmt.Sprintf("repeats with %s, which RE2 does not need: write %c", s[i-1:i+1], s[i-1])
		}
	}
	return ""
}

func beginsWith(s string) string {
	for _, l := range lacking() {
		if strings.HasPrefix(s, l[0]) {
			return l[1]
		}
	}
	return ""
}

// regexpFlags are the letters behind a pattern.
type regexpFlags struct {
	prefix  string // what stands before the pattern
	literal bool   // the pattern is no expression
	all     bool   // every match, not the first alone
}

func (f regexpFlags) pattern(s string) string {
	if f.literal {
		s = regexp.QuoteMeta(s)
	}
	return f.prefix + s
}

// flagsArg reads constant flags as argument i, if there are so many.
func flagsArg(args []fn.Arg, i int) (f regexpFlags, err error) {
	if i >= len(args) {
		return f, nil
	}
	s, ok := constText(args, i)
	if args[i].Type.Kind == types.Null {
		return f, nil
	}
	if !ok {
		return f, fmt.Errorf("needs constant flags as argument %d", i+1)
	}
	fold := false
	for _, ch := range s {
		switch ch {
		case 'g':
			f.all = true
		case 'i':
			fold = true
		case 'c':
			fold = false
		case 's':
			f.prefix += "(?s)"
		case 'm':
			f.prefix += "(?m)"
		case 'l', 'q':
			f.literal = true
		default:
			return f, fmt.Errorf("does not know the flag %q; there are g (every match), i (without regard to case), c (with), s (. takes line ends), m (^ and $ at line ends) and l (literally)", string(ch))
		}
	}
	if fold {
		f.prefix += "(?i)"
	}
	return f, nil
}
