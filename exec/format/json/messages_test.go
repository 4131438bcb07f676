package json

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// readMessages reads messages; one that is "NULL" has no value.
func readMessages(t *testing.T, f *format.Format, c format.Config, texts ...string) (rows []string, bad []format.BadRow, err error) {
	t.Helper()
	r, err := f.NewReader(c)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, s := range texts {
		if s == "NULL" {
			all = append(all, nil)
		} else {
			all = append(all, []byte(s))
		}
	}
	return formattest.ReadMessages(r, len(c.Columns), formattest.Messages(all...))
}

func TestMessages(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "s", types.String))
	c.OnError = format.Skip
	rows, bad, err := readMessages(t, Format(), c,
		`{"a":1,"s":"x"}`, "NULL", `{"a":2,"s":`, `"y"}`, ``, ` `, "{\n  \"a\": 3,\n  \"s\": {\n \"k\": [1,\n2]}\n}\n", `{"s":"a`, `b"}`, "{\"s\":\"a\nb\"}",
		`{"a":4}{"a":5}`, `{"a":6,`, "\n\"s\":\"z\"}", `{"a":7,"s":"\u00e9\n"}`, `null`, `{"a":8`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`0: 1 | "x"`, `1: NULL | NULL`, `6: 3 | "{\n \"k\": [1,\n2]}"`, `13: 7 | "é\n"`}
	formattest.Same(t, "rows", rows, want)
	var got []string
	for _, b := range bad {
		got = append(got, fmt.Sprintf("%s: %s: %q", b.Position, b.Reason, b.Raw))
	}
	formattest.Same(t, "bad rows", got, []string{
		`message 2: not JSON: expected a value, at character 12: "{\"a\":2,\"s\":"`,
		`message 3: not JSON: expected an object, at character 1: "\"y\"}"`,
		`message 4: not JSON: an empty message, at character 1: ""`,
		`message 5: not JSON: an empty message, at character 1: " "`,
		`message 7: not JSON: string without an end, or with a control character, at character 8: "{\"s\":\"a"`,
		`message 8: not JSON: expected an object, at character 1: "b\"}"`,
		`message 9: not JSON: string without an end, or with a control character, at character 8: "{\"s\":\"a\nb\"}"`,
		`message 10: not JSON: text after the object, at character 8: "{\"a\":4}{\"a\":5}"`,
		`message 11: not JSON: expected a key in double quotes, at character 8: "{\"a\":6,"`,
		`message 12: not JSON: expected an object, at character 2: "\n\"s\":\"z\"}"`,
		`message 14: not JSON: expected an object, at character 1: "null"`,
		`message 15: not JSON: expected , or } after a value, at character 7: "{\"a\":8"`,
	})
}

// What the scanner has learned from a message with newlines must not join two others.
func TestMessagesAreNotJoined(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "b", types.Int32))
	c.OnError = format.Skip
	rows, bad, err := readMessages(t, Format(), c, "{\"a\":1,\n\"b\":2}", `{"a":1,`, `"b":3}`, `{"a":1`, `,"b":4}`, "{\"a\":5,\n\"b\":6}")
	if err != nil || len(bad) != 4 {
		t.Errorf("%d bad rows, %v", len(bad), err)
	}
	formattest.Same(t, "rows", rows, []string{"0: 1 | 2", "5: 5 | 6"})
}

func TestKeysTwiceInAMap(t *testing.T) {
	list := types.MapOf(types.Of(types.String), types.ArrayOf(types.Of(types.Int64)))
	c := config(t, formattest.Columns("m", types.MapOf(types.Of(types.String), types.Of(types.Int64)), "l", list))
	c.OnError = format.Skip
	rows, bad, err := readMessages(t, Format(), c, `{"m":{"a":1,"b":2,"a":3}}`, `{"l":{"a":[1],"b":[2],"a":[3,4]}}`, `{"l":{"a":[1],"b":[2]}}`)
	if err != nil || len(bad) != 1 {
		t.Errorf("bad rows %v, %v", bad, err)
	}
	formattest.Same(t, "rows", rows, []string{`0: {"a":3,"b":2} | NULL`, `2: NULL | {"a":[1],"b":[2]}`})
}

func TestMessagesUnderPolicies(t *testing.T) {
	cols := formattest.Columns("a", types.Int32, "_corrupt_record", types.String)
	rows, _, err := readMessages(t, Format(), config(t, cols, "mode", "permissive"), `{"a":1}`, `{"a":"\"x"}`, ``, "NULL", "{\n")
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows", rows, []string{`0: 1 | NULL`, `1: NULL | "{\"a\":\"\\\"x\"}"`, `2: NULL | ""`, `3: NULL | NULL`, `4: NULL | "{\n"`})
	_, _, err = readMessages(t, Format(), config(t, cols[:1]), `{"a":1}`, `{"a":x}`)
	var bad *format.RowError
	if !errors.As(err, &bad) || bad.Position != "message 1" {
		t.Errorf("error %v", err)
	}
}

func TestMessagesLikeLines(t *testing.T) {
	c := config(t, formattest.Columns("i", types.Int64, "f", types.Float64, "s", types.String, "a key that is long", types.String, "x", types.Bytes))
	c.OnError = format.Skip
	for seed := range uint64(20) {
		d := &documents{r: rand.New(rand.NewPCG(seed, 6))}
		var lines [][]byte
		for range 600 {
			at := d.b.Len()
			d.object(3, []string{"i", "f", "s", "x", "a key that is long"})
			if d.r.IntN(20) == 0 {
				d.b.Truncate(at + 1 + d.r.IntN(d.b.Len()-at-1))
			}
			lines = append(lines, bytes.Clone(d.b.Bytes()[at:]))
		}
		formattest.LikeLines(t, Format(), c, d.r, lines)
	}
}

func TestChangesInMessages(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32), "op_column", "what")
	c.OnError = format.Skip
	r, err := change.NewReader(Format(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, bad, err := formattest.ReadMessages(r, 1, formattest.Messages([]byte(`{"a":1,"what":"I"}`), []byte(`{"a":2}`), nil, []byte(`{"a":1,"what":"D"}`)))
	if err != nil || len(bad) != 2 || bad[1].Position != "message 2" {
		t.Errorf("bad rows %+v, %v", bad, err)
	}
	formattest.Same(t, "rows", rows, []string{"0: +1 1", "3: -1 1"})
}

func TestDebeziumMessages(t *testing.T) {
	c := formattest.Config(t, Debezium().ReadOptions, formattest.Columns("id", types.Int64, "v", types.String))
	c.OnError = format.Skip
	rows, bad, err := readMessages(t, Debezium(), c, `{"before":null,"after":{"id":1,"v":"a"},"op":"c"}`, "NULL",
		`{"schema":{},"payload":{"before":{"id":1,"v":"a"},"after":{"id":1,"v":"b"},"op":"u"}}`, ``, "null",
		"{\n\"before\":{\"id\":1,\"v\":\"b\"},\n\"op\":\"d\"}", `{"op":"t"}`)
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows", rows, []string{`0: +1 1 | "a"`, `2: -1 1 | "a"`, `2: +1 1 | "b"`, `5: -1 1 | "b"`})
	if len(bad) != 2 || bad[0].Position != "message 3" || bad[1].Position != "message 6" {
		t.Errorf("bad rows %+v", bad)
	}
}

func TestDebeziumMessagesLikeLines(t *testing.T) {
	for _, key := range [][]int{nil, {0}} {
		c := formattest.Config(t, Debezium().ReadOptions, formattest.Columns("id", types.Int64, "v", types.String))
		c.OnError, c.Key = format.Skip, key
		r := rand.New(rand.NewPCG(1, 7))
		var lines [][]byte
		for i := range 6000 {
			image := func() string {
				if r.IntN(6) == 0 {
					return "null"
				}
				return fmt.Sprintf(`{"id":%d,"v":"%d\n"}`, i, r.IntN(9))
			}
			event := fmt.Sprintf(`{"before":%s,"after":%s,"op":"%c"}`, image(), image(), "crudux"[r.IntN(6)])
			switch {
			case i > 3000 && i < 5500:
				event = fmt.Sprintf(`{"after":{"id":%d},"op":"r"}`, i)
			case r.IntN(3) == 0:
				event = `{"payload":` + event + `}`
			}
			lines = append(lines, []byte(event))
		}
		formattest.LikeLines(t, Debezium(), c, r, lines)
	}
}

func TestEncoder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	cols := formattest.Columns("a\"", types.Int64, "s", types.String, "d", types.DecimalOf(20, 2), "t", types.Timestamp, "l", types.ArrayOf(types.MapOf(types.Of(types.String), types.Of(types.Bytes))))
	batch := formattest.Values{Text: anyText, Years: true}.Batch(r, cols)
	c := formattest.Config(t, Format().WriteOptions, cols)
	want := strings.Split(strings.TrimSuffix(string(formattest.Write(t, Format(), c, batch)), "\n"), "\n")
	w, err := newWriter(c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.(format.MessageWriter).NewEncoder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	batch.Each(func(row int) {
		text, err := e.Append([]byte("kept"), batch, row)
		if err != nil || !bytes.HasPrefix(text, []byte("kept")) {
			t.Fatalf("%q, %v", text, err)
		}
		got = append(got, string(text[4:]))
	})
	formattest.Same(t, "messages", got, want)
}

// fixed is a message reader with its messages, to be read again and again.
type fixed struct {
	r        format.MessageReader
	m        format.Messages
	original []byte
	rd       format.Reading
	rows     int
}

func newFixed(t testing.TB, lines [][]byte, cols []types.Column) *fixed {
	r, err := newReader(config(t, cols))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixed{r: r.(format.MessageReader), m: formattest.Messages(lines...)}
	f.original = bytes.Clone(f.m.Buf)
	for i := range cols {
		f.rd.Need = append(f.rd.Need, i)
	}
	return f
}

func (f *fixed) read() error {
	copy(f.m.Buf, f.original)
	return f.r.ReadMessages(context.Background(), f.m, f.rd, func(b *vec.Batch, _ []int32) error { f.rows += b.N; return nil })
}

func TestMessagesAllocateNothingPerRow(t *testing.T) {
	f := newFixed(t, yahoo(10_000), yahooColumns())
	if n := testing.AllocsPerRun(5, func() {
		if err := f.read(); err != nil {
			t.Fatal(err)
		}
	}); n > 50 {
		t.Errorf("%v allocations for 10,000 messages", n)
	}
}

func BenchmarkMessages(b *testing.B) {
	f := newFixed(b, yahoo(10_000), yahooColumns())
	b.SetBytes(int64(len(f.m.Buf)))
	b.ReportAllocs()
	for b.Loop() {
		if err := f.read(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(f.rows)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkLines reads the same as a file.
func BenchmarkLines(b *testing.B) {
	lines := yahoo(10_000)
	r, err := newReader(config(b, yahooColumns()))
	if err != nil {
		b.Fatal(err)
	}
	content := append(bytes.Join(lines, []byte("\n")), '\n')
	file, n := formattest.File("a.json", content), 0
	s := format.Section{End: file.Size}
	b.SetBytes(file.Size)
	b.ReportAllocs()
	for b.Loop() {
		err := r.Read(context.Background(), file, s, format.Reading{Need: []int{0, 1, 2, 3}}, func(x *vec.Batch) error { n += x.N; return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}

func yahooColumns() []types.Column {
	return formattest.Columns("user_id", types.String, "ad_type", types.String, "amount", types.Int64, "event_time", types.Timestamp)
}

func yahoo(n int) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	var out [][]byte
	for range n {
		out = append(out, fmt.Appendf(nil, `{"user_id":"%08x-%08x","page_id":"%016x","ad_type":"%s","amount":%d,"event_time":"2026-01-01T%02d:%02d:%02d.%03d","ip":"10.0.0.%d"}`,
			r.Uint32(), r.Uint32(), r.Uint64(), []string{"banner", "modal", "mail"}[r.IntN(3)], r.IntN(1e6), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), r.IntN(256)))
	}
	return out
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("{\"i\":1,\n\"s\":\"\\u00e9\"}|{\"i\":2|\"s\":[1]}||null"), byte('|'))
	f.Fuzz(func(t *testing.T, content []byte, sep byte) {
		nested := types.ArrayOf(types.StructOf(types.Field{Name: "x", Type: types.MapOf(types.Of(types.String), types.Of(types.String))}))
		c := config(t, formattest.Columns("i", types.Int32, "s", types.String, "d", types.DecimalOf(20, 3), "t", types.Timestamp, "b", types.Bytes, "a", nested))
		c.OnError = format.Skip
		texts := bytes.Split(content, []byte{sep})
		r, err := newReader(c)
		if err != nil {
			t.Fatal(err)
		}
		rows, bad, err := formattest.ReadMessages(r, len(c.Columns), formattest.Messages(texts...))
		if err != nil {
			t.Fatal(err)
		}
		if len(rows)+len(bad) != len(texts) {
			t.Fatalf("%d rows and %d bad ones of %d messages", len(rows), len(bad), len(texts))
		}
		var alone []string
		for i, text := range texts {
			rows, _, err := formattest.ReadMessages(r, len(c.Columns), formattest.Messages(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				alone = append(alone, fmt.Sprint(i, strings.TrimPrefix(row, "0")))
			}
		}
		formattest.Same(t, "rows", rows, alone)
	})
}
