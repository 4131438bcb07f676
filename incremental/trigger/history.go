package trigger

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/storage/checkpoint"
	"github.com/sqlstream/sqlstream/storage/fault"
)

// Logged is a batch as a checkpoint tells of it.
type Logged struct {
	Batch     int64
	Committed bool
	Now       int64           // time of the trigger, µs
	Watermark *int64          // µs, of whole ms, after the batch; nil before the first row, and where it is not committed
	Rows      Rows            // of a batch that is committed
	Offsets   json.RawMessage // the end of the range of each source, an object by name
}

// History reads the batches that a checkpoint still has, oldest first. The query may run: a
// batch whose files go meanwhile is left out.
func History(c *checkpoint.Checkpoint) ([]Logged, error) {
	var out []Logged
	for n := c.Oldest(); n != checkpoint.NoBatch && n <= c.LastOffsets(); n++ {
		l, err := logged(c, n)
		if errors.Is(err, fault.ErrMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

func logged(c *checkpoint.Checkpoint, n int64) (Logged, error) {
	o, err := offsetsAt(c, n)
	if err != nil {
		return Logged{}, err
	}
	l := Logged{Batch: n, Committed: n <= c.LastCommit(), Now: o.Now}
	if l.Offsets, err = json.Marshal(o.Sources); err != nil || !l.Committed {
		return l, err
	}
	lines, err := c.Commit(n)
	if err != nil {
		return l, err
	}
	var done commitLine
	if len(lines) != 1 || json.Unmarshal(lines[0], &done) != nil {
		return l, fmt.Errorf("commit log batch %d: it is not a line of JSON", n)
	}
	l.Rows = done.Rows
	if ms := done.NextWatermarkMs; ms != 0 {
		us := ms * 1000
		l.Watermark = &us
	}
	return l, nil
}
