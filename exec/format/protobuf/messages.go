package protobuf

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// session is one call of ReadMessages.
type session struct {
	rows.Set
	decoder
	r      *reader
	need   []int
	cols   []types.Column
	tested *column.Column // what Config.Check tests; nil = nothing

	schemas map[int]*loaded // by their numbers in the registry
	current *loaded
}

// loaded is the program of a message type, or why its messages cannot be read.
type loaded struct {
	*program
	id       int
	path     string // the bytes that choose the type in its file
	reason   string
	file     protoreflect.FileDescriptor
	siblings map[string]*loaded // the other types of the file, by their path
}

// sessions are the sessions of a reader that are not at work.
type sessions struct {
	mu   sync.Mutex
	idle []*session
}

const (
	maxIdle    = 64
	maxSchemas = 256 // that are remembered, and types of each
)

func (r *reader) session(need []int) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, d := range r.idle {
		if slices.Equal(d.need, need) {
			r.idle = slices.Delete(r.idle, i, i+1)
			return d
		}
	}
	d := &session{r: r, need: slices.Clone(need), schemas: map[int]*loaded{}}
	d.Policy = format.Policy{OnError: r.config.OnError, Corrupt: -1}
	for _, i := range need {
		c := r.config.Columns[i]
		col := column.New(c.Type, vec.BatchSize)
		d.cols, d.Cols = append(d.cols, c), append(d.Cols, col)
		if r.config.Check != nil && r.config.Check.Column == i {
			d.tested = col
		}
	}
	if r.given != nil {
		d.current = d.compiled(r.given)
		d.share(d.current, nil)
	}
	return d
}

func (r *reader) giveBack(d *session) {
	d.End()
	d.buf = nil
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
	err := d.EachMessage(m.Buf, func(p, end int) { d.one(ctx, m.Buf, p, end) }, d.noValue)
	r.giveBack(d)
	return err
}

// one decodes the message in buf[p:end].
func (d *session) one(ctx context.Context, buf []byte, p, end int) {
	from := p
	if d.r.registry != nil {
		id, reason := registry.Header(buf[p:end])
		if reason == "" {
			from, reason = path(buf, p+registry.HeaderSize, end)
		}
		if reason != "" {
			d.Report(buf, p, end, reason)
			return
		}
		if d.r.given == nil && !d.use(ctx, id, buf[p+registry.HeaderSize:from], buf) {
			return
		}
	}
	if d.current.reason != "" {
		d.Report(buf, p, end, d.current.reason)
		return
	}
	d.buf, d.broken, d.wrong = buf, "", ""
	d.current.root.begin(d.Row)
	d.message(d.current.root, d.Row, from, end)
	reason := d.wrong
	if d.broken != "" {
		reason = "no message of its schema: " + d.broken
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

// path finds the end of the numbers that choose the message type; reason is why there are
// none.
func path(buf []byte, p, end int) (after int, reason string) {
	const most = 16
	n, k := binary.Varint(buf[p:end])
	if k <= 0 || n < 0 || n > most {
		return p, "behind the header there is no message index"
	}
	p += k
	for range n {
		_, k := binary.Varint(buf[p:end])
		if k <= 0 {
			return p, "behind the header there is no message index"
		}
		p += k
	}
	return p, ""
}

func decodePath(b []byte) []int {
	n, k := binary.Varint(b)
	if n == 0 {
		return []int{0}
	}
	var out []int
	for b = b[k:]; len(b) > 0; b = b[k:] {
		var v int64
		v, k = binary.Varint(b)
		out = append(out, int(v))
	}
	return out
}

// use makes the program of a schema's message type the current one. False: the reading
// ends.
func (d *session) use(ctx context.Context, id int, which, buf []byte) bool {
	if d.current != nil && d.current.id == id && d.current.path == string(which) {
		return true
	}
	s := d.schemas[id]
	if s == nil {
		var err error
		if s, err = d.load(ctx, id); err != nil {
			d.Stop(err)
			return false
		}
		if len(d.schemas) >= maxSchemas {
			clear(d.schemas)
		}
		d.schemas[id] = s
	}
	d.current = d.typeOf(s, id, string(which))
	return d.share(d.current, buf)
}

// load finds a schema.
func (d *session) load(ctx context.Context, id int) (*loaded, error) {
	s, err := d.r.registry.ByID(ctx, id)
	if errors.Is(err, registry.ErrUnknown) {
		return &loaded{reason: err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := registered(s)
	if err != nil {
		return &loaded{reason: err.Error()}, nil
	}
	return &loaded{file: f, siblings: map[string]*loaded{}}, nil
}

// typeOf compiles a message type of a schema.
func (d *session) typeOf(s *loaded, id int, which string) *loaded {
	if s.file == nil {
		return s
	}
	l := s.siblings[which]
	if l == nil {
		m, err := indexed(s.file, decodePath([]byte(which)))
		if err != nil {
			l = &loaded{reason: err.Error()}
		} else {
			l = d.compiled(m)
		}
		l.id, l.path = id, which
		if len(s.siblings) < maxSchemas {
			s.siblings[which] = l
		}
	}
	return l
}

func (d *session) compiled(m *messageType) *loaded {
	p, err := d.r.program(m, d.cols, d.Cols)
	if err != nil {
		return &loaded{reason: "its schema cannot be read into the columns: " + err.Error()}
	}
	return &loaded{program: p}
}

// share lets the names of enums into columns: a column has all its text copied, or none.
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
