package parquet

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// test applies a check to the rows of one call of Read. They are the only bad rows that
// Parquet has.
type test struct {
	check *format.Check
	at    int // its place among the needed columns
	fails bool
	bad   func(format.BadRow)
	file  string
	keep  []int32
}

// apply takes the bad rows out of a batch that begins at a row of a row group.
func (t *test) apply(b *vec.Batch, group int, from int64) error {
	if t == nil {
		return nil
	}
	v := b.Cols[t.at]
	if t.keep == nil {
		t.keep = make([]int32, 0, vec.BatchSize)
	}
	t.keep = t.keep[:0]
	for row := range b.N {
		null := v.IsNull(row)
		var value []byte
		if !null {
			value = v.Bytes(row)
		}
		reason := t.check.Reason(value, null)
		if reason == "" {
			t.keep = append(t.keep, int32(row))
			continue
		}
		bad := format.BadRow{Position: fmt.Sprintf("%s: row group %d, row %d", t.file, group, from+int64(row)+1), Reason: reason}
		if t.fails {
			return &format.RowError{BadRow: bad}
		}
		t.bad(bad)
	}
	if len(t.keep) < b.N {
		b.Sel = t.keep
	}
	return nil
}
