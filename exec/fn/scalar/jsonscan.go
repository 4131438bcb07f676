package scalar

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// jsonCursor walks over JSON text without building it. Its methods return false at
// text that is no JSON.
type jsonCursor struct {
	b []byte
	i int
}

func (c *jsonCursor) blanks() {
	for c.i < len(c.b) && (c.b[c.i] == ' ' || c.b[c.i] == '\t' || c.b[c.i] == '\n' || c.b[c.i] == '\r') {
		c.i++
	}
}

// next skips blanks and tells the next byte, 0 at the end.
func (c *jsonCursor) next() byte {
	c.blanks()
	if c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

func (c *jsonCursor) accept(ch byte) bool {
	if c.next() != ch {
		return false
	}
	c.i++
	return true
}

// text skips a string and gives it with its quotes.
func (c *jsonCursor) text() ([]byte, bool) {
	if c.next() != '"' {
		return nil, false
	}
	from := c.i
	for c.i++; c.i < len(c.b); c.i++ {
		switch c.b[c.i] {
		case '\\':
			c.i++
		case '"':
			c.i++
			return c.b[from:c.i], true
		}
	}
	return nil, false
}

// maxDepth bounds the nesting that is followed.
const maxDepth = 500

// value skips any value and gives its text.
func (c *jsonCursor) value(depth int) ([]byte, bool) {
	ch := c.next()
	from := c.i
	ok := false
	switch {
	case depth > maxDepth:
	case ch == '"':
		_, ok = c.text()
	case ch == '{':
		ok = c.object(depth, func([]byte) (bool, bool) { return true, false })
	case ch == '[':
		ok = c.array(depth, func(int) (bool, bool) { return true, false })
	default:
		ok = c.word()
	}
	return c.b[from:c.i], ok
}

// word skips a number, true, false or null.
func (c *jsonCursor) word() bool {
	from := c.i
	for c.i < len(c.b) && (c.b[c.i] >= '0' && c.b[c.i] <= '9' || c.b[c.i] >= 'a' && c.b[c.i] <= 'z' ||
		c.b[c.i] == '-' || c.b[c.i] == '+' || c.b[c.i] == '.' || c.b[c.i] == 'E') {
		c.i++
	}
	return json.Valid(c.b[from:c.i])
}

// object walks the members. At each value, member either leaves it to be skipped
// (skip) or has taken it itself; done ends the walk at once.
func (c *jsonCursor) object(depth int, member func(key []byte) (skip, done bool)) bool {
	if !c.accept('{') {
		return false
	}
	if c.accept('}') {
		return true
	}
	for {
		key, ok := c.text()
		if !ok || !c.accept(':') {
			return false
		}
		skip, done := member(key)
		if done {
			return true
		}
		if skip {
			if _, ok := c.value(depth + 1); !ok {
				return false
			}
		}
		if c.accept('}') {
			return true
		}
		if !c.accept(',') {
			return false
		}
	}
}

// array walks the elements in the same way.
func (c *jsonCursor) array(depth int, element func(i int) (skip, done bool)) bool {
	if !c.accept('[') {
		return false
	}
	if c.accept(']') {
		return true
	}
	for i := 0; ; i++ {
		skip, done := element(i)
		if done {
			return true
		}
		if skip {
			if _, ok := c.value(depth + 1); !ok {
				return false
			}
		}
		if c.accept(']') {
			return true
		}
		if !c.accept(',') {
			return false
		}
	}
}

// unquoteJSON decodes a string with its quotes; it copies only if there are escapes.
func unquoteJSON(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return inner
	}
	return []byte(s)
}

// keyIs compares a member's key with a name.
func keyIs(raw []byte, name string) bool {
	if len(raw) == len(name)+2 && string(raw[1:len(raw)-1]) == name {
		return bytes.IndexByte(raw, '\\') < 0
	}
	return bytes.IndexByte(raw, '\\') >= 0 && string(unquoteJSON(raw)) == name
}

// jsonStep is one step of a path: a member, an element, or every element.
type jsonStep struct {
	name  string
	index int
	kind  byte // '.', '[', '*'
}

// parsePath reads $.a['b'][0][*].
func parsePath(s string) ([]jsonStep, bool) {
	if s == "" || s[0] != '$' {
		return nil, false
	}
	steps := []jsonStep{}
	for s = s[1:]; s != ""; {
		var step jsonStep
		var ok bool
		if s[0] == '.' {
			step, s, ok = memberStep(s[1:])
		} else if s[0] == '[' {
			step, s, ok = bracketStep(s[1:])
		}
		if !ok {
			return nil, false
		}
		steps = append(steps, step)
	}
	return steps, true
}

func memberStep(s string) (step jsonStep, rest string, ok bool) {
	if len(s) > 0 && s[0] == '"' {
		end := bytes.IndexByte([]byte(s[1:]), '"')
		if end < 0 {
			return step, s, false
		}
		return jsonStep{kind: '.', name: s[1 : end+1]}, s[end+2:], true
	}
	end := 0
	for end < len(s) && s[end] != '.' && s[end] != '[' {
		end++
	}
	if s[:end] == "*" {
		return jsonStep{kind: '*'}, s[end:], true
	}
	return jsonStep{kind: '.', name: s[:end]}, s[end:], end > 0
}

func bracketStep(s string) (step jsonStep, rest string, ok bool) {
	end := bytes.IndexByte([]byte(s), ']')
	if end < 1 {
		return step, s, false
	}
	inner, rest := s[:end], s[end+1:]
	if n := len(inner); n >= 2 && (inner[0] == '\'' || inner[0] == '"') && inner[n-1] == inner[0] {
		return jsonStep{kind: '.', name: inner[1 : n-1]}, rest, true
	}
	if inner == "*" {
		return jsonStep{kind: '*'}, rest, true
	}
	i, err := strconv.Atoi(inner)
	return jsonStep{kind: '[', index: i}, rest, err == nil
}

// lookup follows a path to the text of a value; nil if there is none.
func lookup(doc []byte, path []jsonStep) []byte {
	for at, step := range path {
		c := jsonCursor{b: doc}
		var hit []byte
		take := func(match bool) (skip, done bool) {
			if !match {
				return true, false
			}
			v, ok := c.value(0)
			if ok {
				hit = v
			}
			return false, true
		}
		switch step.kind {
		case '.':
			c.object(0, func(key []byte) (bool, bool) { return take(keyIs(key, step.name)) })
		case '[':
			index := step.index
			if index < 0 {
				index += countElements(doc)
			}
			c.array(0, func(i int) (bool, bool) { return take(i == index) })
		default:
			return appendWild([]byte{}, doc, path[at:], false)
		}
		if hit == nil {
			return nil
		}
		doc = hit
	}
	c := jsonCursor{b: doc}
	v, ok := c.value(0)
	if !ok || len(path) == 0 && c.next() != 0 {
		return nil
	}
	return v
}

func countElements(doc []byte) int {
	n := 0
	c := jsonCursor{b: doc}
	c.array(0, func(int) (bool, bool) { n++; return true, false })
	return n
}

// appendCompact appends JSON text without blanks between tokens.
func appendCompact(dst, raw []byte) []byte {
	if bytes.IndexAny(raw, " \t\r\n") < 0 {
		return append(dst, raw...)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return append(dst, raw...)
	}
	return append(dst, b.Bytes()...)
}
