package datagen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// parseRules makes a rule for each column.
func parseRules(text string, c source.Config) ([]*rule, error) {
	out := make([]*rule, len(c.Columns))
	for _, part := range cut(text, ';') {
		name, rest, ok := strings.Cut(part, ":")
		if part == "" {
			continue
		}
		i := columnNamed(c, strings.TrimSpace(name))
		switch {
		case !ok:
			return nil, fmt.Errorf("%q is not 'column: rule'", part)
		case i < 0:
			return nil, fmt.Errorf("there is no column %q", strings.TrimSpace(name))
		case out[i] != nil:
			return nil, fmt.Errorf("column %q has two rules", c.Columns[i].Name)
		}
		r, err := parseRule(rest, c.Columns[i].Type, c)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Columns[i].Name, err)
		}
		out[i] = r
	}
	for i, col := range c.Columns {
		if out[i] != nil {
			continue
		}
		var err error
		if out[i], err = parseRule(preset(col.Type), col.Type, c); err != nil {
			return nil, fmt.Errorf("column %q: %w", col.Name, err)
		}
	}
	return out, nil
}

// preset is the rule of a column that has none.
func preset(t types.Type) string {
	switch t.Kind {
	case types.String, types.Bytes:
		return "string"
	case types.Timestamp, types.TimestampNTZ:
		return "time"
	}
	return "random"
}

func columnNamed(c source.Config, name string) int {
	for i, col := range c.Columns {
		if strings.EqualFold(col.Name, name) {
			return i
		}
	}
	return -1
}

// cut splits text at a character outside of double quotes, and trims the parts.
func cut(text string, at byte) []string {
	var out []string
	from, quoted := 0, false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == at && !quoted:
			out, from = append(out, strings.TrimSpace(text[from:i])), i+1
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

// parseRule reads one rule. Only choice takes anything but words.
func parseRule(text string, t types.Type, c source.Config) (*rule, error) {
	if t.IsNested() || t.Kind == types.Interval {
		return nil, fmt.Errorf("datagen makes no %s", t)
	}
	r := &rule{typ: t}
	kind, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest, err := r.cutNull(rest)
	if err != nil {
		return nil, err
	}
	w := words{strings.Fields(rest)}
	switch strings.ToLower(kind) {
	case "sequence":
		err = r.sequence(&w)
	case "random":
		err = r.random(&w, c)
	case "string":
		err = r.text(&w)
	case "time":
		err = r.time(&w)
	case "choice":
		return r, r.choice(rest, c)
	default:
		return nil, fmt.Errorf("unknown rule %q: the rules are sequence, random, choice, string and time", kind)
	}
	if err == nil && len(w.list) > 0 {
		err = fmt.Errorf("%q is not understood", strings.Join(w.list, " "))
	}
	return r, err
}

// cutNull takes the end of a rule that says how many values are NULL.
func (r *rule) cutNull(text string) (string, error) {
	w := strings.Fields(text)
	if len(w) < 2 || !strings.EqualFold(w[len(w)-2], "null") {
		return text, nil
	}
	x, err := share(w[len(w)-1])
	r.nulls = x
	return text[:strings.LastIndex(strings.ToLower(text), "null")], err
}

func share(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%q is not a share from 0 to 1", text)
	}
	return x, nil
}

// words is what is left of a rule.
type words struct{ list []string }

func (w *words) next() string {
	if len(w.list) == 0 {
		return ""
	}
	x := w.list[0]
	w.list = w.list[1:]
	return x
}

// after takes the word behind a keyword, "" if the keyword is not next.
func (w *words) after(key string) string {
	if len(w.list) == 0 || !strings.EqualFold(w.list[0], key) {
		return ""
	}
	w.next()
	return w.next()
}

func isWhole(t types.Type) bool {
	switch t.Kind {
	case types.Int8, types.Int16, types.Int32, types.Int64, types.Decimal:
		return true
	}
	return false
}

func (r *rule) sequence(w *words) error {
	if !isWhole(r.typ) {
		return fmt.Errorf("a sequence is of whole numbers, not %s", r.typ)
	}
	from, step := int64(0), int64(1)
	for _, x := range []struct {
		key  string
		into *int64
	}{{"from", &from}, {"step", &step}} {
		if text := w.after(x.key); text != "" {
			var err error
			if *x.into, err = r.whole(text); err != nil {
				return err
			}
		}
	}
	r.fill = sequence(from, step)
	return nil
}

// whole reads a value of the column that is kept as a whole number.
func (r *rule) whole(text string) (int64, error) {
	x, ok := scan.Value(text, r.typ, nil)
	switch x := x.(type) {
	case int64:
		return x, okay(ok, text, r.typ)
	case types.Int128:
		n, fits := x.Int64()
		return n, okay(ok && fits, text, r.typ)
	}
	return 0, okay(false, text, r.typ)
}

func okay(ok bool, text string, t types.Type) error {
	if !ok {
		return fmt.Errorf("%q is not %s", text, t.WithArticle())
	}
	return nil
}

func (r *rule) random(w *words, c source.Config) error {
	lo, hi := w.next(), w.after("to")
	if lo != "" && hi == "" {
		return fmt.Errorf("random has a smallest and a greatest value: random 1 to 100")
	}
	switch r.typ.Kind {
	case types.Bool:
		r.fill = randomBool
		return nil
	case types.Float32, types.Float64:
		if lo == "" {
			lo, hi = "0", "1"
		}
		a, ok1 := single(lo, r.typ, c)
		b, ok2 := single(hi, r.typ, c)
		if !ok1 || !ok2 || a.(float64) > b.(float64) {
			return fmt.Errorf("%s to %s is not a range of %s", lo, hi, r.typ)
		}
		r.fill = randomFloat(a.(float64), b.(float64), r.typ.Kind == types.Float32)
		return nil
	case types.UUID:
		if lo != "" {
			return fmt.Errorf("random has no range for UUID")
		}
		r.fill = randomUUID
		return nil
	case types.JSON:
		return fmt.Errorf("JSON values are chosen: choice '[1]', '{\"a\":1}'")
	case types.String, types.Bytes:
		return fmt.Errorf("a random text is written: string 3 to 12")
	}
	if lo == "" {
		lo, hi = r.range0()
	}
	a, err := r.instant(lo, c)
	if err != nil {
		return err
	}
	b, err := r.instant(hi, c)
	if err != nil {
		return err
	}
	if a > b {
		return fmt.Errorf("%s is greater than %s", lo, hi)
	}
	r.fill = randomWhole(a, b)
	return nil
}

// range0 is the range of a random column without one.
func (r *rule) range0() (lo, hi string) {
	switch r.typ.Kind {
	case types.Date:
		return "2024-01-01", "2024-12-31"
	case types.Timestamp, types.TimestampNTZ:
		return `2024-01-01T00:00:00`, `2024-12-31T23:59:59`
	case types.Time:
		return "00:00:00", "23:59:59.999999"
	case types.Int8:
		return "0", "99"
	case types.Decimal:
		return "0", strings.Repeat("9", min(max(int(r.typ.Prec-r.typ.Scale), 1), 3))
	}
	return "0", "999"
}

// instant reads a number, a date or a time of the column.
func (r *rule) instant(text string, c source.Config) (int64, error) {
	if isWhole(r.typ) {
		return r.whole(text)
	}
	x, ok := single(strings.Trim(text, `"`), r.typ, c)
	n, isInt := x.(int64)
	return n, okay(ok && isInt, text, r.typ)
}

// longestText bounds random texts.
const longestText = 1 << 20

func (r *rule) text(w *words) error {
	if k := r.typ.Kind; k != types.String && k != types.Bytes {
		return fmt.Errorf("string is for STRING columns, not %s", r.typ)
	}
	lo, hi := int64(8), int64(8)
	if text := w.next(); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a length", text)
		}
		lo, hi = n, n
		if text := w.after("to"); text != "" {
			if hi, err = strconv.ParseInt(text, 10, 64); err != nil {
				return fmt.Errorf("%q is not a length", text)
			}
		}
	}
	if lo < 0 || hi < lo || hi > longestText {
		return fmt.Errorf("lengths are from 0 to %d, the smaller one first", longestText)
	}
	r.fill = randomText(lo, hi)
	return nil
}

func (r *rule) time(w *words) error {
	if k := r.typ.Kind; k != types.Timestamp && k != types.TimestampNTZ {
		return fmt.Errorf("time is for TIMESTAMP columns, not %s", r.typ)
	}
	var l lateness
	var err error
	if text := w.after("jitter"); text != "" {
		if l.jitter, err = duration(text); err != nil {
			return err
		}
	}
	if text := w.after("late"); text != "" {
		if l.share, err = share(text); err != nil {
			return err
		}
		if l.by, err = duration(w.after("by")); err != nil {
			return err
		}
	}
	r.fill = l.fill
	return nil
}

// duration reads a time span, in µs: 2s, 500ms, "2 minutes" as 2minutes.
func duration(text string) (int64, error) {
	d, err := option.Open([]option.Spec{{Name: "d", Type: option.Duration}}, []option.Value{{Name: "d", Text: text}})
	if err != nil || text == "" {
		return 0, fmt.Errorf("%q is not a duration such as 2s or 500ms", text)
	}
	return d.Micros("d"), nil
}

func (r *rule) choice(text string, c source.Config) error {
	out, upTo, sum := vec.NewBuilder(r.typ), []float64{}, 0.0
	for _, part := range cut(text, ',') {
		value, weight := part, 1.0
		if i := strings.LastIndexByte(part, ':'); i > 0 && !strings.HasSuffix(part, `"`) {
			w, err := strconv.ParseFloat(part[i+1:], 64)
			if err != nil || !(w >= 0) || math.IsInf(w, 0) {
				return fmt.Errorf("%q is not a weight", part[i+1:])
			}
			value, weight = strings.TrimSpace(part[:i]), w
		}
		x, ok := single(strings.Trim(value, `"`), r.typ, c)
		if err := okay(ok && value != "", value, r.typ); err != nil {
			return err
		}
		out.AppendAny(x)
		sum += weight
		upTo = append(upTo, sum)
	}
	if sum == 0 {
		return fmt.Errorf("the weights of a choice add up to 0")
	}
	r.fill = choice(out.Take(), upTo)
	return nil
}

// single reads a value as it is written in rules.
func single(text string, t types.Type, c source.Config) (any, bool) {
	return scan.Value(text, t, c.Zone)
}
