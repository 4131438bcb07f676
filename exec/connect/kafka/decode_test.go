package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func columnsOf(cols []types.Column, metadata ...string) []source.Column {
	var out []source.Column
	for _, c := range cols {
		out = append(out, source.Column{Column: c})
	}
	for _, m := range metadata {
		name, _, _ := strings.Cut(m, " ")
		for _, c := range metadataColumns() {
			if c.Name == name && (m == name || strings.HasSuffix(m, " "+c.Type.String())) {
				out = append(out, column1(name, c.Type, name))
				break
			}
		}
	}
	return out
}

// send produces records with keys, in one batch.
func (w *world) send(topic string, pairs ...string) {
	w.t.Helper()
	var rs []*kgo.Record
	for i := 0; i < len(pairs); i += 2 {
		r := message(topic, 0, pairs[i+1])
		if pairs[i] != "NULL" {
			r.Key = []byte(pairs[i])
		}
		rs = append(rs, r)
	}
	w.must(w.cl.ProduceSync(context.Background(), rs...).FirstErr())
}

func TestRecordColumns(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	r := message("a", 0, "v")
	r.Key, r.Timestamp = []byte("k"), time.UnixMilli(1700000000123)
	r.Headers = []kgo.RecordHeader{{Key: "h", Value: []byte("1")}, {Key: "g"}, {Key: "h", Value: []byte("2")}}
	w.must(w.cl.ProduceSync(context.Background(), r, message("a", 0, "NULL")).FirstErr())
	c := w.config("topic", "a", "starting_offsets", "earliest")
	list, mapped := headerTypes()
	c.Columns = columnsOf(recordColumns(), "headers "+mapped.String(), "headers "+list.String(), "timestamp_type", "leader_epoch")
	var names []string
	for _, col := range c.Columns {
		names = append(names, col.Name+" "+col.Type.String())
	}
	same(t, "columns", strings.Join(names[:7], ", "), "key BYTES, value BYTES, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, timestampType INT")
	if len(names) != 11 {
		t.Fatal(names)
	}
	w.gives(w.open(c),
		`"k" | "v" | "a" | 0 | 0 | 2023-11-14T22:13:20.123 | 0 | {"h":"2","g":NULL} | [("h","1"),("g",NULL),("h","2")] | "CreateTime" | 0`,
		`NULL | NULL | "a" | 0 | 1 | 1970-01-01T00:00:01 | 0 | {} | [] | "CreateTime" | 0`)
}

func TestJSONValues(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, `{"id":1,"v":"x"}`, `{"id":2}`, `{"id":"no"}`, "NULL", `{"v":"é\u0041","id":3}`)
	c := w.config("topic", "a", "starting_offsets", "earliest", "format", "json")
	c.Columns = append(columnsOf(formattest.Columns("id", types.Int64, "v", types.String), "offset", "value STRING"), column1("k", textType, "key"))
	c.OnError = source.Skip
	s := w.open(c)
	r, _ := w.plan(s, source.Limits{}, nil)
	var bad []source.BadRow
	rows, err := readRange(s, r, &bad)
	w.must(err)
	want := []string{`1 | "x" | 0 | "{\"id\":1,\"v\":\"x\"}" | NULL`, `2 | NULL | 1 | "{\"id\":2}" | NULL`, `NULL | NULL | 3 | NULL | NULL`,
		`3 | "éA" | 4 | "{\"v\":\"é\\u0041\",\"id\":3}" | NULL`}
	if !slices.Equal(rows, want) {
		t.Errorf("got %q", rows)
	}
	if len(bad) != 1 || bad[0].Position != "topic a, partition 0, offset 2" || string(bad[0].Raw) != `{"id":"no"}` || bad[0].Source != "k" {
		t.Errorf("bad rows %+v", bad)
	}
	c.OnError = source.Fail
	_, err = readRange(w.open(c), r, nil)
	wantError(t, err, `source "k": topic a, partition 0, offset 2: `, `"id"`, "on_error = 'skip'")
	// What is not needed is not looked at.
	c.OnError = source.Skip
	s, n, bad := w.open(c), 0, nil
	splits, _ := s.Splits(context.Background(), r)
	err = splits[0].Read(context.Background(), source.Reading{Bad: func(b source.BadRow) { bad = append(bad, b) }}, func(b *vec.Batch) error {
		n += b.N
		return nil
	})
	if err != nil || n != 5 || len(bad) != 0 {
		t.Errorf("%v: %d rows, %d bad", err, n, len(bad))
	}
}

func TestTextMustBeText(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "x", "\xff", "y")
	s := w.early("a")
	s.cfg.OnError = source.Skip
	r, _ := w.plan(s, source.Limits{}, nil)
	var bad []source.BadRow
	rows, err := readRange(s, r, &bad)
	if err != nil || !slices.Equal(rows, []string{`"x" | 0 | 0`, `"y" | 0 | 2`}) || len(bad) != 1 {
		t.Errorf("%v %q %v", err, rows, bad)
	}
	s.cfg.OnError = source.Fail
	_, err = readRange(s, r, nil)
	wantError(t, err, "offset 1: the value is not UTF-8; declare the column BYTES")
}

// With a PRIMARY KEY in the key of the record, one without a value is a deletion.
func TestKeysAndTombstones(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.send("a", `{"id":1}`, `{"v":"x"}`, `{"id":2}`, "NULL", `{"id":"no"}`, `{"v":"lost"}`, "NULL", `{"v":"nokey"}`, `{"id":3}`, `{"v":[`, `{"id":4}`, `{"v":"y"}`)
	c := w.config("topic", "a", "starting_offsets", "earliest", "format", "json", "key.format", "json", "key.fields", "id")
	c.Columns = columnsOf(formattest.Columns("v", types.String, "id", types.Int64), "offset")
	c.Key, c.Changes, c.OnError = []int{1}, true, source.Skip
	s := w.open(c)
	r, _ := w.plan(s, source.Limits{}, nil)
	var bad []source.BadRow
	rows, err := readRange(s, r, &bad)
	w.must(err)
	if !slices.Equal(rows, []string{`+1 "x" | 1 | 0`, `-1 NULL | 2 | 1`, `+1 "nokey" | NULL | 3`, `+1 "y" | 4 | 5`}) {
		t.Errorf("got %q", rows)
	}
	var at []string
	for _, b := range bad {
		at = append(at, b.Position)
	}
	same(t, "bad rows", strings.Join(at, ", "), "topic a, partition 0, offset 2, topic a, partition 0, offset 4")

	// A key that is the whole key of the record, and values as they are.
	c = w.config("topic", "a", "starting_offsets", "earliest", "key_format", "raw", "key_columns", "id")
	c.Columns = columnsOf(formattest.Columns("id", types.String, "v", types.String))
	c.Key, c.Changes = []int{0}, true
	rows = w.rows(w.open(c), r)
	same(t, "rows", strings.Join(rows[:2], "; "), `+1 "{\"id\":1}" | "{\"v\":\"x\"}"; -1 "{\"id\":2}" | NULL`)
}

func TestDebezium(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, `{"op":"c","before":null,"after":{"id":1,"v":"x"}}`, `{"op":"u","before":{"id":1,"v":"x"},"after":{"id":1,"v":"y"}}`,
		`{"op":"d","before":{"id":1,"v":"y"},"after":null}`, "NULL")
	c := w.config("topic", "a", "starting_offsets", "earliest", "format", "debezium-json")
	c.Columns, c.Changes = columnsOf(formattest.Columns("id", types.Int64, "v", types.String), "offset"), true
	w.gives(w.open(c), `+1 1 | "x" | 0`, `-1 1 | "x" | 1`, `+1 1 | "y" | 1`, `-1 1 | "y" | 2`)
}

func TestOpColumn(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	w.write("a", 0, "1,+", "1,-")
	c := w.config("topic", "a", "starting_offsets", "earliest", "format", "csv", "changelog", "true")
	c.Columns, c.Changes = columnsOf(formattest.Columns("id", types.Int64), "offset"), true
	w.gives(w.open(c), `+1 1 | 0`, `-1 1 | 1`)
}

// Every codec, big records, many batches, and a range that is cut into several splits.
func TestManyRecords(t *testing.T) {
	w := newWorld(t)
	for _, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		name := fmt.Sprintf("c%v", codec)
		name = strings.Trim(strings.NewReplacer("{", "", "}", "", " ", ".").Replace(name), ".")
		w.topic(name, 1)
		cl := w.client(kgo.ProducerBatchCompression(codec), kgo.ProducerBatchMaxBytes(64<<10))
		var want []string
		var rs []*kgo.Record
		for i := range 7000 {
			v := fmt.Sprintf("%d-%s", i, strings.Repeat("x", i%100))
			if i == 5000 {
				v = strings.Repeat("big", 20_000)
			}
			rs = append(rs, message(name, 0, v))
			want = append(want, fmt.Sprintf("%q | 0 | %d", v, i))
		}
		w.must(cl.ProduceSync(context.Background(), rs...).FirstErr())
		s := w.early(name, "max_partition_fetch_bytes", "100000")
		r, _ := w.plan(s, source.Limits{}, nil)
		if got := w.rows(s, r); !slices.Equal(got, want) {
			t.Errorf("%s: %d rows", name, len(got))
		}
		limited := w.early(name, "max_partition_fetch_bytes", "100000")
		var got []string
		for {
			r, ok := w.plan(limited, source.Limits{Rows: 999}, nil)
			if !ok {
				break
			}
			got = append(got, w.rows(limited, r)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, in ranges: %d rows", name, len(got))
		}
	}
}

func TestInfer(t *testing.T) {
	w := newWorld(t)
	w.topic("a", 1)
	infer := func(opts ...string) (string, error) {
		c := w.config(append(opts, "topic", "a")...)
		cols, err := w.conn.Infer(context.Background(), c)
		var out []string
		for _, col := range cols {
			out = append(out, col.Name+" "+col.Type.String())
		}
		return strings.Join(out, ", "), err
	}
	_, err := infer("format", "json")
	wantError(t, err, "no records from which the columns could be inferred")
	w.write("a", 0, "{\"id\":1,\n \"v\":\"x\"}", "NULL", `{"id":2.5}`)
	got, err := infer("format", "json")
	w.must(err)
	same(t, "columns", got, "id DOUBLE, v STRING")
	_, err = infer("format", "raw")
	wantError(t, err, "the columns of raw values cannot be inferred")
}
