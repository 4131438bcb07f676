package scalar

import (
	"bytes"
	"regexp/syntax"
)

// This file runs regular expressions by backtracking, which for the short patterns of
// SQL is several times faster than package regexp. It gives up, and regexp decides,
// on text that is not ASCII, on long patterns, and when it took too many steps.

// Limits of the backtracker.
const (
	maxProgram = 200   // instructions
	maxGroups  = 10    // capturing groups, the whole match included
	maxSteps   = 4_000 // per search
)

// fastProgram is a compiled pattern.
type fastProgram struct {
	inst  []syntax.Inst
	table [][128]bool // by instruction: which characters it takes
	start int
	caps  int // numbers in a match: two for each group
	// need is text that every match contains, at most lead characters behind its start;
	// lead −1 = anywhere.
	need []byte
	lead int
}

// newFastProgram returns nil for patterns that are left to package regexp.
func newFastProgram(re *syntax.Regexp) *fastProgram {
	need, lead := leading(re)
	prog, err := syntax.Compile(re)
	if err != nil || len(prog.Inst) > maxProgram || prog.NumCap > 2*maxGroups {
		return nil
	}
	p := &fastProgram{inst: prog.Inst, start: prog.Start, caps: prog.NumCap, need: []byte(need), lead: lead}
	p.table = make([][128]bool, len(prog.Inst))
	for pc := range prog.Inst {
		in := &prog.Inst[pc]
		for ch := range rune(128) {
			switch in.Op {
			case syntax.InstRune, syntax.InstRune1:
				p.table[pc][ch] = in.MatchRune(ch)
			case syntax.InstRuneAny:
				p.table[pc][ch] = true
			case syntax.InstRuneAnyNotNL:
				p.table[pc][ch] = ch != '\n'
			}
		}
	}
	return p
}

// leading finds a literal that every match contains, and how many characters can at
// most come before it.
func leading(re *syntax.Regexp) (lit string, lead int) {
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	lead = 0
	for _, part := range parts {
		if lit := required(part); len(lit) > 1 && (part.Op == syntax.OpLiteral || part.Op == syntax.OpCapture && part.Sub[0].Op == syntax.OpLiteral) {
			return lit, lead
		}
		w := width(part)
		if w < 0 {
			return "", -1
		}
		lead += w
	}
	return "", -1
}

// width is the greatest number of characters that a pattern takes, −1 = any.
func width(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpEmptyMatch:
		return 0
	case syntax.OpCapture, syntax.OpQuest:
		return width(re.Sub[0])
	case syntax.OpConcat, syntax.OpAlternate:
		total := 0
		for _, sub := range re.Sub {
			w := width(sub)
			switch {
			case w < 0:
				return -1
			case re.Op == syntax.OpConcat:
				total += w
			default:
				total = max(total, w)
			}
		}
		return total
	}
	return -1
}

// search is the state of one search.
type search struct {
	p     *fastProgram
	s     []byte
	caps  [2 * maxGroups]int
	steps int
}

// find looks for the leftmost match and appends its bounds and those of its groups to
// dst. decided false means that package regexp must be asked.
func (p *fastProgram) find(s []byte, dst []int) (match []int, decided bool) {
	if !ascii(s) {
		return nil, false
	}
	m := search{p: p, s: s}
	for from := 0; ; {
		last := len(s)
		if p.lead >= 0 {
			i := bytes.Index(s[from:], p.need)
			if i < 0 {
				return nil, true
			}
			last = from + i
			from = max(from, last-p.lead)
		}
		for ; from <= last; from++ {
			if m.at(from) {
				return append(dst, m.caps[:p.caps]...), true
			}
			if m.steps > maxSteps {
				return nil, false
			}
		}
		if from > len(s) || p.lead < 0 {
			return nil, true
		}
	}
}

func ascii(s []byte) bool {
	var seen byte
	for _, ch := range s {
		seen |= ch
	}
	return seen < 0x80
}

// at tries a match that starts at i.
func (m *search) at(i int) bool {
	for k := range m.caps {
		m.caps[k] = -1
	}
	m.caps[0] = i
	return m.run(m.p.start, i)
}

// run follows the program from an instruction; alternatives are tried in order, so
// that the first match is the one that regexp prefers.
func (m *search) run(pc, i int) bool {
	for {
		if m.steps++; m.steps > maxSteps {
			return false
		}
		in := &m.p.inst[pc]
		switch in.Op {
		case syntax.InstMatch:
			m.caps[1] = i
			return true
		case syntax.InstFail:
			return false
		case syntax.InstNop:
			pc = int(in.Out)
		case syntax.InstEmptyWidth:
			if !m.empty(syntax.EmptyOp(in.Arg), i) {
				return false
			}
			pc = int(in.Out)
		case syntax.InstCapture:
			old := m.caps[in.Arg]
			m.caps[in.Arg] = i
			if m.run(int(in.Out), i) {
				return true
			}
			m.caps[in.Arg] = old
			return false
		case syntax.InstAlt, syntax.InstAltMatch:
			if m.loop(pc, in) {
				return m.greedy(pc, in, i)
			}
			if m.run(int(in.Out), i) {
				return true
			}
			pc = int(in.Arg)
		default:
			if i >= len(m.s) || !m.p.table[pc][m.s[i]] {
				return false
			}
			i++
			pc = int(in.Out)
		}
	}
}

// loop reports a greedy repetition of one character.
func (m *search) loop(pc int, in *syntax.Inst) bool {
	body := &m.p.inst[in.Out]
	return body.Op >= syntax.InstRune && int(body.Out) == pc
}

// greedy takes as many characters as the repetition can, then fewer.
func (m *search) greedy(pc int, in *syntax.Inst, i int) bool {
	table := &m.p.table[in.Out]
	j := i
	for j < len(m.s) && table[m.s[j]] {
		j++
	}
	m.steps += (j - i) / 8
	for ; j >= i; j-- {
		if m.run(int(in.Arg), j) {
			return true
		}
		if m.steps > maxSteps {
			return false
		}
	}
	return false
}

// empty checks ^, $, \b and their like between two characters.
func (m *search) empty(op syntax.EmptyOp, i int) bool {
	before, after := rune(-1), rune(-1)
	if i > 0 {
		before = rune(m.s[i-1])
	}
	if i < len(m.s) {
		after = rune(m.s[i])
	}
	return op&^syntax.EmptyOpContext(before, after) == 0
}
