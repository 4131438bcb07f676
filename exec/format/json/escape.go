package json

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/format/scan"
)

// escapeLen is the length of the escape at q (which is a backslash); 0 if it is none.
func escapeLen(base unsafe.Pointer, q int) int {
	switch scan.At(base, q+1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		for i := 2; i < 6; i++ {
			if hex(scan.At(base, q+i)) < 0 {
				return 0
			}
		}
		return 6
	}
	return 0
}

func hex(c byte) rune {
	switch {
	case c-'0' <= 9:
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}

// unescaped returns the text of the string content in [p, end), in memory of its own
// if it has escapes. end is where the closing quote stands.
func (s *scanner) unescaped(p, end int) []byte {
	if !s.escaped {
		return s.buf[p:end]
	}
	return appendUnescaped(make([]byte, 0, end-p), s.buf[p:end])
}

// unescapeInPlace overwrites the string content in [p, end) with its text, and returns
// the length of the text: it is never longer.
func (s *scanner) unescapeInPlace(p, end int) int {
	s.Edits.Remember(s.buf, p, end)
	text := appendUnescaped(s.buf[p:p:end], s.buf[p:end])
	if s.multi {
		s.breaks += bytes.Count(s.buf[p:end], []byte{'\n'})
	}
	return len(text)
}

// appendUnescaped appends the text of a checked string content. dst may be its own
// beginning. A surrogate without its partner becomes U+FFFD, as in encoding/json.
func appendUnescaped(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		c := src[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		switch c := src[i+1]; c {
		case 'u':
			r, n := unicodeEscape(src[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		case 'b', 'f', 'n', 'r', 't':
			dst = append(dst, map5(c))
		default:
			dst = append(dst, c)
		}
		i += 2
	}
	return dst
}

func map5(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	}
	return '\t'
}

// unicodeEscape reads \uXXXX, or two of them that are a surrogate pair.
func unicodeEscape(b []byte) (r rune, n int) {
	r = hex4(b[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if p := utf16.DecodeRune(r, hex4(b[8:])); p != utf8.RuneError {
			return p, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(b []byte) rune {
	return hex(b[0])<<12 | hex(b[1])<<8 | hex(b[2])<<4 | hex(b[3])
}
