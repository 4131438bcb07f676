package csv

import (
	"fmt"
	"strings"
)

// headerAdvice tells what to try when a header does not fit: one field that holds
// another usual delimiter was cut at the wrong one.
func headerAdvice(names []string) string {
	if len(names) == 1 {
		for _, d := range []string{";", "\t", "|", ","} {
			if strings.Contains(names[0], d) {
				return fmt.Sprintf("delimiter = '%s' may be what is missing", strings.ReplaceAll(d, "\t", `\t`))
			}
		}
	}
	return "enforce_schema = true matches by position"
}
