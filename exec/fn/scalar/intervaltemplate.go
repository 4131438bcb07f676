package scalar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// intervalWords are the words of PostgreSQL's patterns that an INTERVAL has, longer ones before
// those that they begin with.
var intervalWords = []string{"YYYY", "YY", "MM", "MI", "MS", "DD", "HH24", "HH12", "HH", "SS", "US", "AM", "PM"}

// intervalTemplate is a pattern, cut into words and the text between them.
type intervalTemplate []intervalPart

type intervalPart struct {
	word  string // in capitals; "" = text
	text  string
	lower bool
}

// parseIntervalTemplate reads a pattern; "…" stands as it is.
func parseIntervalTemplate(s string) (intervalTemplate, error) {
	var out intervalTemplate
	for len(s) > 0 {
		word := ""
		for _, w := range intervalWords {
			if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) {
				word = w
				break
			}
		}
		switch {
		case word != "":
			out = append(out, intervalPart{word: word, lower: s[0] >= 'a'})
			s = s[len(word):]
		case s[0] == '"':
			text, rest, ended := strings.Cut(s[1:], `"`)
			if !ended {
				return nil, fmt.Errorf("has a quote that does not end in the pattern")
			}
			out, s = append(out, intervalPart{text: text}), rest
		case s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z':
			return nil, fmt.Errorf("does not know %q in the pattern of an INTERVAL; write text in double quotes", s[:1])
		default:
			out, s = append(out, intervalPart{text: s[:1]}), s[1:]
		}
	}
	return out, nil
}

// append prints an interval. Each part has its own sign, as in PostgreSQL; HH12 is the hour of
// a half day, and AM and PM are the halves.
func (t intervalTemplate) append(dst []byte, v types.IntervalValue) []byte {
	micros := v.Micros
	hours := micros / types.MicrosPerHour
	for _, p := range t {
		switch p.word {
		case "":
			dst = append(dst, p.text...)
		case "YYYY":
			dst = appendSigned(dst, int64(v.Months/12), 4)
		case "YY":
			dst = appendSigned(dst, int64(v.Months/12%100), 2)
		case "MM":
			dst = appendSigned(dst, int64(v.Months%12), 2)
		case "DD":
			dst = appendSigned(dst, int64(v.Days), 2)
		case "HH24":
			dst = appendSigned(dst, hours, 2)
		case "HH", "HH12":
			dst = appendSigned(dst, halfDay(hours), 2)
		case "MI":
			dst = appendSigned(dst, micros/types.MicrosPerMinute%60, 2)
		case "SS":
			dst = appendSigned(dst, micros/types.MicrosPerSecond%60, 2)
		case "MS":
			dst = appendSigned(dst, micros/1000%1000, 3)
		case "US":
			dst = appendSigned(dst, micros%types.MicrosPerSecond, 6)
		default:
			half := map[bool]string{true: "PM", false: "AM"}[hours%24 >= 12]
			if p.lower {
				half = strings.ToLower(half)
			}
			dst = append(dst, half...)
		}
	}
	return dst
}

// halfDay is the hour of a half day: 12 for 0, with the sign.
func halfDay(hours int64) int64 {
	if h := hours % 12; h != 0 {
		return h
	}
	if hours < 0 {
		return -12
	}
	return 12
}

// appendSigned writes a number with zeros in front of its digits, the sign before them.
func appendSigned(dst []byte, n int64, digits int) []byte {
	if n < 0 {
		dst = append(dst, '-')
		n = -n
	}
	text := strconv.FormatUint(uint64(n), 10)
	for i := len(text); i < digits; i++ {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// resolveIntervalToChar resolves to_char of an INTERVAL.
func resolveIntervalToChar(args []fn.Arg) (fn.Impl, error) {
	s, ok := constText(args, 1)
	if !ok {
		return fn.Impl{}, fmt.Errorf("needs a constant pattern for an INTERVAL as argument 2")
	}
	t, err := parseIntervalTemplate(strings.Clone(s))
	if err != nil {
		return fn.Impl{}, err
	}
	eval := texts(func(dst []byte, args []*vec.Vector, r int) []byte {
		f, i := args[0].At(r)
		return t.append(dst, f.Iv[i])
	})
	return fixed(text, eval, interval, text)(args)
}
