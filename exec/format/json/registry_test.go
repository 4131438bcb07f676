package json

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/format/registry/registrytest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestSchemaColumns(t *testing.T) {
	cols, err := schemaColumns([]byte(`{"type":"object","properties":{
		"z":{"type":["null","integer"],"connect.type":"int32"},"a":{"oneOf":[{"type":"null"},{"type":"string","format":"date-time"}]},"b":{"type":"string","contentEncoding":"base64"},
		"r":{"$ref":"#/definitions/R"},"l":{"type":"array","items":{"type":"number"}},"m":{"type":"object","additionalProperties":{"type":"boolean"}},"any":true,"u":{"type":["string","integer"]},"loop":{"$ref":"#/definitions/L"}},
		"definitions":{"R":{"type":"object","properties":{"x":{"type":"integer"},"d":{"type":"string","format":"date"}}},"L":{"$ref":"#/definitions/L"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cols {
		got = append(got, c.Name+" "+c.Type.String())
	}
	formattest.Same(t, "columns", got, []string{"z INT", "a TIMESTAMP", "b BYTES", "r STRUCT<x:BIGINT,d:DATE>", "l ARRAY<DOUBLE>", "m MAP<STRING,BOOLEAN>", "any STRING", "u STRING", "loop STRING"})
	if _, err := schemaColumns([]byte(`{"type":"integer"}`)); err == nil {
		t.Error("a number was taken for a row")
	}
}

func TestMessagesWithARegistry(t *testing.T) {
	s := httptest.NewServer(registrytest.New(nil))
	defer s.Close()
	cols := formattest.Columns("id", types.Int64, "at", types.Timestamp, "n", types.StructOf(types.Field{Name: "x", Type: types.ArrayOf(types.Of(types.Int16))}), "m", types.MapOf(types.Of(types.String), types.Of(types.Float64)))
	wc := formattest.Config(t, Format().WriteOptions, cols, "schema_registry", s.URL)
	wc.Messages, wc.Subject = true, "orders-value"
	w, err := newWriter(wc)
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.(format.MessageWriter).NewEncoder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := vec.NewBatch(vec.FromAny(cols[0].Type, 7), vec.FromAny(cols[1].Type, 0), vec.FromAny(cols[2].Type, []any{[]any{1, nil}}), vec.FromAny(cols[3].Type, [][2]any{{"k", 0.5}}))
	text, err := e.Append(nil, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	rc := config(t, nil, "schema_registry", s.URL)
	rc.Messages, rc.Subject, rc.OnError = true, "orders-value", format.Skip
	if rc.Columns, err = inferMessages(t.Context(), rc); err != nil || len(rc.Columns) != len(cols) {
		t.Fatal(rc.Columns, err)
	}
	for i, c := range rc.Columns {
		if !c.Type.Equal(cols[i].Type) {
			t.Errorf("column %q is %s, was %s", c.Name, c.Type, cols[i].Type)
		}
	}
	rows, bad, err := readMessages(t, Format(), rc, string(text), "{}", "", string(registry.AppendHeader(nil, 1)), string(registry.AppendHeader(nil, 1))+"{", "NULL")
	if err != nil || len(bad) != 4 {
		t.Fatalf("bad rows %+v, %v", bad, err)
	}
	formattest.Same(t, "rows", rows, []string{`0: 7 | 1970-01-01T00:00:00 | ([1,NULL]) | {"k":0.5}`, "5: NULL | NULL | NULL | NULL"})
	if !strings.Contains(bad[0].Reason, "does not begin with the header") {
		t.Errorf("without a header: %s", bad[0].Reason)
	}
	wc.Messages = false
	if _, err := newWriter(wc); err == nil {
		t.Error("a registry for files was accepted")
	}
}
