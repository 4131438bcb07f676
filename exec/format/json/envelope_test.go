package json

import (
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
)

func TestEnvelopeReasons(t *testing.T) {
	for _, c := range []struct{ line, reason, keyed string }{
		{`{"op":"c","after":null}`, `"op" is "c", and there is no "after"`, `no "after"`},
		{`{"op":"u","after":{"id":1}}`, `an update without "before"; declare a PRIMARY KEY`, ``},
		{`{"op":"d"}`, `a deletion without "before"`, `a deletion without the PRIMARY KEY in "before"`},
		{`{"op":"d","before":{"v":1}}`, ``, `a deletion without the PRIMARY KEY in "before"`},
		{`{"op":"t"}`, `truncations and messages`, `truncations`},
		{`{"op":"x"}`, `"op" is "x", not c, r, u or d`, `not c, r, u or d`},
		{`{"op":1,"after":{"id":1}}`, `"op" is "1"`, `"op" is "1"`},
		{`{"id":1,"v":2}`, `no change event: it has no "op"`, `no change event`},
		{`{"payload":{"id":1}}`, `no change event`, `no change event`},
		{`{"payload":[]}`, `field "payload": [] is not STRUCT`, `field "payload"`},
		{`{"op":"c","after":{"id":"x"}}`, `field "after.id": "x" is not BIGINT`, `field "after.id"`},
		{`{"op":"c","after":{"id":1}`, `not JSON`, `not JSON`},
		{`nulls`, `not JSON`, `not JSON`},
	} {
		for _, keyed := range []bool{false, true} {
			want, cfg := c.reason, formattest.Config(t, Debezium().ReadOptions, formattest.Columns("id", types.Int64, "v", types.Int64))
			if keyed {
				want, cfg.Key = c.keyed, []int{0}
			}
			_, _, err := formattest.Read(Debezium(), cfg, "in/a.json", []byte("\nnull\n"+c.line+"\n"))
			if want == "" {
				if err != nil {
					t.Errorf("%s: %v", c.line, err)
				}
				continue
			}
			if err == nil || !strings.HasPrefix(err.Error(), "in/a.json:3: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, key %v: got %v, want %s", c.line, keyed, err, want)
			}
		}
	}
}

func TestEnvelopeInfer(t *testing.T) {
	content := `{"before":{"id":1},"after":{"id":2,"v":"x"},"op":"u"}
{"schema":{},"payload":{"before":null,"after":{"id":3,"w":true},"op":"c"}}`
	cols, err := inferEnvelope(t.Context(), formattest.File("a", []byte(content)), formattest.Config(t, Debezium().ReadOptions, nil))
	if err != nil || len(cols) != 3 || cols[0].Name != "id" || cols[1].Name != "v" || cols[2].Type.Kind != types.Bool {
		t.Errorf("%v %v", cols, err)
	}
}

// FuzzEnvelope: any line gives at most two rows or one bad row, and nothing panics.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"before":{"id":1,"a":[{"x":1}]},"after":{"id":2,"s":"\u00e9"},"op":"u"}`), false)
	f.Add([]byte(`[{"schema":{},"payload":{"after":{"id":3},"op":"c"}},null]`), true)
	nested := types.ArrayOf(types.StructOf(types.Field{Name: "x", Type: types.Of(types.Int32)}))
	f.Fuzz(func(t *testing.T, content []byte, multi bool) {
		opts := []string{"multi_line", "false"}
		if multi {
			opts[1] = "true"
		}
		for _, key := range [][]int{nil, {0}} {
			c := formattest.Config(t, Debezium().ReadOptions, formattest.Columns("id", types.Int32, "s", types.String, "a", nested), opts...)
			c.OnError, c.Key = format.Skip, key
			rows, bad, err := formattest.Read(Debezium(), c, "a.json", content)
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(string(content), "\n") + 1; !multi && len(rows) > 2*lines || !multi && len(bad) > lines {
				t.Fatalf("%d rows and %d bad ones of %d lines", len(rows), len(bad), lines)
			}
		}
		inferEnvelope(t.Context(), formattest.File("a", content), formattest.Config(t, Debezium().ReadOptions, nil, opts...))
	})
}

func BenchmarkEnvelope(b *testing.B) {
	line := `{"before":{"id":1,"v":"x"},"after":{"id":1,"v":"y"},"source":{"lsn":1},"op":"u","ts_ms":1700000000000}` + "\n"
	content := []byte(strings.Repeat(line, 10_000))
	c := formattest.Config(b, Debezium().ReadOptions, formattest.Columns("id", types.Int64, "v", types.String))
	r, err := newEnvelope(c)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if rows, _, err := formattest.ReadChanges(r, 0, "a", content); err != nil || len(rows) != 20_000 {
			b.Fatal(len(rows), err)
		}
	}
}
