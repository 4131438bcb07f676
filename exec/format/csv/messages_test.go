package csv

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func messages(t *testing.T, c format.Config, texts ...string) (rows, bad []string) {
	t.Helper()
	c.Messages = true
	r, err := newReader(c)
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
	rows, reported, err := formattest.ReadMessages(r, len(c.Columns), formattest.Messages(all...))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range reported {
		bad = append(bad, fmt.Sprintf("%s: %s: %q", b.Position, b.Reason, b.Raw))
	}
	return rows, bad
}

func TestMessages(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int32, "s", types.String))
	c.OnError = format.Skip
	rows, bad := messages(t, c, `1,x`, `2,"y`, `z"`, `NULL`, ``, "3,\"q\"\"q\"\r\n", "4,a\n5,b", "6,\"a\nb\"", `7`, `x,1`, "8,", "\n", "9,\xc3", `10,"a"b`)
	formattest.Same(t, "rows", rows, []string{`0: 1 | "x"`, `3: NULL | NULL`, `5: 3 | "q\"q"`, `10: 8 | NULL`})
	formattest.Same(t, "bad rows", bad, []string{
		`message 1: a quoted field does not end on its line (multi_line = true allows that): "2,\"y"`,
		`message 2: 1 fields, expected 2: "z\""`,
		`message 4: an empty message: ""`,
		`message 6: more than one line: a message is one record: "4,a\n5,b"`,
		`message 7: a quoted field does not end on its line (multi_line = true allows that): "6,\"a\nb\""`,
		`message 8: 1 fields, expected 2: "7"`,
		`message 9: field "a": "x" is not INT: "x,1"`,
		`message 11: 1 fields, expected 2: "\n"`,
		`message 12: field "s" is not UTF-8: "9,\xc3"`,
		`message 13: text after a closing quote: "10,\"a\"b"`,
	})
	c = config(t, c.Columns, "multi_line", "true", "comment", "#")
	c.OnError = format.Skip
	rows, bad = messages(t, c, "6,\"a\nb\"", `1,"a`, `2,b"`, "# nothing", `3,"c"`)
	formattest.Same(t, "rows", rows, []string{`0: 6 | "a\nb"`, `2: 2 | "b\""`, `4: 3 | "c"`})
	if len(bad) != 1 || !strings.HasPrefix(bad[0], "message 1: ") {
		t.Errorf("bad rows %q", bad)
	}
	rows, _ = messages(t, config(t, formattest.Columns("s", types.String)), "", "a", "NULL", `""`)
	formattest.Same(t, "rows", rows, []string{`0: NULL`, `1: "a"`, `2: NULL`, `3: ""`})
	rows, _ = messages(t, config(t, formattest.Columns("a", types.Int32, "_corrupt_record", types.String), "mode", "permissive"), "1", "x", "NULL", "\"3")
	formattest.Same(t, "rows", rows, []string{`0: 1 | NULL`, `1: NULL | "x"`, `2: NULL | NULL`, `3: NULL | "\"3"`})
	header := config(t, c.Columns, "header", "true")
	header.Messages = true
	if _, err := newReader(header); err == nil {
		t.Error("a header of messages was accepted")
	}
}

func TestMessagesLikeLines(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int64, "s", types.String, "d", types.DecimalOf(10, 2), "t", types.Timestamp, "x", types.Bytes))
	c.OnError = format.Skip
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 8))
		var lines [][]byte
		for range 400 {
			line := fmt.Sprintf(`%d,%s,%d.%d,2026-01-01 10:00:%02d,"x""y"`, r.Int64()>>r.IntN(64), strings.ReplaceAll(strings.ReplaceAll(fieldText(r), "\n", " "), "\r", " "), r.IntN(1000), r.IntN(100), r.IntN(70))
			if n := r.IntN(8 * len(line)); n > 0 && n < len(line) {
				line = line[:n]
			}
			lines = append(lines, []byte(line))
		}
		formattest.LikeLines(t, Format(), c, r, lines)
	}
}

func TestEncoder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	cols := formattest.Columns("a", types.Int64, "s", types.String, "d", types.DecimalOf(20, 2), "t", types.Timestamp, "x", types.Float64)
	b := formattest.Values{Years: true}.Batch(r, cols)
	c := formattest.Config(t, Format().WriteOptions, cols)
	want := strings.Split(strings.TrimSuffix(string(formattest.Write(t, Format(), c, b)), "\n"), "\n")
	w, err := newWriter(c)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := w.(format.MessageWriter).NewEncoder(t.Context())
	var got []string
	b.Each(func(row int) {
		text, err := e.Append([]byte("kept"), b, row)
		if err != nil || !bytes.HasPrefix(text, []byte("kept")) {
			t.Fatalf("%q, %v", text, err)
		}
		got = append(got, string(text[4:]))
	})
	formattest.Same(t, "messages", got, want)
}

func TestMessagesAllocateNothingPerRow(t *testing.T) {
	c := config(t, formattest.Columns("a", types.Int64, "s", types.String, "d", types.DecimalOf(10, 2), "t", types.Timestamp))
	r, err := newReader(c)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	for i := range 10_000 {
		lines = append(lines, fmt.Appendf(nil, `%d,"a""b%d",%d.5,2026-01-01 10:00:00`, i, i, i))
	}
	m := formattest.Messages(lines...)
	original := bytes.Clone(m.Buf)
	n := testing.AllocsPerRun(3, func() {
		copy(m.Buf, original)
		err := r.(format.MessageReader).ReadMessages(context.Background(), m, format.Reading{Need: []int{0, 1, 2, 3}}, func(*vec.Batch, []int32) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
	})
	if n > 100 {
		t.Errorf("%v allocations for 10,000 messages", n)
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("1,\"a\n|b\"|\"\"|#|2,x\r\n|3,\"y"), byte('|'), true)
	f.Fuzz(func(t *testing.T, content []byte, sep byte, multi bool) {
		c := config(t, formattest.Columns("a", types.Int64, "s", types.String, "d", types.DecimalOf(20, 3)), "multi_line", fmt.Sprint(multi))
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
