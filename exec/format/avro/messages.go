package avro

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// session is one call of Read or ReadMessages.
type session struct {
	rows.Set
	decoder
	r      *reader
	need   []int
	cols   []types.Column
	tested *column.Column // what Config.Check tests; nil = nothing

	programs map[int]*loaded // by the number of the writer's schema
	last     int             // the number of current
	current  *loaded
}

// loaded is the program of a schema, or why its values cannot be read.
type loaded struct {
	*program
	reason string
}

// sessions are the sessions of a reader that are not at work.
type sessions struct {
	mu   sync.Mutex
	idle []*session
}

const maxIdle = 64

func (r *reader) session(need []int) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, d := range r.idle {
		if slices.Equal(d.need, need) {
			r.idle = slices.Delete(r.idle, i, i+1)
			return d
		}
	}
	d := &session{r: r, need: slices.Clone(need), programs: map[int]*loaded{}}
	d.Policy = format.Policy{OnError: r.config.OnError, Corrupt: -1}
	for _, i := range need {
		c := r.config.Columns[i]
		col := column.New(c.Type, vec.BatchSize)
		d.cols, d.Cols = append(d.cols, c), append(d.Cols, col)
		if r.config.Check != nil && r.config.Check.Column == i {
			d.tested = col
		}
	}
	return d
}

func (r *reader) giveBack(d *session) {
	d.End()
	d.begin(nil, 0)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.idle) < maxIdle {
		r.idle = append(r.idle, d)
	}
}

// ReadMessages implements format.MessageReader.
func (r *reader) ReadMessages(ctx context.Context, m format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) error {
	d := r.session(rd.Need)
	d.BeginMessages(ctx, &m, rd, emit)
	err := d.EachMessage(m.Buf, func(p, end int) { d.message(ctx, m.Buf, p, end) }, d.noValue)
	r.giveBack(d)
	return err
}

// message decodes the message in buf[p:end].
func (d *session) message(ctx context.Context, buf []byte, p, end int) {
	id, from := 0, p
	if d.r.registry != nil {
		var reason string
		if id, reason = registry.Header(buf[p:end]); reason != "" {
			d.Report(buf, p, end, reason)
			return
		}
		from += registry.HeaderSize
	}
	if !d.use(ctx, id, buf) {
		return
	}
	if d.current.reason != "" {
		d.Report(buf, p, end, d.current.reason)
		return
	}
	d.begin(buf[:end], from)
	q := d.fields(d.current.root, d.Row, from)
	if q >= 0 && q < end {
		d.fail("bytes are left behind the value")
	}
	d.endRow(buf, p, end)
}

// endRow takes the row that was decoded from buf[p:end], if it is good.
func (d *session) endRow(buf []byte, p, end int) {
	reason := d.wrong
	if d.broken != "" {
		reason = "no value of its schema: " + d.broken
	}
	if reason == "" && d.tested != nil {
		reason = d.test(buf)
	}
	if reason != "" {
		d.Report(buf, p, end, reason)
		return
	}
	d.Take()
}

// test applies the check to the current row.
func (d *session) test(buf []byte) string {
	if d.tested.IsNull(d.Row) {
		return d.r.config.Check.Reason(nil, true)
	}
	return d.r.config.Check.Reason(d.tested.Text(d.Row, buf), false)
}

// noValue deals with a message that has no value.
func (d *session) noValue() {
	if d.tested != nil {
		if reason := d.r.config.Check.Reason(nil, true); reason != "" {
			d.Report(nil, 0, 0, reason)
			return
		}
	}
	d.TakeNulls()
}

// use makes the program of a schema the current one. False: the reading ends.
func (d *session) use(ctx context.Context, id int, buf []byte) bool {
	if d.current != nil && d.last == id {
		return true
	}
	l := d.programs[id]
	if l == nil {
		var err error
		if l, err = d.load(ctx, id); err != nil {
			d.Stop(err)
			return false
		}
		if len(d.programs) >= maxPrograms {
			clear(d.programs)
		}
		d.programs[id] = l
	}
	d.last, d.current = id, l
	return d.share(l, buf)
}

// maxPrograms bounds what is remembered of schemas.
const maxPrograms = 256

// share lets the program's text from elsewhere into its columns: a column has all its
// text copied, or none.
func (d *session) share(l *loaded, buf []byte) bool {
	if l.program == nil {
		return true
	}
	for _, c := range l.copies {
		if c.Copies {
			continue
		}
		if d.Unshare(buf); d.Err() != nil {
			return false
		}
		c.Copies = true
	}
	return true
}

// load compiles the program of a schema.
func (d *session) load(ctx context.Context, id int) (*loaded, error) {
	w, expected := d.r.expected, d.r.expected
	if d.r.registry != nil {
		s, err := d.r.registry.ByID(ctx, id)
		if errors.Is(err, registry.ErrUnknown) {
			return &loaded{reason: err.Error()}, nil
		}
		if err != nil {
			return nil, err
		}
		if w, err = registered(s); err != nil {
			return &loaded{reason: err.Error()}, nil
		}
	} else {
		expected = nil
	}
	l, err := d.compiled(w, expected)
	if err != nil {
		return &loaded{reason: "its schema cannot be read into the columns: " + err.Error()}, nil
	}
	return l, nil
}
