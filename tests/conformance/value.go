package conformance

import (
	"cmp"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// flavor is how a system writes values in its tests.
type flavor uint8

const (
	plain flavor = iota
	postgresText
	duckdbText
	sqliteText
)

// wrongError says that rows are not those expected.
type wrongError struct {
	message   string
	want, got []string
}

// Error implements error.
func (e *wrongError) Error() string {
	if e.want == nil && e.got == nil {
		return e.message
	}
	return fmt.Sprintf("%s: want %q, got %q", e.message, clip(e.want), clip(e.got))
}

func clip(l []string) []string { return l[:min(len(l), 8)] }

// lines are the rows of a result, a cell after a tab after the one before.
func (d *dialect) lines(res *result, s *step) []string {
	var out []string
	for _, b := range res.rows {
		b.Each(func(row int) {
			cells := make([]string, len(res.cols))
			for i := range res.cols {
				letter := byte('T')
				if i < len(s.types) {
					letter = s.types[i]
				}
				cells[i] = d.cell(b.Cols[i], row, letter)
			}
			for range b.Weight(row) {
				out = append(out, strings.Join(cells, "\t"))
			}
		})
	}
	return out
}

// cell writes a value.
func (d *dialect) cell(v *vec.Vector, row int, letter byte) string {
	if v.IsNull(row) {
		return "NULL"
	}
	if d.flavor == sqliteText {
		if s, ok := sqliteCell(v, row, letter); ok {
			return s
		}
	}
	s := d.value(v, row)
	if s == "" && d.blankNull {
		return "NULL"
	}
	if s == "" {
		return "(empty)"
	}
	return strings.ReplaceAll(s, "\n", "\\n")
}

// sqliteCell is a number in the form that the letter of the column asks for.
func sqliteCell(v *vec.Vector, row int, letter byte) (string, bool) {
	text := vec.RowString(v, row, time.UTC)
	if v.Type.Kind == types.Bool {
		text = map[string]string{"true": "1", "false": "0"}[text]
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case letter == 'I' && err == nil && (v.Type.IsFloat() || v.Type.Kind == types.Decimal):
		return strconv.FormatInt(int64(f), 10), true
	case letter == 'I' && err != nil:
		return "0", true
	case letter == 'R' && err == nil:
		return strconv.FormatFloat(f, 'f', 3, 64), true
	}
	return text, text != ""
}

// value writes a value that is not NULL.
func (d *dialect) value(v *vec.Vector, row int) string {
	f, i := v.At(row)
	switch {
	case f.Type.Kind == types.Bool && d.flavor == postgresText:
		return map[string]string{"true": "t", "false": "f"}[vec.RowString(v, row, time.UTC)]
	case f.Type.IsNested():
		return nested(d, f, i)
	case f.Type.IsFloat() && d.flavor == postgresText:
		return strings.TrimSuffix(vec.RowString(v, row, time.UTC), ".0")
	}
	if d.flavor == duckdbText && f.Type.Kind == types.Timestamp && f.Type.Kind.Infinite(f.Int(i)) == 0 {
		zone := cmp.Or(d.zone, time.UTC)
		return vec.RowString(v, row, zone) + duckOffset(f.Int(i), zone)
	}
	if d.zone != nil && f.Type.Kind == types.Timestamp && f.Type.Kind.Infinite(f.Int(i)) == 0 {
		return vec.RowString(v, row, d.zone) + time.UnixMicro(f.Int(i)).In(d.zone).Format("-07:00")
	}
	text := vec.RowString(v, row, time.UTC)
	if d.flavor == duckdbText && f.Type.Kind == types.Bytes {
		return duckBytes(f.Bytes(i))
	}
	if d.blankNull && f.Type.Kind == types.Bytes {
		return strings.TrimPrefix(text, `\x`)
	}
	if f.Type.Kind == types.Float32 && math.Abs(f.Float(i)) >= 1e15 && !math.IsInf(f.Float(i), 0) {
		return big.NewFloat(f.Float(i)).Text('f', 0) // all digits, as whole numbers of this size are compared
	}
	if d.blankNull || d.flavor == duckdbText {
		return strings.ReplaceAll(text, "\x00", `\0`)
	}
	return text
}

// compare compares lines with those expected.
func (d *dialect) compare(s *step, got []string, columns int, mode sortMode) error {
	if s.hashed {
		return compareHash(s, got, mode)
	}
	want := s.want
	if len(want) == 1 && (strings.HasPrefix(want[0], "<REGEX>:") || strings.HasPrefix(want[0], "<!REGEX>:")) {
		return compareRegexp(want[0], got)
	}
	perValue := len(want) != len(got) && len(want) == len(got)*columns || mode == valueSort || d.flavor == sqliteText && columns > 1 && len(want) == len(got)*columns
	if perValue {
		got = values(got)
		if mode == rowSort && columns > 0 {
			want, got = regrouped(want, columns), regrouped(got, columns)
		}
	}
	want, got = d.folded(want), d.folded(got)
	if mode != noSort {
		digits := 8
		if s.floats {
			digits = 6
		}
		want, got = sortedLines(want, digits), sortedLines(got, digits)
	}
	if len(want) != len(got) {
		return &wrongError{fmt.Sprintf("%d rows expected, got %d", len(want), len(got)), want, got}
	}
	for i := range want {
		if !sameLine(want[i], got[i]) && !(s.floats && sameFloats(want[i], got[i])) {
			return &wrongError{"other rows", want[i:], got[i:]}
		}
	}
	return nil
}

// sortedLines sorts rows so that numbers that are written in two ways, which are equal in so
// many digits, stand at one place.
func sortedLines(lines []string, digits int) []string {
	key := map[string]string{}
	for _, l := range lines {
		words := strings.Fields(l)
		for i, w := range words {
			if f, err := strconv.ParseFloat(w, 64); err == nil {
				words[i] = strconv.FormatFloat(f, 'e', digits, 64)
			}
		}
		key[l] = strings.Join(words, " ")
	}
	out := slices.Clone(lines)
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Or(strings.Compare(key[a], key[b]), strings.Compare(a, b)) })
	return out
}

// rounded reports that got has more digits of the number want, which is rounded, or cut off to
// five digits and more.
func rounded(want, got string) bool {
	_, frac, _ := strings.Cut(want, ".")
	f, err := strconv.ParseFloat(got, 64)
	if err == nil && len(frac) >= 5 && !strings.ContainsAny(want+got, "eE") && strings.HasPrefix(got, want) {
		return true
	}
	return err == nil && len(frac) >= 4 && !strings.ContainsAny(want, "eE") && strconv.FormatFloat(f, 'f', len(frac), 64) == want
}

// values cuts lines into cells.
func values(lines []string) []string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.Split(l, "\t")...)
	}
	return out
}

// regrouped makes rows of cells, a cell a line.
func regrouped(cells []string, n int) []string {
	var out []string
	for i := 0; i+n <= len(cells); i += n {
		out = append(out, strings.Join(cells[i:i+n], "\t"))
	}
	return out
}

func compareRegexp(want string, got []string) error {
	not := strings.HasPrefix(want, "<!")
	_, pattern, _ := strings.Cut(want, ":")
	re, err := regexp.Compile("(?s)^" + pattern + "$")
	if err != nil {
		return fmt.Errorf("pattern %q: %w", pattern, err)
	}
	if re.MatchString(strings.Join(got, "\n")) == not {
		return &wrongError{"the pattern does not fit", []string{want}, got}
	}
	return nil
}

// compareHash compares "N values hashing to H".
func compareHash(s *step, got []string, mode sortMode) error {
	if mode == rowSort {
		sort.Slice(got, func(i, j int) bool {
			return slices.Compare(strings.Split(got[i], "\t"), strings.Split(got[j], "\t")) < 0
		})
	}
	cells := values(got)
	if mode == valueSort {
		slices.Sort(cells)
	}
	h := md5.New()
	for _, c := range cells {
		fmt.Fprintln(h, c)
	}
	text := fmt.Sprintf("%d values hashing to %x", len(cells), h.Sum(nil))
	if text != strings.TrimSpace(s.want[0]) {
		return &wrongError{"another hash", s.want, []string{text}}
	}
	return nil
}

// folded writes lines so that equal values are equal text: what differs is how systems
// print, not what they print.
func (d *dialect) folded(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if d.blankNull { // their cells end at |
			l = strings.ReplaceAll(isoTimes(l), "|", " ")
		}
		if d.flavor != sqliteText {
			if !d.blankNull { // there, intervals side by side are told apart by it
				l = strings.ReplaceAll(l, "\t", " ")
			}
			l = isoIntervals(l, d.blankNull)
		}
		switch d.flavor {
		case duckdbText:
			l = duckTimes(sortedKeys(l))
		case postgresText:
			l = risingLine(l)
		}
		words := strings.Fields(brackets.Replace(l))
		for k, w := range words {
			words[k] = d.foldWord(w)
		}
		out[i] = strings.Join(words, " ")
	}
	return out
}

// sortedKeys writes a line that is one JSON object with its keys in order: they have none.
func sortedKeys(l string) string {
	if !strings.HasPrefix(l, `{"`) {
		return l
	}
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(l))
	d.UseNumber()
	if d.Decode(&object) != nil || d.More() {
		return l
	}
	out, err := json.Marshal(object)
	if err != nil {
		return l
	}
	return string(out)
}

// brackets are the marks of nested values: which ones is a matter of taste.
var brackets = strings.NewReplacer(`":`, " ", "[", " [ ", "]", " ] ", "{", " [ ", "}", " ] ", "(empty)", "(empty)", "(", " [ ", ")", " ] ", ",", " ", `"`, " ", "'", " ", ":[", " [ ", "=", " ")

var (
	integer = regexp.MustCompile(`^[+-]?\d+$`)
	decimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	clockIs = regexp.MustCompile(`^\d\d:\d\d:\d\d`)
	zeroEnd = regexp.MustCompile(`\.?0+$`)
)

// foldWord is one number, time or word.
func (d *dialect) foldWord(w string) string {
	switch low := strings.ToLower(w); low {
	case "inf", "infinity", "+inf":
		return "inf"
	case "-inf", "-infinity":
		return "-inf"
	case "nan":
		return "nan"
	case "true", "t":
		if d.flavor == duckdbText || d.flavor == postgresText {
			return "1"
		}
	case "false", "f":
		if d.flavor == duckdbText || d.flavor == postgresText {
			return "0"
		}
	case "null":
		return "NULL"
	}
	switch {
	case integer.MatchString(w):
		neg := strings.HasPrefix(w, "-")
		if w = strings.TrimLeft(strings.TrimLeft(w, "+-"), "0"); w == "" {
			return "0"
		}
		return map[bool]string{true: "-"}[neg] + w
	case decimal.MatchString(w):
		return foldDecimal(w)
	case clockIs.MatchString(w):
		w = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(w, "Z"), "+00:00"), "+00")
		if strings.Contains(w, ".") {
			w = zeroEnd.ReplaceAllString(w, "")
		}
	}
	return w
}

var (
	mapColon  = regexp.MustCompile(`([\w'"]): `)
	zoneUTC   = regexp.MustCompile(`(\d\d:\d\d:\d\d(?:\.\d+)?) (?:UTC|GMT|\+00:00)`)
	mdyDate   = regexp.MustCompile(`\b(\d\d)-(\d\d)-(\d{4})\b`)
	longStamp = regexp.MustCompile(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(\d\d?) (\d\d:\d\d:\d\d(?:\.\d+)?) (\d+)\b`)
)

// isoTimes writes dates and times in the order of ISO 8601.
func isoTimes(l string) string {
	l = zoneUTC.ReplaceAllString(mapColon.ReplaceAllString(mdyDate.ReplaceAllString(l, "$3-$1-$2"), "$1 "), "$1")
	return longStamp.ReplaceAllStringFunc(l, func(s string) string {
		m := longStamp.FindStringSubmatch(s)
		month := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", m[1])/3 + 1
		year, _ := strconv.Atoi(m[4])
		day, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%04d-%02d-%02d %s", year, month, day, m[3])
	})
}

// foldDecimal is a number with a fraction or an exponent: as an integer if it is one,
// else in 12 digits.
func foldDecimal(w string) string {
	f, err := strconv.ParseFloat(w, 64)
	if err != nil {
		return w
	}
	if !strings.ContainsAny(w, "eE") {
		whole, frac, _ := strings.Cut(w, ".")
		if strings.Trim(frac, "0") == "" && strings.TrimLeft(whole, "+-0") != "" {
			return strings.TrimLeft(whole, "+")
		}
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', 12, 64)
}

// sameLine compares lines word by word; numbers that differ in the ninth digit are equal.
func sameLine(a, b string) bool {
	if a == b {
		return true
	}
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if rounded(x[i], y[i]) {
			continue
		}
		f, err1 := strconv.ParseFloat(x[i], 64)
		g, err2 := strconv.ParseFloat(y[i], 64)
		if err1 != nil || err2 != nil || integer.MatchString(x[i]) && integer.MatchString(y[i]) {
			return false
		}
		if math.Abs(f-g) > 1e-8*math.Max(1e-300, math.Max(math.Abs(f), math.Abs(g))) {
			return false
		}
	}
	return true
}
