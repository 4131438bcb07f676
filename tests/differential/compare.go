package differential

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// same compares an answer with ours, and says what differs. Errors are equal whatever
// they say.
func same(engine string, ours Result, theirs Answer) (bool, string) {
	switch {
	case ours.Err != "" && theirs.Err != "":
		return true, ""
	case ours.Err != "":
		return false, "an error here, a value there"
	case theirs.Err != "":
		return false, "a value here, an error there"
	case len(ours.Rows) != len(theirs.Rows):
		return false, fmt.Sprintf("%d rows here, %d there", len(ours.Rows), len(theirs.Rows))
	}
	if d := sameTypes(ours, theirs); d != "" && engine == Spark {
		return false, d
	}
	left := slices.Clone(theirs.Rows)
	for _, row := range ours.Rows {
		i := slices.IndexFunc(left, func(r []any) bool { return sameRow(ours.Cols, row, r) })
		if i < 0 {
			return false, "values"
		}
		left = slices.Delete(left, i, i+1)
	}
	return true, ""
}

var decimalType = regexp.MustCompile(`^(?i:decimal)\((\d+),\s?(\d+)\)$`)

// sameTypes compares the types of DECIMAL columns: their digits are part of
// Spark's answer; DuckDB has rules of its own.
func sameTypes(ours Result, theirs Answer) string {
	if len(ours.Cols) != len(theirs.Types) && len(ours.Rows) > 0 {
		return "the number of columns"
	}
	for i, c := range ours.Cols {
		if i >= len(theirs.Types) {
			break
		}
		m := decimalType.FindStringSubmatch(theirs.Types[i])
		if m == nil && (c.Type.Kind != types.Decimal || theirs.Types[i] == "void") {
			continue
		}
		if m == nil || c.Type.String() != "DECIMAL("+m[1]+","+m[2]+")" {
			return "the type, " + c.Type.String() + " here"
		}
	}
	return ""
}

func sameRow(cols []types.Column, a, b []any) bool {
	for i := range a {
		if !sameValue(cols[i].Type, a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameValue compares values of our type.
func sameValue(t types.Type, a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	switch t.Kind {
	case types.Array:
		return sameList(*t.Elem, a, b)
	case types.Map:
		return sameMap(t, a, b)
	case types.Struct:
		return sameStruct(t, a, b)
	}
	x, ok1 := a.(string)
	y, ok2 := b.(string)
	return ok1 && ok2 && sameText(t, x, y)
}

func sameText(t types.Type, x, y string) bool {
	switch t.Kind {
	case types.Float32:
		return sameFloat(x, y, 1e-6)
	case types.Float64:
		return sameFloat(x, y, 1e-13)
	case types.Decimal:
		return plainNumber(x) == plainNumber(y)
	case types.Timestamp, types.TimestampNTZ:
		return sameTime(x, y)
	case types.Interval:
		p, ok1 := parseInterval(x)
		q, ok2 := parseInterval(y)
		return ok1 && ok2 && p == q
	}
	if t.Kind == types.Bytes && x != y {
		raw, err := base64.StdEncoding.DecodeString(y) // Spark's form inside nested values
		return err == nil && hex.EncodeToString(raw) == x
	}
	return readable(x) == readable(y) || t.IsInteger() && plainNumber(x) == plainNumber(y)
}

// readable makes one replacement character of bytes that are no text, as the engines count
// them differently when they print.
func readable(s string) string {
	return repeated.ReplaceAllString(strings.ToValidUTF8(s, "\ufffd"), "\ufffd")
}

var repeated = regexp.MustCompile("\ufffd+")

// sameFloat allows a few units in the last place: libraries round transcendental
// functions differently. Zeros are equal whatever their sign.
func sameFloat(x, y string, tolerance float64) bool {
	p, err1 := strconv.ParseFloat(x, 64)
	q, err2 := strconv.ParseFloat(y, 64)
	if err1 != nil && !strings.Contains(err1.Error(), "range") || err2 != nil && !strings.Contains(err2.Error(), "range") {
		return false
	}
	return p == q || math.IsNaN(p) && math.IsNaN(q) || math.Abs(p-q) <= tolerance*max(math.Abs(p), math.Abs(q), 0.1)
}

// plainNumber is a number without zeros that say nothing, and without exponent.
func plainNumber(s string) string {
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		s = expand(s, e)
	}
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	s = strings.TrimLeft(s, "0")
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "" {
		return "0"
	}
	return sign + s
}

// expand writes 1.5E-7 as 0.00000015.
func expand(s string, e int) string {
	exp, err := strconv.Atoi(s[e+1:])
	if err != nil {
		return s
	}
	sign, digits := "", s[:e]
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	whole, frac, _ := strings.Cut(digits, ".")
	for ; exp > 0; exp-- {
		if frac == "" {
			frac = "0"
		}
		whole, frac = whole+frac[:1], frac[1:]
	}
	for ; exp < 0; exp++ {
		if whole == "" {
			whole = "0"
		}
		whole, frac = whole[:len(whole)-1], whole[len(whole)-1:]+frac
	}
	return sign + whole + "." + frac
}

// sameTime compares instants and wall clocks in their several spellings.
func sameTime(x, y string) bool {
	p, ok1 := parseTime(x)
	q, ok2 := parseTime(y)
	return ok1 && ok2 && p.Equal(q) || plainTime(x) == plainTime(y)
}

// plainTime leaves zeros of a fraction out: years of five digits are compared as text.
func plainTime(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

func parseTime(s string) (time.Time, bool) {
	s = strings.TrimPrefix(s, "+")
	for _, layout := range []string{"2006-01-02 15:04:05.999999", "2006-01-02 15:04:05.999999-07", "2006-01-02 15:04:05.999999-07:00", "2006-01-02T15:04:05.999999Z07:00", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func sameList(elem types.Type, a, b any) bool {
	x, ok1 := a.([]any)
	y, ok2 := b.([]any)
	if !ok1 || !ok2 || len(x) != len(y) {
		return false
	}
	for i := range x {
		if !sameValue(elem, x[i], y[i]) {
			return false
		}
	}
	return true
}

// pairs are the entries of a recorded map or struct.
func pairs(v any) ([][2]any, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	list, _ := m[""].([]any)
	out := make([][2]any, len(list))
	for i, p := range list {
		kv := p.([]any)
		out[i] = [2]any{kv[0], kv[1]}
	}
	return out, true
}

func sameMap(t types.Type, a, b any) bool {
	x, ok1 := pairs(a)
	y, ok2 := pairs(b)
	if !ok1 || !ok2 || len(x) != len(y) {
		return false
	}
	for _, p := range x {
		if !slices.ContainsFunc(y, func(q [2]any) bool { return sameKey(*t.Key, p[0], q[0]) && sameValue(*t.Elem, p[1], q[1]) }) {
			return false
		}
	}
	return true
}

// sameKey compares keys of maps; those that JSON has no text for are only counted.
func sameKey(t types.Type, a, b any) bool {
	return t.IsNested() || t.IsTime() || t.Kind == types.Bytes || t.Kind == types.Interval || sameValue(t, a, b)
}

// sameStruct compares fields by name; the rows of DuckDB have no names.
func sameStruct(t types.Type, a, b any) bool {
	x, ok1 := pairs(a)
	if list, tuple := b.([]any); tuple && ok1 {
		return len(list) == len(x) && !slices.ContainsFunc(seq(len(x)), func(i int) bool { return !sameValue(t.Fields[i].Type, x[i][1], list[i]) })
	}
	y, ok2 := pairs(b)
	if !ok1 || !ok2 || len(x) != len(y) || len(x) != len(t.Fields) {
		return false
	}
	for i := range x {
		if x[i][0] != y[i][0] || !sameValue(t.Fields[i].Type, x[i][1], y[i][1]) {
			return false
		}
	}
	return true
}

// seq is 0 … n−1.
func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
