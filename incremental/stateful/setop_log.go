package stateful

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// LogState implements Operator. Keys: 00 → the bound; 01, the value of the bound column
// if there is one, all columns → the weights of both sides.
func (s *setOp) LogState(log Log) error {
	logBound(log, s.bound, &s.boundLogged)
	logClosed(log, s.closedTo)
	s.closedTo = NoFrontier
	var key, val []byte
	for _, g := range s.dirty {
		s.flags[g] &^= flagDirty
		if s.flags[g]&flagHeld == 0 { // final in the trigger that brought it
			continue
		}
		key = s.stateKey(key[:0], g)
		if a, b := s.rows.w[0][g], s.rows.w[1][g]; a != 0 || b != 0 {
			val = binary.AppendUvarint(val[:0], uint64(a))
			log.Put(key, binary.AppendUvarint(val, uint64(b)))
			continue
		}
		log.Delete(key)
		s.forget(g)
	}
	s.dirty = trim(s.dirty)
	if s.rows.table.Len() == 0 && s.rows.table.Cap() > 0 {
		s.empty()
	}
	return nil
}

func (s *setOp) stateKey(dst []byte, g uint32) []byte {
	dst = append(dst, tagGroup)
	if s.cfg.Bound >= 0 {
		if s.at[g] == never {
			dst = vec.AppendNullKey(dst)
		} else {
			dst = vec.AppendIntKey(dst, s.at[g])
		}
	}
	return s.rows.table.KeyBytes(g, dst)
}

// Load implements Operator.
func (s *setOp) Load(key, value []byte) error {
	if err := s.loadEntry(key, value); err != nil {
		return fmt.Errorf("%s: %w", s.cfg.Name, err)
	}
	return nil
}

func (s *setOp) loadEntry(key, value []byte) error {
	if len(key) == 1 && key[0] == tagBound {
		x, n := binary.Varint(value)
		if n <= 0 {
			return errStateKey
		}
		s.bound, s.boundLogged = x, x
		return nil
	}
	if len(key) == 0 || key[0] != tagGroup {
		return errStateKey
	}
	rest := key[1:]
	if s.cfg.Bound >= 0 {
		at := vec.NewBuilder(types.Of(types.Int64))
		var err error
		if rest, err = vec.DecodeKey(rest, at.Type(), at); err != nil {
			return err
		}
	}
	a, n := binary.Uvarint(value)
	b, m := binary.Uvarint(value[max(n, 0):])
	if n <= 0 || m <= 0 || a > math.MaxInt64 || b > math.MaxInt64 {
		return errStateKey
	}
	g, err := s.rows.table.InsertKey(rest)
	if err != nil {
		return err
	}
	s.adopt()
	s.rows.w[0][g], s.rows.w[1][g] = int64(a), int64(b)
	return nil
}

// Rows implements Readable.
func (s *setOp) Rows(_ *fn.Ctx, out Emit) error {
	var groups []uint32
	var weights []int64
	s.rows.table.Each(func(g uint32) {
		if n := s.result(g); n > 0 {
			groups, weights = append(groups, g), append(weights, n)
		}
	})
	return s.emit(groups, weights, out)
}
