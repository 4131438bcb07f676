package scalar

import (
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func bars() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "bar", Group: "Text", Syntax: []string{"bar(x, low, high [, width])"},
		Doc:      "Draws a bar of width characters (80 by default, 1 to 1000): empty for low and below, full for high and above, filled with blanks. Eighths of a character are drawn.",
		Examples: []fn.Example{{SQL: "bar(5, 0, 10, 4)", Want: "██  "}, {SQL: "bar(1, 0, 4, 2) || '|'", Want: "▌ |"}, {SQL: "bar(NULL, 0, 10)", Want: "NULL"}},
		Resolve:  optional(3, text, tryTexts(text, "bar", bar), double, double, double, double),
	}}
}

// eighths are the characters of a bar's end, by eighths that are filled.
var eighths = [...]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

func bar(dst []byte, args []*vec.Vector, r int) (res []byte, value, msg string) {
	width := 80.0
	if len(args) > 3 {
		width = args[3].Float(r)
	}
	low := args[1].Float(r)
	switch {
	case !(width >= 1 && width <= 1000):
		return nil, showFloat(width), "a bar is 1 to 1000 characters wide"
	case math.IsInf(low, -1):
		return nil, showFloat(low), "a bar begins somewhere"
	}
	filled := barWidth(args[0].Float(r), low, args[2].Float(r), width)
	whole := int(filled)
	for range whole {
		dst = append(dst, "█"...)
	}
	if rest := int((filled - float64(whole)) * 8); rest > 0 {
		dst = append(dst, eighths[rest]...)
		whole++
	}
	for ; whole < int(width); whole++ {
		dst = append(dst, ' ')
	}
	return dst, "", ""
}

// barWidth is how many characters are filled, in eighths.
func barWidth(x, low, high, width float64) float64 {
	switch {
	case x != x || low != low || high != high || x <= low:
		return 0
	case x >= high:
		return math.Trunc(width*8) / 8
	}
	return math.Trunc((x-low)/(high-low)*width*8) / 8
}
