package conformance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// intervalText is an interval that names a unit: years to microseconds with their numbers,
// then perhaps a time, then perhaps "ago".
var (
	intervalText = regexp.MustCompile(`[+-]?\d+(?:\.\d+)? (?:` + unitWords + `)\b(?: [+-]?\d+(?:\.\d+)? (?:` + unitWords + `)\b)*(?: [+-]?\d+:\d\d:\d\d(?:\.\d+)?)?(?: ago\b)?`)
	longClock    = regexp.MustCompile(`(^|[\s\[(,])([+-]?\d{2,}:\d\d:\d\d(?:\.\d+)?)($|[\s\]),])`)
	unitWords    = `years?|mons?|months?|days?|hours?|mins?|minutes?|secs?|seconds?`
)

// isoIntervals writes intervals in one form: months, then days, then a time below a day.
// How a length is split over days and hours is how a system prints, not what it prints.
// With oneSign a minus before the first part is that of all.
func isoIntervals(l string, oneSign bool) string {
	l = intervalText.ReplaceAllStringFunc(l, func(s string) string {
		var months int64
		var micros float64
		words := strings.Fields(strings.TrimSuffix(s, " ago"))
		for i := 0; i < len(words); i++ {
			if strings.Contains(words[i], ":") {
				if oneSign && micros < 0 && words[i][0] != '-' {
					words[i] = "-" + words[i]
				}
				micros += clockMicros(words[i])
				continue
			}
			n, _ := strconv.ParseFloat(words[i], 64)
			if oneSign && n > 0 && (months < 0 || micros < 0) {
				n = -n
			}
			i++
			switch unit := words[i]; {
			case unit[0] == 'y':
				months += 12 * int64(n)
			case strings.HasPrefix(unit, "mon"):
				months += int64(n)
			default:
				micros += n * map[byte]float64{'d': 86400e6, 'h': 3600e6, 'm': 60e6, 's': 1e6}[unit[0]]
			}
		}
		if strings.HasSuffix(s, " ago") {
			months, micros = -months, -micros
		}
		return intervalForm(months, int64(micros))
	})
	return longClocks(longClocks(l)) // a blank is the end of one and the start of the next
}

// longClocks writes times of a day or more as days and a time.
func longClocks(l string) string {
	return longClock.ReplaceAllStringFunc(l, func(s string) string {
		m := longClock.FindStringSubmatch(s)
		if us := clockMicros(m[2]); us >= 86400e6 || us <= -86400e6 {
			return m[1] + intervalForm(0, int64(us)) + m[3]
		}
		return s
	})
}

// clockMicros is a time with a sign in µs.
func clockMicros(s string) float64 {
	parts := strings.Split(strings.TrimLeft(s, "+-"), ":")
	total := 0.0
	for _, p := range parts {
		n, _ := strconv.ParseFloat(p, 64)
		total = total*60 + n
	}
	if strings.HasPrefix(s, "-") {
		total = -total
	}
	return total * 1e6
}

func intervalForm(months, micros int64) string {
	sign, us := "", micros
	if us < 0 {
		sign, us = "-", -us
	}
	var parts []string
	if months != 0 {
		parts = append(parts, fmt.Sprintf("%dmonths", months))
	}
	if days := us / 86400e6; days > 0 {
		parts = append(parts, fmt.Sprintf("%s%ddays", sign, days))
	}
	us %= 86400e6
	if us > 0 || len(parts) == 0 {
		clock := fmt.Sprintf("%s%02d:%02d:%02d", sign, us/3600e6, us/60e6%60, us/1e6%60)
		if us%1e6 > 0 {
			clock = strings.TrimRight(fmt.Sprintf("%s.%06d", clock, us%1e6), "0")
		}
		parts = append(parts, clock)
	}
	return strings.Join(parts, " ")
}
