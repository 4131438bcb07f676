package goldentest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// timeForm is a way to write a TIMESTAMP cell; shorter forms have greater values.
type timeForm int

const (
	fullForm   timeForm = iota // 2024-01-01 09:30:00
	clockForm                  // 09:30, on 2024-01-01
	numberForm                 // 34200, seconds since 1970
)

// day is what a bare time of day belongs to.
var day = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// parseTime reads a TIMESTAMP cell in any of the forms, in µs.
func parseTime(s string) (int64, timeForm, error) {
	if us, ok := parseSeconds(s); ok {
		return us, numberForm, nil
	}
	if us, ok := parseClock(s); ok {
		return us, clockForm, nil
	}
	us, err := types.ParseTimestamp(s, time.UTC)
	if err != nil {
		return 0, fullForm, fmt.Errorf("%q is not a time: write 2024-01-01 09:30:00, 09:30, or seconds since 1970", s)
	}
	return us, fullForm, nil
}

func parseSeconds(s string) (int64, bool) {
	whole, frac, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if whole == "" || len(frac) > 6 {
		return 0, false
	}
	us, err := strconv.ParseInt(whole+(frac + "000000")[:6], 10, 64)
	if err != nil {
		return 0, false
	}
	if s[0] == '-' {
		us = -us
	}
	return us, true
}

func parseClock(s string) (int64, bool) {
	for _, f := range []string{"15:04", "15:04:05", "15:04:05.999999"} {
		if t, err := time.Parse(f, s); err == nil {
			return day.Add(t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))).UnixMicro(), true
		}
	}
	return 0, false
}

// formatTime writes µs in a form; a time of another day is written in full.
func formatTime(us int64, form timeForm) string {
	if form == numberForm {
		return formatSeconds(us)
	}
	if sign := types.Timestamp.Infinite(us); sign != 0 {
		return types.InfiniteText(sign)
	}
	t := time.UnixMicro(us).UTC()
	clock := t.Format("15:04")
	if us%60_000_000 != 0 {
		clock = strings.TrimSuffix(strings.TrimRight(t.Format("15:04:05.000000"), "0"), ".")
	}
	if form == clockForm && t.Year() == day.Year() && t.YearDay() == day.YearDay() {
		return clock
	}
	if us%60_000_000 == 0 {
		clock += ":00"
	}
	date := types.AppendDate(nil, types.FloorDiv(us, types.MicrosPerDay))
	return string(append(append(date, ' '), clock...))
}

func formatSeconds(us int64) string {
	sign := ""
	if us < 0 {
		sign, us = "-", -us
	}
	s := strconv.FormatInt(us/1_000_000, 10)
	if frac := us % 1_000_000; frac != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%06d", frac), "0")
	}
	return sign + s
}
