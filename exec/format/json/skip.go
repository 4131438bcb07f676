package json

import "github.com/sqlstream/sqlstream/exec/format/scan"

// maxDepth bounds nesting, so that a hostile file cannot exhaust the stack.
const maxDepth = 512

// skip walks over the value at p and checks that it is JSON.
func (s *scanner) skip(p int) int {
	switch c := scan.At(s.base, p); c {
	case '"':
		if p = s.stringEnd(p + 1); p < 0 {
			return p
		}
		return p + 1
	case '{', '[':
		return s.skipNested(p)
	case 't', 'f', 'n':
		return s.skipWord(p)
	}
	n, end, ok := scan.Decimal(s.base, p)
	switch {
	case !ok:
		return s.fail(p, "expected a value")
	case n.Zeros:
		return s.fail(p, "number with a leading zero")
	}
	return end
}

func (s *scanner) skipWord(p int) int {
	w := scan.Load(s.base, p)
	switch {
	case uint32(w) == nullWord || uint32(w) == trueWord:
		return p + 4
	case uint32(w) == falseWord && byte(w>>32) == 'e':
		return p + 5
	}
	return s.fail(p, "expected a value")
}

func (s *scanner) skipNested(p int) int {
	if scan.At(s.base, p) == '{' {
		return s.eachMember(p, func(_, _, value int) int { return s.skip(value) })
	}
	return s.eachElement(p, s.skip)
}

// eachMember calls value for each member of the object at p with the bounds of its key
// and the position of its value; value returns the position behind it.
func (s *scanner) eachMember(p int, value func(start, end, value int) int) int {
	if s.depth++; s.depth > maxDepth {
		return s.fail(p, "nested too deeply")
	}
	defer func() { s.depth-- }()
	p = s.blanks(p + 1)
	if scan.At(s.base, p) == '}' {
		return p + 1
	}
	for {
		start, end, v := s.keyText(p)
		if v < 0 {
			return v
		}
		if p = value(start, end, v); p <= 0 {
			return p
		}
		p = s.blanks(p)
		switch scan.At(s.base, p) {
		case '}':
			return p + 1
		case ',':
			p = s.blanks(p + 1)
		default:
			return s.fail(p, "expected , or } after a value")
		}
	}
}

// eachElement calls value with the position of each element of the array at p.
func (s *scanner) eachElement(p int, value func(int) int) int {
	if s.depth++; s.depth > maxDepth {
		return s.fail(p, "nested too deeply")
	}
	defer func() { s.depth-- }()
	p = s.blanks(p + 1)
	if scan.At(s.base, p) == ']' {
		return p + 1
	}
	for {
		if p = value(p); p <= 0 {
			return p
		}
		p = s.blanks(p)
		switch scan.At(s.base, p) {
		case ']':
			return p + 1
		case ',':
			p = s.blanks(p + 1)
		default:
			return s.fail(p, "expected , or ] after a value")
		}
	}
}
