package json

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
)

// documents writes random objects: keys in any order or the usual one, left out,
// repeated or foreign, white space, escapes, nested values.
type documents struct {
	r *rand.Rand
	b bytes.Buffer
}

func (d *documents) blank() {
	if d.r.IntN(12) == 0 {
		d.b.WriteString([]string{" ", "\t", "  "}[d.r.IntN(3)])
	}
}

func (d *documents) text() {
	d.b.WriteByte('"')
	for range d.r.IntN(8) {
		d.b.WriteString([]string{"a", "bc", "é", "😀", `\n`, `\"`, `\\`, `\/`, `\u00e9`, `\ud83d\ude00`, `\ud800`, "longer piece of text", "{", ","}[d.r.IntN(14)])
	}
	d.b.WriteByte('"')
}

func (d *documents) value(depth int) {
	switch n := d.r.IntN(8 + min(depth, 1)*2); n {
	case 0:
		d.b.WriteString("null")
	case 1:
		d.b.WriteString([]string{"true", "false"}[d.r.IntN(2)])
	case 2, 3:
		fmt.Fprint(&d.b, int64(d.r.Uint64())>>d.r.IntN(64))
	case 4:
		d.b.WriteString(strconv.FormatFloat(d.r.NormFloat64()*1000, "efg"[d.r.IntN(3)], d.r.IntN(20)-1, 64))
	case 5, 6, 7:
		d.text()
	case 8:
		d.b.WriteByte('[')
		for i := range d.r.IntN(4) {
			if i > 0 {
				d.b.WriteByte(',')
			}
			d.blank()
			d.value(depth - 1)
		}
		d.b.WriteByte(']')
	case 9:
		d.object(depth-1, []string{"x", "y", "z"})
	}
}

func (d *documents) object(depth int, keys []string) {
	if d.r.IntN(3) == 0 {
		keys = slices.Clone(keys)
		d.r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	d.b.WriteByte('{')
	first := true
	for _, k := range keys {
		if d.r.IntN(6) == 0 {
			continue
		}
		if !first {
			d.b.WriteByte(',')
		}
		first = false
		d.blank()
		switch d.r.IntN(20) {
		case 0:
			k = "foreign key of some length"
		case 1:
			k = keys[0]
		}
		fmt.Fprintf(&d.b, "%q", k)
		d.blank()
		d.b.WriteByte(':')
		d.blank()
		switch {
		case len(k) == 1 && k != "s" && d.r.IntN(20) > 0:
			fmt.Fprint(&d.b, d.r.IntN(1e6)-1000) // fits i and f
		default:
			d.value(depth)
		}
		d.blank()
	}
	d.b.WriteByte('}')
}

// expected decodes a line with encoding/json and prints it as the columns do; ok is
// false where it is not JSON or a value does not fit.
func expected(line []byte) (row string, ok bool) {
	if !stdjson.Valid(line) || line[0] != '{' {
		return "", false
	}
	d := stdjson.NewDecoder(bytes.NewReader(line))
	d.Token()
	parts := []string{"NULL", "NULL", "NULL", "NULL"}
	for d.More() {
		k, _ := d.Token()
		var v stdjson.RawMessage
		d.Decode(&v)
		i := slices.Index([]string{"i", "f", "s", "a key that is long"}, k.(string))
		if i < 0 {
			continue
		}
		if parts[i], ok = shown(i, v); !ok {
			return "", false
		}
	}
	return strings.Join(parts, " | "), true
}

func shown(column int, v stdjson.RawMessage) (string, bool) {
	switch {
	case string(v) == "null":
		return "NULL", true
	case column == 0:
		n, err := strconv.ParseInt(string(v), 10, 64)
		return fmt.Sprint(n), err == nil
	case column == 1:
		n, err := strconv.ParseFloat(string(v), 64)
		return fmt.Sprint(n), err == nil
	}
	s := string(v)
	if v[0] == '"' {
		stdjson.Unmarshal(v, &s)
	}
	return fmt.Sprintf("%q", s), true
}

func TestAgainstStandardLibrary(t *testing.T) {
	c := config(t, formattest.Columns("i", types.Int64, "f", types.Float64, "s", types.String, "a key that is long", types.String))
	c.OnError = format.Skip
	for seed := range uint64(60) {
		d := &documents{r: rand.New(rand.NewPCG(seed, 5))}
		var want []string
		bad := 0
		for range 200 {
			at := d.b.Len()
			d.object(3, []string{"i", "f", "s", "other", "a key that is long"})
			if d.r.IntN(20) == 0 && d.b.Len() > at+2 {
				d.b.Truncate(at + 1 + d.r.IntN(d.b.Len()-at-1)) // a line cut short
			}
			line := d.b.Bytes()[at:]
			if row, ok := expected(line); ok && utf8.Valid(line) {
				want = append(want, row)
			} else {
				bad++
			}
			d.b.WriteByte('\n')
		}
		rows, reported, err := read(c, "a.json", d.b.Bytes())
		if err != nil || len(reported) != bad || len(rows) != len(want) {
			t.Fatalf("seed %d: %d rows, %d bad, %v; want %d, %d", seed, len(rows), len(reported), err, len(want), bad)
		}
		for i := range want {
			if rows[i] != want[i] {
				t.Fatalf("seed %d: row %d is %s, want %s", seed, i, rows[i], want[i])
			}
		}
	}
}

func TestInfer(t *testing.T) {
	content := `{"id":1,"at":"2026-01-01T10:00:00","s":{"x":1,"l":[1,null]},"n":null}
not json
{"id":2.5,"at":"2026-01-01 10:00:00Z","s":{"y":"2026-01-01"},"e":[],"t":"x","b":true}
`
	want := "id DOUBLE; at TIMESTAMP; s STRUCT<x:BIGINT,l:ARRAY<BIGINT>,y:DATE>; n STRING; e ARRAY<STRING>; t STRING; b BOOLEAN"
	for _, c := range [][2]string{{content, "false"}, {"[" + strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(content), "not json\n", ""), "}\n{", "},\n{") + "]", "true"}} {
		cols, err := infer(t.Context(), formattest.File("a.json", []byte(c[0])), config(t, nil, "multi_line", c[1]))
		var parts []string
		for _, x := range cols {
			parts = append(parts, x.Name+" "+x.Type.String())
		}
		if got := strings.Join(parts, "; "); err != nil || got != want {
			t.Errorf("%s\nwant %s, %v", got, want, err)
		}
	}
}

// Where no row is an object, that is what is said: an empty file is another matter.
func TestInferFromRowsThatAreNoObjects(t *testing.T) {
	for content, want := range map[string]string{
		"not json\n[1]\n{\"a\":\n": "none of the first 3 rows is a JSON object",
		"null":                     "none of the first 1 rows",
		"":                         "",
		"\n\n":                     "",
		"x {\"a\":1}\n" + strings.Repeat("y", 100_000) + "\n{\"b\":1}\n": "",
	} {
		cols, err := infer(t.Context(), formattest.File("a.json", []byte(content)), config(t, nil, "multi_line", "false"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", content, err, want)
		}
		if len(content) > 1000 && (len(cols) != 1 || cols[0].Name != "b") {
			t.Errorf("%.40q: got %v", content, cols)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(bidLine+"\n"+adLine), false)
	f.Add([]byte(`[{"i":1,"s":"\ud83d\ude00","a":[{"x":null}]}]`), true)
	f.Fuzz(func(t *testing.T, content []byte, multi bool) {
		nested := types.ArrayOf(types.StructOf(types.Field{Name: "x", Type: types.MapOf(types.Of(types.String), types.Of(types.String))}))
		c := config(t, formattest.Columns("i", types.Int32, "s", types.String, "d", types.DecimalOf(20, 3), "t", types.Timestamp, "b", types.Bytes, "a", nested), "multi_line", fmt.Sprint(multi))
		c.OnError = format.Skip
		rows, bad, err := read(c, "a.json", content)
		if err != nil {
			t.Fatal(err)
		}
		if multi {
			return
		}
		lines := bytes.Split(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), []byte("\n"))
		want := 0
		for _, l := range lines {
			if len(bytes.Trim(l, " \t\r")) > 0 {
				want++
			}
		}
		if len(rows)+len(bad) != want {
			t.Fatalf("%d rows and %d bad ones of %d lines", len(rows), len(bad), want)
		}
	})
}
