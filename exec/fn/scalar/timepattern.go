package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// timePattern is a compiled pattern of letters as Java's DateTimeFormatter and Spark
// have them: "yyyy-MM-dd HH:mm:ss.SSS".
type timePattern struct {
	parts []patternPart
	// step is the µs that the shortest field counts: times in the same step print the
	// same. 0 = the offset of the zone counts too.
	step int64
	// lenient patterns read numbers of fewer digits.
	lenient bool
}

// lowerHalf letters a give am and pm.
const lowerHalf = 2

// patternPart is literal text (letter 0), a field of n letters, or the bracket '[' of an
// optional section, whose ']' is part n.
type patternPart struct {
	letter byte
	n      int
	text   string
}

// patternLetter is what is known of a letter: the most letters in a row, and the µs that
// it counts.
type patternLetter struct {
	most int
	step int64
}

var patternLetters = map[byte]patternLetter{
	'G': {4, types.MicrosPerDay}, 'y': {10, types.MicrosPerDay}, 'Q': {4, types.MicrosPerDay}, 'q': {4, types.MicrosPerDay},
	'M': {4, types.MicrosPerDay}, 'L': {4, types.MicrosPerDay}, 'd': {2, types.MicrosPerDay}, 'D': {3, types.MicrosPerDay},
	'E': {4, types.MicrosPerDay}, 'F': {1, types.MicrosPerDay}, 'g': {10, types.MicrosPerDay},
	'a': {1, types.MicrosPerHour}, 'H': {2, types.MicrosPerHour}, 'h': {2, types.MicrosPerHour}, 'K': {2, types.MicrosPerHour}, 'k': {2, types.MicrosPerHour},
	'm': {2, types.MicrosPerMinute}, 's': {2, types.MicrosPerSecond}, 'S': {9, 1},
	'z': {3, 0}, 'V': {2, 0}, 'O': {4, 0}, 'X': {5, 0}, 'x': {5, 0}, 'Z': {5, 0},
}

// refusedLetters are letters that Java knows, with what to write instead.
var refusedLetters = map[byte]string{
	'Y': "write yyyy for the year", 'u': "write yyyy for the year, or extract(isodow FROM time) for the day of the week",
	'w': "weekofyear(time) is the week", 'W': "weekofyear(time) is the week",
	'e': "write E for the day of the week", 'c': "write E for the day of the week",
	'A': "write SSS for milliseconds", 'n': "write SSSSSS for the fraction", 'N': "write SSSSSS for the fraction",
	'B': "write a for AM and PM", 'p': "pad with lpad", 'v': "write VV for the zone",
	'I': "write mm for the minute", 'T': "write 'T' in quotes",
}

// compilePattern reads a pattern of Java's, or of PostgreSQL's.
func compilePattern(s string) (*timePattern, error) {
	if isTemplate(s) {
		return compileTemplate(s)
	}
	p := &timePattern{step: types.MicrosPerDay}
	var open []int
	for i := 0; i < len(s); {
		ch := s[i]
		switch {
		case ch == '\'':
			text, next, err := quoted(s, i)
			if err != nil {
				return nil, err
			}
			p.literal(text)
			i = next
		case ch|0x20 >= 'a' && ch|0x20 <= 'z':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], s[i:i+1]))
			if err := p.field(ch, n); err != nil {
				return nil, err
			}
			i += n
		case ch == '[':
			open = append(open, len(p.parts))
			p.parts = append(p.parts, patternPart{letter: '['})
			i++
		case ch == ']':
			if len(open) == 0 {
				return nil, fmt.Errorf("has a ] without [ in the pattern %q", s)
			}
			open = p.close(open)
			i++
		case ch == '{' || ch == '}' || ch == '#':
			return nil, fmt.Errorf("has a %q in the pattern %q; write it in quotes: '%c'", string(ch), s, ch)
		default:
			p.literal(s[i : i+1])
			i++
		}
	}
	for len(open) > 0 {
		open = p.close(open)
	}
	return p, nil
}

// close ends the innermost optional section.
func (p *timePattern) close(open []int) []int {
	last := len(open) - 1
	p.parts[open[last]].n = len(p.parts)
	p.parts = append(p.parts, patternPart{letter: ']'})
	return open[:last]
}

// quoted reads '…' at i; ” is a quote.
func quoted(s string, i int) (text string, next int, err error) {
	var b strings.Builder
	if strings.HasPrefix(s[i:], "''") {
		return "'", i + 2, nil
	}
	for i++; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return b.String(), i + 1, nil
	}
	return "", 0, fmt.Errorf("has a quote that does not end in the pattern %q", s)
}

func (p *timePattern) literal(s string) {
	if n := len(p.parts); n > 0 && p.parts[n-1].letter == 0 {
		p.parts[n-1].text += s
		return
	}
	p.parts = append(p.parts, patternPart{text: s})
}

func (p *timePattern) field(letter byte, n int) error {
	known, ok := patternLetters[letter]
	switch {
	case letter == 'V' && n != 2, letter == 'O' && n != 1 && n != 4:
		return fmt.Errorf("does not know %q in a pattern; write VV for the zone, O or OOOO for its offset", strings.Repeat(string(letter), n))
	case letter == 'z' && n == 4:
		return fmt.Errorf(`does not know the long names of zones, "zzzz"; write z or VV`)
	case ok && n > known.most:
		return fmt.Errorf("does not know %q in a pattern; the letter %q may stand at most %d times", strings.Repeat(string(letter), n), string(letter), known.most)
	case ok:
		p.step = min(p.step, known.step)
		p.parts = append(p.parts, patternPart{letter: letter, n: n})
		return nil
	}
	hint := ""
	if instead, refused := refusedLetters[letter]; refused {
		hint = "; " + instead
	}
	return fmt.Errorf("does not know the pattern letter %q%s", string(letter), hint)
}
