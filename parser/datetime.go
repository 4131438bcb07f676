package parser

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sqlstream/sqlstream/parser/ast"
)

// checkTemporal tells what is wrong with the text of a DATE, TIME or TIMESTAMP
// literal. The form is checked here so that the caret is in the query; the value
// is made by the binder, which knows the session's zone.
func checkTemporal(kind ast.LiteralKind, text string) error {
	s := &scan{rest: strings.TrimSpace(text)}
	if kind != ast.LitTime && specialTimes[strings.ToLower(s.rest)] {
		return nil
	}
	switch kind {
	case ast.LitTime:
		s.clock()
	case ast.LitDate:
		s.date()
	default:
		s.date()
		if s.rest != "" {
			if s.rest[0] != ' ' && s.rest[0] != 'T' && s.rest[0] != 't' {
				s.fail()
			}
			s.rest = strings.TrimLeft(s.rest[min(1, len(s.rest)):], " ")
			s.clock()
			s.zone(kind)
		}
	}
	if s.err == nil && s.rest != "" {
		s.fail()
	}
	if s.err == errForm {
		return fmt.Errorf("'%s' is not of the form %s", text, temporalForm(kind))
	}
	return s.err
}

// specialTimes are the words that stand for a date or timestamp.
var specialTimes = map[string]bool{"infinity": true, "+infinity": true, "-infinity": true, "inf": true, "-inf": true, "epoch": true}

// relativeTime is what is written for PostgreSQL's DATE 'today' and its like: the text of a
// literal means the same at all times.
func relativeTime(kind ast.LiteralKind, text string) string {
	day := map[string]string{"today": "current_date()", "now": "current_date()", "yesterday": "date_sub(current_date(), 1)", "tomorrow": "date_add(current_date(), 1)"}[strings.ToLower(text)]
	switch {
	case day == "" || kind == ast.LitDate:
		return day
	case strings.EqualFold(text, "now"):
		return map[bool]string{true: "current_time()", false: "now()"}[kind == ast.LitTime]
	case kind == ast.LitTime:
		return ""
	}
	return "CAST(" + day + " AS TIMESTAMP)"
}

func temporalForm(kind ast.LiteralKind) string {
	switch kind {
	case ast.LitTime:
		return "'hh:mm:ss'"
	case ast.LitDate:
		return "'YYYY-MM-DD'"
	case ast.LitTimestampNTZ:
		return "'YYYY-MM-DD hh:mm:ss'"
	}
	return "'YYYY-MM-DD hh:mm:ss [zone]'"
}

var errForm = errors.New("malformed")

// scan reads a literal from the left; the first error stays.
type scan struct {
	rest string
	err  error
}

func (s *scan) fail() {
	if s.err == nil {
		s.err = errForm
	}
	s.rest = ""
}

// number takes between least and most digits and checks the range.
func (s *scan) number(least, most, low, high int, what string) int {
	n := min(leadingDigits(s.rest), most)
	if n < least {
		s.fail()
		return 0
	}
	value := 0
	for _, c := range s.rest[:n] {
		value = value*10 + int(c-'0')
	}
	s.rest = s.rest[n:]
	if s.err == nil && (value < low || value > high) {
		s.err = fmt.Errorf("%s %d is out of range", what, value)
		s.rest = ""
	}
	return value
}

func (s *scan) byte(c byte) bool {
	if s.rest == "" || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scan) need(c byte) {
	if !s.byte(c) {
		s.fail()
	}
}

// date takes [±]YYYY-MM-DD, or with " (BC)" or " BC" behind it or at the end a year before 1.
func (s *scan) date() {
	sign := 1
	if s.byte('-') {
		sign = -1
	} else {
		s.byte('+')
	}
	bc := strings.Contains(s.rest, " (BC)") || strings.HasSuffix(s.rest, " BC")
	least := 4
	if bc {
		least = 1
	}
	year := sign * s.number(least, 6, 0, farYear, "year")
	switch {
	case bc && year < 1 && s.err == nil:
		s.err = fmt.Errorf("year %d is out of range before Christ", year)
	case bc:
		year = 1 - year
	}
	s.need('-')
	month := s.number(1, 2, 1, 12, "month")
	s.need('-')
	day := s.number(1, 2, 1, 31, "day")
	if s.err == nil && day > daysIn(year, month) {
		s.err = fmt.Errorf("day %d is out of range", day)
	}
	if bc {
		s.rest = strings.TrimSuffix(strings.TrimPrefix(s.rest, " (BC)"), " BC")
	}
}

// farYear bounds the years on both sides of 0.
const farYear = 140000

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func (s *scan) clock() {
	s.number(1, 2, 0, 23, "hour")
	s.need(':')
	s.number(2, 2, 0, 59, "minute")
	if !s.byte(':') {
		return
	}
	s.number(2, 2, 0, 59, "second")
	if s.byte('.') {
		s.number(1, 9, 0, 999_999_999, "fraction")
	}
}

// zone takes Z, ±hh[:mm], or a zone's name, which the binder looks up.
func (s *scan) zone(kind ast.LiteralKind) {
	s.rest = strings.TrimLeft(s.rest, " ")
	if s.rest == "" || s.err != nil {
		return
	}
	if kind == ast.LitTimestampNTZ {
		s.err = errors.New("a timestamp without time zone cannot have a zone")
		return
	}
	if s.byte('+') || s.byte('-') {
		s.number(1, 2, 0, 18, "zone hour")
		if s.byte(':') || s.rest != "" {
			s.number(2, 2, 0, 59, "zone minute")
		}
		return
	}
	for i := 0; i < len(s.rest); i++ {
		if c := s.rest[i]; !isLetter(c) && (i == 0 || !isDigit(c) && !strings.ContainsRune("/_+-", rune(c))) {
			s.fail()
			return
		}
	}
	s.rest = ""
}
