package scalar

import (
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// all are the bounds of the first n matches and of their groups, n < 0 = of all matches. They
// are those that Java, and so Spark, finds: directly behind a match that is not empty an empty
// one counts too. RE2 and so package regexp leave it out.
func (p *pattern) all(s []byte, n int) [][]int {
	found := p.FindAllSubmatchIndex(s, n)
	if p.behind == nil {
		return found
	}
	var out [][]int
	for i, m := range found {
		out = append(out, m)
		if m[0] == m[1] || i+1 < len(found) && found[i+1][0] == m[1] {
			continue
		}
		if e := p.emptyAt(s, m[1]); e != nil {
			out = append(out, e)
		}
	}
	if n >= 0 && len(out) > n {
		out = out[:n]
	}
	return out
}

// emptyAt is the match at a place that is not the first, if that is empty; else nil.
func (p *pattern) emptyAt(s []byte, at int) []int {
	_, width := utf8.DecodeLastRune(s[:at])
	m := p.behind.FindSubmatchIndex(s[at-width:])
	if m == nil || m[1] != width {
		return nil
	}
	m[0] = width
	for i := range m {
		if m[i] >= 0 {
			m[i] += at - width
		}
	}
	return m
}

// behindOne is an expression behind one character at the start of a text, which is all that
// \b and ^ look at; nil = it has no empty match.
func behindOne(tree *syntax.Regexp) *regexp.Regexp {
	if !canBeEmpty(tree) {
		return nil
	}
	return regexp.MustCompile(`(?s:\A.)(?:` + tree.String() + `)`)
}

// canBeEmpty reports whether an expression may match nothing.
func canBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary,
		syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return canBeEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || canBeEmpty(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !canBeEmpty(sub) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if canBeEmpty(sub) {
				return true
			}
		}
	}
	return false
}
