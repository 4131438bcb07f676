package table_test

import (
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/format/table"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func render(truncate int, names []string, cols ...*vec.Vector) string {
	var schema []types.Column
	for i, c := range cols {
		schema = append(schema, types.Column{Name: names[i], Type: c.Type})
	}
	t := table.New(schema, time.UTC, truncate)
	for row := range cols[0].N {
		t.Add(cols, row)
	}
	return string(t.Append(nil))
}

func TestAlignment(t *testing.T) {
	got := render(0, []string{"start", "n", "who"},
		vec.FromAny(types.Of(types.Timestamp), 1704099600000000, nil),
		vec.FromAny(types.Of(types.Int64), 2, -1000),
		vec.FromAny(types.Of(types.String), "日本", ""))
	want := "" +
		" start               | n     | who\n" +
		"---------------------+-------+------\n" +
		" 2024-01-01 09:00:00 |     2 | 日本\n" +
		" NULL                | -1000 | \n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestControlCharactersAreEscaped(t *testing.T) {
	got := render(0, []string{"a\nb"}, vec.FromStrings([]string{"x\ty\x1b[31m\r\n\xff"}))
	want := " a\\nb\n" + "----------------------\n" + " x\\ty\\x1b[31m\\r\\n\\xff\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTruncation(t *testing.T) {
	got := render(5, []string{"a"}, vec.FromStrings([]string{"12345", "123456", "日本語文字", "日本", "é"}))
	want := " a\n-------\n 12345\n 1234…\n 日本…\n 日本\n é\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNoRows(t *testing.T) {
	tab := table.New([]types.Column{{Name: "a", Type: types.Of(types.Int64)}}, nil, 0)
	if got := string(tab.Append(nil)); got != " a\n---\n" || tab.Rows() != 0 {
		t.Errorf("got %q", got)
	}
}
