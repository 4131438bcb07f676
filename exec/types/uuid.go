package types

import (
	"errors"
	"fmt"
)

// ErrUUIDSyntax is the error of text that is no UUID.
var ErrUUIDSyntax = errors.New("not a UUID: want 32 hexadecimal digits as xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")

// ParseUUID reads a UUID as PostgreSQL does: 32 hexadecimal digits in any case, with a
// hyphen after any group of four, in braces or not. Blanks around it are ignored.
func ParseUUID(s string) (id [16]byte, err error) {
	s = trimBlanks(s)
	if len(s) > 2 && s[0] == '{' && s[len(s)-1] == '}' {
		s = s[1 : len(s)-1]
	}
	n := 0 // digits so far
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '-' && n > 0 && n < 32 && n%4 == 0 && s[i-1] != '-' {
			continue
		}
		d, ok := hexDigit(c)
		if !ok || n == 32 {
			return id, ErrUUIDSyntax
		}
		id[n/2] = id[n/2]<<4 | d
		n++
	}
	if n < 32 {
		return id, ErrUUIDSyntax
	}
	return id, nil
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// ParseAny reads the text of a TIME, UUID or JSON as vec.FromAny takes it.
func ParseAny(k Kind, text string) (any, error) {
	switch k {
	case Time:
		return ParseTime(text)
	case UUID:
		id, err := ParseUUID(text)
		return id[:], err
	case JSON:
		return AppendCanonicalJSON(nil, []byte(text))
	}
	return nil, fmt.Errorf("%s is not read here", Of(k))
}

// AppendUUID appends the 16 bytes of a UUID in lower case, 8-4-4-4-12. Bytes of another
// length, which are no UUID, are written without hyphens.
func AppendUUID(dst, id []byte) []byte {
	const digits = "0123456789abcdef"
	for i, b := range id {
		if len(id) == 16 && (i == 4 || i == 6 || i == 8 || i == 10) {
			dst = append(dst, '-')
		}
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return dst
}
