package scalar

import (
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// zoneNames are abbreviations that mean one zone everywhere, beside those that the time
// zone database knows as names.
var zoneNames = map[string]string{
	"EST": "America/New_York", "EDT": "America/New_York", "CST": "America/Chicago", "CDT": "America/Chicago",
	"MST": "America/Denver", "MDT": "America/Denver", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
	"CEST": "Europe/Paris", "EEST": "Europe/Bucharest", "WEST": "Europe/Lisbon", "UT": "UTC",
}

// loadZone finds a zone by name, abbreviation, or as UTC+2, GMT+02:00, +02.
func loadZone(name string) (*time.Location, error) {
	if full, ok := zoneNames[strings.ToUpper(name)]; ok {
		name = full
	}
	for _, prefix := range [...]string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && len(rest) > 1 && (rest[0] == '+' || rest[0] == '-') {
			off, after, ok := readOffset(rest, 0)
			if !ok || after != "" {
				return nil, types.ErrZoneName
			}
			return fixedZone(off), nil
		}
	}
	return types.LoadZone(name)
}

func fixedZone(off int64) *time.Location {
	if off == 0 {
		return time.UTC
	}
	return time.FixedZone(string(appendOffset(nil, off, 5)), int(off))
}

// readZone reads a zone as the field of a pattern writes it.
func (t *parsedTime) readZone(f patternPart, s string) (rest string, ok bool) {
	switch {
	case f.letter == 'V' || f.letter == 'z':
		return t.readZoneName(s)
	case f.letter == 'O' || f.letter == 'Z' && f.n == 4:
		if len(s) < 3 || !strings.EqualFold(s[:3], "GMT") {
			return s, false
		}
		if s = s[3:]; s == "" || s[0] != '+' && s[0] != '-' {
			t.zone = time.UTC
			return s, true
		}
		return t.readOffset(s, 0)
	case f.letter == 'Z' && f.n < 4:
		return t.readOffset(s, 2)
	case f.letter != 'x' && s != "" && s[0]|0x20 == 'z':
		t.zone = time.UTC
		return s[1:], true
	}
	return t.readOffset(s, f.n)
}

func (t *parsedTime) readZoneName(s string) (rest string, ok bool) {
	i := 0
	for i < len(s) && (strings.IndexByte("+-:/_", s[i]) >= 0 || s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	zone, err := loadZone(s[:i])
	t.zone = zone
	return s[i:], err == nil && i > 0
}

func (t *parsedTime) readOffset(s string, form int) (rest string, ok bool) {
	off, rest, ok := readOffset(s, form)
	t.zone = fixedZone(off)
	return rest, ok
}

// readOffset reads an offset in a form of appendOffset; form 0 is ±h[h][:mm[:ss]].
func readOffset(s string, form int) (off int64, rest string, ok bool) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, s, false
	}
	sign := int64(1)
	if s[0] == '-' {
		sign = -1
	}
	least := 2
	if form == 0 {
		least = 1
	}
	hour, rest, ok := readNumber(s[1:], least, 2, 0)
	if !ok {
		return 0, s, false
	}
	colon := form == 0 || form == 3 || form == 5
	minute, rest, found := offsetPart(rest, colon)
	if !found && form > 1 {
		return 0, s, false
	}
	second := int64(0)
	if found && (form == 0 || form > 3) {
		second, rest, _ = offsetPart(rest, colon)
	}
	return sign * (hour*3600 + minute*60 + second), rest, hour <= 18 && minute < 60 && second < 60
}

// offsetPart reads the minutes or seconds of an offset, if there are any.
func offsetPart(s string, colon bool) (x int64, rest string, found bool) {
	after := s
	if colon {
		if s == "" || s[0] != ':' {
			return 0, s, false
		}
		after = s[1:]
	}
	if x, after, found = readNumber(after, 2, 2, 0); !found {
		return 0, s, false
	}
	return x, after, true
}
