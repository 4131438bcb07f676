package conformance

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	jsonStamp   = regexp.MustCompile(`\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?`)
	clockEnd    = regexp.MustCompile(`(:\d\d:\d\d)(\.\d*?)0+(\D|$)`)
	beforeYear1 = regexp.MustCompile(`(^|[^\w-])(-\d{4,6}|0000)(-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?)`)
	emptyField  = regexp.MustCompile(`([(,])([,)])`)
)

// risingLine writes a line so that what differs is what is printed, not how: a time in JSON in
// UTC, a fraction without zeros at its end, years before 1 with BC, NULL in a row.
func risingLine(l string) string {
	l = emptyField.ReplaceAllString(emptyField.ReplaceAllString(l, "${1}NULL$2"), "${1}NULL$2")
	l = jsonStamp.ReplaceAllStringFunc(l, func(s string) string {
		m := jsonStamp.FindStringSubmatch(s)
		t, err := time.Parse("2006-01-02T15:04:05.999999999Z07:00", m[1]+m[2]+map[bool]string{true: "Z", false: m[3]}[m[3] == ""])
		if err != nil {
			return s
		}
		return t.UTC().Format("2006-01-02T15:04:05.999999999")
	})
	l = duckFarYear.ReplaceAllString(l, "$1")
	l = beforeYear1.ReplaceAllStringFunc(l, func(s string) string {
		m := beforeYear1.FindStringSubmatch(s)
		y, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%s%04d%s BC", m[1], 1-y, m[3])
	})
	l = strings.ReplaceAll(l, " BC+00:00", " BC")
	return clockEnd.ReplaceAllStringFunc(l, func(s string) string {
		m := clockEnd.FindStringSubmatch(s)
		return m[1] + strings.TrimSuffix(m[2], ".") + m[3]
	})
}

// risingInner is a value inside a nested one: quoted where it has marks, with a backslash before a
// quote and a backslash; in a row quotes are doubled.
func risingInner(text string, row bool) string {
	if row {
		text = strings.NewReplacer(`\`, `\\`, `"`, `""`).Replace(text)
	} else {
		text = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	}
	if text == "" || strings.ContainsAny(text, `,(){}" `) {
		return `"` + text + `"`
	}
	return text
}
