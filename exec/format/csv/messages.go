package csv

import (
	"context"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/rows"
	"github.com/sqlstream/sqlstream/exec/format/scan"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// ReadMessages implements format.MessageReader: a message is one record. It may end as a
// line does.
func (r *reader) ReadMessages(ctx context.Context, m format.Messages, rd format.Reading, emit func(*vec.Batch, []int32) error) error {
	d, _ := r.session(rd.Need)
	d.BeginMessages(ctx, &m, rd, emit)
	block := rows.MessageBlock(m, '\n')
	d.setBlock(block)
	d.ascii = utf8.Valid(block)
	return d.EachMessage(block, func(p, end int) {
		d.setBlock(block[:end+1]) // no quote reaches into the next message
		d.readMessage(p, end)
	}, d.readNull)
}

// readMessage decodes the message in [p, end).
func (d *session) readMessage(p, end int) {
	switch {
	case p == end && len(d.places) > 1:
		d.reject()
		d.refuse(p, end, "an empty message")
	case d.comment != 0 && p < end && scan.At(d.base, p) == d.comment: // it says nothing
	default:
		d.messageRecord(p, end)
	}
}

func (d *session) messageRecord(start, end int) {
	d.wrong = nil
	for p, n := start, 0; ; n++ {
		f, state := d.fieldAt(p)
		last := state == fine && scan.At(d.base, f.next) == '\n'
		if last && f.next < end-1 { // a newline at end-1 just ends the line
			state = several
		}
		if state != fine {
			d.Edits.Restore(d.buf)
			d.malformed(start, end, state)
			return
		}
		if n < len(d.places) && d.places[n] != nil {
			d.value(d.places[n], f)
		}
		if last {
			d.endRecord(start, end, n+1)
			return
		}
		p = f.next + 1
	}
}

// readNull makes a row of a message that has no value.
func (d *session) readNull() {
	d.reject()
	reason := ""
	if d.check != nil {
		reason = d.check.Reason(nil, true)
	}
	if reason != "" {
		d.refuse(0, 0, reason)
		return
	}
	d.take()
}
