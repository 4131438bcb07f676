package scalar

import (
	"bytes"
)

// jsonStyle is how Spark's wildcards write what they find.
type jsonStyle uint8

const (
	rawStyle     jsonStyle = iota // a text alone without its quotes
	quotedStyle                   // as JSON
	flattenStyle                  // the elements of arrays, one by one
)

// follow lists what a path finds in a JSON value, as pieces of text: none, or one, or
// under flattenStyle many. It follows the rules of Spark's get_json_object: several hits
// of a wildcard make an array, a single one stands alone unless it stands within another
// wildcard, and [*][*] joins the arrays below.
func follow(v []byte, path []jsonStep, style jsonStyle) [][]byte {
	if len(path) == 0 {
		return leafPieces(v, style)
	}
	rest := path[1:]
	switch path[0].kind {
	case '.':
		return followMember(v, path, style)
	case '[':
		if len(rest) > 0 && rest[0].kind == '*' {
			style = quotedStyle
		}
		if at := lookup(v, path[:1]); at != nil {
			return follow(at, rest, style)
		}
		return nil
	}
	if len(rest) > 0 && rest[0].kind == '*' {
		pieces, _ := eachElement(v, rest[1:], flattenStyle)
		return wrapped(pieces)
	}
	if style == quotedStyle {
		pieces, _ := eachElement(v, rest, quotedStyle)
		return wrapped(pieces)
	}
	within := quotedStyle
	if style == flattenStyle {
		within = flattenStyle
	}
	pieces, hits := eachElement(v, rest, within)
	if hits > 1 {
		return wrapped(pieces)
	}
	return pieces
}

// followMember takes the first member of the name in which the rest of the path finds
// something; null is nothing.
func followMember(v []byte, path []jsonStep, style jsonStyle) (found [][]byte) {
	c := jsonCursor{b: v}
	c.object(0, func(key []byte) (bool, bool) {
		if !keyIs(key, path[0].name) {
			return true, false
		}
		val, ok := c.value(0)
		if ok && string(val) != "null" {
			found = follow(val, path[1:], style)
		}
		return false, !ok || found != nil
	})
	return found
}

// eachElement follows the rest of a path in every element, and counts those in which it
// finds something.
func eachElement(v []byte, rest []jsonStep, style jsonStyle) (pieces [][]byte, hits int) {
	c := jsonCursor{b: v}
	c.array(0, func(int) (bool, bool) {
		elem, ok := c.value(0)
		if !ok {
			return false, true
		}
		if found := follow(elem, rest, style); found != nil {
			pieces = append(pieces, found...)
			hits++
		}
		return false, false
	})
	return pieces, hits
}

func leafPieces(v []byte, style jsonStyle) [][]byte {
	switch {
	case style == rawStyle && v[0] == '"':
		return [][]byte{unquoteJSON(v)}
	case style == flattenStyle && v[0] == '[':
		pieces, _ := eachElement(v, nil, flattenStyle)
		return pieces
	}
	return [][]byte{appendCompact(nil, v)}
}

// wrapped makes an array of pieces; nothing of none.
func wrapped(pieces [][]byte) [][]byte {
	if pieces == nil {
		return nil
	}
	return [][]byte{append(append([]byte{'['}, bytes.Join(pieces, []byte{','})...), ']')}
}

// hasWildcard tells that a path may lead to several values.
func hasWildcard(path []jsonStep) bool {
	for _, s := range path {
		if s.kind == '*' {
			return true
		}
	}
	return false
}

// appendWild appends what a path with wildcards finds; nil = nothing.
func appendWild(dst, doc []byte, path []jsonStep, asText bool) []byte {
	c := jsonCursor{b: doc}
	v, ok := c.value(0)
	if !ok {
		return nil
	}
	style := quotedStyle
	if asText {
		style = rawStyle
	}
	pieces := follow(v, path, style)
	if pieces == nil {
		return nil
	}
	return append(dst, bytes.Join(pieces, []byte{','})...)
}
