package scalar

import (
	"bytes"

	"github.com/sqlstream/sqlstream/exec/types"
)

// jsonNode is a JSON value taken apart, for functions that change it. Numbers, texts and
// words stay as they are written.
type jsonNode struct {
	kind byte // '{', '[' or 0
	raw  []byte
	keys []string // of an object
	kids []*jsonNode
}

// jsonTree takes JSON text apart; nil if it is none.
func jsonTree(text []byte) *jsonNode {
	c := jsonCursor{b: text}
	n := c.node(0)
	if n == nil || c.next() != 0 {
		return nil
	}
	return n
}

func (c *jsonCursor) node(depth int) *jsonNode {
	n := &jsonNode{}
	kid := func() bool {
		k := (*jsonNode)(nil)
		if depth < maxDepth {
			k = c.node(depth + 1)
		}
		n.kids = append(n.kids, k)
		return k != nil
	}
	ok := false
	switch n.kind = c.next(); n.kind {
	case '{':
		ok = c.object(depth, func(key []byte) (bool, bool) {
			n.keys = append(n.keys, string(unquoteJSON(key)))
			return false, !kid()
		})
	case '[':
		ok = c.array(depth, func(int) (bool, bool) { return false, !kid() })
	default:
		n.kind = 0
		n.raw, ok = c.value(depth)
		n.raw = bytes.TrimSpace(n.raw)
	}
	if !ok || len(n.kids) > 0 && n.kids[len(n.kids)-1] == nil {
		return nil
	}
	return n
}

// append writes the value in canonical form.
func (n *jsonNode) append(dst []byte) []byte {
	out, err := types.AppendCanonicalJSON(dst, n.write(nil))
	if err != nil {
		return append(dst, "null"...)
	}
	return out
}

func (n *jsonNode) write(dst []byte) []byte {
	switch n.kind {
	case '{':
		dst = append(dst, '{')
		for i, k := range n.keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = n.kids[i].write(append(appendJSONText(dst, k), ':'))
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, k := range n.kids {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = k.write(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.raw...)
}

func (n *jsonNode) null() bool { return n.kind == 0 && string(n.raw) == "null" }

// key is where the last member of a name is, −1 if there is none.
func (n *jsonNode) key(name string) int {
	for i := len(n.keys) - 1; i >= 0; i-- {
		if n.keys[i] == name {
			return i
		}
	}
	return -1
}

func (n *jsonNode) drop(i int) {
	n.kids = append(n.kids[:i], n.kids[i+1:]...)
	if n.kind == '{' {
		n.keys = append(n.keys[:i], n.keys[i+1:]...)
	}
}

// step is where a step of a path leads: the member's or element's number, or len(kids)
// where it could be added; −1 if it leads nowhere.
func (n *jsonNode) step(s jsonStep) int {
	switch {
	case s.kind == '.' && n.kind == '{':
		if i := n.key(s.name); i >= 0 {
			return i
		}
		return len(n.kids)
	case s.kind == '[' && n.kind == '[' && s.index >= 0 && s.index <= len(n.kids):
		return s.index
	}
	return -1
}

// put changes the value at a path: one that is there if replace, one that is not if add.
// Objects on the way are made.
func (n *jsonNode) put(path []jsonStep, v *jsonNode, replace, add bool) {
	if len(path) == 0 {
		if replace {
			*n = *v
		}
		return
	}
	at := n.step(path[0])
	switch {
	case at < 0:
	case at < len(n.kids):
		n.kids[at].put(path[1:], v, replace, add)
	case add:
		for i := len(path) - 1; i > 0; i-- {
			s := path[i]
			if s.kind != '.' {
				return
			}
			v = &jsonNode{kind: '{', keys: []string{s.name}, kids: []*jsonNode{v}}
		}
		if n.kids = append(n.kids, v); n.kind == '{' {
			n.keys = append(n.keys, path[0].name)
		}
	}
}

// remove takes the value at a path away.
func (n *jsonNode) remove(path []jsonStep) {
	at := n.step(path[0])
	switch {
	case at < 0 || at == len(n.kids):
	case len(path) == 1:
		n.drop(at)
	default:
		n.kids[at].remove(path[1:])
	}
}

// patched is RFC 7386: a member that is null in the patch goes, objects are patched
// member by member, anything else is replaced. With keep a null is a value like others.
func (n *jsonNode) patched(p *jsonNode, keep bool) *jsonNode {
	if p.kind != '{' || n.kind != '{' {
		return p
	}
	for i, name := range p.keys {
		at := n.key(name)
		switch {
		case p.kids[i].null() && !keep:
			if at >= 0 {
				n.drop(at)
			}
		case at >= 0:
			n.kids[at] = n.kids[at].patched(p.kids[i], keep)
		default:
			n.keys, n.kids = append(n.keys, name), append(n.kids, p.kids[i])
		}
	}
	return n
}

// strip drops members that are null, at any depth, and with elements those of arrays too.
func (n *jsonNode) strip(elements bool) {
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].null() && (n.kind == '{' || elements) {
			n.drop(i)
			continue
		}
		n.kids[i].strip(elements)
	}
}

// contains tells whether a value is somewhere within: a scalar that is equal, an object
// with all members, an array with all elements.
func (n *jsonNode) contains(v *jsonNode) bool {
	return n.covers(v) || someNode(n.kids, func(k *jsonNode) bool { return k.contains(v) })
}

func someNode(list []*jsonNode, is func(*jsonNode) bool) bool {
	for _, n := range list {
		if is(n) {
			return true
		}
	}
	return false
}

func (n *jsonNode) covers(v *jsonNode) bool {
	if n.kind != v.kind {
		return false
	}
	for i, want := range v.kids {
		if n.kind == '{' {
			if at := n.key(v.keys[i]); at < 0 || !n.kids[at].covers(want) {
				return false
			}
		} else if !someNode(n.kids, func(k *jsonNode) bool { return k.covers(want) }) {
			return false
		}
	}
	return bytes.Equal(n.raw, v.raw)
}

// pretty writes the value over several lines, four blanks for each level.
func (n *jsonNode) pretty(dst []byte, indent string) []byte {
	if len(n.kids) == 0 {
		return n.write(dst)
	}
	dst = append(dst, n.kind)
	for i, k := range n.kids {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '\n'), indent...), "    "...)
		if n.kind == '{' {
			dst = append(appendJSONText(dst, n.keys[i]), ": "...)
		}
		dst = k.pretty(dst, indent+"    ")
	}
	dst = append(append(dst, '\n'), indent...)
	return append(dst, n.kind+2) // the closing bracket is two behind the opening one
}
