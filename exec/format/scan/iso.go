package scan

// fields is a time as text says it.
type fields struct {
	micros int64 // local, or as the offset says
	offset int64 // µs east of UTC
	zoned  bool
}

// isoTime is the general way for ISO 8601: years of 4 to 6 digits with a sign, one
// digit for month, day and hour, parts left out from the right.
func isoTime(b []byte) (f fields, ok bool) {
	b = trim(b)
	sign := 1
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if b[0] == '-' {
			sign = -1
		}
		b = b[1:]
	}
	y, b, ok := number(b, 4, 6)
	if !ok {
		return f, false
	}
	month, day := 1, 1
	if len(b) > 0 {
		if month, b, ok = after(b, '-', 1, 2); !ok {
			return f, false
		}
	}
	if len(b) > 0 {
		if day, b, ok = after(b, '-', 1, 2); !ok {
			return f, false
		}
	}
	if f.micros, ok = civil(sign*y, month, day); !ok || len(b) == 0 {
		return f, ok
	}
	if b[0] != 'T' && b[0] != ' ' {
		return f, false
	}
	return isoClock(b[1:], f)
}

// isoClock reads "h:m[:s[.fraction]][zone]".
func isoClock(b []byte, f fields) (fields, bool) {
	h, b, ok := number(b, 1, 2)
	if !ok || h > 23 {
		return f, false
	}
	m, b, ok := after(b, ':', 1, 2)
	if !ok || m > 59 {
		return f, false
	}
	s := 0
	if len(b) > 0 && b[0] == ':' {
		if s, b, ok = after(b, ':', 1, 2); !ok || s > 59 {
			return f, false
		}
	}
	f.micros += int64(h*3600+m*60+s) * microsSecond
	if len(b) > 0 && b[0] == '.' {
		us, n := fraction(b[1:])
		if n == 0 {
			return f, false
		}
		f.micros += us
		b = b[1+n:]
	}
	if len(b) == 0 {
		return f, true
	}
	f.offset, b, ok = isoOffset(b)
	f.zoned = true
	return f, ok && len(b) == 0
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
	off = int64(part[0]*3600+part[1]*60+part[2]) * microsSecond
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

func after(b []byte, sep byte, least, most int) (int, []byte, bool) {
	if len(b) == 0 || b[0] != sep {
		return 0, b, false
	}
	return number(b[1:], least, most)
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
