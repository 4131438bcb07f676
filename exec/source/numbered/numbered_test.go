package numbered

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// squares has rows (i, i², "i", NULL).
type squares struct {
	end  int64
	less int64 // rows that Read leaves out
	bad  any   // what stands where a number should
}

func (s *squares) End(context.Context) (int64, error) { return s.end, nil }
func (s *squares) Close() error                       { return nil }

func (s *squares) Read(_ context.Context, from, to int64, emit func(...any) error) error {
	for i := from; i < to-s.less; i++ {
		at := time.UnixMicro(i * i).UTC()
		var n any = i
		if s.bad != nil {
			n = s.bad
		}
		if err := emit(n, at, fmt.Sprint(i), nil); err != nil {
			return err
		}
	}
	return nil
}

func log(s *squares) Log {
	return Log{Name: "squares", Doc: "Squares.", Options: []option.Spec{{Name: "end", Type: option.Int, Doc: "The end."}},
		Columns: []types.Column{{Name: "n", Type: types.Of(types.Int64)}, {Name: "at", Type: types.Of(types.Timestamp)},
			{Name: "s", Type: types.Of(types.String)}, {Name: "x", Type: types.Of(types.Float64)}},
		Open: func(_ context.Context, o option.Decoded) (Rows, error) {
			if o.Has("end") {
				s.end = o.Int("end")
			}
			return s, nil
		}}
}

func opened(t *testing.T, s *squares, columns ...string) source.Source {
	t.Helper()
	l := log(s)
	cfg := source.Config{Name: "q"}
	for _, name := range columns {
		for _, c := range l.Columns {
			if c.Name == name {
				cfg.Columns = append(cfg.Columns, source.Column{Column: c})
			}
		}
	}
	src, err := Connector(l).Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// rows reads a range, all declared columns.
func rows(src source.Source, r source.Range, need ...int) (out []string, err error) {
	splits, err := src.Splits(context.Background(), r)
	for _, s := range splits {
		if err = s.Read(context.Background(), source.Reading{Need: need}, func(b *vec.Batch) error {
			for i := range b.N {
				var cells []string
				for _, c := range b.Cols {
					cells = append(cells, vec.RowString(c, i, time.UTC))
				}
				out = append(out, strings.Join(cells, " "))
			}
			return nil
		}); err != nil {
			return out, err
		}
	}
	return out, err
}

func TestRanges(t *testing.T) {
	ctx := t.Context()
	s := &squares{end: 5}
	src := opened(t, s, "s", "n", "x")
	r, ok, err := src.Plan(ctx, source.Limits{Rows: 3}, nil)
	if err != nil || !ok || string(r.Offset) != "3" {
		t.Fatal(r, ok, err)
	}
	got, err := rows(src, r, 0, 1, 2)
	if s := strings.Join(got, "|"); err != nil || s != "0 0 NULL|1 1 NULL|2 2 NULL" {
		t.Error(s, err)
	}
	if n, ok := src.(source.Backlogged).Backlog(); n != 2 || !ok {
		t.Error(n, ok)
	}
	// a restart reads the same range again, and goes on behind it
	again := opened(t, s, "s", "n", "x")
	if err := again.Restore(r); err != nil {
		t.Fatal(err)
	}
	if got, err := rows(again, r, 1); err != nil || strings.Join(got, "|") != "0|1|2" {
		t.Error(got, err)
	}
	up, _ := again.Snapshot(ctx)
	s.end = 9
	next, ok, err := again.Plan(ctx, source.Limits{}, up)
	if err != nil || !ok || string(next.Offset) != "5" {
		t.Error(next, ok, err)
	}
	if _, ok, _ := again.Plan(ctx, source.Limits{}, up); ok {
		t.Error("more than was there")
	}
	if err := again.Committed(ctx, next); err != nil || again.(source.Keeper).Keep(r.Entries[0]) || !again.(source.Keeper).Keep(next.Entries[0]) {
		t.Error("the log keeps the wrong entries", err)
	}
	if again.Finished() || again.Description() != "squares[q]" {
		t.Error(again.Description())
	}
}

func TestManyRows(t *testing.T) {
	s := &squares{end: 3*vec.BatchSize + 1}
	src := opened(t, s, "n")
	r, _, _ := src.Plan(t.Context(), source.Limits{}, nil)
	got, err := rows(src, r, 0)
	if err != nil || len(got) != int(s.end) || got[s.end-1] != fmt.Sprint(s.end-1) {
		t.Error(len(got), err)
	}
}

func TestWrongRows(t *testing.T) {
	for want, s := range map[string]*squares{
		"there should be rows up to number 4, and there are 3": {end: 5, less: 2},
		`row 0, column "n": a Go string is no BIGINT`:          {end: 5, bad: "x"},
		`row 0, column "n": a Go int is no BIGINT`:             {end: 5, bad: 1},
	} {
		src := opened(t, s, "n")
		r, _, _ := src.Plan(t.Context(), source.Limits{}, nil)
		if _, err := rows(src, r, 0); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	src := opened(t, &squares{}, "n")
	if err := src.Restore(source.Range{Offset: []byte(`"x"`)}); err == nil {
		t.Error("an offset of another source is taken")
	}
	if _, err := src.Splits(t.Context(), source.Range{Entries: []json.RawMessage{json.RawMessage("[")}}); err == nil {
		t.Error("a broken entry is taken")
	}
}

func TestColumns(t *testing.T) {
	l := log(&squares{})
	for _, c := range []types.Column{{Name: "nope", Type: types.Of(types.Int64)}, {Name: "n", Type: types.Of(types.String)}} {
		if _, err := Connector(l).Open(t.Context(), source.Config{Columns: []source.Column{{Column: c}}}); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}
