package parquet

import (
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/formattest"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

func TestBounds(t *testing.T) {
	type row struct {
		Ts *int64 `parquet:"ts,optional,timestamp(millisecond)"`
		S  string `parquet:"s"`
	}
	var rows []row
	for i := range int64(100) {
		ts := i*7919%1000 - 500
		rows = append(rows, row{Ts: &ts})
		if i%10 == 0 {
			rows[i].Ts = nil
		}
	}
	cols := formattest.Columns("ts", types.Timestamp, "s", types.String, "new", types.Int64)
	r, _ := newReader(config(t, cols))
	f := formattest.File("a", file(t, rows, parquet.MaxRowsPerRowGroup(40)))
	sections, err := r.Sections(t.Context(), f)
	if err != nil || len(sections) != 3 {
		t.Fatal(sections, err)
	}
	for _, s := range append(sections, format.Section{Off: 0, End: 3}) {
		lo, hi, nulls := int64(1<<62), int64(-1<<62), int64(0)
		r.Read(t.Context(), f, s, format.Reading{Need: []int{0}}, func(b *vec.Batch) error {
			for i := range b.N {
				if b.Cols[0].IsNull(i) {
					nulls++
					continue
				}
				lo, hi = min(lo, b.Cols[0].Int(i)), max(hi, b.Cols[0].Int(i))
			}
			return nil
		})
		got, ok, err := r.(format.Bounded).Bounds(t.Context(), f, s, 0)
		if want := (format.Bounds{Min: lo, Max: hi, Nulls: nulls}); err != nil || !ok || got != want {
			t.Errorf("%+v: %+v %v %v, want %+v", s, got, ok, err, want)
		}
	}
	for _, col := range []int{1, 2} {
		if _, ok, err := r.(format.Bounded).Bounds(t.Context(), f, sections[0], col); ok || err != nil {
			t.Errorf("column %d has bounds, %v", col, err)
		}
	}
}
