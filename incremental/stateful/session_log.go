package stateful

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// LogState implements Operator. Keys, version 1 (docs/formats/operator-state.md):
//
//	00                                the bound: varint
//	01 key… serial 00                 a session: start, end − start, rows, the accumulators' states
//	01 key… serial 01 aggregate sub   an entry of an accumulator
//
// serial is the time of the session's first row, which no other open session of the
// partition can have.
func (s *sessionAggregate) LogState(log Log) error {
	logBound(log, s.bound, &s.logged)
	if !s.cfg.Unlogged {
		s.logGone(log)
		s.logOpen(log)
		s.logEntries(log)
	} else {
		drain(s.accs.accs)
	}
	for _, g := range s.dirty {
		x := &s.all[g]
		x.flags &^= sessionDirty
		if x.flags&sessionGone != 0 {
			s.clear(g)
			s.free = append(s.free, g)
			*x = openSession{flags: sessionGone}
		}
	}
	drain(s.accs.accs)
	s.dirty = trim(s.dirty)
	s.release()
	return nil
}

// logGone removes sessions with all their entries.
func (s *sessionAggregate) logGone(log Log) {
	var from, to []byte
	for _, g := range s.dirty {
		if x := &s.all[g]; x.flags&sessionGone != 0 && x.flags&sessionLogged != 0 && !mutant.On("closed sessions stay in the log") {
			from = s.sessionKey(from[:0], x)
			to = append(append(to[:0], from...), subEntry+1)
			log.DeleteRange(from, to)
		}
	}
}

func (s *sessionAggregate) logOpen(log Log) {
	var key, val []byte
	for _, g := range s.dirty {
		x := &s.all[g]
		if x.flags&sessionGone != 0 {
			continue
		}
		x.flags |= sessionLogged
		key = append(s.sessionKey(key[:0], x), subRow)
		val = binary.AppendVarint(val[:0], x.start)
		val = binary.AppendUvarint(val, uint64(x.end-x.start))
		val = binary.AppendUvarint(val, uint64(s.accs.rows[g]))
		for _, acc := range s.accs.accs {
			if acc != nil {
				val = acc.AppendState(val, g)
			}
		}
		log.Put(key, val)
	}
}

func (s *sessionAggregate) logEntries(log Log) {
	var key []byte
	for i, acc := range s.accs.accs {
		e, ok := acc.(fn.EntryAccumulator)
		if !ok || mutant.On("entries of sessions are not logged") {
			continue
		}
		e.DirtyEntries(func(g uint32, sub, val []byte) {
			x := &s.all[g]
			if x.flags&sessionGone != 0 {
				return
			}
			key = append(s.sessionKey(key[:0], x), subEntry, byte(i))
			key = append(key, sub...)
			if val == nil {
				log.Delete(key)
				return
			}
			log.Put(key, val)
		})
	}
}

// sessionKey appends what all keys of a session begin with.
func (s *sessionAggregate) sessionKey(dst []byte, x *openSession) []byte {
	dst = append(dst, tagGroup)
	if s.parts != nil {
		dst = s.parts.KeyBytes(x.part, dst)
	}
	return vec.AppendIntKey(dst, x.serial)
}

// Rows implements Readable: the open sessions.
func (s *sessionAggregate) Rows(c *fn.Ctx, out Emit) error {
	s.load.finish(s)
	s.agg.ctx = c
	var open []uint32
	for g := range s.all {
		if s.all[g].flags&sessionGone == 0 {
			open = append(open, uint32(g))
		}
	}
	return s.emitGroups(open, out)
}

// release forgets partitions without sessions.
func (s *sessionAggregate) release() {
	if s.open == 0 && len(s.all) > 0 {
		s.emptied = trim(s.emptied)
		s.reset()
		return
	}
	slices.Sort(s.emptied)
	for _, p := range slices.Compact(s.emptied) {
		if s.parts != nil && len(s.lists[p]) == 0 {
			s.parts.Delete(p)
			s.lists[p] = nil
		}
	}
	s.emptied = trim(s.emptied)
}

// sessionLoad is a restore under way.
type sessionLoad struct {
	key    []*vec.Builder // partition, then serial
	last   uint32         // session of the entry before
	parts  []uint32       // with sessions that are not in order yet
	active bool
}

// Load implements Operator.
func (s *sessionAggregate) Load(key, value []byte) error {
	if len(key) == 1 && key[0] == tagBound {
		x, n := binary.Varint(value)
		if n <= 0 {
			return fmt.Errorf("%s: %w", s.cfg.Name, errStateKey)
		}
		s.bound, s.logged = x, x
		return nil
	}
	if err := s.loadEntry(key, value); err != nil {
		return fmt.Errorf("%s: %w", s.cfg.Name, err)
	}
	return nil
}

func (s *sessionAggregate) loadEntry(key, value []byte) error {
	if len(key) == 0 || key[0] != tagGroup {
		return errStateKey
	}
	part, serial, rest, err := s.load.split(s, key[1:])
	switch {
	case err != nil:
		return err
	case len(rest) == 1 && rest[0] == subRow:
		return s.loadSession(part, serial, value)
	case len(rest) < 2 || rest[0] != subEntry || int(rest[1]) >= len(s.accs.accs):
		return errStateKey
	}
	e, ok := s.accs.accs[rest[1]].(fn.EntryAccumulator)
	if x := s.load.last; !ok || int(x) >= len(s.all) || s.all[x].part != part || s.all[x].serial != serial {
		return errStateKey // a session comes before its entries
	}
	return e.LoadEntry(s.load.last, rest[2:], value)
}

// split reads the partition and the serial of a key.
func (l *sessionLoad) split(s *sessionAggregate, key []byte) (part uint32, serial int64, rest []byte, err error) {
	if l.key == nil {
		l.key = vec.NewBuilders(append(slices.Clone(s.partKeys), types.Of(types.Int64)))
	}
	n := len(s.partKeys)
	rest = key
	for i, b := range l.key {
		b.Reset()
		if i == n && s.parts != nil {
			if part, err = s.parts.InsertKey(key[:len(key)-len(rest)]); err != nil {
				return 0, 0, nil, err
			}
		}
		if rest, err = vec.DecodeKey(rest, b.Type(), b); err != nil {
			return 0, 0, nil, err
		}
	}
	v := l.key[n].Finish()
	if v.IsNull(0) {
		return 0, 0, nil, errStateKey
	}
	s.lists = growZero(s.lists, max(len(s.lists), int(part)+1))
	return part, v.I64[0], rest, nil
}

func (s *sessionAggregate) loadSession(part uint32, serial int64, val []byte) error {
	start, n := binary.Varint(val)
	length, m := binary.Uvarint(val[max(n, 0):])
	if n <= 0 || m <= 0 {
		return errStateKey
	}
	rows, k := binary.Uvarint(val[n+m:])
	if k <= 0 {
		return errStateKey
	}
	g := s.create(part, start, start+int64(length))
	s.touched = s.touched[:0]
	x := &s.all[g]
	x.serial, x.flags = serial, sessionKnown|sessionLogged
	s.accs.rows[g] = int64(rows)
	s.lists[part] = s.put(s.lists[part], len(s.lists[part]), g)
	s.load.last, s.load.active = g, true
	s.load.parts = append(s.load.parts, part)
	val = val[n+m+k:]
	var err error
	for _, acc := range s.accs.accs {
		if acc == nil {
			continue
		}
		if val, err = acc.LoadState(val, g); err != nil {
			return err
		}
	}
	if len(val) > 0 {
		return errStateKey
	}
	return nil
}

// finish brings loaded sessions into order.
func (l *sessionLoad) finish(s *sessionAggregate) {
	if !l.active {
		return
	}
	for _, p := range l.parts {
		slices.SortFunc(s.lists[p], func(a, b uint32) int { return cmp.Compare(s.all[a].start, s.all[b].start) })
		if s.cfg.Front >= 0 {
			s.noteFirst(p)
		}
	}
	l.parts, l.active = nil, false
}
