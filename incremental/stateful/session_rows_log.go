package stateful

import (
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// LogState implements Operator. Keys: 00 → the bound; 01, the row → its weight.
func (s *session) LogState(log Log) error {
	logBound(log, s.bound, &s.boundLogged)
	var key []byte
	for _, g := range s.dirty {
		r := &s.row[g]
		r.dirty = false
		if !s.cfg.Unlogged {
			key = s.rows.KeyBytes(g, append(key[:0], tagGroup))
		}
		switch {
		case r.weight == 0:
			if !mutant.On("rows of closed sessions stay in the log") {
				log.Delete(key)
			}
			s.rows.Delete(g)
			*r = sessionRow{}
		case !s.cfg.Unlogged:
			log.Put(key, binary.AppendUvarint(nil, uint64(r.weight)))
		}
	}
	s.dirty = trim(s.dirty)
	s.release()
	return nil
}

// release forgets partitions without rows.
func (s *session) release() {
	if s.rows.Len() == 0 && len(s.row) > 0 {
		s.emptied = trim(s.emptied)
		s.reset()
		return
	}
	for _, p := range s.emptied {
		part := &s.part[p]
		part.empty = false
		if s.parts != nil && len(part.rows) == 0 {
			s.parts.Delete(p)
			*part = sessionPart{}
		}
	}
	s.emptied = trim(s.emptied)
}

// Load implements Operator.
func (s *session) Load(key, value []byte) error {
	x, n := int64(0), 0
	if len(key) == 1 && key[0] == tagBound {
		if x, n = binary.Varint(value); n > 0 {
			s.bound, s.boundLogged = x, x
			return nil
		}
	}
	w, n := binary.Uvarint(value)
	if len(key) == 0 || key[0] != tagGroup || n <= 0 {
		return fmt.Errorf("%s: %w", s.cfg.Name, errStateKey)
	}
	g, err := s.rows.InsertKey(key[1:])
	if err != nil {
		return fmt.Errorf("%s: %w", s.cfg.Name, err)
	}
	s.row = growZero(s.row, s.rows.Cap())
	s.row[g].weight = int64(w)
	s.loaded = append(s.loaded, g)
	return nil
}

// finish forms the sessions of loaded rows, which have been emitted before.
func (s *session) finish() error {
	if len(s.loaded) == 0 {
		return nil
	}
	loaded := s.loaded
	s.loaded = nil
	for from := 0; from < len(loaded); from += vec.BatchSize {
		s.place(loaded[from:min(from+vec.BatchSize, len(loaded))])
	}
	keep := s.stats
	for _, p := range s.touched {
		if err := s.settle(p); err != nil {
			return err
		}
	}
	for _, g := range s.dirty {
		s.row[g].dirty = false
	}
	s.touched, s.dirty, s.stats = trim(s.touched), trim(s.dirty), keep
	s.minus, s.plus = trim(s.minus), trim(s.plus)
	return nil
}

// place puts loaded rows into their partitions.
func (s *session) place(rows []uint32) {
	for _, b := range s.builders {
		b.Reset()
	}
	n := len(s.cfg.Types)
	s.rows.Keys(rows, s.builders[:n])
	cols := make([]*vec.Vector, n)
	for i := range cols {
		cols[i] = s.builders[i].Finish()
	}
	s.into = growZero(s.into, len(rows))[:len(rows)]
	s.partitions(cols, nil)
	for i, g := range rows {
		r := &s.row[g]
		r.at, r.till, r.part = cols[s.cfg.Time].Int(i), cols[s.cfg.End].Int(i), s.into[i]
		s.touch(g, r)
	}
}
