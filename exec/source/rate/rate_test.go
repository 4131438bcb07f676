package rate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/clock"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/rate"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var start = time.Unix(1000, 0)

func config(clk clock.Clock, opts ...string) source.Config {
	c := source.Config{Name: "r", Clock: clk}
	for _, col := range rate.Connector().Columns {
		c.Columns = append(c.Columns, source.Column{Column: col})
	}
	for i := 0; i < len(opts); i += 2 {
		c.Options = append(c.Options, option.Value{Name: opts[i], Text: opts[i+1]})
	}
	return c
}

func open(t *testing.T, c source.Config) source.Source {
	t.Helper()
	s, err := rate.Connector().Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// read gives "seconds after start:value" of each row.
func read(t *testing.T, s source.Source, r source.Range, need ...int) string {
	t.Helper()
	splits, err := s.Splits(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, sp := range splits {
		err := sp.Read(context.Background(), source.Reading{Need: need}, func(b *vec.Batch) error {
			for row := range b.N {
				var cells []string
				for _, c := range b.Cols {
					x := c.Int(row)
					if c.Type.Kind == types.Timestamp {
						cells = append(cells, fmt.Sprint(float64(x-start.UnixMicro())/1e6))
					} else {
						cells = append(cells, fmt.Sprint(x))
					}
				}
				out = append(out, strings.Join(cells, ":"))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(out, " ")
}

func plan(t *testing.T, s source.Source, l source.Limits, upTo source.Snapshot) (source.Range, string) {
	t.Helper()
	r, ok, err := s.Plan(context.Background(), l, upTo)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return r, "-"
	}
	return r, read(t, s, r, 0, 1)
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPaceAndRestart(t *testing.T) {
	clk := clock.NewFake(start)
	s := open(t, config(clk, "rowsPerSecond", "4"))
	_, got := plan(t, s, source.Limits{}, nil)
	want(t, got, "0:0")
	_, got = plan(t, s, source.Limits{}, nil)
	want(t, got, "-")
	clk.Advance(time.Second)
	r, got := plan(t, s, source.Limits{}, nil)
	want(t, got, "0.25:1 0.5:2 0.75:3 1:4")
	want(t, string(r.Offset), `{"rows":5,"start_us":1000000000}`)
	want(t, string(r.Entries[0]), `{"from":1,"to":5,"start_us":1000000000}`)

	clk.Set(start.Add(-time.Hour)) // the clock jumps back
	s = open(t, config(clk, "rowsPerSecond", "4"))
	if err := s.Restore(r); err != nil {
		t.Fatal(err)
	}
	want(t, read(t, s, r, 0, 1), "0.25:1 0.5:2 0.75:3 1:4")
	want(t, read(t, s, r, 1), "1 2 3 4")
	_, got = plan(t, s, source.Limits{}, nil)
	want(t, got, "-")
	clk.Set(start.Add(1500 * time.Millisecond))
	_, got = plan(t, s, source.Limits{}, nil)
	want(t, got, "1.25:5 1.5:6")
}

func TestLimitsAndSnapshot(t *testing.T) {
	clk := clock.NewFake(start)
	s := open(t, config(clk, "rows_per_second", "2"))
	plan(t, s, source.Limits{}, nil)
	clk.Advance(2 * time.Second)
	snap, err := s.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	clk.Advance(time.Hour)
	_, got := plan(t, s, source.Limits{Rows: 3}, snap)
	want(t, got, "0.5:1 1:2 1.5:3")
	_, got = plan(t, s, source.Limits{Rows: 3}, snap)
	want(t, got, "2:4")
	_, got = plan(t, s, source.Limits{Rows: 3}, snap)
	want(t, got, "-")
}

func TestFinite(t *testing.T) {
	c := config(clock.NewFake(start), "num_rows", "3")
	c.Finite = true
	s := open(t, c)
	_, got := plan(t, s, source.Limits{}, nil)
	want(t, got, "0:0 1:1 2:2")
	if !s.Finished() {
		t.Error("not finished")
	}
}

func TestManyRowsInSplits(t *testing.T) {
	c := config(clock.NewFake(start), "num_rows", "300001", "rows_per_second", "1000000000")
	c.Finite = true
	s := open(t, c)
	r, _, err := s.Plan(context.Background(), source.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := s.Splits(context.Background(), r)
	if err != nil || len(splits) != 3 {
		t.Fatalf("%d splits, %v", len(splits), err)
	}
	next := int64(0)
	for _, sp := range splits {
		err := sp.Read(context.Background(), source.Reading{Need: []int{1}}, func(b *vec.Batch) error {
			for row := range b.N {
				if b.Cols[0].Int(row) != next {
					t.Fatalf("row %d has value %d", next, b.Cols[0].Int(row))
				}
				next++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if next != 300001 {
		t.Errorf("%d rows", next)
	}
}

func TestRefused(t *testing.T) {
	clk := clock.NewFake(start)
	wrong := config(clk)
	wrong.Columns[1].Type = types.Of(types.String)
	endless := config(clk)
	endless.Finite = true
	for _, c := range []struct {
		c    source.Config
		want string
	}{
		{wrong, `source "r": a rate source has the columns timestamp TIMESTAMP and value BIGINT, not value STRING`},
		{endless, `source "r": a rate source without num_rows never ends, so it cannot be read as a table`},
		{config(clk, "rows_per_second", "0"), `error SQL4003: option "rows_per_second" is "0", expected a whole number from 1 to 1000000000`},
	} {
		_, err := rate.Connector().Open(context.Background(), c.c)
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	s := open(t, config(clk))
	if err := s.Restore(source.Range{Offset: []byte(`{"logOffset":3}`)}); err == nil {
		t.Error("a file source's offset was taken")
	}
}
