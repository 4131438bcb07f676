package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlstream/sqlstream/exec/sink"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// A payload, version 1 (docs/formats/postgres.md), is what COPY sends, ready to be sent:
//
//	byte     version
//	byte     shape
//	uvarint  number of columns; for each its kind, the kind of its elements, and their oid in 4 bytes
//	8 bytes  number of rows to insert; 8 bytes: their length; the rows
//	uvarint  number of patterns; for each a byte a column
//	uvarint  number of rows to remove; the rows
//
// Numbers of fixed size are big endian. A row to remove is the key (upserts), or all
// columns with a count and the number of the pattern of its NULLs (changes).
const payloadVersion = 1

// shape is what a payload does to the table.
type shape byte

// The shapes. Their numbers are in logged payloads.
const (
	inserts shape = iota
	upserts
	replaces
	changes
)

const (
	isNull  = '0'
	notNull = '1'
)

// payload is a parsed payload.
type payload struct {
	shape    shape
	wires    []wire
	rows     int64
	inserts  []byte
	patterns []string
	gone     int64
	removals []byte
}

func (s *batchSink) shape() shape {
	switch {
	case s.keyed():
		return upserts
	case s.cfg.Mode == sink.Complete:
		return replaces
	case s.cfg.Mode == sink.Changelog:
		return changes
	}
	return inserts
}

// staging gathers the rows of a batch.
type staging struct {
	s        *batchSink
	buf      []byte // the payload up to the rows to insert
	at       int    // where their number is
	rows     uint64
	gone     uint64
	removals []byte
	patterns []string
	key      []bool
}

// Stage implements sink.Sink. The payload is the rows.
func (s *batchSink) Stage(ctx context.Context, _ sink.Batch, rows func(func(*vec.Batch) error) error) ([]byte, error) {
	st := s.newStaging()
	err := rows(func(b *vec.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return s.wrap(st.take(b))
	})
	if err != nil {
		return nil, err
	}
	return st.finish(), nil
}

func (s *batchSink) newStaging() *staging {
	st := &staging{s: s, buf: []byte{payloadVersion, byte(s.shape())}, key: make([]bool, len(s.columns))}
	st.buf = binary.AppendUvarint(st.buf, uint64(len(s.columns)))
	for _, c := range s.columns {
		st.buf = append(st.buf, byte(c.wire.kind), byte(c.wire.elem))
		st.buf = binary.BigEndian.AppendUint32(st.buf, c.wire.elemOID)
	}
	st.at = len(st.buf)
	st.buf = append(st.buf, make([]byte, 16)...)
	for _, k := range s.cfg.Key {
		st.key[k] = s.keyed() && !s.nulls
	}
	return st
}

// take encodes a batch. Several goroutines may do so.
func (st *staging) take(b *vec.Batch) error {
	buf, ok := st.s.spare.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	defer st.s.spare.Put(buf)
	enc, n := (*buf)[:0], uint64(0)
	for i := range b.Rows() {
		row := b.Row(i)
		w := b.Weight(row)
		if w <= 0 {
			if err := st.remove(b, row, -w); err != nil {
				return err
			}
			continue
		}
		from := len(enc)
		var err error
		if enc, err = st.row(enc, b, row); err != nil {
			return err
		}
		to := len(enc)
		for range w - 1 {
			enc = append(enc, enc[from:to]...)
		}
		n += uint64(w)
	}
	*buf = enc
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	st.buf = append(st.buf, enc...)
	st.rows += n
	return nil
}

// row appends all columns of a row.
func (st *staging) row(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(b.Cols)))
	for i, v := range b.Cols {
		reason := ""
		if st.key[i] && v.IsNull(row) {
			reason = "the key is NULL, and PostgreSQL would take each NULL for another key; use COALESCE in the query, or a constraint UNIQUE NULLS NOT DISTINCT (PostgreSQL 15)"
		} else {
			dst, reason = appendCell(dst, v, row, st.s.cells[i])
		}
		if reason != "" {
			return dst, st.s.rowError(b, row, i, reason)
		}
	}
	return dst, nil
}

// remove notes a row that is to go.
func (st *staging) remove(b *vec.Batch, row int, times int64) (err error) {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	switch {
	case times == 0:
		return nil
	case st.s.keyed():
		st.removals = binary.BigEndian.AppendUint16(st.removals, uint16(len(st.s.cfg.Key)))
		for _, k := range st.s.cfg.Key {
			reason := ""
			if st.removals, reason = appendCell(st.removals, b.Cols[k], row, st.s.cells[k]); reason != "" {
				return st.s.rowError(b, row, k, reason)
			}
		}
	default:
		from := len(st.removals)
		if st.removals, err = st.row(st.removals, b, row); err != nil {
			return err
		}
		binary.BigEndian.PutUint16(st.removals[from:], uint16(len(b.Cols)+2))
		st.removals = binary.BigEndian.AppendUint32(st.removals, 8)
		st.removals = binary.BigEndian.AppendUint64(st.removals, uint64(times))
		st.removals = binary.BigEndian.AppendUint32(st.removals, 4)
		st.removals = binary.BigEndian.AppendUint32(st.removals, st.pattern(b, row))
	}
	st.gone++
	return nil
}

// pattern numbers the combinations of NULLs.
func (st *staging) pattern(b *vec.Batch, row int) uint32 {
	p := make([]byte, len(b.Cols))
	for i, v := range b.Cols {
		if p[i] = notNull; v.IsNull(row) {
			p[i] = isNull
		}
	}
	i := slices.Index(st.patterns, string(p))
	if i < 0 {
		i = len(st.patterns)
		st.patterns = append(st.patterns, string(p))
	}
	return uint32(i)
}

// rowError says which row cannot be written, by its first columns.
func (s *batchSink) rowError(b *vec.Batch, row, col int, reason string) error {
	var parts []string
	for i, v := range b.Cols {
		if i != col && len(parts) < 4 {
			parts = append(parts, s.cfg.Columns[i].Name+" = "+shorten(vec.RowString(v, row, nil)))
		}
	}
	of := ""
	if len(parts) > 0 {
		of = " of the row with " + strings.Join(parts, ", ")
	}
	return fmt.Errorf("column %q%s: %s", s.cfg.Columns[col].Name, of, reason)
}

func (st *staging) finish() []byte {
	binary.BigEndian.PutUint64(st.buf[st.at:], st.rows)
	binary.BigEndian.PutUint64(st.buf[st.at+8:], uint64(len(st.buf)-st.at-16))
	out := binary.AppendUvarint(st.buf, uint64(len(st.patterns)))
	for _, p := range st.patterns {
		out = append(out, p...)
	}
	out = binary.AppendUvarint(out, st.gone)
	return append(out, st.removals...)
}

var errPayload = errors.New("it is cut off or damaged")

// parse reads a payload. It keeps parts of the text.
func (s *batchSink) parse(text []byte) (*payload, error) {
	r := &reader{text: text}
	if v := r.byte(); v != payloadVersion && !r.bad {
		return nil, fmt.Errorf("it has version %d, and this program knows version %d: it was written by a newer one", v, payloadVersion)
	}
	p := &payload{shape: shape(r.byte())}
	n := r.uvarint()
	if n != uint64(len(s.columns)) && !r.bad || p.shape != s.shape() && !r.bad {
		return nil, fmt.Errorf("it was made for a query with another mode or other columns")
	}
	for range s.columns {
		p.wires = append(p.wires, wire{kind: kind(r.byte()), elem: kind(r.byte()), elemOID: binary.BigEndian.Uint32(r.take(4, 4))})
	}
	p.rows = int64(binary.BigEndian.Uint64(r.take(8, 8)))
	p.inserts = r.take(binary.BigEndian.Uint64(r.take(8, 8)), 0)
	for k := r.uvarint(); k > 0 && !r.bad; k-- {
		p.patterns = append(p.patterns, string(r.take(n, 0)))
	}
	p.gone = int64(r.uvarint())
	if p.removals = r.text; r.bad {
		return nil, errPayload
	}
	return p, nil
}

// reader reads the parts of a payload; after an error every part is zeros.
type reader struct {
	text []byte
	bad  bool
}

// take cuts n bytes; if there are not so many it gives zeros, of the length atLeast.
func (r *reader) take(n, atLeast uint64) []byte {
	if r.bad || n > uint64(len(r.text)) {
		r.bad = true
		return make([]byte, atLeast)
	}
	out := r.text[:n]
	r.text = r.text[n:]
	return out
}

func (r *reader) byte() byte { return r.take(1, 1)[0] }

func (r *reader) uvarint() uint64 {
	x, n := binary.Uvarint(r.text)
	if r.bad || n <= 0 {
		r.bad = true
		return 0
	}
	r.text = r.text[n:]
	return x
}
