package staged_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/sinktest"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var cols = sinktest.Columns(types.String, types.Int64)

// some are n rows, numbered from from on.
func some(from, n int) *vec.Batch {
	var rows [][]any
	for i := from; i < from+n; i++ {
		rows = append(rows, []any{fmt.Sprintf("k%d", i%7), i})
	}
	return sinktest.Batch(cols, rows...)
}

func TestPartitionsHoldEqualKeysInOrder(t *testing.T) {
	payload, err := staged.Partitioned(context.Background(), 4, staged.ByHash([]int{0}), sinktest.Feed(some(0, 50), some(0, 0), some(50, 20)))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := staged.Split(payload)
	if err != nil || len(parts) != 4 {
		t.Fatal(len(parts), err)
	}
	where, total := map[string]int{}, 0
	for i, p := range parts {
		last := map[string]int64{}
		err := p.Each(staged.Types(cols), func(b *vec.Batch) error {
			for row := range b.N {
				key := vec.RowString(b.Cols[0], row, nil)
				if w, ok := where[key]; ok && w != i {
					t.Errorf("key %s is in partitions %d and %d", key, w, i)
				}
				where[key], total = i, total+1
				if b.Cols[1].Int(row) < last[key] {
					t.Errorf("key %s is out of order", key)
				}
				last[key] = b.Cols[1].Int(row)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if total != 70 {
		t.Errorf("%d rows", total)
	}
}

func TestDamagedPayloads(t *testing.T) {
	payload, err := staged.Rows(context.Background(), sinktest.Feed(some(0, 3)))
	if err != nil {
		t.Fatal(err)
	}
	none := func(*vec.Batch) error { return nil }
	for n := range len(payload) {
		if staged.Each(payload[:n], staged.Types(cols), none) == nil {
			t.Errorf("%d of %d bytes were taken", n, len(payload))
		}
	}
	if staged.Each(append(slices.Clone(payload), 0), staged.Types(cols), none) == nil {
		t.Error("a byte too many was taken")
	}
	if payload[0]++; staged.Each(payload, staged.Types(cols), none) == nil {
		t.Error("another version was taken")
	}
}

func TestJSON(t *testing.T) {
	c := sinktest.Config(sink.Update, append(slices.Clone(cols), types.Column{Name: "op", Type: types.Of(types.Timestamp)}), nil)
	j, err := staged.NewJSON(staged.Shown(c), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	b := sinktest.Weighted(sinktest.Batch(c.Columns, []any{"a\n\"", 1, 0}, []any{"left out", 0, 0}, []any{nil, nil, nil}), 1, 1, -1)
	b.Sel = []int32{0, 2}
	shown, err := staged.Show(sink.Update, b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = j.Each(shown, func(row int, text []byte) error {
		got = append(got, fmt.Sprintf("%d %s", row, text))
		return nil
	})
	want := `0 {"a":"a\n\"","b":1,"op":"1970-01-01T00:00:00.000Z","_op":"u"}|2 {"a":null,"b":null,"op":null,"_op":"-"}`
	if err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, strings.Join(got, "|"), want)
	}
	if _, err := staged.NewJSON(sinktest.Columns(types.Interval), nil); sinktest.Has(err, "cast it to STRING") != "" {
		t.Error(err)
	}
	if _, err := staged.Show(sink.Append, sinktest.Weighted(some(0, 1), -1)); sinktest.Has(err, "taken back") != "" {
		t.Error(err)
	}
}
