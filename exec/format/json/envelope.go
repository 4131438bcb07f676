package json

import (
	"context"
	"slices"
	"sync"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/change"
	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/format/guess"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/option"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Debezium describes change events as Debezium's JSON converter writes them.
func Debezium() *format.Format {
	return &format.Format{
		Name:    "debezium-json",
		Aliases: []string{"debezium"},
		Doc: "Change events of Debezium, one JSON object per line: before, after and op, with or without the envelope of schema and payload. Its rows are changes " +
			"(changelog = true need not be said). The columns are those of before and after, read as the format json reads them. " +
			"op c and r insert the row after, d deletes the row before, u does both; a line that is null (a tombstone), and a payload that is, say nothing. " +
			"With a PRIMARY KEY only the key of before is looked at, and an update needs none; without one, before must be the whole row (for PostgreSQL: REPLICA IDENTITY FULL). " +
			"What is no such event, truncations (op t) and messages (op m) among them, is a bad row. " +
			"Debezium writes times as numbers: declare them BIGINT, and compute the time from that.",
		ReadOptions: option.Join(format.TimeOptions(), []option.Spec{
			{Name: "multi_line", Type: option.Bool, Default: "false", Doc: "A file is one array of events, or events over several lines. Such a file is read whole, by one worker."},
		}),
		Changes:   format.ByEnvelope,
		Infer:     inferEnvelope,
		NewReader: newEnvelope,
	}
}

// inferEnvelope finds the columns of before and after.
func inferEnvelope(ctx context.Context, f format.File, c format.Config) ([]types.Column, error) {
	cols, err := infer(ctx, f, c)
	if err != nil {
		return nil, err
	}
	row := guess.AsStruct(cols)
	for _, x := range row.Fields {
		if x.Name == "payload" && x.Type.Kind == types.Struct {
			row = guess.Unite(row, x.Type)
		}
	}
	image := types.StructOf()
	for _, x := range row.Fields {
		if (x.Name == "before" || x.Name == "after") && x.Type.Kind == types.Struct {
			image = guess.Unite(image, x.Type)
		}
	}
	return guess.Columns(image), nil
}

// envelope is format.Reader for change events: a reader of before and after, and
// what makes rows of them.
type envelope struct {
	config format.Config
	proto  reader // what all readers have in common

	mu      sync.Mutex
	readers []*images
}

func newEnvelope(c format.Config) (format.Reader, error) {
	e := &envelope{config: c}
	e.proto.config.Zone = c.Zone
	e.proto.policy = format.Policy{OnError: c.OnError, Corrupt: -1}
	e.proto.multi = c.Options.Bool("multi_line")
	var err error
	if e.proto.date, e.proto.timestamp, e.proto.local, err = format.TimePatterns(c.Options); err != nil {
		return nil, err
	}
	all := make([]int, len(c.Columns))
	for i := range all {
		all[i] = i
	}
	_, err = newLayout(c.Columns, all, -1)
	return e, err
}

// Sections implements format.Reader.
func (e *envelope) Sections(ctx context.Context, f format.File) ([]format.Section, error) {
	return e.proto.Sections(ctx, f)
}

// Read implements format.Reader.
func (e *envelope) Read(ctx context.Context, f format.File, s format.Section, rd format.Reading, emit func(*vec.Batch) error) error {
	m := e.images(rd.Need)
	rd.Need = []int{0, 1, 2, 3, 4}
	return m.reader.read(ctx, f, s, rd, func(d *session) func(*vec.Batch) error {
		c := newChanges(m, d, func(b *vec.Batch, _ []int32) error { return emit(b) })
		return func(b *vec.Batch) error { return c.take(b, nil) }
	})
}

// images reads before and after with some of the columns.
type images struct {
	reader reader
	need   []int
	types  []types.Type
	key    []int // places of the PRIMARY KEY among the needed columns
	keyed  bool
}

func (e *envelope) images(need []int) *images {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.readers {
		if slices.Equal(m.need, need) {
			return m
		}
	}
	m := &images{need: slices.Clone(need), keyed: len(e.config.Key) > 0}
	var fields []types.Field
	for k, i := range need {
		c := e.config.Columns[i]
		fields = append(fields, types.Field{Name: c.Name, Type: c.Type})
		m.types = append(m.types, c.Type)
		if slices.Contains(e.config.Key, i) {
			m.key = append(m.key, k)
		}
	}
	row, text := types.StructOf(fields...), types.Of(types.String)
	m.reader.policy, m.reader.multi = e.proto.policy, e.proto.multi
	m.reader.date, m.reader.timestamp, m.reader.local = e.proto.date, e.proto.timestamp, e.proto.local
	m.reader.config = format.Config{Zone: e.config.Zone, OnError: e.config.OnError, Columns: []types.Column{
		{Name: "before", Type: row}, {Name: "after", Type: row}, {Name: "op", Type: text},
		{Name: "payload", Type: types.StructOf(types.Field{Name: "before", Type: row}, types.Field{Name: "after", Type: row}, types.Field{Name: "op", Type: text})},
		{Name: "schema", Type: text}}}
	e.readers = append(e.readers, m)
	return m
}

// changes makes rows of the events of one call of Read.
type changes struct {
	images *images
	d      *session
	emit   rows.EmitMessages
	rows   *change.Rows

	deeds   []change.Deed // by row of the session's batch
	wrapped []bool        // the images stand in a payload
	out     vec.Batch
}

func newChanges(m *images, d *session, emit rows.EmitMessages) *changes {
	c := &changes{images: m, d: d, emit: emit, deeds: make([]change.Deed, vec.BatchSize), wrapped: make([]bool, vec.BatchSize)}
	c.rows = change.NewRows(m.types, m.key, m.keyed, emit)
	c.out.Cols = make([]*vec.Vector, len(m.types))
	d.nulls, d.test = true, c.test
	return c
}

// image is before, after or op of the current row.
type image struct {
	col *column.Column
	has bool
}

// test judges the event that was decoded last.
func (c *changes) test() (reason string, drop bool) {
	d, f := c.d, c.d.layout.fields
	before, after, op := image{f[0].col, d.has(f[0])}, image{f[1].col, d.has(f[1])}, image{f[2].col, d.has(f[2])}
	c.wrapped[d.Row] = d.has(f[3])
	switch {
	case d.has(f[3]):
		kid := func(i int) image { k := f[3].col.Kids[i]; return image{k, !k.IsNull(d.Row)} }
		before, after, op = kid(0), kid(1), kid(2)
	case !op.has && d.has(f[4]):
		return "", true // a tombstone: {"schema": …, "payload": null}
	}
	if !op.has {
		return `no change event: it has no "op"`, false
	}
	ref := op.col.Str[d.Row]
	word := d.buf[ref.Off : ref.Off+ref.Len]
	c.deeds[d.Row], reason = change.Event(word, change.Images{Before: before.has, After: after.has, Keyed: c.images.keyed, Key: before.has && c.keyOf(before)})
	return reason, false
}

// keyOf reports that an image has the whole key.
func (c *changes) keyOf(i image) bool {
	for _, k := range c.images.key {
		if i.col.Kids[k].IsNull(c.d.Row) {
			return false
		}
	}
	return true
}

// take turns a batch of events into rows. from is where messages came from, nil for lines.
func (c *changes) take(b *vec.Batch, from []int32) error {
	if c.plain(b.N) {
		c.out.N, c.out.W = b.N, nil
		copy(c.out.Cols, b.Cols[1].Child)
		return c.emit(&c.out, from)
	}
	for row, what := range c.deeds[:b.N] {
		before, after, origin := b.Cols[0].Child, b.Cols[1].Child, int32(0)
		if c.wrapped[row] {
			before, after = b.Cols[3].Child[0].Child, b.Cols[3].Child[1].Child
		}
		if from != nil {
			origin = from[row]
		}
		if err := c.rows.Add(what, before, after, row, origin); err != nil {
			return err
		}
	}
	return c.rows.Flush()
}

// plain reports that all of n events insert, without payloads: the columns of after are
// the rows.
func (c *changes) plain(n int) bool {
	for row, what := range c.deeds[:n] {
		if what != change.Inserts || c.wrapped[row] {
			return false
		}
	}
	return true
}

// tombstone skips a value that is null at p: the position behind it and its white
// space, −1 if there is none.
func (d *session) tombstone(p int) int {
	if !d.nulls || !d.isNull(p) {
		return -1
	}
	if c := scan.At(d.base, p+4); c > ' ' && c != ',' && c != ']' {
		return -1
	}
	return d.blanks(p + 4)
}
