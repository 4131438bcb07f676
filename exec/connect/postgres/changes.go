package postgres

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pglogrepl"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
)

const (
	// keepBytes is how much of a range stays in memory; a longer one is read again.
	keepBytes = 16 << 20
	// advanceBytes is how much log of other tables the slot keeps at most before an empty
	// range lets the server forget it.
	advanceBytes = 16 << 20
	// aliveEvery is how often the server hears from us.
	aliveEvery = 5 * time.Second
	// askWait is how long an answer of the server is waited for before it is asked again.
	askWait = 50 * time.Millisecond
	// answersMost is how often the server may answer that it is where it was.
	answersMost = 50
)

// transactions are what a range takes: the changes of the table, in order.
type transactions struct {
	data []byte // messages, each behind its length
	at   []int  // where the columns are in the rows at the beginning
	rows int64
	size int64
	end  pglogrepl.LSN // of the last transaction
	over bool          // data is not all
}

// keep adds a message.
func (t *transactions) keep(m []byte, rows int64) {
	t.rows += rows
	t.size += int64(len(m))
	if t.size > keepBytes {
		t.over, t.data = true, nil
		return
	}
	t.data = append(binary.AppendUvarint(t.data, uint64(len(m))), m...)
}

// Snapshot implements source.Source: how far the log goes now.
func (s *changeSource) Snapshot(ctx context.Context) (source.Snapshot, error) {
	at, err := s.logEnd(ctx, "pg_current_wal_insert_lsn()")
	return at, s.wrap(err)
}

// logEnd asks the server for a position.
func (s *changeSource) logEnd(ctx context.Context, of string) (at pglogrepl.LSN, err error) {
	err = s.server.retry(ctx, func(ctx context.Context) error {
		conn, err := s.session.use(ctx)
		if err != nil {
			return err
		}
		rs, err := exec(ctx, conn, "SELECT "+of)
		if err != nil {
			s.session.drop()
			return err
		}
		at, err = pglogrepl.ParseLSN(string(rs[0].Rows[0][0]))
		return err
	})
	return at, err
}

// Plan implements source.Source: first the rows that are there, then whole transactions,
// up to what the server has written when it is called.
func (s *changeSource) Plan(ctx context.Context, l source.Limits, upTo source.Snapshot) (source.Range, bool, error) {
	if !s.begun {
		snapshot, err := s.begin(ctx)
		if err != nil {
			return source.Range{}, false, s.wrap(err)
		}
		if snapshot {
			s.pos = position{Slot: s.slot, Snapshot: true}
			return rangeOf(s.pos)
		}
	}
	s.release()
	target, err := s.logEnd(ctx, "pg_current_wal_flush_lsn()")
	if end, ok := upTo.(pglogrepl.LSN); ok {
		target = end
	}
	if err != nil {
		return source.Range{}, false, s.wrap(err)
	}
	var t *transactions
	err = s.server.retry(ctx, func(ctx context.Context) error {
		if err := s.start(ctx); err != nil {
			return err
		}
		if t, err = s.gather(ctx, l, target); err != nil {
			s.stop()
		}
		return err
	})
	if err != nil {
		return source.Range{}, false, s.wrap(err)
	}
	from := s.pos.end()
	if t.rows == 0 {
		if s.stream.seen < from+advanceBytes {
			return source.Range{}, false, nil
		}
		t.end = s.stream.seen
	}
	if mutant.On("postgres: the slot is told of a range before its commit") {
		s.confirmed, s.heard = t.end, time.Time{}
	}
	s.buffer = t
	s.pos = position{Slot: s.slot, From: from.String(), LSN: t.end.String(), Rows: t.rows}
	return rangeOf(s.pos)
}

func rangeOf(p position) (source.Range, bool, error) {
	offset, err := json.Marshal(p)
	return source.Range{Offset: offset}, err == nil, err
}

// begin finds out where to begin: with the rows that are there, or where the slot is.
func (s *changeSource) begin(ctx context.Context) (snapshot bool, err error) {
	conn, err := s.session.use(ctx)
	if err != nil {
		return false, err
	}
	slot, err := readSlot(ctx, conn, s.slot)
	switch {
	case err != nil:
		s.session.drop()
		return false, s.server.explain(err)
	case s.pos.Snapshot && slot == nil: // the rows are in the checkpoint
		return false, s.gone()
	case s.pos.Snapshot:
	case s.initial && slot != nil:
		return false, fmt.Errorf("slot %q is there already, and rows are read as of the moment at which a slot is created: "+
			"set snapshot = 'never' to take only the changes from its position on, or drop it: SELECT pg_drop_replication_slot(%s)", s.slot, literal(s.slot))
	case slot == nil && !s.create:
		return false, fmt.Errorf("there is no slot %q: set create = true, or run SELECT pg_create_logical_replication_slot(%s, 'pgoutput') and set snapshot = 'never'", s.slot, literal(s.slot))
	case s.initial:
		return true, nil
	case slot == nil:
		return false, s.newSlot(ctx)
	}
	s.pos, s.begun = position{Slot: s.slot, LSN: slot.confirmed.String()}, true
	return false, nil
}

func (s *changeSource) gone() error {
	return fmt.Errorf("slot %q, from which this query took changes up to %s, is gone: later changes may be lost; begin with a new checkpoint and a new slot", s.slot, s.pos.LSN)
}

// newSlot creates the slot, and keeps its snapshot.
func (s *changeSource) newSlot(ctx context.Context) error {
	conn, at, snapshot, err := s.server.createSlot(ctx, s.slot)
	if err != nil {
		return fmt.Errorf("slot %q cannot be created: %w", s.slot, s.server.explain(err))
	}
	s.kept, s.snapshot = conn, snapshot
	s.pos, s.begun = position{Slot: s.slot, LSN: at.String()}, true
	return nil
}

// start opens the stream behind the last range.
func (s *changeSource) start(ctx context.Context) error {
	if s.stream != nil {
		return nil
	}
	from := s.pos.end()
	conn, err := s.session.use(ctx)
	if err != nil {
		return err
	}
	slot, err := readSlot(ctx, conn, s.slot)
	switch {
	case err != nil:
		s.session.drop()
		return err
	case slot == nil:
		return s.gone()
	case slot.confirmed > from:
		return fmt.Errorf("slot %q is at %s, behind %s, up to where this query has taken changes: those between are lost, since somebody else read the slot or created it again; "+
			"begin with a new checkpoint and a new slot", s.slot, slot.confirmed, from)
	}
	s.confirmed = slot.confirmed
	s.stream, err = s.server.startStream(ctx, s.slot, s.publication, from)
	s.places, s.heard = nil, s.cfg.Clock.Now()
	return err
}

// gather reads whole transactions until the stream has reached the target, or a limit.
func (s *changeSource) gather(ctx context.Context, l source.Limits, target pglogrepl.LSN) (*transactions, error) {
	t := &transactions{at: s.places}
	if err := s.alive(ctx); err != nil {
		return nil, err
	}
	asked := false
	for s.stream.seen < target || s.stream.open {
		if !asked {
			if err := s.stream.confirm(ctx, s.confirmed, true); err != nil {
				return nil, err
			}
			asked = true
		}
		m, err := s.stream.next(ctx, askWait)
		if errors.Is(err, errQuiet) {
			if s.stream.idle > answersMost {
				break
			}
			asked = false
			continue
		}
		if err == nil {
			err = s.sort(t, m)
		}
		if err != nil {
			return nil, err
		}
		if m[0] == 'C' {
			t.end = s.stream.seen
			if l.Rows > 0 && t.rows >= l.Rows || l.Bytes > 0 && t.size >= l.Bytes {
				break
			}
		}
	}
	return t, nil
}

// alive tells the server now and then that we are there, and what it may forget.
func (s *changeSource) alive(ctx context.Context) error {
	now := s.cfg.Clock.Now()
	if now.Sub(s.heard) < aliveEvery {
		return nil
	}
	s.heard = now
	return s.stream.confirm(ctx, s.confirmed, false)
}

// sort keeps a message if it is about the table.
func (s *changeSource) sort(t *transactions, m []byte) error {
	switch m[0] {
	case 'R':
		r, err := parseRelation(m[1:])
		if err != nil {
			return err
		}
		if r.oid != s.rel.oid && r.name != s.rel.name {
			return nil
		}
		if s.places, err = s.place(r); err != nil {
			return err
		}
		if t.at == nil {
			t.at = s.places
		}
		t.keep(m, 0)
	case 'I', 'U', 'D':
		if len(m) < 5 {
			return errMessage
		}
		if binary.BigEndian.Uint32(m[1:]) == s.rel.oid {
			t.keep(m, 1)
		}
	case 'T':
		return s.truncated(m[1:])
	}
	return nil
}

// truncated is the end of a query whose table was emptied, unless rows are to stay.
func (s *changeSource) truncated(data []byte) error {
	m := msg{data: data}
	n := m.u32()
	m.u8()
	for ; n > 0 && !m.bad; n-- {
		if m.u32() == s.rel.oid && !s.keepRows {
			return fmt.Errorf("%s was emptied by TRUNCATE, which does not say which rows it removed: begin with a new checkpoint and a new slot, or set on_truncate = 'ignore' to keep them in the result", s.name)
		}
	}
	if m.bad {
		return errMessage
	}
	return nil
}

const declareAnew = "declare the source for the table as it is now, with a new slot and a new checkpoint"

// place finds the columns of the source among those of the stream.
func (s *changeSource) place(r relation) ([]int, error) {
	const way = "; " + declareAnew
	if r.oid != s.rel.oid {
		return nil, fmt.Errorf("%s was dropped and created again"+way, s.name)
	}
	out := make([]int, len(s.cfg.Columns))
	var wider []string
	for i, c := range s.cfg.Columns {
		at, _ := s.rel.find(c.Name)
		want := s.rel.columns[at]
		out[i] = -1
		for j, have := range r.columns {
			if have.name == want.name {
				out[i] = j
			}
		}
		switch {
		case out[i] < 0:
			return nil, fmt.Errorf("column %q of %s does not come with changes any more: it was dropped, renamed, or left out of the publication"+way, want.name, s.name)
		case r.columns[out[i]].oid != s.oids[i]:
			return nil, fmt.Errorf("column %q of %s has got another type than %s"+way, want.name, s.name, want.typeText)
		case c.Type.Kind == types.Decimal && want.wire.kind == numericKind && !decimalWithin(r.columns[out[i]].mod, c.Type):
			wider = append(wider, fmt.Sprintf("column %q is %s, and declared %s", want.name, numericText(r.columns[out[i]].mod), c.Type))
		}
	}
	text := strings.Join(wider, ", ")
	s.wider.Store(&text)
	return out, nil
}

// advise says what can be done about a row that cannot be read. That a numeric column was
// made wider is no error until a value needs it.
func (s *changeSource) advise(err error) error {
	var row *format.RowError
	if !errors.As(err, &row) {
		return err
	}
	if text := s.wider.Load(); text != nil && *text != "" {
		err = fmt.Errorf("%w; %s: %s", err, *text, declareAnew)
	}
	return advised(err)
}

// Splits implements source.Source.
func (s *changeSource) Splits(ctx context.Context, r source.Range) ([]source.Split, error) {
	var p position
	if err := json.Unmarshal(r.Offset, &p); err != nil {
		return nil, s.wrap(err)
	}
	switch {
	case p.Snapshot:
		out, err := s.snapshotSplits(ctx)
		return out, s.wrap(err)
	case p.Rows == 0:
		return nil, nil
	case s.buffer != nil && s.buffer.end == p.end() && !s.buffer.over:
		return []source.Split{&bufferSplit{s: s, t: s.buffer}}, nil
	}
	return []source.Split{&streamSplit{s: s, p: p}}, nil
}

// snapshotSplits creates the slot, and reads the table as of where it begins. A slot that
// is there is one of an attempt that left nothing behind: its snapshot is gone with it.
func (s *changeSource) snapshotSplits(ctx context.Context) (out []source.Split, err error) {
	s.stop()
	s.release()
	err = s.server.retry(ctx, func(ctx context.Context) error {
		conn, err := s.session.use(ctx)
		if err != nil {
			return err
		}
		if _, err = exec(ctx, conn, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = "+literal(s.slot)); err != nil {
			return err
		}
		return s.newSlot(ctx)
	})
	if err != nil {
		return nil, err
	}
	conn, err := s.session.use(ctx)
	if err != nil {
		return nil, err
	}
	if mutant.On("postgres: the rows are read before the slot begins, or after") {
		s.snapshot = ""
	}
	return s.cut(ctx, conn, s.snapshot)
}

// Committed implements source.Source: the server may forget the range.
func (s *changeSource) Committed(ctx context.Context, r source.Range) error {
	var p position
	if err := json.Unmarshal(r.Offset, &p); err != nil {
		return s.wrap(err)
	}
	if p.Snapshot {
		s.release()
		return nil
	}
	s.confirmed = max(s.confirmed, p.end())
	if s.stream != nil && s.stream.confirm(ctx, s.confirmed, false) != nil {
		s.stop() // it is opened again, and the server told again, with the next range
	}
	return nil
}

// show is a position in an error.
func (p position) show() string { return strings.TrimPrefix(p.From+" to "+p.LSN, " to ") }
