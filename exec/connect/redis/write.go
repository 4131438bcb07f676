package redis

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/sink/staged"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// What one script may be given: Redis takes 2^20 arguments and about 1 GB, and answers
// nobody else meanwhile.
const (
	mostOps   = 1_000_000
	mostBytes = 256 << 20
)

// ops are the operations of a batch, each a JSON array of texts whose first names what is
// done (script.go).
type ops struct {
	s    *redisSink
	args []any
	size int
}

func (o *ops) add(parts ...string) error {
	text := []byte{'['}
	for i, p := range parts {
		if i > 0 {
			text = append(text, ',')
		}
		text = vec.AppendJSONString(text, []byte(p))
	}
	o.args = append(o.args, string(append(text, ']')))
	if o.size += len(text); len(o.args) > mostOps || o.size > mostBytes {
		return fmt.Errorf("the batch has more than %d rows or %d MiB, the most that one script writes; limit the batches with max_rows_per_trigger", mostOps, mostBytes>>20)
	}
	return nil
}

// operations turns a payload into operations: deletions come first.
func (s *redisSink) operations(payload []byte) ([]any, error) {
	o := &ops{s: s}
	if s.cfg.Mode == sink.Complete {
		if err := o.add("clear"); err != nil {
			return nil, err
		}
	}
	for _, gone := range []bool{true, false} {
		err := staged.Each(payload, staged.Types(s.cfg.Columns), func(b *vec.Batch) error {
			if s.layout == asStream {
				return o.entries(b, gone)
			}
			return o.keys(b, gone)
		})
		if err != nil {
			return nil, err
		}
	}
	return o.args, nil
}

// keys sets or deletes the key of each row.
func (o *ops) keys(b *vec.Batch, gone bool) error {
	b = signed(b, gone)
	if gone {
		for row := range b.N {
			if err := o.add("del", o.s.keyOf(b, row)); err != nil {
				return err
			}
		}
		return nil
	}
	if o.s.layout == asJSON {
		return o.s.json.Each(b, func(row int, text []byte) error { return o.add("set", o.s.keyOf(b, row), string(text)) })
	}
	for row := range b.N {
		if err := o.add(o.s.fields(b, row, "hash", o.s.keyOf(b, row))...); err != nil {
			return err
		}
	}
	return nil
}

// entries adds each row to the stream, in the order of the payload, where old rows come
// before new ones.
func (o *ops) entries(b *vec.Batch, gone bool) error {
	b, err := staged.Show(o.s.cfg.Mode, signed(b, gone))
	if err != nil {
		return err
	}
	for row := range b.N {
		if err := o.add(o.s.fields(b, row, "entry")...); err != nil {
			return err
		}
	}
	return nil
}

// signed picks the rows that are gone, or the others.
func signed(b *vec.Batch, gone bool) *vec.Batch {
	var rows []int32
	for row := range b.N {
		if (b.Weight(row) < 0) == gone {
			rows = append(rows, int32(row))
		}
	}
	return b.Gather(rows)
}

// fields are names and texts of the columns that are not NULL.
func (s *redisSink) fields(b *vec.Batch, row int, head ...string) []string {
	out := head
	for i, v := range b.Cols {
		if !v.IsNull(row) {
			out = append(out, s.cols[i].Name, textOf(v, row, s.cfg.Zone))
		}
	}
	return out
}

// keyOf is the key of a row: different rows of a key never get the same.
func (s *redisSink) keyOf(b *vec.Batch, row int) string {
	var out strings.Builder
	out.WriteString(s.prefix)
	escapes := []string{"%", "%25"}
	if len(s.key) > 1 {
		escapes = append(escapes, ":", "%3A")
	}
	escape := strings.NewReplacer(escapes...)
	for i, c := range s.key {
		if i > 0 {
			out.WriteByte(':')
		}
		if b.Cols[c].IsNull(row) {
			out.WriteString("%00")
			continue
		}
		out.WriteString(escape.Replace(textOf(b.Cols[c], row, s.cfg.Zone)))
	}
	return out.String()
}

// textOf is a value as text; an instant in the zone of the query, marked where the wall
// clock shows it twice.
func textOf(v *vec.Vector, row int, zone *time.Location) string {
	if v.Type.Kind != types.Timestamp || zone == nil {
		return vec.RowString(v, row, zone)
	}
	text := types.AppendTimestamp(nil, v.Int(row), zone)
	if us := v.Int(row); types.FromLocal(types.ToLocal(us, zone), zone) != us {
		text = append(bytes.TrimSpace(types.AppendTimestamp(nil, us, time.UTC)), 'Z')
	}
	return string(text)
}
