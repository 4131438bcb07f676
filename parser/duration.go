package parser

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/parser/ast"
)

// amount is a sum of calendar months, days and microseconds.
type amount struct {
	months, days, micros int64
}

// ParseDuration reads a duration as it stands in a string: '10 minutes',
// '1 day 2 hours', '-5 s', '1.5 seconds', '90s', '1 02:03:04.5', '2 months ago', 'P1DT2H'. A
// fraction of a unit goes to the smaller ones: types.SpreadInterval.
func ParseDuration(text string) (months, days, micros int64, err error) {
	a, err := parseDuration(text)
	return a.months, a.days, a.micros, err
}

func parseDuration(text string) (amount, error) {
	if iso := strings.TrimSpace(text); strings.HasPrefix(iso, "P") { // P1Y2M3DT4H, ISO 8601
		v, err := types.ParseInterval(iso)
		return amount{int64(v.Months), int64(v.Days), v.Micros}, err
	}
	fields := splitDuration(strings.TrimPrefix(strings.TrimSpace(text), "@"))
	if len(fields) > 0 && strings.EqualFold(fields[0], "interval") {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return amount{}, errors.New("a duration needs a number and a unit, such as '10 minutes'")
	}
	last := len(fields) - 1
	ago := last > 0 && strings.EqualFold(fields[last], "ago")
	if ago {
		fields = fields[:last]
	}
	var total amount
	for i := 0; i < len(fields); {
		n, err := total.take(fields[i:])
		if err != nil {
			return amount{}, err
		}
		i += n
	}
	if ago {
		total = amount{-total.months, -total.days, -total.micros}
	}
	return total, nil
}

// take adds the first part of the fields: a number with its unit, a time of day,
// or days with a time of day; it tells how many fields that took.
func (a *amount) take(fields []string) (int, error) {
	number := fields[0]
	if strings.Contains(number, ":") {
		body, negative := cutSign(number)
		return 1, a.addClock(body, ast.Hour, negative)
	}
	if len(fields) == 1 {
		return 0, fmt.Errorf("%q needs a unit, such as '%s minutes'", number, number)
	}
	if strings.Contains(fields[1], ":") {
		if err := a.add(number, ast.Day); err != nil {
			return 0, err
		}
		body, negative := cutSign(fields[1])
		return 2, a.addClock(body, ast.Hour, negative || strings.HasPrefix(number, "-"))
	}
	unit, ok := unitOf(fields[1])
	if !ok {
		return 0, fmt.Errorf("unknown unit %q", fields[1])
	}
	return 2, a.add(number, unit)
}

// splitDuration cuts at white space, at commas and where digits meet letters.
func splitDuration(text string) []string {
	var out []string
	start, kind := 0, byte(0)
	flush := func(end int) {
		if start < end && kind != 0 {
			out = append(out, text[start:end])
		}
		start = end
	}
	for i := 0; i < len(text); i++ {
		k := durationClass(text[i])
		if k != kind {
			flush(i)
			kind = k
		}
	}
	flush(len(text))
	return joinSigns(out)
}

// joinSigns glues a sign to the number that a blank separates from it.
func joinSigns(fields []string) []string {
	out := fields[:0]
	for i := 0; i < len(fields); i++ {
		if (fields[i] == "-" || fields[i] == "+") && i+1 < len(fields) {
			fields[i+1] = fields[i] + fields[i+1]
			continue
		}
		out = append(out, fields[i])
	}
	return out
}

func durationClass(c byte) byte {
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',':
		return 0
	case isDigit(c) || c == '.' || c == '-' || c == '+' || c == ':':
		return '0'
	}
	return 'a'
}

// add adds a decimal number of units.
func (a *amount) add(number string, unit ast.Unit) error {
	if !isDecimal(number) {
		return fmt.Errorf("%q is not a number", number)
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return fmt.Errorf("%q is not a number", number)
	}
	months, days, micros := unit.Amount()
	m, d, us, fits := types.SpreadInterval(value, months, days, micros)
	for _, part := range []struct {
		to *int64
		by int64
	}{{&a.months, m}, {&a.days, d}, {&a.micros, us}} {
		total := new(big.Int).Add(big.NewInt(*part.to), big.NewInt(part.by))
		if !fits || !total.IsInt64() || total.Int64() == math.MinInt64 {
			return fmt.Errorf("%q is out of range", number)
		}
		*part.to = total.Int64()
	}
	return nil
}

// isDecimal tells whether s is [sign] digits [. digits], nothing else; the
// length is bounded, since no exact value needs more.
func isDecimal(s string) bool {
	s = strings.TrimLeft(s, "+-")
	n := leadingDigits(s)
	rest := s[n:]
	if rest == "" {
		return n > 0 && n <= 40
	}
	fraction := leadingDigits(rest[1:])
	return rest[0] == '.' && n+fraction > 0 && n+fraction <= 40 && fraction == len(rest)-1
}

// addClock adds colon-separated numbers, the first of which counts the given
// unit, each next one the next smaller unit.
func (a *amount) addClock(text string, first ast.Unit, negative bool) error {
	parts := strings.Split(text, ":")
	if int(first-ast.Second) < len(parts)-1 {
		return fmt.Errorf("%q has too many parts", text)
	}
	for i, part := range parts {
		unit := first - ast.Unit(i)
		if !isDecimal(part) || part[0] == '-' || part[0] == '+' || unit != ast.Second && strings.Contains(part, ".") {
			return fmt.Errorf("%q is not a time of the form h:mm:ss", text)
		}
		if value, _ := new(big.Rat).SetString(part); i > 0 && value.Cmp(big.NewRat(60, 1)) >= 0 {
			return fmt.Errorf("%q is out of range in %q", part, text)
		}
		if negative {
			part = "-" + part
		}
		if err := a.add(part, unit); err != nil {
			return err
		}
	}
	return nil
}
