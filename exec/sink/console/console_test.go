package console_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/console"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// csv stands for the real format: names, then rows.
func csv() *format.Format {
	return &format.Format{Name: "csv", NewWriter: func(c format.Config) (format.Writer, error) {
		for _, col := range c.Columns {
			if k := col.Type.Kind; col.Type.IsNested() || k == types.Interval || k == types.Null {
				return nil, fmt.Errorf("CSV has no %s", col.Type)
			}
		}
		return writer{c.Columns}, nil
	}}
}

type writer struct{ cols []types.Column }

func (writer) Extension() string { return ".csv" }
func (w writer) Create(out io.Writer) (format.FileWriter, error) {
	for i, c := range w.cols {
		fmt.Fprint(out, []string{"", ","}[min(i, 1)], c.Name)
	}
	fmt.Fprintln(out)
	return file{out}, nil
}

type file struct{ w io.Writer }

func (f file) Write(b *vec.Batch) error {
	b.Each(func(row int) {
		for i, c := range b.Cols {
			fmt.Fprint(f.w, []string{"", ","}[min(i, 1)], vec.RowString(c, row, nil))
		}
		fmt.Fprintln(f.w)
	})
	return nil
}
func (file) Bytes() int64 { return 0 }
func (file) Close() error { return nil }

// show runs one batch through a sink and returns what was printed, or the error.
func show(t *testing.T, m sink.Mode, b *vec.Batch, opts ...string) string {
	t.Helper()
	var out bytes.Buffer
	c := sink.Config{Name: "c", Mode: m, Stdout: &out, Columns: []types.Column{
		{Name: "who", Type: types.Of(types.String)}, {Name: "n", Type: types.Of(types.Int64)}}}
	for i := 0; i < len(opts); i += 2 {
		c.Options = append(c.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	s, err := console.Connector([]*format.Format{csv()}).Open(context.Background(), c)
	if err != nil {
		return err.Error()
	}
	p, err := s.Stage(context.Background(), sink.Batch{ID: 3}, func(emit func(*vec.Batch) error) error { return emit(b) })
	if err != nil {
		return err.Error()
	}
	if out.Len() > 0 {
		t.Error("printed before it was published")
	}
	if err := s.Publish(context.Background(), sink.Batch{ID: 3}, p); err != nil {
		return err.Error()
	}
	return out.String()
}

func batch(w ...int64) *vec.Batch {
	return &vec.Batch{N: 3, W: w, Cols: []*vec.Vector{vec.FromStrings([]string{"ana", "bo", "cy"}), vec.FromAny(types.Of(types.Int64), 1, nil, 30)}}
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestModes(t *testing.T) {
	want(t, show(t, sink.Append, batch()), "-------- batch 3 --------\n"+
		" who | n\n-----+------\n ana |    1\n bo  | NULL\n cy  |   30\n(3 rows)\n")
	want(t, show(t, sink.Complete, batch(2, 0, 0)), "-------- batch 3 --------\n who | n\n-----+---\n ana | 1\n ana | 1\n(2 rows)\n")
	want(t, show(t, sink.Update, batch(1, -1, 0)), "-------- batch 3 --------\n"+
		" who | n    | op\n-----+------+----\n ana |    1 | u\n bo  | NULL | -\n(2 rows)\n")
	want(t, show(t, sink.Changelog, batch(-1, 2, 0)), "-------- batch 3 --------\n"+
		" who | n    | weight\n-----+------+--------\n ana |    1 |     -1\n bo  | NULL |      2\n(2 rows)\n")
	want(t, show(t, sink.Append, batch(1, -1, 1)), `sink "c": a row was taken back, which this output mode cannot show`)
}

func TestOptions(t *testing.T) {
	want(t, show(t, sink.Append, batch(), "numRows", "1", "truncate", "2", "show_batch", "false"), " who | n\n-----+---\n a…  | 1\n(1 of 3 rows)\n")
	want(t, show(t, sink.Changelog, batch(1, -1, 1), "format", "CSV"), "-------- batch 3 --------\nwho,n,weight\nana,1,1\nbo,NULL,-1\ncy,30,1\n")
	want(t, show(t, sink.Append, batch(0, 0, 0), "format", "csv"), "")
	want(t, show(t, sink.Append, batch(0, 0, 0)), "-------- batch 3 --------\n who | n\n-----+---\n(0 rows)\n")
	want(t, show(t, sink.Append, batch(0, 0, 0), "skip_empty", "true"), "")
	want(t, show(t, sink.Append, batch(0, 1, 0), "skip_empty", "true", "show_batch", "false"), " who | n\n-----+------\n bo  | NULL\n(1 row)\n")
	want(t, show(t, sink.Append, batch(), "format", "json"), `sink "c": there is no format json`)
	want(t, show(t, sink.Append, batch(), "format", "tabel"), `error SQL4003: option "format" is "tabel", expected one of table, csv, json, jsonl (hint: did you mean "table"?)`)
	want(t, show(t, sink.Append, batch(), "truncate", "-1"), `error SQL4003: option "truncate" is "-1", expected a whole number of at least 0`)
}

// A line of CSV has no form for lists and intervals: their text is printed.
func TestCSVPrintsNestedValuesAsText(t *testing.T) {
	list := vec.FromAny(types.ArrayOf(types.Of(types.Int64)), []any{1, nil}, nil)
	cols := []*vec.Vector{list, vec.FromAny(types.Of(types.Interval), nil, nil), vec.FromAny(types.Of(types.Null), nil, nil)}
	var out bytes.Buffer
	c := sink.Config{Mode: sink.Append, Stdout: &out, Options: []option.Value{{Name: "format", Text: "csv"}, {Name: "show_batch", Text: "false"}}}
	for i, v := range cols {
		c.Columns = append(c.Columns, types.Column{Name: string(rune('a' + i)), Type: v.Type})
	}
	s, err := console.Connector([]*format.Format{csv()}).Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Stage(context.Background(), sink.Batch{}, func(emit func(*vec.Batch) error) error { return emit(&vec.Batch{N: 2, Cols: cols}) })
	if err != nil {
		t.Fatal(err)
	}
	want(t, string(p), "a,b,c\n[1,null],NULL,NULL\nNULL,NULL,NULL\n")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenPipe(t *testing.T) {
	s, err := console.Connector(nil).Open(context.Background(), sink.Config{Name: "c", Stdout: broken{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Publish(context.Background(), sink.Batch{}, []byte("x")); err == nil || err.Error() != `sink "c": broken pipe` {
		t.Error(err)
	}
	if _, err := console.Connector(nil).Open(context.Background(), sink.Config{Name: "c"}); err == nil {
		t.Error("no standard output was accepted")
	}
	if m, err := s.Marker(context.Background()); m.OK || err != nil {
		t.Error(m, err)
	}
}
