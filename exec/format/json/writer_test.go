package json

import (
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// anyText has what JSON must escape.
func anyText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString([]string{"a", `"`, `\`, "\n", "\t", "é", "😀", "\x01", "/", "long text without anything odd", "\u2028"}[r.IntN(11)])
	}
	return b.String()
}

func TestRoundTrip(t *testing.T) {
	values := formattest.Values{Text: anyText, Years: true}
	zone, _ := time.LoadLocation("Europe/Berlin")
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 4))
		var cols []types.Column
		for i := range 1 + r.IntN(5) {
			cols = append(cols, types.Column{Name: fmt.Sprint("c\"", i), Type: formattest.RandomType(r, formattest.Kinds{Depth: 3, StringKeys: true})})
		}
		var batches []*vec.Batch
		var want []string
		for range r.IntN(4) {
			b := values.Batch(r, cols)
			batches = append(batches, b)
			want = append(want, formattest.Rows(b)...)
		}
		c := formattest.Config(t, Format().WriteOptions, cols, "ignore_null_fields", fmt.Sprint(seed%2 == 0), "compression", []string{"none", "gzip", "zstd", "lz4", "snappy"}[seed%5])
		if seed%3 == 0 {
			c.Zone = zone
		}
		content := formattest.Write(t, Format(), c, batches...)
		w, _ := newWriter(c)
		rows, _, err := read(config(t, cols), "a"+w.Extension(), content)
		if err != nil || !slices.Equal(rows, want) {
			t.Fatalf("seed %d %v: %v\ngot\n%s\nwant\n%s", seed, cols, err, strings.Join(rows, "\n"), strings.Join(want, "\n"))
		}
		if seed%5 != 0 {
			continue
		}
		for line := range strings.Lines(string(content)) {
			if !stdjson.Valid([]byte(line)) {
				t.Fatalf("not JSON: %s", line)
			}
		}
	}
}

func TestWrittenForm(t *testing.T) {
	cols := formattest.Columns("s", types.String, "n", types.Int64, "f", types.Float64, "m", types.DecimalOf(10, 2), "ts", types.Timestamp, "l", types.TimestampNTZ, "d", types.Date, "x", types.Bytes)
	batch := &vec.Batch{N: 1}
	for _, x := range []func(b *vec.Builder){
		func(b *vec.Builder) { b.AppendString("a\"b") }, func(b *vec.Builder) { b.AppendNull() }, func(b *vec.Builder) { b.AppendFloat(1) },
		func(b *vec.Builder) { b.AppendInt(-5) }, func(b *vec.Builder) { b.AppendInt(1767225600123000) }, func(b *vec.Builder) { b.AppendInt(1) },
		func(b *vec.Builder) { b.AppendInt(0) }, func(b *vec.Builder) { b.AppendString("hi") },
	} {
		b := vec.NewBuilder(cols[len(batch.Cols)].Type)
		x(b)
		batch.Cols = append(batch.Cols, b.Take())
	}
	got := string(formattest.Write(t, Format(), formattest.Config(t, Format().WriteOptions, cols), batch))
	want := `{"s":"a\"b","f":1.0,"m":-0.05,"ts":"2026-01-01T00:00:00.123Z","l":"1970-01-01T00:00:00.000001","d":"1970-01-01","x":"aGk="}` + "\n"
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	c := formattest.Config(t, Format().WriteOptions, cols, "ignore_null_fields", "false", "timestamp_format", "dd.MM.yy HH:mm:ss.SSS xxx", "date_format", "EEE, d MMM yyyy")
	c.Zone, _ = time.LoadLocation("Europe/Berlin")
	got = string(formattest.Write(t, Format(), c, batch))
	want = `{"s":"a\"b","n":null,"f":1.0,"m":-0.05,"ts":"01.01.26 01:00:00.123 +01:00","l":"1970-01-01T00:00:00.000001","d":"Thu, 1 Jan 1970","x":"aGk="}` + "\n"
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}
