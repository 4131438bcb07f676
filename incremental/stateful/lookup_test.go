package stateful

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// lookupWorld is a table of (key, value) that changes, and counts what it is asked for.
type lookupWorld struct {
	t     *testing.T
	table [][2]int64
	asked []int64
	stage *LookupJoin
	fail  error
}

func newLookupWorld(t *testing.T, kind JoinKind, most int, ttl int64) *lookupWorld {
	w := &lookupWorld{t: t}
	i64 := types.Of(types.Int64)
	cfg := StaticJoinConfig{Name: "join", Kind: kind, InputKeys: []int{0}, StaticKeys: []int{0}, KeyTypes: []types.Type{i64}, StaticTypes: []types.Type{i64, i64}}
	w.stage = NewLookup(cfg, w.find, most, ttl).Stage()
	return w
}

// find gives the rows of the keys, and another one that nobody asked for.
func (w *lookupWorld) find(_ context.Context, keys []*vec.Vector, n int) ([]*vec.Batch, error) {
	if w.fail != nil {
		return nil, w.fail
	}
	bs := vec.NewBuilders([]types.Type{types.Of(types.Int64), types.Of(types.Int64)})
	add := func(r [2]int64) { bs[0].AppendInt(r[0]); bs[1].AppendInt(r[1]) }
	for i := range n {
		w.asked = append(w.asked, keys[0].Int(i))
		for _, r := range w.table {
			if r[0] == keys[0].Int(i) {
				add(r)
			}
		}
	}
	add([2]int64{-1, -1})
	return []*vec.Batch{vec.NewBatch(bs[0].Take(), bs[1].Take())}, nil
}

// join gives the rows for input keys, −9 is NULL, at a time: "1>10 2>NULL".
func (w *lookupWorld) join(now int64, keys ...int64) string {
	w.t.Helper()
	b := vec.NewBuilder(types.Of(types.Int64))
	for _, k := range keys {
		if k == -9 {
			b.AppendNull()
		} else {
			b.AppendInt(k)
		}
	}
	var out []string
	w.asked = nil
	err := w.stage.Process(&fn.Ctx{Now: now, Zone: time.UTC}, vec.NewBatch(b.Take()), func(o *vec.Batch) error {
		o.Each(func(row int) {
			text := vec.RowString(o.Cols[0], row, nil)
			if len(o.Cols) > 1 {
				text += ">" + vec.RowString(o.Cols[1+1], row, nil)
			}
			out = append(out, text)
		})
		return nil
	})
	if err != nil {
		return err.Error()
	}
	slices.Sort(w.asked)
	return strings.Join(out, " ") + " asked " + fmt.Sprint(w.asked)
}

func TestLookupJoin(t *testing.T) {
	w := newLookupWorld(t, LeftJoin, 100, 10)
	w.table = [][2]int64{{1, 10}, {1, 11}, {2, 20}}
	for _, c := range []struct {
		now  int64
		keys []int64
		want string
	}{
		{0, []int64{1, 3, 1, -9, -1}, "1>10 1>11 3>NULL 1>10 1>11 NULL>NULL -1>-1 asked [-1 1 3]"},
		{10, []int64{3, 1, 2}, "3>NULL 1>10 1>11 2>20 asked [2]"},
		{11, []int64{1, 2}, "1>10 1>11 2>20 asked [1]"},
		{12, nil, " asked []"},
		{12, []int64{-9}, "NULL>NULL asked []"},
	} {
		if got := w.join(c.now, c.keys...); got != c.want {
			t.Errorf("at %d: %s, want %s", c.now, got, c.want)
		}
	}
	w.table[2] = [2]int64{2, 21}
	if got := w.join(20, 2); got != "2>20 asked []" {
		t.Error(got)
	}
	if got := w.join(21, 2); got != "2>21 asked [2]" {
		t.Error(got)
	}
	w.fail = errors.New("the table is away")
	if got := w.join(22, 2); got != "2>21 asked []" {
		t.Error(got)
	}
	if got := w.join(40, 2); got != "the table is away" {
		t.Error(got)
	}
	semi := newLookupWorld(t, SemiJoin, 0, 10)
	semi.table = [][2]int64{{1, 10}, {1, 11}}
	for range 2 { // nothing is kept
		if got := semi.join(0, 1, 2, -9); got != "1 asked [1 2]" {
			t.Error(got)
		}
	}
}

// TestLookupCacheIsBounded: whatever comes, answers are those of the table.
func TestLookupCacheIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	w := newLookupWorld(t, InnerJoin, 20, 5)
	for k := range int64(200) {
		for range r.IntN(3) {
			w.table = append(w.table, [2]int64{k, int64(len(w.table))})
		}
	}
	for now := range int64(2000) {
		var keys []int64
		for range 1 + r.IntN(30) {
			keys = append(keys, r.Int64N(200))
		}
		var want []string
		for _, k := range keys {
			for _, row := range w.table {
				if row[0] == k {
					want = append(want, fmt.Sprintf("%d>%d", k, row[1]))
				}
			}
		}
		got, _, _ := strings.Cut(w.join(now, keys...), " asked ")
		if got != strings.Join(want, " ") {
			t.Fatalf("%s, want %s", got, strings.Join(want, " "))
		}
		l := w.stage.l
		size := 0
		for _, f := range l.cache {
			size += f.size()
		}
		if l.size > 20 || l.size != size {
			t.Fatalf("the cache holds %d, and says %d", size, l.size)
		}
	}
}
