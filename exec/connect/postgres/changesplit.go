package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// bufferSplit is a range that is in memory. Several scans may read it at the same time.
type bufferSplit struct {
	s *changeSource
	t *transactions
}

// Rows implements source.Split: an update is one row, or two.
func (b *bufferSplit) Rows() int64 { return -1 }

// Read implements source.Split.
func (b *bufferSplit) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	d := b.s.decoder(rd, b.t.at)
	for data := b.t.data; len(data) > 0; {
		n, k := binary.Uvarint(data)
		m := data[k : k+int(n)]
		data = data[k+int(n):]
		if err := d.take(ctx, m, emit); err != nil {
			return b.s.advise(err)
		}
	}
	return d.rows.flush(ctx, emit)
}

// streamSplit is a range that is read from the slot again: after a crash, or because it
// was too long to keep.
type streamSplit struct {
	s *changeSource
	p position
}

// Rows implements source.Split.
func (p *streamSplit) Rows() int64 { return -1 }

// Read implements source.Split. A slot has one reader at a time.
func (p *streamSplit) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	p.s.one.Lock()
	defer p.s.one.Unlock()
	p.s.stop()
	defer p.s.stop()
	after := p.s.pos
	defer func() { p.s.pos = after }()
	p.s.pos = position{Slot: p.s.slot, LSN: p.p.From}
	if err := p.s.server.retry(ctx, p.s.start); err != nil {
		return p.s.wrap(err)
	}
	var refused error // the caller's own
	err := p.read(ctx, rd, func(b *vec.Batch) error {
		refused = emit(b)
		return refused
	})
	if refused != nil {
		return refused
	}
	return p.s.wrap(p.s.advise(p.s.server.explain(err)))
}

// read takes the transactions that end within the range.
func (p *streamSplit) read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	d, end := p.s.decoder(rd, nil), p.p.end()
	for p.s.stream.seen < end || p.s.stream.open {
		m, err := p.s.stream.next(ctx, askWait)
		if errors.Is(err, errQuiet) {
			if err := p.s.stream.confirm(ctx, p.s.confirmed, true); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if m[0] == 'B' && beginsBehind(m[1:], uint64(end)) {
			break
		}
		if err := p.one(ctx, d, m, emit); err != nil {
			return err
		}
	}
	if d.changes != p.p.Rows {
		return fmt.Errorf("the changes from %s are %d now, and were %d when they were planned: the publication was changed", p.p.show(), d.changes, p.p.Rows)
	}
	return d.rows.flush(ctx, emit)
}

// one decodes a message if it is about the table.
func (p *streamSplit) one(ctx context.Context, d *changeDecoder, m []byte, emit func(*vec.Batch) error) error {
	var t transactions
	if err := p.s.sort(&t, m); err != nil || len(t.data) == 0 {
		return err
	}
	return d.take(ctx, m, emit)
}

// beginsBehind reports that the commit of a transaction that begins is not before end.
func beginsBehind(data []byte, end uint64) bool {
	m := msg{data: data}
	return uint64(m.lsn()) >= end
}

// changeDecoder turns the messages of a table into rows with weights.
type changeDecoder struct {
	s       *changeSource
	rows    *rows
	need    []int
	at      []int // where the columns of the source are in a row of the stream
	changes int64
	c       change
	values  [][]byte
}

func (s *changeSource) decoder(rd source.Reading, at []int) *changeDecoder {
	return &changeDecoder{s: s, need: rd.Need, at: at, rows: newRows(s.cfg, s.columns, rd, s.name), values: make([][]byte, len(rd.Need))}
}

// take decodes a message that is about the table.
func (d *changeDecoder) take(ctx context.Context, m []byte, emit func(*vec.Batch) error) error {
	if m[0] == 'R' {
		r, err := parseRelation(m[1:])
		if err == nil {
			d.at, err = d.s.place(r)
		}
		return err
	}
	d.changes++
	c := &d.c
	if _, err := c.parse(m[1:]); err != nil {
		return err
	}
	if d.at == nil || c.hasNew == (m[0] == 'D') || m[0] == 'D' && !c.hasOld {
		return errMessage
	}
	removes := c.hasOld && (m[0] == 'D' || len(d.s.cfg.Key) == 0 || d.moved(c))
	if !c.hasOld && m[0] == 'U' && len(d.s.cfg.Key) == 0 {
		return fmt.Errorf("an update of %s does not bring the row from before: its REPLICA IDENTITY is not FULL any more", d.s.name)
	}
	if removes {
		if err := d.add(&c.old, nil, -1); err != nil {
			return err
		}
	}
	if c.hasNew {
		old := &c.old
		if !c.hasOld || !c.whole {
			old = nil
		}
		if err := d.add(&c.new, old, 1); err != nil {
			return err
		}
	}
	return d.rows.pass(ctx, emit)
}

// moved reports that an update has changed the key.
func (d *changeDecoder) moved(c *change) bool {
	for _, k := range d.s.cfg.Key {
		i := d.at[k]
		if i >= len(c.old.values) || i >= len(c.new.values) || !bytes.Equal(c.old.values[i], c.new.values[i]) {
			return !mutant.On("postgres: the row of an old key stays")
		}
	}
	return false
}

// add adds a row. What an update left unchanged and did not send is in the old row.
func (d *changeDecoder) add(t, old *tuple, w int64) error {
	for i, col := range d.need {
		at := d.at[col]
		if at >= len(t.values) {
			return errMessage
		}
		d.values[i] = t.values[at]
		switch {
		case !t.unchanged[at]:
		case old == nil || at >= len(old.values):
			return fmt.Errorf("an update of %s left a long value of column %q as it was, and did not send it: run ALTER TABLE %s REPLICA IDENTITY FULL, and begin with a new checkpoint and a new slot",
				d.s.name, d.s.cfg.Columns[col].Name, d.s.rel.name.quoted())
		default:
			d.values[i] = old.values[at]
		}
	}
	return d.rows.add(d.values, w)
}
