package scalar

import (
	"errors"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// parse reads the whole text, blanks around it left out.
func (parts strfParts) parse(s string) (wall int64, zone *time.Location, ok bool) {
	var t parsedTime
	s = strings.Trim(s, " ")
	for i, p := range parts {
		if i == 0 {
			p.text = strings.TrimLeft(p.text, " ") // as the text
		}
		if p.letter == 0 {
			s, ok = afterText(s, p.text)
		} else {
			s, ok = t.readStrf(p, s, parts[i+1:])
		}
		if !ok {
			return 0, nil, false
		}
	}
	if s != "" || !t.settleHalf() || !t.settleWeeks() {
		return 0, nil, false
	}
	wall, ok = t.wallClock(1900)
	return wall, t.zone, ok
}

// settleHalf reads the hour of %H before AM or PM on a clock of twelve hours.
func (t *parsedTime) settleHalf() bool {
	if !t.given[hourField] || !t.given[halfField] {
		return true
	}
	hour := t.value[hourField]
	t.given[hourField] = false
	return hour <= 12 && t.set(halfHourField, hour%12)
}

// settleWeeks decides where a day is told in several ways, as DuckDB does: the day of the
// month counts before weeks; two ways of counting weeks, or weeks and the day of the year,
// do not go together, nor does an ISO week with another kind of year.
func (t *parsedTime) settleWeeks() bool {
	iso := t.given[isoWeekField] || t.given[isoYearField]
	if t.given[dayField] {
		for _, f := range []int{sundayWeekField, mondayWeekField, isoWeekField, isoYearField} {
			t.given[f] = false
		}
		return true
	}
	ways := truth(t.given[sundayWeekField]) + truth(t.given[mondayWeekField]) + truth(iso) + truth(t.given[yearDayField])
	return ways <= 1 && !(t.given[yearField] && t.given[isoWeekField] && !t.given[isoYearField])
}

// afterText leaves out literal text; a blank in the format stands for any number of
// them.
func afterText(s, text string) (rest string, ok bool) {
	for i := range len(text) {
		switch {
		case text[i] == ' ':
			if i == 0 || text[i-1] != ' ' {
				if s != "" && s[0] != ' ' {
					return s, false
				}
				s = strings.TrimLeft(s, " ")
			}
		case s == "" || s[0] != text[i]:
			return s, false
		default:
			s = s[1:]
		}
	}
	return s, true
}

// readStrf reads the text of one specifier.
func (t *parsedTime) readStrf(p strfPart, s string, behind strfParts) (rest string, ok bool) {
	full := p.letter == 'A' || p.letter == 'B'
	switch p.letter {
	case 'a', 'A':
		return t.readName(s, weekdayField, 3+int(truth(full)), 7, func(i int) string { return time.Weekday((i + 1) % 7).String() }, 0)
	case 'b', 'h', 'B':
		return t.readName(s, monthField, 3+int(truth(full)), 12, func(i int) string { return time.Month(i + 1).String() }, 1)
	case 'p':
		return t.readHalf(s)
	case 'g':
		return t.readFraction(s, 3)
	case 'f':
		return t.readFraction(s, 6)
	case 'n':
		return t.readFraction(s, 9)
	case 'Z':
		return t.readZoneName(s)
	case 'z':
		if s != "" && s[0]|0x20 == 'z' {
			t.zone = time.UTC
			return s[1:], true
		}
		if rest, ok := t.readOffset(s, 5); ok {
			return rest, ok
		}
		return t.readOffset(s, 1)
	}
	x, rest, ok := readNumber(s, 1, mostDigits(p.letter), 0)
	return rest, ok && t.setStrf(p.letter, x)
}

// mostDigits is how many digits the number of a specifier may have.
func mostDigits(letter byte) int {
	switch letter {
	case 'Y', 'G':
		return 4
	case 'j':
		return 3
	case 'w', 'u':
		return 1
	case 's':
		return 18
	}
	return 2
}

// setStrf stores a number.
func (t *parsedTime) setStrf(letter byte, x int64) bool {
	in := func(field int, low, high int64) bool { return x >= low && x <= high && t.set(field, x) }
	switch letter {
	case 'Y':
		return t.setYear(x)
	case 'y': // 69 is 1969, 68 is 2068
		if x += 1900; x < 1969 {
			x += 100
		}
		return t.setYear(x)
	case 'G':
		return t.given[yearField] || t.set(isoYearField, x)
	case 'm':
		return in(monthField, 1, 12)
	case 'd', 'e':
		return in(dayField, 1, 31)
	case 'j':
		return in(yearDayField, 1, 366)
	case 'H', 'k':
		return in(hourField, 0, 23)
	case 'I':
		return x >= 1 && x <= 12 && t.set(halfHourField, x%12)
	case 'M':
		return in(minuteField, 0, 59)
	case 'S':
		return in(secondField, 0, 59)
	case 'U':
		return in(sundayWeekField, 0, 53)
	case 'W':
		return in(mondayWeekField, 0, 53)
	case 'V':
		return in(isoWeekField, 1, 53)
	case 'w':
		return x <= 6 && t.set(weekdayField, (x+6)%7)
	case 'u':
		return x >= 1 && x <= 7 && t.set(weekdayField, x-1)
	}
	return false
}

// setYear takes the place of an ISO year or week before it.
func (t *parsedTime) setYear(x int64) bool {
	t.given[isoYearField], t.given[isoWeekField] = false, false
	return t.set(yearField, x)
}

// weekDate is the day of a week of a year: an ISO week (from its Monday), or one counted
// from the first Sunday or Monday of the year.
func (t *parsedTime) weekDate(year int64) (day int64, ok bool) {
	if t.given[isoWeekField] {
		year = t.or(isoYearField, year)
		if year < types.MinYear || year > types.MaxYear {
			return 0, false
		}
		jan4 := types.DaysFromCivil(int(year), 1, 4)
		day = jan4 - weekday(jan4*types.MicrosPerDay) + (t.value[isoWeekField]-1)*7 + t.value[weekdayField]
		y, w := isoWeek(day * types.MicrosPerDay)
		return day, y == year && w == t.value[isoWeekField]
	}
	jan1, ok := validDay(year, 1, 1)
	wday := weekday(jan1 * types.MicrosPerDay)
	if t.given[mondayWeekField] {
		day = jan1 - wday + t.value[mondayWeekField]*7 + t.value[weekdayField]
		if wday == 0 {
			day -= 7
		}
	} else {
		sunday := (wday + 1) % 7
		day = jan1 - sunday + t.value[sundayWeekField]*7 + (t.or(weekdayField, 6)+1)%7
		if sunday == 0 {
			day -= 7
		}
	}
	return day, ok && yearOf(day*types.MicrosPerDay) == year
}

// zoned tells whether a format reads a zone: the result is an instant then.
func (parts strfParts) zoned() bool {
	for _, p := range parts {
		if p.letter == 'z' || p.letter == 'Z' || p.letter == 's' {
			return true
		}
	}
	return false
}

// resolveStrptime reads text by a constant format, or by the first that fits of several:
// a wall clock, or an instant if a format has %z or %Z.
func resolveStrptime(name string, leniently bool) resolver {
	return func(args []fn.Arg) (fn.Impl, error) {
		if err := arity(args, 2, 2); err != nil {
			return fn.Impl{}, err
		}
		if k := args[0].Type.Kind; k != types.String && k != types.Null {
			return fn.Impl{}, mismatch(args, 0, "STRING")
		}
		formats, err := strptimeFormats(args)
		if err != nil {
			return fn.Impl{}, err
		}
		impl := fn.Impl{Args: []types.Type{text, args[1].Type}, Result: ntz}
		for _, f := range formats {
			if f.zoned() {
				impl.Result = timestamp
			}
		}
		impl.Eval = func(c *fn.Ctx, args []*vec.Vector, rows fn.Rows) (*vec.Vector, error) {
			return strptimes(c, name, impl.Result, args, rows, &strfSource{fixed: formats})
		}
		if leniently {
			impl.Eval = lenient(impl.Eval)
		}
		return impl, nil
	}
}

// strptimeFormats compiles a constant format or list of formats; nil if it is a column.
func strptimeFormats(args []fn.Arg) ([]strfParts, error) {
	t, v := args[1].Type, args[1].Const
	var wanted []string
	switch {
	case t.Kind == types.Null, t.Kind == types.String && v == nil, v != nil && v.IsNull(0):
		return nil, nil
	case t.Kind == types.String:
		wanted = []string{v.Text(0)}
	case t.Kind == types.Array && t.Elem.Kind == types.String && v != nil:
		f, from, to := list(v, 0)
		items := f.Child[0]
		for i := from; i < to; i++ {
			if items.IsNull(i) {
				return nil, errors.New("has a format that is NULL")
			}
			wanted = append(wanted, items.Text(i))
		}
	default:
		return nil, mismatch(args, 1, "STRING or a constant ARRAY of STRING")
	}
	formats := make([]strfParts, 0, len(wanted)) // an empty list reads nothing
	for _, s := range wanted {
		f, err := compileStrf(s)
		if err == nil {
			err = f.readable()
		}
		if err != nil {
			return nil, err
		}
		formats = append(formats, f)
	}
	return formats, nil
}

// readable refuses what is for printing alone.
func (parts strfParts) readable() error {
	if len(parts) == 0 {
		return errors.New("needs a format that is not empty")
	}
	for _, p := range parts {
		if p.letter == 'C' || p.letter == 's' {
			return errors.New("does not read the format %" + string(p.letter) + "; for seconds since 1970 write to_timestamp(n)")
		}
	}
	return nil
}

// specialTime reads infinity, -infinity and epoch, which stand for times in any format.
func specialTime(s string, k types.Kind) (int64, bool) {
	if s = strings.TrimSpace(s); s == "" || s[len(s)-1] < 'A' {
		return 0, false
	}
	us, err := types.ParseTimestampNTZ(s)
	return us, err == nil && (us == 0 || k.Infinite(us) != 0)
}

func strptimes(c *fn.Ctx, name string, t types.Type, args []*vec.Vector, rows fn.Rows, source *strfSource) (*vec.Vector, error) {
	out := c.New(t, rows.N)
	err := try(rows, func(r int) error {
		formats, err := source.at(args[1], r)
		if err == nil && source.fixed == nil {
			if err = formats[0].readable(); err == nil && formats[0].zoned() {
				err = errors.New("has a zone, which only a constant format may have")
			}
		}
		if err != nil {
			return c.Fail(out, r, name, fn.Quote(args[1].Text(r)), err.Error())
		}
		if at, ok := specialTime(args[0].Text(r), t.Kind); ok && len(formats) > 0 {
			out.I64[r] = at
			return nil
		}
		for _, f := range formats {
			if wall, zone, ok := f.parse(args[0].Text(r)); ok {
				out.I64[r] = placed(t.Kind, wall, zone, c.Zone)
				return nil
			}
		}
		msg := "does not follow the formats"
		if args[1].Type.Kind == types.String {
			msg = "does not follow the format " + args[1].Text(r)
		}
		return c.Fail(out, r, name, fn.Quote(args[0].Text(r)), msg)
	})
	return out, err
}
