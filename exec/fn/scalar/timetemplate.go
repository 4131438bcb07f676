package scalar

import (
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// templateWord is a word of PostgreSQL's patterns, and the field that it means.
type templateWord struct {
	word   string
	letter byte
	n      int
	// instead says why the word is refused, and what to write.
	instead string
}

// templateWords are all of them, longer ones before those that they begin with.
var templateWords = []templateWord{
	{"YYYY", 'y', 4, ""}, {"YY", 'y', 2, ""}, {"Y", 0, 0, "write YYYY for the year"}, {"IYYY", 0, 0, "write YYYY for the year"}, {"IY", 0, 0, "write YYYY for the year"},
	{"MONTH", 0, 0, "it is padded with blanks; write FMMonth"}, {"FMMONTH", 'M', 4, ""}, {"MON", 'M', 3, ""}, {"MM", 'M', 2, ""}, {"MI", 'm', 2, ""}, {"MS", 'S', 3, ""},
	{"DDD", 'D', 3, ""}, {"DD", 'd', 2, ""}, {"DAY", 0, 0, "it is padded with blanks; write FMDay"}, {"FMDAY", 'E', 4, ""}, {"DY", 'E', 3, ""},
	{"D", 0, 0, "write dayofweek(time)"}, {"Q", 'Q', 1, ""},
	{"HH24", 'H', 2, ""}, {"HH12", 'h', 2, ""}, {"HH", 'h', 2, ""}, {"SSSSS", 0, 0, "write extract(epoch FROM time)"}, {"SSSS", 0, 0, "write extract(epoch FROM time)"},
	{"SS", 's', 2, ""}, {"US", 'S', 6, ""}, {"AM", 'a', 1, ""}, {"PM", 'a', 1, ""},
	{"TZH:TZM", 'x', 3, ""}, {"TZHTZM", 'x', 2, ""}, {"TZH", 'x', 1, ""}, {"TZ", 'z', 1, ""},
	{"FM", 0, 0, "pad and trim with lpad and trim"}, {"WW", 0, 0, "weekofyear(time) is the week"}, {"IW", 0, 0, "weekofyear(time) is the week"},
}

// isTemplate tells a pattern of PostgreSQL's to_char by words that no pattern of Java has:
// YYYY in capitals, HH24, HH12, MI.
func isTemplate(s string) bool {
	if strings.Contains(s, "'") {
		return false
	}
	up := strings.ToUpper(s)
	return strings.Contains(s, "YYYY") || strings.Contains(up, "HH24") || strings.Contains(up, "HH12") || strings.Contains(up, "MI")
}

// compileTemplate reads such a pattern: words in either case, "…" as it stands.
func compileTemplate(s string) (*timePattern, error) {
	if strings.Contains(s, "mm") && s != strings.ToLower(s) {
		return nil, fmt.Errorf("reads mm of the pattern %q as minutes in Java, and as the month in PostgreSQL; write yyyy-MM-dd HH:mm:ss or YYYY-MM-DD HH24:MI:SS", s)
	}
	p := &timePattern{step: types.MicrosPerDay, lenient: true}
	for i := 0; i < len(s); {
		switch {
		case s[i] == '"':
			text, _, ended := strings.Cut(s[i+1:], `"`)
			if !ended {
				return nil, fmt.Errorf("has a quote that does not end in the pattern %q", s)
			}
			p.literal(text)
			i += len(text) + 2
			continue
		case s[i]|0x20 < 'a' || s[i]|0x20 > 'z':
			p.literal(s[i : i+1])
			i++
			continue
		}
		w := templateWordAt(s[i:])
		if w == nil || w.letter == 0 {
			return nil, unknownWord(s[i:], w)
		}
		if err := p.templateField(w, s[i:i+len(w.word)]); err != nil {
			return nil, err
		}
		i += len(w.word)
	}
	return p, nil
}

func templateWordAt(s string) *templateWord {
	for i, w := range templateWords {
		if len(s) >= len(w.word) && strings.EqualFold(s[:len(w.word)], w.word) {
			return &templateWords[i]
		}
	}
	return nil
}

func unknownWord(s string, w *templateWord) error {
	if w == nil {
		return fmt.Errorf(`does not know %q in a pattern; write text in double quotes`, s[:1])
	}
	return fmt.Errorf("does not take %s in a pattern: %s", s[:len(w.word)], w.instead)
}

// templateField adds the field of a word as it is written: names and halves of the day
// follow its case.
func (p *timePattern) templateField(w *templateWord, written string) error {
	n := w.n
	switch {
	case w.letter == 'a' && written[0] >= 'a':
		n = lowerHalf
	case (w.letter == 'E' || w.letter == 'M' && n > 2) && (written == strings.ToUpper(written) || written == strings.ToLower(written)):
		name := w.word[:1] + strings.ToLower(w.word[1:])
		if strings.HasPrefix(w.word, "FM") {
			name = "FM" + w.word[2:3] + strings.ToLower(w.word[3:])
		}
		return fmt.Errorf("does not take %s in a pattern: write %s, and upper or lower around the result", written, name)
	}
	p.step = min(p.step, patternLetters[w.letter].step)
	p.parts = append(p.parts, patternPart{letter: w.letter, n: n})
	return nil
}
