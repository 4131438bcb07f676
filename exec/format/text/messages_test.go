package text

import (
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestMessages(t *testing.T) {
	c := formattest.Config(t, Format().ReadOptions, columns())
	c.OnError = format.Skip
	r, err := newReader(c)
	if err != nil {
		t.Fatal(err)
	}
	rows, bad, err := formattest.ReadMessages(r, 1, formattest.Messages([]byte("a\nb\r\n"), nil, []byte(""), []byte("\xc3"), []byte("é")))
	if err != nil || len(bad) != 1 || bad[0].Position != "message 3" {
		t.Errorf("bad rows %+v, %v", bad, err)
	}
	formattest.Same(t, "rows", rows, []string{`0: "a\nb\r\n"`, `1: NULL`, `2: ""`, `4: "é"`})
}

func TestEncoder(t *testing.T) {
	w, err := newWriter(formattest.Config(t, Format().WriteOptions, columns()))
	if err != nil {
		t.Fatal(err)
	}
	e, _ := w.(format.MessageWriter).NewEncoder(t.Context())
	v := vec.FromAny(columns()[0].Type, "a\nb", nil)
	b := vec.NewBatch(v)
	text, err := e.Append([]byte("x"), b, 0)
	if err != nil || string(text) != "xa\nb" {
		t.Errorf("%q, %v", text, err)
	}
	if n := e.(format.NullMessages); n.Null(b, 0) || !n.Null(b, 1) {
		t.Error("only the second row has no value")
	}
}
