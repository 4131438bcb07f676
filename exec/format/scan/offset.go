package scan

import "github.com/sqlstream/sqlstream/exec/types"

// fields is a time as text says it.
type fields struct {
	micros int64 // local, or as the offset says
	offset int64 // µs east of UTC
	zoned  bool
}

// isoOffset reads "Z", "UTC", "GMT", "+05", "+0530", "+05:30" or "+05:30:15".
func isoOffset(b []byte) (off int64, rest []byte, ok bool) {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	switch {
	case len(b) == 0:
		return 0, b, false
	case b[0] == 'Z':
		return 0, b[1:], true
	case len(b) >= 3 && (string(b[:3]) == "UTC" || string(b[:3]) == "GMT"):
		return 0, b[3:], true
	case b[0] != '+' && b[0] != '-':
		return 0, b, false
	}
	negative := b[0] == '-'
	var part [3]int
	rest = b[1:]
	for i := range part {
		if i > 0 && len(rest) > 0 && rest[0] == ':' {
			rest = rest[1:]
		} else if i > 0 && len(rest) == 0 {
			break
		}
		if part[i], rest, ok = number(rest, 2, 2); !ok {
			return 0, b, false
		}
	}
	if part[0] > 18 || part[1] > 59 || part[2] > 59 {
		return 0, b, false
	}
	off = int64(part[0]*3600+part[1]*60+part[2]) * types.MicrosPerSecond
	if negative {
		off = -off
	}
	return off, rest, true
}

// number reads a number of least to most digits.
func number(b []byte, least, most int) (v int, rest []byte, ok bool) {
	n := 0
	for n < len(b) && n < most && b[n]-'0' <= 9 {
		v = v*10 + int(b[n]-'0')
		n++
	}
	return v, b[n:], n >= least
}

func trim(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
