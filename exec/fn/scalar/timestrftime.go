package scalar

import (
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// strfParts is a compiled format of C's strftime, with the specifiers of DuckDB:
// "%Y-%m-%d %H:%M:%S". The text of a part is what stands between two specifiers.
type strfParts []strfPart

// strfPart is literal text (letter 0) or a specifier; plain ones (%-d) print without
// leading zeros.
type strfPart struct {
	letter byte
	plain  bool
	text   string
}

// strfLetters are the known specifiers; strfPlain those that %- may precede.
const (
	strfLetters = "aAwudbhBmyYGHIpMSgfnzZjUWVcxXTDFeskC%"
	strfPlain   = "dmyHIMSj"
)

// strfLong are the specifiers that stand for several.
var strfLong = map[byte]string{'c': "%Y-%m-%d %H:%M:%S", 'x': "%Y-%m-%d", 'X': "%H:%M:%S", 'T': "%H:%M:%S", 'F': "%Y-%m-%d", 'D': "%m/%d/%y"}

// compileStrf reads a format.
func compileStrf(s string) (strfParts, error) {
	var parts strfParts
	text := func(t string) {
		if n := len(parts); n > 0 && parts[n-1].letter == 0 {
			parts[n-1].text += t
		} else if t != "" {
			parts = append(parts, strfPart{text: t})
		}
	}
	for s != "" {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			text(s)
			break
		}
		text(s[:at])
		s = s[at+1:]
		plain := strings.HasPrefix(s, "-")
		if plain {
			s = s[1:]
		}
		known := strfLetters
		if plain {
			known = strfPlain
		}
		switch {
		case s == "" || strings.IndexByte(known, s[0]) < 0:
			return nil, unknownStrf(s, plain)
		case s[0] == '%':
			text("%")
		case strfLong[s[0]] != "":
			long, _ := compileStrf(strfLong[s[0]])
			for _, p := range long {
				if p.letter == 0 {
					text(p.text)
				} else {
					parts = append(parts, p)
				}
			}
		default:
			parts = append(parts, strfPart{letter: s[0], plain: plain})
		}
		s = s[1:]
	}
	return parts, nil
}

func unknownStrf(s string, plain bool) error {
	if s == "" {
		return fmt.Errorf("has a %% at the end of its format; a percent sign is %%%%")
	}
	spec := "%"
	if plain {
		spec = "%-"
	}
	r := []rune(s)[0]
	return fmt.Errorf("does not know the format %q; it knows %%Y %%m %%d %%H %%M %%S %%f and others as in C", spec+string(r))
}

// append prints a time.
func (parts strfParts) append(dst []byte, t moment) []byte {
	y, m, d := civil(t.local)
	for _, p := range parts {
		switch p.letter {
		case 0:
			dst = append(dst, p.text...)
		case 'd':
			dst = appendPadded(dst, int64(d), p.width(2))
		case 'e':
			dst = appendBlank(dst, int64(d))
		case 'm':
			dst = appendPadded(dst, int64(m), p.width(2))
		case 'Y':
			dst = appendPadded(dst, int64(y), 4)
		case 'y':
			dst = appendPadded(dst, types.FloorMod(int64(y), 100), p.width(2))
		case 'C':
			dst = appendPadded(dst, types.FloorDiv(int64(y), 100), 2)
		case 'b', 'h':
			dst = append(dst, time.Month(m).String()[:3]...)
		case 'B':
			dst = append(dst, time.Month(m).String()...)
		case 'j', 'G', 'V', 'U', 'W', 'a', 'A', 'w', 'u':
			dst = p.appendWeek(dst, t.local)
		default:
			dst = p.appendClock(dst, t)
		}
	}
	return dst
}

func (p strfPart) width(n int) int {
	if p.plain {
		return 1
	}
	return n
}

// appendWeek prints a field of the week or the year.
func (p strfPart) appendWeek(dst []byte, local int64) []byte {
	isoYear, week := isoWeek(local)
	switch p.letter {
	case 'a':
		return append(dst, time.Weekday(sundays(local)).String()[:3]...)
	case 'A':
		return append(dst, time.Weekday(sundays(local)).String()...)
	case 'w':
		return appendPadded(dst, sundays(local), 1)
	case 'u':
		return appendPadded(dst, weekday(local)+1, 1)
	case 'G':
		return appendPadded(dst, isoYear, 4)
	case 'V':
		return appendPadded(dst, week, 2)
	case 'U':
		return appendPadded(dst, (yearDay(local)+6-sundays(local))/7, 2)
	case 'W':
		return appendPadded(dst, (yearDay(local)+6-weekday(local))/7, 2)
	}
	return appendPadded(dst, yearDay(local), p.width(3))
}

// appendClock prints a field of the time of day or the zone.
func (p strfPart) appendClock(dst []byte, t moment) []byte {
	tod := clockOf(t.local)
	h := tod / types.MicrosPerHour
	switch p.letter {
	case 'H':
		return appendPadded(dst, h, p.width(2))
	case 'k':
		return appendBlank(dst, h)
	case 'I':
		return appendPadded(dst, (h+11)%12+1, p.width(2))
	case 'p':
		return append(dst, [...]string{"AM", "PM"}[h/12]...)
	case 'M':
		return appendPadded(dst, tod/types.MicrosPerMinute%60, p.width(2))
	case 'S':
		return appendPadded(dst, tod/types.MicrosPerSecond%60, p.width(2))
	case 'g':
		return appendFraction(dst, tod%types.MicrosPerSecond, 3)
	case 'f':
		return appendFraction(dst, tod%types.MicrosPerSecond, 6)
	case 'n':
		return appendFraction(dst, tod%types.MicrosPerSecond, 9)
	case 's':
		return appendPadded(dst, types.FloorDiv(t.local, types.MicrosPerSecond)-t.off, 1)
	case 'Z':
		if t.zone == nil {
			return dst
		}
		return append(dst, abbreviation(t)...)
	}
	dst = appendOffset(dst, t.off, 1)
	if t.off%3600 != 0 { // ±hh:mm, as in DuckDB
		n := len(dst) - 2
		dst = append(dst[:n], ':', dst[n], dst[n+1])
	}
	return dst
}

// appendBlank prints two places, the first of which may be blank.
func appendBlank(dst []byte, n int64) []byte {
	if n < 10 {
		dst = append(dst, ' ')
	}
	return appendPadded(dst, n, 1)
}

// strfSource finds the format of an argument: compiled when the query is planned if it is
// constant, else whenever it changes.
type strfSource struct {
	fixed, last []strfParts
	text        string
}

func fixedStrf(args []fn.Arg, i int) ([]strfParts, error) {
	s, ok := constText(args, i)
	if !ok {
		return nil, nil
	}
	parts, err := compileStrf(s)
	return []strfParts{parts}, err
}

func (f *strfSource) at(v *vec.Vector, r int) ([]strfParts, error) {
	if f.fixed != nil {
		return f.fixed, nil
	}
	if s := v.Text(r); f.last == nil || s != f.text {
		parts, err := compileStrf(s)
		if err != nil {
			return nil, err
		}
		f.last, f.text = []strfParts{parts}, strings.Clone(s)
	}
	return f.last, nil
}

// resolveStrftime takes time and format in either order, as DuckDB does.
func resolveStrftime(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 2, 2); err != nil {
		return fn.Impl{}, err
	}
	at, format := 0, 1
	if args[0].Type.Kind == types.String && args[1].Type.IsTime() {
		at, format = 1, 0
	}
	t, err := timeArg(args, at)
	if err != nil {
		return fn.Impl{}, err
	}
	if args[format].Type.Kind != types.String && args[format].Type.Kind != types.Null {
		return fn.Impl{}, mismatch(args, format, "STRING")
	}
	fixed, err := fixedStrf(args, format)
	if err != nil {
		return fn.Impl{}, err
	}
	impl := fn.Impl{Args: []types.Type{text, text}, Result: text}
	impl.Args[at] = t
	impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
		source := strfSource{fixed: fixed}
		in := args[at]
		m := mask(in)
		return tryTexts(text, "strftime", func(dst []byte, _ []*vec.Vector, r int) (res []byte, value, msg string) {
			parts, err := source.at(args[format], r)
			if err != nil {
				return nil, fn.Quote(args[format].Text(r)), err.Error()
			}
			return parts[0].append(dst, strfMoment(t.Kind, in.I64[r&m], c.Zone)), "", ""
		})(c, args, rows)
	}
	return impl, nil
}

// strfMoment is a moment of which only an instant has a zone.
func strfMoment(k types.Kind, x int64, zone *time.Location) moment {
	switch k {
	case types.Date:
		return moment{local: x * types.MicrosPerDay}
	case types.TimestampNTZ:
		return moment{local: x}
	}
	return momentOf(k, x, zone)
}
