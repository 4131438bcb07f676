package protobuf

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/format/registry/registrytest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestMessagesOfARegistry(t *testing.T) {
	server := registrytest.New(nil)
	server.Add("base", "PROTOBUF", `syntax = "proto3"; message Base { string s = 1; }`)
	id := server.Add("orders-value", "PROTOBUF", `syntax = "proto3"; import "base.proto"; message First { int32 x = 1; message Nested { optional int64 id = 1; Base b = 2; } }`,
		registrytest.Reference{Name: "base.proto", Subject: "base", Version: 1})
	other := server.Add("other", "AVRO", `"int"`)
	s := httptest.NewServer(server)
	defer s.Close()
	c := config(t, nil, "schema_registry", s.URL, "message", "First.Nested")
	c.Subject = "orders-value"
	cols, err := inferMessages(t.Context(), c)
	if err != nil || len(cols) != 2 || cols[1].Type.String() != "STRUCT<s:STRING>" {
		t.Fatalf("%v, %v", cols, err)
	}
	c.Columns, c.OnError = cols, format.Skip
	r, err := newReader(c)
	if err != nil {
		t.Fatal(err)
	}
	head := func(id int, rest string) []byte { return append(registry.AppendHeader(nil, id), rest...) }
	rows, bad, err := formattest.ReadMessages(r, 2, formattest.Messages(
		head(id, "\x04\x00\x00\x08\x07\x12\x03\x0a\x01a"), nil, head(id, "\x00\x08\x01"), head(id, "\x02\x08"), head(id, ""), head(other, "\x00"), head(999, "\x00"), []byte("x"), head(id, "\x04\x00\x00\x08")))
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows", rows, []string{`0: 7 | ("a")`, "1: NULL | NULL"})
	for i, want := range []string{"message 2: its schema cannot be read into the columns: message First has none", "message 3: the schema has no message of the number [4]", "message 4: behind the header",
		"message 5: schema 102 is in AVRO", "message 6: schema registry", "message 7: it does not begin with", "message 8: no message of its schema: it ends within"} {
		if got := bad[i].Position + ": " + bad[i].Reason; !strings.HasPrefix(got, want) {
			t.Errorf("bad row %q, want %q", got, want)
		}
	}
}

func TestEncoderRegisters(t *testing.T) {
	server := registrytest.New(nil)
	s := httptest.NewServer(server)
	defer s.Close()
	cols := formattest.Columns("id", types.Int64, "at", types.Timestamp, "l", types.ArrayOf(types.Of(types.String)), "m", types.MapOf(types.Of(types.Int32), types.StructOf(types.Field{Name: "k", Type: types.Of(types.Bool)})))
	c := formattest.Config(t, Format().WriteOptions, cols, "schema_registry", s.URL)
	c.Messages, c.Subject = true, "orders-value"
	w, err := newWriter(c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.(format.MessageWriter).NewEncoder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(vec.FromAny(cols[0].Type, 0, nil), vec.FromAny(cols[1].Type, -1, nil), vec.FromAny(cols[2].Type, []any{"a", ""}, []any{}),
		vec.FromAny(cols[3].Type, [][2]any{{5, []any{nil}}}, [][2]any{}))
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
	r, err := newReader(rc)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := formattest.ReadMessages(r, len(cols), formattest.Messages(all...))
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows", rows, []string{`0: 0 | 1969-12-31T23:59:59.999999 | ["a",""] | {5:(NULL)}`, "1: NULL | NULL | [] | {}"})
}

func TestDescriptorSet(t *testing.T) {
	f, err := parse(`syntax = "proto2"; message Old { required int32 a = 1; optional group G = 2 { optional int32 x = 1; } }`, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(f)}})
	if err != nil {
		t.Fatal(err)
	}
	set := base64.StdEncoding.EncodeToString(b)
	if _, err := inferMessages(t.Context(), config(t, nil, "protobuf_descriptor", set)); err == nil || !strings.Contains(err.Error(), "groups are not supported") {
		t.Errorf("inferred: %v", err)
	}
	r, err := newReader(config(t, formattest.Columns("a", types.Int32), "protobuf_descriptor", set[:20]+"\n"+set[20:]))
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := formattest.ReadMessages(r, 1, formattest.Messages([]byte("\x13\x08\x01\x14\x08\x05")))
	if err != nil {
		t.Fatal(err)
	}
	formattest.Same(t, "rows", rows, []string{"0: 5"})
}

func TestRefused(t *testing.T) {
	for want, opts := range map[string][]string{
		"set schema_registry, protobuf_schema or protobuf_descriptor": nil,
		"not both":                      {"protobuf_schema", "x", "protobuf_descriptor", "x"},
		"protobuf_schema: ":             {"protobuf_schema", "message {"},
		`no message "Z"; it has A, A.B`: {"protobuf_schema", `syntax = "proto3"; message A { int32 a = 1; message B {} }`, "message", "Z"},
		"it is not base64":              {"protobuf_descriptor", "?"},
		`field "a": int32 does not fit STRING; declare it INT`: {"protobuf_schema", `syntax = "proto3"; message A { int32 a = 1; }`},
	} {
		if _, err := newReader(config(t, formattest.Columns("a", types.String), opts...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", opts, err, want)
		}
	}
}

func benchData(t testing.TB) (format.MessageReader, format.Messages) {
	text := `syntax = "proto3"; import "google/protobuf/timestamp.proto"; message O { int64 id = 1; string s = 2; string skipped = 3; google.protobuf.Timestamp at = 4; double x = 5; }`
	f, err := parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &messageType{f.Messages().Get(0)}
	cols, _ := m.columns()
	e, err := newRowEncoder(m, cols)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for i := range 10_000 {
		b, err := e.append(nil, []*vec.Vector{vec.FromAny(cols[0].Type, i), vec.FromAny(cols[1].Type, fmt.Sprint("shop ", i%1000)), vec.FromAny(cols[2].Type, "some text that nobody needs"),
			vec.FromAny(cols[3].Type, 1_700_000_000_000_000+i*1000), vec.FromAny(cols[4].Type, float64(i)/3)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	r, err := newReader(config(t, cols, "protobuf_schema", text))
	if err != nil {
		t.Fatal(err)
	}
	return r.(format.MessageReader), formattest.Messages(all...)
}

func readAll(r format.MessageReader, m format.Messages) error {
	return r.ReadMessages(context.Background(), m, format.Reading{Need: []int{0, 1, 3, 4}}, func(*vec.Batch, []int32) error { return nil })
}

func TestMessagesAllocateNothingPerRow(t *testing.T) {
	r, m := benchData(t)
	if n := testing.AllocsPerRun(5, func() {
		if err := readAll(r, m); err != nil {
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
		if err := readAll(r, m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*10_000/b.Elapsed().Seconds(), "rows/s")
}

// Columns that differ in case alone get their own data, as those of several versions of a
// schema may.
func TestTwins(t *testing.T) {
	cols := formattest.Columns("b", types.Int32, "B", types.Int32, "n", types.StructOf(types.Field{Name: "s", Type: types.Of(types.Int32)}, types.Field{Name: "S", Type: types.Of(types.Int32)}))
	r, err := newReader(config(t, cols, "protobuf_schema", `syntax = "proto3"; message M { optional int32 B = 1; message N { optional int32 S = 1; } N n = 2; }`))
	if err != nil {
		t.Fatal(err)
	}
	m := formattest.Messages([]byte("\x08\x07\x12\x02\x08\x01"))
	for want, need := range map[string][]int{"NULL": {0}, "7": {1}, "NULL | 7": {0, 1}, "(NULL,1)": {2}} {
		err := r.(format.MessageReader).ReadMessages(t.Context(), m, format.Reading{Need: need}, func(b *vec.Batch, _ []int32) error {
			formattest.Same(t, "rows", formattest.Rows(b), []string{want})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := writes(t, cols[:2], `syntax = "proto3"; message M { optional int32 B = 1; }`); err == nil || !strings.Contains(err.Error(), `column "b": message M has no such field`) {
		t.Errorf("two columns into one field: %v", err)
	}
}

func writes(t *testing.T, cols []types.Column, schema string) error {
	c := formattest.Config(t, Format().WriteOptions, cols, "protobuf_schema", schema)
	c.Messages = true
	w, err := newWriter(c)
	if err == nil {
		_, err = w.(format.MessageWriter).NewEncoder(t.Context())
	}
	return err
}
