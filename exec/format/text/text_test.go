package text

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func read(t *testing.T, content string, opts ...string) ([]string, []format.BadRow) {
	t.Helper()
	c := formattest.Config(t, Format().ReadOptions, columns(), opts...)
	c.OnError = format.Skip
	rows, bad, err := formattest.Read(Format(), c, "a.txt", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return rows, bad
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		content string
		want    []string
	}{
		{"", nil},
		{"\n", []string{`""`}},
		{"a\n\r\nb\r\n\n é", []string{`"a"`, `""`, `"b"`, `""`, `" é"`}},
		{"\xef\xbb\xbfa", []string{`"a"`}},
		{strings.Repeat("x", 300_000) + "\ny", []string{`"` + strings.Repeat("x", 300_000) + `"`, `"y"`}},
	} {
		if rows, bad := read(t, c.content); !slices.Equal(rows, c.want) || len(bad) > 0 {
			t.Errorf("%.40q: %.200q, bad %v", c.content, rows, bad)
		}
	}
	rows, bad := read(t, "a\n\xff\nb\n")
	if len(rows) != 2 || len(bad) != 1 || bad[0].Position != "a.txt:2" || string(bad[0].Raw) != "\xff" {
		t.Errorf("rows %q, bad %+v", rows, bad)
	}
}

func TestWholeText(t *testing.T) {
	for _, content := range []string{"", "a", "a\n", "a\nb\n\n"} {
		if rows, _ := read(t, content, "whole_text", "true"); len(rows) != 1 || rows[0] != fmt.Sprintf("%q", content) {
			t.Errorf("%q: %q", content, rows)
		}
	}
}

func TestManyLines(t *testing.T) {
	var b bytes.Buffer
	var want []string
	for i := range 50_000 {
		fmt.Fprintf(&b, "line %d\n", i)
		want = append(want, fmt.Sprintf(`"line %d"`, i))
	}
	if rows, _ := read(t, b.String()); !slices.Equal(rows, want) {
		t.Errorf("%d rows", len(rows))
	}
}

func TestWrite(t *testing.T) {
	v := vec.NewBuilder(types.Of(types.String))
	v.AppendString("a")
	v.AppendNull()
	v.AppendString("é")
	b := &vec.Batch{N: 3, Cols: []*vec.Vector{v.Take()}}
	for _, codec := range []string{"none", "gzip"} {
		c := formattest.Config(t, Format().WriteOptions, columns(), "compression", codec)
		w, _ := newWriter(c)
		content := formattest.Write(t, Format(), c, b)
		rows, _, err := formattest.Read(Format(), formattest.Config(t, Format().ReadOptions, columns()), "a"+w.Extension(), content)
		if err != nil || !slices.Equal(rows, []string{`"a"`, `""`, `"é"`}) {
			t.Errorf("%s: %q, %v", codec, rows, err)
		}
	}
	if _, err := newWriter(formattest.Config(t, Format().WriteOptions, formattest.Columns("a", types.Int64))); err == nil {
		t.Error("a BIGINT column was accepted")
	}
}
