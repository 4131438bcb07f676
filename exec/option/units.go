package option

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Durations are in µs, as timestamps are.
const (
	micro  = 1
	milli  = 1000 * micro
	second = 1000 * milli
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
	week   = 7 * day
)

// unitMicros gives the µs of a unit; 0 = unknown. Months and years have no fixed length.
func unitMicros(unit string) float64 {
	switch strings.TrimSuffix(unit, "s") {
	case "u", "microsecond", "usec", "micro":
		return micro
	case "m":
		if unit == "ms" {
			return milli
		}
		return minute
	case "millisecond", "msec", "milli":
		return milli
	case "", "second", "sec":
		if unit == "" {
			return 0
		}
		return second
	case "minute", "min":
		return minute
	case "hour", "hr", "h":
		return hour
	case "day", "d":
		return day
	case "week", "w":
		return week
	}
	return 0
}

func unitBytes(unit string) float64 {
	switch unit {
	case "", "b", "byte", "bytes":
		return 1
	case "kb":
		return 1e3
	case "mb":
		return 1e6
	case "gb":
		return 1e9
	case "tb":
		return 1e12
	case "k", "kib":
		return 1 << 10
	case "m", "mib":
		return 1 << 20
	case "g", "gib":
		return 1 << 30
	case "t", "tib":
		return 1 << 40
	}
	return 0
}

// micros reads "10 minutes", "500 ms", "1h30m", "1 hour 30 minutes". A bare number is
// refused, since systems disagree on its unit; 0 needs none.
func micros(text string) (int64, string) {
	if n, _ := strconv.Atoi(strings.TrimSpace(text)); n == 0 && strings.TrimSpace(text) == "0" {
		return 0, ""
	}
	return sum(text, unitMicros, "a duration such as '10 minutes' or '500 ms'")
}

// size reads "64 MiB", "100 MB", "10m" (Spark: binary) or a number of bytes.
func size(text string) (int64, string) {
	return sum(text, unitBytes, "a size such as '64 MiB' or '100 MB'")
}

// sum adds up pairs of a number and a unit.
func sum(text string, unit func(string) float64, want string) (int64, string) {
	rest, total := strings.ToLower(strings.TrimSpace(text)), 0.0
	if rest == "" {
		return 0, want
	}
	for rest != "" {
		number, after := span(rest, func(r rune) bool { return r == '.' || unicode.IsDigit(r) })
		name, after := span(strings.TrimSpace(after), unicode.IsLetter)
		n, err := strconv.ParseFloat(number, 64)
		f := unit(name)
		if err != nil || f == 0 {
			return 0, want
		}
		total += n * f
		rest = strings.TrimSpace(after)
	}
	if total >= math.MaxInt64 {
		return 0, want
	}
	return int64(math.Round(total)), ""
}

func span(s string, in func(rune) bool) (head, tail string) {
	for i, r := range s {
		if !in(r) {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// FormatDuration prints µs the way a user writes them.
func FormatDuration(us int64) string {
	units := []struct {
		us   int64
		name string
	}{{day, "day"}, {hour, "hour"}, {minute, "minute"}, {second, "second"}, {milli, "ms"}, {micro, "us"}}
	for _, u := range units {
		if us != 0 && us%u.us == 0 {
			n := us / u.us
			if len(u.name) > 2 && n != 1 {
				u.name += "s"
			}
			return strconv.FormatInt(n, 10) + " " + u.name
		}
	}
	return "0 seconds"
}

// ParseSize reads a number of bytes as an option of type Size does.
func ParseSize(text string) (int64, error) {
	n, want := size(text)
	if want != "" {
		return 0, fmt.Errorf("%q is not %s", text, want)
	}
	return n, nil
}

// FormatSize prints bytes the way a user writes them: exactly if that is short, else with
// three digits.
func FormatSize(bytes int64) string {
	unit, name := int64(1), "bytes"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if bytes < unit<<10 {
			break
		}
		unit, name = unit<<10, u
	}
	if bytes == 0 {
		return "0"
	}
	return strconv.FormatFloat(float64(bytes)/float64(unit), 'g', 4, 64) + " " + name
}
