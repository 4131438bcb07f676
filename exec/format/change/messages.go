package change

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// envelope is a format.MessageReader of change events over one of their members: before,
// after and op.
type envelope struct {
	format.NoFiles
	config format.Config
	inner  func(c format.Config) (format.Reader, error)

	mu      sync.Mutex
	readers []needing
}

// needing is the reader for some of the columns.
type needing struct {
	need   []int
	reader format.MessageReader
}

// NewEnvelope makes a reader of messages with the members before, after and op, as Debezium
// writes them, of a reader of any format.
func NewEnvelope(inner func(c format.Config) (format.Reader, error), c format.Config) (format.Reader, error) {
	e := &envelope{config: c, inner: inner}
	all := make([]int, len(c.Columns))
	for i := range all {
		all[i] = i
	}
	_, err := e.members(all)
	return e, err
}

// ImageColumns are the columns of the rows that events with these members change.
func ImageColumns(members []types.Column) ([]types.Column, error) {
	for _, name := range []string{"after", "before"} {
		i := slices.IndexFunc(members, func(c types.Column) bool { return c.Name == name })
		if i < 0 || members[i].Type.Kind != types.Struct {
			continue
		}
		var out []types.Column
		for _, f := range members[i].Type.Fields {
			out = append(out, types.Column{Name: f.Name, Type: f.Type})
		}
		return out, nil
	}
	return nil, errors.New("its schema is none of change events: it has no record \"after\"")
}

// members reads before, after and op, with the needed columns in the images.
func (e *envelope) members(need []int) (format.MessageReader, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.readers {
		if slices.Equal(r.need, need) {
			return r.reader, nil
		}
	}
	r, err := e.open(need)
	if err == nil {
		e.readers = append(e.readers, needing{slices.Clone(need), r})
	}
	return r, err
}

func (e *envelope) open(need []int) (format.MessageReader, error) {
	var fields []types.Field
	for _, i := range need {
		fields = append(fields, types.Field{Name: e.config.Columns[i].Name, Type: e.config.Columns[i].Type})
	}
	c := e.config
	c.Check, c.Key = nil, nil
	c.Columns = []types.Column{{Name: "before", Type: types.StructOf(fields...)}, {Name: "after", Type: types.StructOf(fields...)}, {Name: "op", Type: types.Of(types.String)}}
	r, err := e.inner(c)
	if err != nil {
		return nil, err
	}
	return r.(format.MessageReader), nil
}

// ReadMessages implements format.MessageReader.
func (e *envelope) ReadMessages(ctx context.Context, m format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) error {
	inner, err := e.members(rd.Need)
	if err != nil {
		return err
	}
	c := e.events(&m, rd, emit)
	rd.Need = []int{0, 1, 2}
	return inner.ReadMessages(ctx, m, rd, c.take)
}

// events are the events of one call of ReadMessages.
type events struct {
	*Rows
	e   *envelope
	m   *format.Messages
	bad func(format.BadRow)
}

func (e *envelope) events(m *format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) *events {
	ts := make([]types.Type, len(rd.Need))
	var key []int
	for k, i := range rd.Need {
		ts[k] = e.config.Columns[i].Type
		if slices.Contains(e.config.Key, i) {
			key = append(key, k)
		}
	}
	return &events{Rows: NewRows(ts, key, len(e.config.Key) > 0, emit), e: e, m: m, bad: rd.Bad}
}

// take turns a batch of events into rows. A message without a value is a tombstone, which
// says nothing.
func (c *events) take(b *vec.Batch, from []int32) error {
	for row := range b.N {
		i := from[row]
		if c.m.Null != nil && c.m.Null[i] {
			continue
		}
		what, reason := c.event(b, row)
		var err error
		if reason != "" {
			err = c.refuse(int(i), reason)
		} else {
			err = c.Add(what, b.Cols[0].Child, b.Cols[1].Child, row, i)
		}
		if err != nil {
			return err
		}
	}
	return c.Flush()
}

func (c *events) event(b *vec.Batch, row int) (Deed, string) {
	if b.Cols[2].IsNull(row) {
		return 0, `no change event: it has no "op"`
	}
	images := Images{Before: !b.Cols[0].IsNull(row), After: !b.Cols[1].IsNull(row), Keyed: c.keyed, Key: true}
	for _, k := range c.key {
		images.Key = images.Key && images.Before && !b.Cols[0].Child[k].IsNull(row)
	}
	return Event(b.Cols[2].Bytes(row), images)
}

// refuse makes a bad row of a message, by the policy.
func (c *events) refuse(i int, reason string) error {
	start := uint32(0)
	if i > 0 {
		start = c.m.Ends[i-1] + 1
	}
	bad := format.BadRow{Position: c.m.Position(i), Reason: reason, Raw: bytes.Clone(c.m.Buf[start:c.m.Ends[i]])}
	if c.e.config.OnError == format.Fail {
		return &format.RowError{BadRow: bad}
	}
	c.bad(bad)
	return nil
}
