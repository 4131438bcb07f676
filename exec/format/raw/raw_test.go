package raw

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var texts = [][]byte{[]byte("a\x00\n"), nil, []byte(""), []byte("\xc3"), []byte("é")}

func TestMessages(t *testing.T) {
	for _, kind := range []types.Kind{types.Bytes, types.String} {
		r, err := newReader(format.Config{Columns: formattest.Columns("v", kind), OnError: format.Skip})
		if err != nil {
			t.Fatal(err)
		}
		rows, bad, err := formattest.ReadMessages(r, 1, formattest.Messages(texts...))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{`0: "a\x00\n"`, `1: NULL`, `2: ""`, `3: "\xc3"`, `4: "é"`}
		if kind == types.String {
			want = append(want[:3], want[4])
			if len(bad) != 1 || bad[0].Position != "message 3" {
				t.Errorf("bad rows %+v", bad)
			}
		}
		formattest.Same(t, "rows", rows, want)
		if rows, _, err := formattest.ReadMessages(r, 0, formattest.Messages(texts[:1]...)); err != nil || len(rows) != 1 {
			t.Errorf("without columns: %v, %v", rows, err)
		}
	}
}

func TestEncoder(t *testing.T) {
	w, err := newWriter(format.Config{Columns: columns(), Messages: true})
	if err != nil {
		t.Fatal(err)
	}
	e, _ := w.(format.MessageWriter).NewEncoder(t.Context())
	b := vec.NewBatch(vec.FromAny(types.Of(types.Bytes), []byte("a\x00\n"), nil))
	text, err := e.Append([]byte("x"), b, 0)
	if err != nil || string(text) != "xa\x00\n" {
		t.Errorf("%q, %v", text, err)
	}
	if n := e.(format.NullMessages); n.Null(b, 0) || !n.Null(b, 1) {
		t.Error("only the second row has no value")
	}
}

func TestRefused(t *testing.T) {
	for _, cols := range [][]types.Column{nil, formattest.Columns("a", types.Int64), formattest.Columns("a", types.String, "b", types.String)} {
		if _, err := newReader(format.Config{Columns: cols}); err == nil {
			t.Errorf("%v was accepted", cols)
		}
		if _, err := newWriter(format.Config{Columns: cols}); err == nil {
			t.Errorf("%v was accepted for writing", cols)
		}
	}
}
