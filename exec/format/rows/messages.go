package rows

import (
	"context"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// EmitMessages is who receives the rows of a call of ReadMessages.
type EmitMessages = func(b *vec.Batch, from []int32) error

// BeginMessages starts a call of ReadMessages: its place is that of Begin.
func (s *Set) BeginMessages(ctx context.Context, m *format.Messages, rd format.Reading, emit EmitMessages) {
	if s.from == nil {
		s.from = make([]int32, vec.BatchSize)
	}
	s.ctx, s.messages, s.bad, s.err = ctx, m, rd.Bad, nil
	s.at = func() string { return m.Position(s.message) }
	s.emit = func(b *vec.Batch) error { return emit(b, s.from[:b.N]) }
	s.begin()
}

// EachMessage decodes all messages: one with what message says of its text block[p:end],
// one that has no value with null. Their rows are given out as batches fill up, and at
// the end.
func (s *Set) EachMessage(block []byte, message func(p, end int), null func()) error {
	p, m := 0, s.messages
	for i, e := range m.Ends {
		if s.Full() {
			if err := s.Flush(block); err != nil {
				return err
			}
		}
		s.message = i
		if m.Null != nil && m.Null[i] {
			null()
		} else {
			message(p, int(e))
		}
		if s.err != nil {
			return s.err
		}
		p = int(e) + 1
	}
	return s.Flush(block)
}

// Unshare gives out the rows so far, for the current one must not share a batch with
// them: it is row 0 then.
func (s *Set) Unshare(block []byte) {
	if s.Row > 0 {
		s.err = s.Flush(block)
	}
}

// MessageBlock is the text of all messages, each ended by sep in place of the byte that
// is no part of it.
func MessageBlock(m format.Messages, sep byte) []byte {
	if len(m.Ends) == 0 {
		return nil
	}
	for _, e := range m.Ends {
		m.Buf[e] = sep
	}
	return m.Buf[:m.Ends[len(m.Ends)-1]+1]
}

// TakeNulls makes a row of a message that has no value: all its columns are NULL.
func (s *Set) TakeNulls() {
	for _, c := range s.Cols {
		c.SetNull(s.Row)
	}
	s.Take()
}
