package conformance

import (
	"regexp"
	"strings"
)

var (
	plainTemplate = regexp.MustCompile(`^'[A-Za-z0-9 :./,-]*'$`)
	hourWord      = regexp.MustCompile(`HH(12|24)?`)
)

// risingTemplate writes the words of a template of to_char in capitals, and HH as HH12: they
// are read in either case there, where a pattern of Java has words of its own.
func risingTemplate(c call) string {
	if len(c.args) != 2 || !plainTemplate.MatchString(c.args[1]) {
		return ""
	}
	up := strings.ToUpper(c.args[1])
	if !hourWord.MatchString(up) || strings.Contains(up, "MONTH") || strings.Contains(up, "DAY") || strings.Contains(up, "MON") || strings.Contains(up, "DY") {
		return ""
	}
	c.args[1] = hourWord.ReplaceAllStringFunc(up, func(w string) string {
		if w == "HH" {
			return "HH12"
		}
		return w
	})
	return c.fill("to_char($1, $2)")
}
