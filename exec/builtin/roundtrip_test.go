package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/storage/vfs"
)

// What the file sink writes in any format, the file source reads: through the log and,
// beside it, as plain files.
func TestFileSinkToFileSource(t *testing.T) {
	c := connectors(t)
	for _, f := range c.formats {
		if f.NewWriter == nil || f.MessagesOnly || f.Name == "text" {
			continue
		}
		for _, partition := range []string{"", "day"} {
			t.Run(f.Name+" "+partition, func(t *testing.T) { roundTrip(t, c, f.Name, partition) })
		}
	}
}

func roundTrip(t *testing.T, c *Connectors, format, partition string) {
	dir := t.TempDir()
	cols := []types.Column{{Name: "id", Type: types.Of(types.Int64)}, {Name: "day", Type: types.Of(types.Date)}, {Name: "who", Type: types.Of(types.String)}}
	values := func(pairs ...string) []option.Value {
		out := []option.Value{{Name: "path", Text: "out"}, {Name: "format", Text: format}}
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, option.Value{Name: pairs[i], Text: pairs[i+1]})
		}
		return out
	}
	opts := values()
	if partition != "" {
		opts = values("partition_by", partition)
	}
	fileSink, _ := c.Sink("file")
	snk, err := fileSink.Open(context.Background(), sink.Config{Name: "s", Query: "q", QueryID: "0123456789", Columns: cols, Options: opts,
		Zone: time.UTC, Dir: dir, FS: vfs.OS(), Clock: clock.Real()})
	if err != nil {
		t.Fatal(err)
	}
	var srcCols []source.Column
	for _, col := range cols {
		srcCols = append(srcCols, source.Column{Column: col})
	}
	fileSource, _ := c.Source("file")
	open := func(opts []option.Value) source.Source {
		s, err := fileSource.Open(context.Background(), source.Config{Name: "r", Columns: srcCols, Options: opts, Zone: time.UTC, Dir: dir, FS: vfs.OS(), Clock: clock.Real()})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var want []string
	for n := range int64(12) {
		ids := []int64{3 * n, 3*n + 1}
		b := vec.NewBatch(vec.FromInts(cols[0].Type, ids), vec.FromAny(cols[1].Type, n%2, nil), vec.FromAny(cols[2].Type, "é/"+fmt.Sprint(n), "x"))
		if n == 4 {
			b = nil
		} else {
			want = append(want, fmt.Sprintf("%d,1970-01-0%d,é/%d", 3*n, 1+n%2, n), fmt.Sprintf("%d,NULL,x", 3*n+1))
		}
		p, err := snk.Stage(context.Background(), sink.Batch{ID: n}, func(emit func(*vec.Batch) error) error {
			if b == nil {
				return nil
			}
			return emit(b)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := snk.Publish(context.Background(), sink.Batch{ID: n}, p); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	compare(t, "log", readAll(t, open(values())), want)
	compare(t, "plain", readAll(t, open(append([]option.Value{{Name: "path", Text: "out/**"}}, values()[1:]...))), want)
}

func compare(t *testing.T, how string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", how, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func readAll(t *testing.T, s source.Source) []string {
	t.Helper()
	r, ok, err := s.Plan(context.Background(), source.Limits{}, nil)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	splits, err := s.Splits(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, sp := range splits {
		err := sp.Read(context.Background(), source.Reading{Need: []int{0, 1, 2}}, func(b *vec.Batch) error {
			b.Each(func(row int) {
				var cells []string
				for _, c := range b.Cols {
					cells = append(cells, vec.RowString(c, row, time.UTC))
				}
				out = append(out, strings.Join(cells, ","))
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(out)
	return out
}
