package json

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/registry"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Messages are read as the lines of one block that lies in memory already. What ends a
// message is a zero byte: no JSON text has one, so that newlines can be the white space
// that they are within a message, and no text between two values that the scanner has
// learned reaches into the next message.

// ReadMessages implements format.MessageReader.
func (r *reader) ReadMessages(ctx context.Context, m format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) error {
	return r.readMessages(ctx, m, rd, func(*session) rows.EmitMessages { return emit })
}

// readMessages is ReadMessages with a receiver that looks at the session.
func (r *reader) readMessages(ctx context.Context, m format.Messages, rd format.Reading, emit func(*session) rows.EmitMessages) error {
	d, err := r.session(rd.Need, true)
	if err != nil {
		return err
	}
	d.BeginMessages(ctx, &m, rd, emit(d))
	d.setBlock(rows.MessageBlock(m, 0))
	err = d.EachMessage(d.buf, d.readMessage, d.readNull)
	r.giveBack(d)
	return err
}

// readMessage decodes the message in [p, end).
func (d *session) readMessage(p, end int) {
	start := p
	if d.header {
		if _, reason := registry.Header(d.buf[p:end]); reason != "" {
			d.fail(p, reason)
			d.notJSON(p, end)
			return
		}
		p += registry.HeaderSize
	}
	if scan.At(d.base, p) != '{' {
		q := d.blanks(p)
		if q == end {
			d.fail(p, "an empty message")
			d.notJSON(start, end)
			return
		}
		if d.tombstone(q) == end {
			return
		}
	}
	q := d.object(p)
	if q > 0 && q != end {
		if q = d.blanks(q); q != end {
			q = d.fail(q, "text after the object")
		}
	}
	if q < 0 {
		d.notJSON(start, end)
		return
	}
	d.endRow(start, end)
}

// readNull deals with a message that has no value.
func (d *session) readNull() {
	if d.nulls {
		return // a tombstone says nothing
	}
	clear(d.got)
	d.endRow(0, 0)
}

// ReadMessages implements format.MessageReader.
func (e *envelope) ReadMessages(ctx context.Context, msgs format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) error {
	m := e.images(rd.Need)
	rd.Need = []int{0, 1, 2, 3, 4}
	return m.reader.readMessages(ctx, msgs, rd, func(d *session) rows.EmitMessages {
		return newChanges(m, d, emit).take
	})
}
