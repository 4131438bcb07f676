package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/source/memory"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func config() source.Config {
	return source.Config{Name: "m", Columns: []source.Column{
		{Column: types.Column{Name: "id", Type: types.Of(types.Int64)}},
		{Column: types.Column{Name: "who", Type: types.Of(types.String)}}}}
}

func open(t *testing.T, st *memory.Stores, c source.Config) source.Source {
	t.Helper()
	s, err := memory.Connector(st).Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// add appends rows "id" with who = "w<id>", every third one NULL, weights as given.
func add(t *testing.T, st *memory.Stores, w []int64, ids ...any) {
	t.Helper()
	var who []any
	for _, id := range ids {
		if id.(int)%3 == 0 {
			who = append(who, nil)
		} else {
			who = append(who, fmt.Sprintf("w%d", id))
		}
	}
	b := &vec.Batch{N: len(ids), W: w, Cols: []*vec.Vector{vec.FromAny(types.Of(types.Int64), ids...), vec.FromAny(types.Of(types.String), who...)}}
	if err := st.Get("m").Append(b); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, s source.Source, r source.Range) string {
	t.Helper()
	splits, err := s.Splits(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, sp := range splits {
		err := sp.Read(context.Background(), source.Reading{Need: []int{0, 1}}, func(b *vec.Batch) error {
			for row := range b.N {
				who := "NULL"
				if !b.Cols[1].IsNull(row) {
					who = b.Cols[1].Text(row)
				}
				out = append(out, fmt.Sprintf("%+d:%d:%s", b.Weight(row), b.Cols[0].Int(row), who))
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
	return r, read(t, s, r)
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRowsAndWeights(t *testing.T) {
	st := memory.NewStores("one")
	s := open(t, st, config())
	_, got := plan(t, s, source.Limits{}, nil)
	want(t, got, "-")
	add(t, st, nil, 1, 2)
	add(t, st, []int64{1, -1}, 3, 4)
	_, got = plan(t, s, source.Limits{Rows: 3}, nil)
	want(t, got, "+1:1:w1 +1:2:w2 +1:3:NULL")
	r, got := plan(t, s, source.Limits{}, nil)
	want(t, got, "-1:4:w4")
	want(t, string(r.Offset), `{"rows":4,"instance":"one","position":4}`)
}

// A second query on the source starts at its beginning; a query that is opened again
// in the same run goes on; in another run the store is new and the rows of ranges
// come from their entries.
func TestRestart(t *testing.T) {
	st := memory.NewStores("one")
	add(t, st, nil, 1, 2)
	s := open(t, st, config())
	r, _ := plan(t, s, source.Limits{}, nil)
	_, got := plan(t, open(t, st, config()), source.Limits{}, nil)
	want(t, got, "+1:1:w1 +1:2:w2")

	add(t, st, nil, 5)
	again := open(t, st, config())
	if err := again.Restore(r); err != nil {
		t.Fatal(err)
	}
	_, got = plan(t, again, source.Limits{}, nil)
	want(t, got, "+1:5:w5")

	other := memory.NewStores("two")
	next := open(t, other, config())
	if err := next.Restore(r); err != nil {
		t.Fatal(err)
	}
	want(t, read(t, next, r), "+1:1:w1 +1:2:w2")
	add(t, other, nil, 7)
	r, got = plan(t, next, source.Limits{}, nil)
	want(t, got, "+1:7:w7")
	want(t, string(r.Offset), `{"rows":3,"instance":"two","position":1}`)
}

func TestSnapshotAndFinite(t *testing.T) {
	st := memory.NewStores("one")
	add(t, st, nil, 1)
	s := open(t, st, config())
	snap, err := s.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	add(t, st, nil, 2)
	_, got := plan(t, s, source.Limits{}, snap)
	want(t, got, "+1:1:w1")
	_, got = plan(t, s, source.Limits{}, snap)
	want(t, got, "-")
	c := config()
	c.Finite = true
	table := open(t, st, c)
	_, got = plan(t, table, source.Limits{}, nil)
	want(t, got, "+1:1:w1 +1:2:w2")
	if !table.Finished() || s.Finished() {
		t.Error("only a table is finished")
	}
}

func TestManyRows(t *testing.T) {
	st := memory.NewStores("one")
	vals := make([]int64, 5000)
	for i := range vals {
		vals[i] = int64(i)
	}
	names := vec.NewConst(types.Of(types.String), "x", len(vals))
	b := &vec.Batch{N: len(vals), Cols: []*vec.Vector{vec.FromInts(types.Of(types.Int64), vals), names}}
	if err := st.Get("m").Append(b); err != nil {
		t.Fatal(err)
	}
	clear(vals) // Append copied
	s := open(t, st, config())
	for from := 0; from < 5000; from += 1234 {
		_, got := plan(t, s, source.Limits{Rows: 1234}, nil)
		rows := strings.Fields(got)
		if len(rows) != min(1234, 5000-from) || rows[0] != fmt.Sprintf("+1:%d:x", from) {
			t.Fatalf("from %d: %d rows, first %s", from, len(rows), rows[0])
		}
	}
}

func TestRefused(t *testing.T) {
	st := memory.NewStores("one")
	add(t, st, nil, 1)
	err := st.Get("m").Append(&vec.Batch{N: 1, Cols: []*vec.Vector{vec.FromStrings([]string{"x"}), vec.FromStrings([]string{"x"})}})
	if err == nil || err.Error() != `source "m": column 1 is STRING, expected BIGINT` {
		t.Error(err)
	}
	s := open(t, st, config())
	if err := s.Restore(source.Range{Offset: []byte(`{"logOffset":1}`)}); err == nil {
		t.Error("a file source's offset was taken")
	}
	_, err = s.Splits(context.Background(), source.Range{Entries: []json.RawMessage{[]byte(`{"rows":2,"data":"AQE="}`)}})
	if err == nil || err.Error() != `source "m": source log entry 1 does not hold 2 rows of the declared columns` {
		t.Error(err)
	}
	c := config()
	c.Columns[0].Metadata = "path"
	if _, err := memory.Connector(st).Open(context.Background(), c); err == nil || err.Error() != `source "m": a memory source has no metadata column "path"` {
		t.Error(err)
	}
	st.Drop("m")
	if st.Get("m").Rows() != 0 {
		t.Error("Drop kept rows")
	}
}
