package foreach_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/foreach"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var cols = sinktest.Columns(types.String, types.Int64)

// calls records what a writer is told, by partition and version.
type calls struct {
	mu   sync.Mutex
	of   map[string][]string
	open func(partition int, version int64) (bool, error)
	row  func(r foreach.Row) error
	end  func(err error) error
}

func (c *calls) note(name, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[name] = append(c.of[name], text)
}

func (c *calls) new() foreach.Writer { return &writer{c: c} }

func (c *calls) all() string {
	var out []string
	for name, list := range c.of {
		out = append(out, name+": "+strings.Join(list, " "))
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

type writer struct {
	c    *calls
	name string
}

func (w *writer) Open(_ context.Context, partition int, version int64) (bool, error) {
	w.name = fmt.Sprintf("%d/%d", partition, version)
	w.c.note(w.name, "open")
	if w.c.open != nil {
		return w.c.open(partition, version)
	}
	return true, nil
}

func (w *writer) Process(r foreach.Row) error {
	w.c.note(w.name, strings.ReplaceAll(r.String(), " | ", ","))
	if w.c.row != nil {
		return w.c.row(r)
	}
	return nil
}

func (w *writer) Close(err error) error {
	w.c.note(w.name, fmt.Sprintf("close(%v)", err))
	if w.c.end != nil {
		return w.c.end(err)
	}
	return nil
}

func open(t *testing.T, c *calls, mode sink.Mode, opts ...string) sink.Sink {
	t.Helper()
	w := foreach.NewWriters()
	if err := w.Add("Audit", c.new); err != nil {
		t.Fatal(err)
	}
	s, err := foreach.Connector(w).Open(context.Background(), sinktest.Config(mode, cols, []int{0}, append([]string{"writer", "audit"}, opts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	c := &calls{of: map[string][]string{}}
	s := open(t, c, sink.Update)
	b := sink.Batch{ID: 7}
	payload, err := sinktest.Write(s, b, sinktest.Weighted(sinktest.Batch(cols, []any{"x", 1}, []any{"y", nil}), -1, 1))
	if err != nil || c.all() != "0/7: open x,1 y,NULL close(<nil>)" {
		t.Error(err, c.all())
	}
	c.of = map[string][]string{}
	c.open = func(int, int64) (bool, error) { return false, nil }
	if err := s.Publish(context.Background(), b, payload); err != nil || c.all() != "0/7: open close(<nil>)" {
		t.Error(err, c.all())
	}
	c.of = map[string][]string{}
	c.open = func(int, int64) (bool, error) { return true, errors.New("no disk") }
	if err := s.Publish(context.Background(), b, payload); sinktest.Has(err, "partition 0: no disk") != "" || c.all() != "0/7: open close(no disk)" {
		t.Error(err, c.all())
	}
	c.of, c.open = map[string][]string{}, nil
	c.row = func(r foreach.Row) error { panic(fmt.Sprint("weight ", r.Weight())) }
	if err := s.Publish(context.Background(), b, payload); sinktest.Has(err, "the writer panicked: weight -1") != "" ||
		c.all() != "0/7: open x,1 close(the writer panicked: weight -1)" {
		t.Error(err, c.all())
	}
	c.row = nil
	c.end = func(error) error { return errors.New("late refusal") }
	if err := s.Publish(context.Background(), b, payload); sinktest.Has(err, "late refusal") != "" {
		t.Error(err)
	}
}

// (partition, version) names the same rows although the options have changed since.
func TestPartitionsAreThoseThatWereStaged(t *testing.T) {
	if err := stagedPartitions(t); err != nil {
		t.Error(err)
	}
}

func stagedPartitions(t *testing.T) error {
	t.Helper()
	c := &calls{of: map[string][]string{}}
	var rows [][]any
	for i := range 40 {
		rows = append(rows, []any{fmt.Sprintf("k%d", i%9), i})
	}
	payload, err := sinktest.Write(open(t, c, sink.Append, "partitions", "5"), sink.Batch{ID: 3}, sinktest.Batch(cols, rows...))
	if err != nil {
		return err
	}
	first := c.all()
	if n := strings.Count(first, "open"); n < 3 || n > 5 || strings.Count(first, ",") != 40 {
		return fmt.Errorf("partitions: %s", first)
	}
	for _, n := range []string{"1", "2", "8"} {
		c.of = map[string][]string{}
		if err := open(t, c, sink.Append, "partitions", n, "partition_by", "b").Publish(context.Background(), sink.Batch{ID: 3}, payload); err != nil {
			return err
		}
		if c.all() != first {
			return fmt.Errorf("got  %s\nwant %s", c.all(), first)
		}
	}
	return nil
}

func TestEmptyPartitions(t *testing.T) {
	c := &calls{of: map[string][]string{}}
	if _, err := sinktest.Write(open(t, c, sink.Append), sink.Batch{}); err != nil || c.all() != "" {
		t.Error(err, c.all())
	}
	if _, err := sinktest.Write(open(t, c, sink.Complete, "partitions", "2"), sink.Batch{}); err != nil || c.all() != "0/0: open close(<nil>); 1/0: open close(<nil>)" {
		t.Error(err, c.all())
	}
}

func TestAFailureEndsTheOthers(t *testing.T) {
	c := &calls{of: map[string][]string{}}
	c.open = func(p int, _ int64) (bool, error) {
		if p == 0 {
			return true, nil
		}
		return false, fmt.Errorf("no %d", p)
	}
	_, err := sinktest.Write(open(t, c, sink.Complete, "partitions", "3"), sink.Batch{}, sinktest.Batch(cols, []any{"x", 1}))
	if sinktest.Has(err, "partition ", ": no ") != "" {
		t.Error(err)
	}
	for name, list := range c.of {
		if !strings.HasPrefix(list[len(list)-1], "close(") {
			t.Errorf("%s was not closed: %v", name, list)
		}
	}
}

func TestWriterNames(t *testing.T) {
	w := foreach.NewWriters()
	cfg := sinktest.Config(sink.Append, cols, nil, "writer", "audti")
	if _, err := foreach.Connector(w).Open(context.Background(), cfg); sinktest.Has(err, `no writer "audti"`) != "" {
		t.Error(err)
	}
	if err := errors.Join(w.Add("audit", nil), w.AddBatch("x", nil)); err != nil {
		t.Error(err)
	}
	if err := w.AddBatch("AUDIT", nil); err == nil {
		t.Error("one name for two writers")
	}
	if _, err := foreach.Connector(w).Open(context.Background(), cfg); err == nil {
		t.Error("an unknown writer was opened")
	}
}

func TestBatches(t *testing.T) {
	var got []string
	c := foreach.ToBatches(func(_ context.Context, b *foreach.Batch) error {
		for r := range b.Rows() {
			got = append(got, fmt.Sprintf("%d/%d %s", b.ID, b.Len(), r))
		}
		return nil
	})
	s, err := c.Open(context.Background(), sinktest.Config(sink.Append, cols, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sinktest.Write(s, sink.Batch{ID: 2}, sinktest.Weighted(sinktest.Batch(cols, []any{"x", 1}), 2), sinktest.Batch(cols, []any{"y", 2})); err != nil {
		t.Error(err)
	}
	if want := "2/3 x | 1;2/3 x | 1;2/3 y | 2"; strings.Join(got, ";") != want {
		t.Error(got)
	}
}

func TestRowValues(t *testing.T) {
	list := types.ArrayOf(types.Of(types.Int64))
	all := []types.Column{{Name: "B", Type: types.Of(types.Bool)}, {Name: "d", Type: types.DecimalOf(10, 2)}, {Name: "day", Type: types.Of(types.Date)},
		{Name: "at", Type: types.Of(types.Timestamp)}, {Name: "l", Type: list}, {Name: "s", Type: types.StructOf(types.Field{Name: "x", Type: list})},
		{Name: "raw", Type: types.Of(types.Bytes)}, {Name: "no", Type: types.Of(types.String)}}
	b := &vec.Batch{N: 1, Cols: []*vec.Vector{vec.FromAny(all[0].Type, true), vec.FromAny(all[1].Type, 12345), vec.FromAny(all[2].Type, 1), vec.FromAny(all[3].Type, 1500000),
		vec.FromAny(list, []any{1, nil}), vec.FromAny(all[5].Type, []any{[]any{3}}), vec.FromAny(all[6].Type, []byte{1}), vec.FromAny(all[7].Type, nil)}}
	var got, text string
	var scanned error
	c := foreach.ToBatches(func(_ context.Context, batch *foreach.Batch) error {
		for r := range batch.Rows() {
			at, _ := r.Get("AT")
			_, none := r.Get("nothing")
			got = fmt.Sprint(r.Value(0), r.Value(1), r.Value(2).(time.Time).Format(" 2006-01-02 "), at.(time.Time).UnixMicro(), r.Value(4), r.Value(5), r.Value(6), r.IsNull(7), none)
			text = string(r.AppendJSON(nil))
			var flag bool
			var dec string
			var day, when time.Time
			var l, s any
			var raw []byte
			var no sql.Null[string]
			scanned = errors.Join(r.Scan(&flag, &dec, &day, &when, &l, &s, &raw, &no), want(flag && dec == "123.45" && when.Unix() == 1 && !no.Valid && len(raw) == 1))
			var plain string
			if sinktest.Has(r.Scan(&flag, &dec, &day, &when, &l, &s, &raw, &plain), `column "no"`, "NULL") != "" {
				scanned = errors.New("NULL into a string")
			}
			if r.Scan(&flag) == nil || r.Scan(&dec, &dec, &day, &when, &l, &s, &raw, &no) == nil || len(r.Map()) != r.Len() {
				scanned = errors.New("wrong places were taken")
			}
		}
		return nil
	})
	s, err := c.Open(context.Background(), sinktest.Config(sink.Append, all, nil))
	if err == nil {
		_, err = sinktest.Write(s, sink.Batch{}, b)
	}
	if err = errors.Join(err, scanned); err != nil {
		t.Error(err)
	}
	if got != "true123.45 1970-01-02 1500000 [1 <nil>] map[x:[3]] [1] true false" {
		t.Error(got)
	}
	if !strings.HasPrefix(text, `{"B":true,"d":123.45,"day":"1970-01-02","at":"1970-01-01`) {
		t.Error(text)
	}
}

func want(ok bool) error {
	if !ok {
		return errors.New("scanned other values")
	}
	return nil
}
