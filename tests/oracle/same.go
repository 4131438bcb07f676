package oracle

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/types"
)

// loose says which differences between values are free.
type loose struct {
	bags bool    // order inside arrays
	rel  float64 // relative error of numbers; 0 = 1e-9 for floats, none for whole numbers
	// nulls: NULL of ours stands for anything; spelling: that of intervals and DOUBLEs.
	nulls, spelling bool
}

// sameValue compares a value of ours with a recorded one.
func (l loose) sameValue(x, y any) bool {
	if x == nil && l.nulls {
		return true
	}
	if xn, ok := number(x); ok {
		yn, ok := number(y)
		return ok && l.sameNumber(x, y, xn, yn)
	}
	switch x := x.(type) {
	case []any:
		y, ok := y.([]any)
		return ok && l.sameList(x, y)
	case map[string]any:
		y, ok := y.(map[string]any)
		return ok && l.sameObject(x, y)
	}
	return x == y || l.spelling && (sameInterval(x, y) || sameDouble(x, y))
}

// javaDouble is how Spark writes a DOUBLE of at least 10⁷, or below 10⁻³, as text.
var javaDouble = regexp.MustCompile(`^-?\d\.\d+E-?\d+$`)

// sameDouble compares texts of one number.
func sameDouble(x, y any) bool {
	ours, ok1 := x.(string)
	theirs, ok2 := y.(string)
	if !ok1 || !ok2 || !javaDouble.MatchString(theirs) {
		return false
	}
	a, err1 := strconv.ParseFloat(ours, 64)
	b, err2 := strconv.ParseFloat(theirs, 64)
	return err1 == nil && err2 == nil && a == b
}

var sparkInterval = regexp.MustCompile(`^INTERVAL '(-?)(\d+) (\d+):(\d+):(\d+(?:\.\d+)?)' DAY TO SECOND$`)

// pythonInterval is how an interval column was recorded; days alone are negative.
var pythonInterval = regexp.MustCompile(`^(?:(-?\d+) days?, )?(\d+):(\d+):(\d+(?:\.\d+)?)$`)

// sameInterval compares texts of ours with Spark's INTERVAL '1 02:03:04' DAY TO SECOND.
func sameInterval(x, y any) bool {
	ours, ok1 := x.(string)
	theirs, ok2 := y.(string)
	m := sparkInterval.FindStringSubmatch(theirs)
	if m == nil {
		m = pythonInterval.FindStringSubmatch(theirs)
		if m != nil {
			m = append([]string{m[0], ""}, m[1:]...)
		}
	}
	if !ok1 || !ok2 || m == nil {
		return false
	}
	v, err := types.ParseInterval(ours)
	if m[2] == "" {
		m[2] = "0"
	}
	text := fmt.Sprintf("%s%s days %s%s:%s:%s", m[1], m[2], m[1], m[3], m[4], m[5])
	o, err2 := types.ParseInterval(text)
	const day = 86_400_000_000
	return err == nil && err2 == nil && v.Months == o.Months && int64(v.Days)*day+v.Micros == int64(o.Days)*day+o.Micros
}

func number(x any) (float64, bool) {
	switch x := x.(type) {
	case float64:
		return x, true
	case json.Number:
		f, err := x.Float64()
		return f, err == nil
	}
	return 0, false
}

func (l loose) sameNumber(x, y any, xf, yf float64) bool {
	if xs, ok := x.(json.Number); ok && l.rel == 0 {
		if ys, ok := y.(json.Number); ok && isWhole(xs) && isWhole(ys) {
			return xs == ys
		}
	}
	rel := max(l.rel, 1e-9)
	return xf == yf || math.Abs(xf-yf) <= rel*max(math.Abs(xf), math.Abs(yf), 1e-300)
}

func isWhole(n json.Number) bool {
	_, err := strconv.ParseInt(n.String(), 10, 64)
	return err == nil
}

func (l loose) sameList(x, y []any) bool {
	if len(x) != len(y) {
		return false
	}
	if l.bags {
		rest := slices.Clone(y)
		for _, e := range x {
			i := slices.IndexFunc(rest, func(o any) bool { return l.sameValue(e, o) })
			if i < 0 {
				return false
			}
			rest = slices.Delete(rest, i, i+1)
		}
		return true
	}
	for i := range x {
		if !l.sameValue(x[i], y[i]) {
			return false
		}
	}
	return true
}

func (l loose) sameObject(x, y map[string]any) bool {
	if m, ok := x["$map"]; ok {
		n, ok := y["$map"].([]any)
		return ok && loose{bags: true, rel: l.rel}.sameList(m.([]any), n)
	}
	if len(x) != len(y) {
		return false
	}
	for k, v := range x {
		o, ok := y[k]
		if !ok || !l.sameValue(v, o) {
			return false
		}
	}
	return true
}

// row is a row as recorded cases write values, by position.
type row []any

func (l loose) sameRow(x, y row) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !l.sameValue(x[i], y[i]) {
			return false
		}
	}
	return true
}

// diff takes the rows that both bags have away.
func (l loose) diff(ours, theirs []row) (onlyOurs, onlyTheirs []row) {
	rest := slices.Clone(theirs)
	for _, r := range ours {
		i := slices.IndexFunc(rest, func(o row) bool { return l.sameRow(r, o) })
		if i < 0 {
			onlyOurs = append(onlyOurs, r)
			continue
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return onlyOurs, rest
}

func (l loose) sameBag(x, y []row) bool {
	a, b := l.diff(x, y)
	return len(a) == 0 && len(b) == 0
}

// sameOrder compares rows one by one.
func (l loose) sameOrder(x, y []row) bool { return slices.EqualFunc(x, y, l.sameRow) }

// show prints rows for a message.
func show(rows []row) string {
	if len(rows) == 0 {
		return "(none)"
	}
	const most = 6
	var parts []string
	for i, r := range rows {
		if i == most {
			parts = append(parts, fmt.Sprintf("… %d rows", len(rows)))
			break
		}
		text, err := json.Marshal([]any(r))
		if err != nil {
			text = []byte(err.Error())
		}
		parts = append(parts, string(text))
	}
	return strings.Join(parts, " ")
}
