// Package rows owns what the readers of text formats share during one call of Read:
// the batch under construction, the bad rows and where they stand, and the undoing of
// changes that decoding made to a block. It knows no format. Open this file first.
package rows

import (
	"bytes"
	"context"
	"strconv"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/format/column"
	"github.com/sqlstream/sqlstream/exec/format/lines"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Set is the rows of one call of Read. It is reused for other calls: see Begin.
type Set struct {
	Policy  format.Policy
	Cols    []*column.Column // one for each needed column
	Corrupt *column.Column   // of Cols: gets the text of bad rows; nil = not needed
	Row     int              // rows of the batch so far; the one being decoded
	Line    int64            // lines of the section read so far
	Edits   Edits

	ctx   context.Context // a set serves one call
	file  format.File
	src   *lines.Reader
	bad   func(format.BadRow)
	emit  func(*vec.Batch) error
	err   error
	batch vec.Batch

	at       func() string    // names the current row; nil: it is a line of a file
	messages *format.Messages // nil: a file is read
	message  int              // the one being decoded
	from     []int32          // by row of the batch: the message it came from

	sectionAt int64 // where the section's first line begins
	before    int64 // lines of the file before it; −1 = not counted
	raw       []byte
	kept      bool // the current row has a text in raw
}

// Begin starts a call of Read.
func (s *Set) Begin(ctx context.Context, f format.File, src *lines.Reader, rd format.Reading, emit func(*vec.Batch) error) {
	s.ctx, s.file, s.src, s.bad, s.emit = ctx, f, src, rd.Bad, emit
	s.Line, s.sectionAt, s.before, s.err = 0, -1, -1, nil
	s.begin()
}

// BeginRecords starts a call of Read whose rows are no lines: at names the current one.
func (s *Set) BeginRecords(ctx context.Context, at func() string, rd format.Reading, emit func(*vec.Batch) error) {
	s.ctx, s.at, s.messages, s.bad, s.emit, s.err = ctx, at, nil, rd.Bad, emit, nil
	s.begin()
}

// Stop ends the reading with an error that says nothing of the row.
func (s *Set) Stop(err error) { s.err = err }

func (s *Set) begin() {
	if s.batch.Cols == nil {
		s.batch.Cols = make([]*vec.Vector, len(s.Cols))
	}
	s.reset()
}

// End lets go of what belongs to the call.
func (s *Set) End() {
	s.reset()
	s.ctx, s.src, s.bad, s.emit, s.file, s.messages, s.at = nil, nil, nil, nil, format.File{}, nil, nil
}

// Block says that a block of lines begins.
func (s *Set) Block() {
	if s.sectionAt < 0 {
		s.sectionAt = s.src.Base()
	}
}

// Err is the error that ends the reading: a bad row under the policy Fail.
func (s *Set) Err() error { return s.err }

// Full says that the batch has no room for another row.
func (s *Set) Full() bool { return s.Row == vec.BatchSize }

// Take makes the current row part of the batch. Columns without a value have been set
// to NULL by the caller, except Corrupt.
func (s *Set) Take() {
	if s.Corrupt != nil && !s.kept {
		s.Corrupt.SetNull(s.Row)
	}
	s.kept = false
	if s.messages != nil {
		s.from[s.Row] = int32(s.message)
	}
	s.Row++
	s.Edits.Forget()
}

// Keep stores the text buf[p:q] of a bad row for the column of corrupt records, as it
// stands in the file. The row must be taken then.
func (s *Set) Keep(buf []byte, p, q int) {
	if s.Corrupt == nil {
		return
	}
	at := len(s.raw)
	s.raw = append(s.raw, buf[p:q]...)
	s.Edits.original(s.raw[at:], p)
	s.Corrupt.Str[s.Row] = vec.StrRef{Off: uint32(at), Len: uint32(len(s.raw) - at)}
	s.kept = true
}

// Report hands the bad row buf[p:q] on, or ends the reading with it. Edits must have
// been undone.
func (s *Set) Report(buf []byte, p, q int, reason string) {
	row := format.BadRow{Position: s.position(p), Reason: reason, Raw: buf[p:q]}
	if s.at == nil {
		row.Raw = bytes.TrimRight(row.Raw, "\r\n")
	}
	if s.Policy.OnError == format.Fail {
		row.Raw = bytes.Clone(row.Raw)
		s.err = &format.RowError{BadRow: row}
		return
	}
	s.bad(row)
}

// position names the current row.
func (s *Set) position(p int) string {
	if s.at != nil {
		return s.at()
	}
	if s.before < 0 {
		s.before = 0
		if s.sectionAt > 0 && !compressed(s.file) {
			n, err := lines.LinesBefore(s.file, 0, s.sectionAt)
			if err != nil {
				return s.file.Name + ": byte " + strconv.FormatInt(s.src.Base()+int64(p), 10)
			}
			s.before = n
		}
	}
	return s.file.Name + ":" + strconv.FormatInt(s.before+s.Line, 10)
}

func compressed(f format.File) bool {
	_, ok := format.CompressionOf(f.Name)
	return ok
}

// Flush gives out the rows decoded so far, whose text lies in buf.
func (s *Set) Flush(buf []byte) error {
	if s.Row == 0 {
		return s.ctx.Err()
	}
	for i, c := range s.Cols {
		if c == s.Corrupt {
			s.batch.Cols[i] = c.Vector(s.Row, s.raw)
		} else {
			s.batch.Cols[i] = c.Vector(s.Row, buf)
		}
	}
	s.batch.N, s.batch.Sel, s.batch.W = s.Row, nil, nil
	if err := s.emit(&s.batch); err != nil {
		return err
	}
	s.reset()
	return s.ctx.Err()
}

// reset forgets the rows of the batch.
func (s *Set) reset() {
	for _, c := range s.Cols {
		c.Reset()
	}
	s.Row, s.raw, s.kept = 0, s.raw[:0], false
	s.Edits.Forget()
}

// Want is the size of a block that should just fill a batch, so that the text of a
// batch stays in the cache; the last block had n lines.
func Want(block []byte, n int64) int {
	const most = 2 << 20
	return min((len(block)/int(max(n, 1))+1)*(vec.BatchSize-vec.BatchSize/32), most)
}
