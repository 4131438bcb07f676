package differential

import (
	"regexp"
	"strconv"
	"strings"
)

// length is an interval: months, and the rest in µs, as Spark's have no days of their own.
type length struct{ months, micros int64 }

var (
	ourForm  = regexp.MustCompile(`^(-?\d+) (-?\d+) (-?\d+)$`)
	dayTime  = regexp.MustCompile(`^INTERVAL '(-?)(?:(\d+) )?(\d+):(\d+):(\d+)(\.\d+)?' (?:DAY|HOUR) TO SECOND$`)
	oneUnit  = regexp.MustCompile(`^INTERVAL '(-?)(\d+)(\.\d+)?' (YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)$`)
	yearOnly = regexp.MustCompile(`^INTERVAL '(-?)(\d+)-(\d+)' YEAR TO MONTH$`)
	clockRE  = regexp.MustCompile(`^(-?)(\d+):(\d+):(\d+)(\.\d+)?$`)
)

// parseInterval reads an interval in our form (months, days, µs) or that of an engine.
func parseInterval(s string) (length, bool) {
	if m := ourForm.FindStringSubmatch(s); m != nil {
		return length{num(m[1]), num(m[2])*dayMicros + num(m[3])}, true
	}
	if m := yearOnly.FindStringSubmatch(s); m != nil {
		return length{months: signed(m[1], num(m[2])*12+num(m[3]))}, true
	}
	if m := dayTime.FindStringSubmatch(s); m != nil {
		return length{micros: signed(m[1], num(m[2])*dayMicros+clockMicros(m[3], m[4], m[5], m[6]))}, true
	}
	if m := oneUnit.FindStringSubmatch(s); m != nil {
		return unit(signed(m[1], num(m[2])), m[1], m[3], m[4]), true
	}
	return words(s)
}

const dayMicros = 86_400_000_000

func num(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

func signed(sign string, n int64) int64 {
	if sign == "-" {
		return -n
	}
	return n
}

func clockMicros(h, m, s, frac string) int64 {
	return ((num(h)*60+num(m))*60+num(s))*1_000_000 + fraction(frac)
}

// fraction is ".5" in µs.
func fraction(s string) int64 {
	if s == "" {
		return 0
	}
	return num((s[1:] + "000000")[:6])
}

func unit(n int64, sign, frac, name string) length {
	switch strings.TrimSuffix(strings.ToUpper(name), "S") {
	case "YEAR":
		return length{months: 12 * n}
	case "MONTH", "MON":
		return length{months: n}
	case "DAY":
		return length{micros: n * dayMicros}
	case "HOUR":
		return length{micros: n * 3_600_000_000}
	case "MINUTE":
		return length{micros: n * 60_000_000}
	}
	return length{micros: n*1_000_000 + signed(sign, fraction(frac))}
}

var amount = regexp.MustCompile(`^(-?)(\d+)(\.\d+)?$`)

// words reads "1 year 2 days 03:04:05" and "1 years 2.5 seconds".
func words(s string) (length, bool) {
	var out length
	f := strings.Fields(s)
	for i := 0; i < len(f); i++ {
		if m := clockRE.FindStringSubmatch(f[i]); m != nil {
			out.micros += signed(m[1], clockMicros(m[2], m[3], m[4], m[5]))
			continue
		}
		m := amount.FindStringSubmatch(f[i])
		if m == nil || i+1 == len(f) {
			return out, false
		}
		l := unit(signed(m[1], num(m[2])), m[1], m[3], strings.TrimSuffix(f[i+1], ","))
		out.months, out.micros = out.months+l.months, out.micros+l.micros
		i++
	}
	return out, len(f) > 0
}
