package avro

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/format/registry/registrytest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func read(t *testing.T, c format.Config, texts ...[]byte) (rows, bad []string) {
	t.Helper()
	c.Messages = true
	r, err := newReader(c)
	if err != nil {
		t.Fatal(err)
	}
	rows, reported, err := formattest.ReadMessages(r, len(c.Columns), formattest.Messages(texts...))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range reported {
		bad = append(bad, b.Position+": "+b.Reason)
	}
	return rows, bad
}

// message encodes values, given as to vec.FromAny, for a schema, with its header.
func message(t *testing.T, id int, schemaText string, values ...any) []byte {
	t.Helper()
	s, _, err := parse(schemaText, nil)
	if err != nil {
		t.Fatal(err)
	}
	cols, err := s.columns()
	if err != nil {
		t.Fatal(err)
	}
	e, err := newRowEncoder(s, cols)
	if err != nil {
		t.Fatal(err)
	}
	var row []*vec.Vector
	for i, c := range cols {
		row = append(row, vec.FromAny(c.Type, values[i]))
	}
	out, err := e.append(registry.AppendHeader(nil, id), row, 0)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	firstSchema  = `{"type":"record","name":"o","fields":[{"name":"id","type":"int"},{"name":"s","type":"string"},{"name":"gone","type":{"type":"array","items":"string"}}]}`
	secondSchema = `{"type":"record","name":"o","fields":[{"name":"extra","type":"double"},{"name":"s","type":{"type":"enum","name":"e","symbols":["X","Y"]}},{"name":"id","type":["null","long"]}]}`
)

func TestMessagesOfARegistry(t *testing.T) {
	server := registrytest.New(map[int]string{1: firstSchema, 2: secondSchema, 3: `{"type":"string"}`, 4: "not a schema"})
	s := httptest.NewServer(server)
	defer s.Close()
	c := config(t, formattest.Columns("id", types.Int64, "s", types.String, "extra", types.Float64), "schema_registry", s.URL)
	c.OnError = format.Skip
	first := message(t, 1, firstSchema, 7, "seven", []any{"a", "b"})
	second := message(t, 2, secondSchema, 1.5, "Y", nil)
	rows, bad := read(t, c, first, second, nil, first, []byte{}, []byte("hello"), registry.AppendHeader(nil, 99), registry.AppendHeader(nil, 3),
		registry.AppendHeader(nil, 4), first[:len(first)-2], append(bytes.Clone(first), 0), second)
	formattest.Same(t, "rows", rows, []string{`0: 7 | "seven" | NULL`, `1: NULL | "Y" | 1.5`, `2: NULL | NULL | NULL`, `3: 7 | "seven" | NULL`, `11: NULL | "Y" | 1.5`})
	for i, want := range []string{"message 4: an empty message", "message 5: it does not begin with the header", "message 6: schema registry http", "message 7: its schema cannot be read into the columns: its schema has none of the declared columns",
		"message 8: schema 4: ", "message 9: no value of its schema: it ends within", "message 10: no value of its schema: bytes are left"} {
		if i >= len(bad) || !strings.HasPrefix(bad[i], want) {
			t.Errorf("bad rows %q, want %q", bad, want)
		}
	}
	if n := server.Requests(); n != 5 {
		t.Errorf("%d requests for 5 schemas", n)
	}
}

func TestChangesInMessages(t *testing.T) {
	text := `{"type":"record","name":"o","fields":[{"name":"id","type":"int"},{"name":"op","type":["null","string"]}]}`
	c := config(t, formattest.Columns("id", types.Int32), "avro_schema", text)
	c.OnError, c.Messages = format.Skip, true
	r, err := change.NewReader(Format(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	value := func(op any) []byte { return message(t, 0, text, 1, op)[registry.HeaderSize:] }
	rows, bad, err := formattest.ReadMessages(r, 1, formattest.Messages(value("I"), value(nil), value("D")))
	if err != nil || len(bad) != 1 || bad[0].Position != "message 1" {
		t.Errorf("bad rows %v, %v", bad, err)
	}
	formattest.Same(t, "rows", rows, []string{"0: +1 1", "2: -1 1"})
}

func TestValuesThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		schema string
		typ    types.Type
		value  any
		want   string
	}{
		{`"bytes"`, types.Of(types.String), []byte("\xff"), "not UTF-8"},
		{`{"type":"long","logicalType":"timestamp-millis"}`, types.Of(types.Timestamp), nil, "beyond"},
		{`{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}`, types.DecimalOf(4, 2), types.Int128From(100_000), "more digits"},
		{`"int"`, types.Of(types.Int8), 200, "200 does not fit TINYINT"},
	} {
		text := `{"type":"record","name":"r","fields":[{"name":"v","type":` + c.schema + `}]}`
		conf := config(t, []types.Column{{Name: "v", Type: c.typ}}, "avro_schema", text)
		conf.OnError = format.Skip
		var value []byte
		if c.value == nil {
			value = []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}
		} else {
			value = message(t, 0, text, c.value)[registry.HeaderSize:]
		}
		if _, bad := read(t, conf, value); len(bad) != 1 || !strings.Contains(bad[0], c.want) || !strings.Contains(bad[0], `field "v"`) {
			t.Errorf("%s: %q", c.schema, bad)
		}
	}
}

func TestUnionsAreStructs(t *testing.T) {
	text := `{"type":"record","name":"r","fields":[{"name":"u","type":["string","null","int",{"type":"array","items":"int"}]}]}`
	cols, err := inferMessages(t.Context(), config(t, nil, "avro_schema", text))
	if err != nil || cols[0].Type.String() != "STRUCT<member0:STRING,member1:INT,member2:ARRAY<INT>>" {
		t.Fatalf("%v, %v", cols, err)
	}
	c := config(t, cols, "avro_schema", text)
	rows, bad := read(t, c, []byte("\x00\x02a"), []byte("\x02"), []byte("\x04\x08"), []byte("\x06\x02\x0a\x00"))
	formattest.Same(t, "rows", rows, []string{`0: ("a",NULL,NULL)`, "1: NULL", "2: (NULL,4,NULL)", "3: (NULL,NULL,[5])"})
	if len(bad) > 0 {
		t.Error(bad)
	}
	// Declared as one type, the others make bad rows.
	c = config(t, formattest.Columns("u", types.String), "avro_schema", text)
	c.OnError = format.Skip
	rows, bad = read(t, c, []byte("\x00\x02a"), []byte("\x04\x08"))
	if len(rows) != 1 || len(bad) != 1 || !strings.Contains(bad[0], "int does not fit STRING") {
		t.Errorf("rows %q, bad %q", rows, bad)
	}
}

func TestRecursiveSchema(t *testing.T) {
	text := `{"type":"record","name":"n","fields":[{"name":"v","type":"int"},{"name":"next","type":["null","n"]}]}`
	if _, err := inferMessages(t.Context(), config(t, nil, "avro_schema", text)); err == nil || !strings.Contains(err.Error(), "contains itself") {
		t.Errorf("inferred: %v", err)
	}
	list := []byte("\x02\x02\x04\x02\x06\x00")
	inner := types.StructOf(types.Field{Name: "v", Type: types.Of(types.Int32)})
	rows, bad := read(t, config(t, formattest.Columns("v", types.Int32, "next", inner), "avro_schema", text), list)
	formattest.Same(t, "rows", rows, []string{"0: 1 | (2)"})
	if len(bad) > 0 {
		t.Errorf("bad %q", bad)
	}
	c := config(t, formattest.Columns("v", types.Int32), "avro_schema", text)
	c.OnError = format.Skip
	rows, bad = read(t, c, list, append([]byte("\x02"), bytes.Repeat([]byte("\x02\x02"), 10_000)...))
	if len(rows) != 1 || len(bad) != 1 || !strings.Contains(bad[0], "nested too deeply") {
		t.Errorf("rows %q, bad %q", rows, bad)
	}
}

// Few bytes must not claim much memory.
func TestEmptyElements(t *testing.T) {
	text := `{"type":"record","name":"r","fields":[{"name":"a","type":{"type":"array","items":{"type":"array","items":"null"}}}]}`
	c := config(t, formattest.Columns("a", types.ArrayOf(types.ArrayOf(types.Of(types.String)))), "avro_schema", text)
	c.OnError = format.Skip
	bomb := append([]byte("\x80\x80\x02"), bytes.Repeat([]byte("\x80\x80\x40\x00"), 16_384)...)
	if rows, bad := read(t, c, append(bomb, 0)); len(rows) != 0 || len(bad) != 1 {
		t.Errorf("%d rows, bad %q", len(rows), bad)
	}
}

func TestEncoderRegisters(t *testing.T) {
	server := registrytest.New(nil)
	s := httptest.NewServer(server)
	defer s.Close()
	cols := formattest.Columns("id", types.Int64, "s", types.String)
	c := writeConfig(t, cols, "schema_registry", s.URL)
	c.Messages, c.Subject = true, "orders-value"
	w, err := newWriter(c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.(format.MessageWriter).NewEncoder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(vec.FromAny(cols[0].Type, 1, nil), vec.FromAny(cols[1].Type, "x", nil))
	var all [][]byte
	for row := range 2 {
		text, err := e.Append(nil, b, row)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	rc := config(t, nil, "schema_registry", s.URL)
	rc.Subject = "orders-value"
	if rc.Columns, err = inferMessages(t.Context(), rc); err != nil {
		t.Fatal(err)
	}
	rows, _ := read(t, rc, all...)
	formattest.Same(t, "rows", rows, []string{`0: 1 | "x"`, `1: NULL | NULL`})
}

func benchData(t testing.TB) (*reader, format.Messages) {
	text := `{"type":"record","name":"o","fields":[{"name":"id","type":"long"},{"name":"s","type":["null","string"]},{"name":"skipped","type":"string"},{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"x","type":"double"}]}`
	s, _, err := parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	cols, _ := s.columns()
	e, err := newRowEncoder(s, cols)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var all [][]byte
	for i := range 10_000 {
		row := []*vec.Vector{vec.FromAny(cols[0].Type, int64(i)), vec.FromAny(cols[1].Type, fmt.Sprint("shop ", r.IntN(1000))), vec.FromAny(cols[2].Type, "some text that nobody needs"),
			vec.FromAny(cols[3].Type, 1_700_000_000_000_000+int64(i)*1000), vec.FromAny(cols[4].Type, r.Float64())}
		b, err := e.append(nil, row, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	c := config(t, cols, "avro_schema", text)
	c.Messages = true
	rd, err := newReader(c)
	if err != nil {
		t.Fatal(err)
	}
	return rd.(*reader), formattest.Messages(all...)
}

func readAllRows(r *reader, m format.Messages) error {
	return r.ReadMessages(context.Background(), m, format.Reading{Need: []int{0, 1, 3, 4}}, func(*vec.Batch, []int32) error { return nil })
}

func TestMessagesAllocateNothingPerRow(t *testing.T) {
	r, m := benchData(t)
	if n := testing.AllocsPerRun(5, func() {
		if err := readAllRows(r, m); err != nil {
			t.Fatal(err)
		}
	}); n > 50 {
		t.Errorf("%v allocations for 10,000 messages", n)
	}
}

func BenchmarkMessages(b *testing.B) {
	r, m := benchData(b)
	b.SetBytes(int64(len(m.Buf)))
	for b.Loop() {
		if err := readAllRows(r, m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*10_000/b.Elapsed().Seconds(), "rows/s")
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(firstSchema), []byte("\x0e\x02a\x00"))
	f.Add([]byte(secondSchema), []byte("12345678\x00\x02\x08"))
	f.Fuzz(func(t *testing.T, schemaText, value []byte) {
		s, _, err := parse(string(schemaText), nil)
		if err != nil {
			return
		}
		cols, err := s.columns()
		if err != nil || len(cols) == 0 {
			return
		}
		c := config(t, cols, "avro_schema", string(schemaText))
		c.OnError, c.Messages = format.Skip, true
		r, err := newReader(c)
		if err != nil {
			return
		}
		rows, bad, err := formattest.ReadMessages(r, len(cols), formattest.Messages(value, value))
		if err != nil || len(rows)+len(bad) != 2 {
			t.Fatalf("%d rows, %d bad ones, %v", len(rows), len(bad), err)
		}
	})
}
