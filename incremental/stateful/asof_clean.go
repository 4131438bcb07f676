package stateful

import (
	"encoding/binary"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Advance implements Operator.
func (a *asof) Advance(_ *Trigger, fronts [][]int64, out Emit) error {
	var at [2]int64
	for port, s := range a.sides {
		at[port] = NoFrontier
		if f := a.cfg.Front[port]; f >= 0 {
			at[port] = fronts[port][f]
			invariant.Assert(at[port] >= s.front, "frontiers never retreat")
		}
		if l := a.cfg.Late[port]; l != nil {
			s.bound = fronts[port][l.Front]
		}
	}
	if at[0] != a.sides[0].front || at[1] != a.sides[1].front || at[1] == EndOfInput {
		a.sides[0].front, a.sides[1].front = at[0], at[1]
		if err := a.clean(at, out); err != nil {
			return err
		}
	}
	if a.cfg.Unlogged {
		return a.LogState(discard{})
	}
	return nil
}

// clean drops what no later row can reach.
func (a *asof) clean(at [2]int64, out Emit) error {
	both := min(at[0], at[1])
	if a.cfg.Forward {
		a.cleanForward(at, both)
		return nil
	}
	final := both
	if !a.cfg.EmitOnClose && !a.cfg.Retract[0] {
		final = at[1]
	}
	if mutant.On("left rows wait for their own frontier alone") {
		final = at[0]
	}
	if err := a.dropLeft(final, out); err != nil {
		return err
	}
	a.dropRight(both)
	return nil
}

// dropLeft forgets, and with EmitOnClose emits, the left rows below a frontier.
func (a *asof) dropLeft(final int64, out Emit) error {
	l := a.sides[0]
	if !l.timed {
		if final == EndOfInput {
			a.dropAll(l)
		}
		return nil
	}
	var rows []uint32
	l.expire(final, func(row uint32) { rows = append(rows, row) })
	for from := 0; from < len(rows); from += vec.BatchSize {
		if err := a.closeRows(rows[from:min(from+vec.BatchSize, len(rows))], out); err != nil {
			return err
		}
	}
	return nil
}

// expire takes the rows below a frontier out of the times, in no order.
func (s *asofSide) expire(front int64, take func(row uint32)) {
	s.times.below(front, func(x expiry) {
		if s.weightOf(x.id) > 0 && s.at[x.id] == x.at {
			take(x.id)
		}
	})
}

func (s *asofSide) weightOf(row uint32) int64 {
	if int(row) >= len(s.seqs.weight) {
		return 0
	}
	return s.weight(row)
}

// closeRows emits left rows that are final, and forgets them.
func (a *asof) closeRows(rows []uint32, out Emit) error {
	l := a.sides[0]
	if a.cfg.EmitOnClose {
		a.ps = a.ps[:0]
		for _, row := range rows {
			a.ps = append(a.ps, l.part[row])
		}
		a.pairs[1] = a.pairs[1][:0]
		for i, rp := range a.mate(l, a.sides[1], a.ps) {
			h := asofHit{row: rows[i], match: a.match(rows[i], rp)}
			a.change(h, l.weight(rows[i]))
		}
		if err := a.emit(a.pairs[1], out); err != nil {
			return err
		}
	}
	for _, row := range rows {
		a.stats.Removed++
		l.evict(row)
	}
	return nil
}

// dropRight forgets the right rows below a frontier, but for the last one of each key.
func (a *asof) dropRight(front int64) {
	r := a.sides[1]
	if front == EndOfInput {
		a.dropAll(r)
		return
	}
	if !r.timed {
		return
	}
	var c cursor
	r.expire(front, func(row uint32) {
		if mutant.On("the last right row of a key is forgotten") {
			a.evict(r, row)
			return
		}
		q, keep := r.seq(r.part[row]), a.first(r.part[row], row, &c)
		for r.seqs.first(q, &c); c.row() != keep; r.seqs.first(q, &c) {
			a.evict(r, c.row())
		}
		if row != keep {
			a.evict(r, row)
		}
	})
}

// cleanForward forgets the right rows below both frontiers, and the left rows that have a
// match among them.
func (a *asof) cleanForward(at [2]int64, both int64) {
	l, r := a.sides[0], a.sides[1]
	if r.timed {
		r.expire(both, func(row uint32) {
			a.ps = append(a.ps[:0], r.part[row])
			if lp := a.mate(r, l, a.ps)[0]; int(lp) < len(l.of) {
				a.dropFrom(lp, row)
			}
			a.evict(r, row)
		})
	}
	if at[1] == EndOfInput && (!a.cfg.Retract[0] || at[0] == EndOfInput) {
		a.dropAll(l)
	}
}

// dropFrom forgets the left rows that have a match that is final.
func (a *asof) dropFrom(lp, right uint32) {
	l := a.sides[0]
	var c cursor
	for a.from(lp, right, &c); c.valid(); a.from(lp, right, &c) {
		a.evict(l, c.row())
	}
}

func (a *asof) dropAll(s *asofSide) {
	var c cursor
	s.partitions(func(p uint32) {
		for s.seqs.first(s.seq(p), &c); c.valid(); s.seqs.first(s.seq(p), &c) {
			a.evict(s, c.row())
		}
	})
}

func (a *asof) evict(s *asofSide, row uint32) {
	a.stats.Removed++
	s.evict(row)
}

// Keys of the state, version 1 (docs/formats/operator-state.md):
//
//	00 port     → the frontier of the input, varint
//	02 01 row   a left row, as in an ordered state → uvarint weight
//	03 01 row   a right row
const tagPort = 0x02

// portLog puts the keys of an input under its tag.
type portLog struct {
	port byte
	to   Log
	key  []byte
}

func (p *portLog) Put(key, value []byte) { p.to.Put(p.under(key), value) }
func (p *portLog) Delete(key []byte)     { p.to.Delete(p.under(key)) }
func (p *portLog) DeleteRange(from, to []byte) {
	first := append([]byte{tagPort + p.port}, from...)
	p.to.DeleteRange(first, p.under(to))
}

func (p *portLog) under(key []byte) []byte {
	p.key = append(append(p.key[:0], tagPort+p.port), key...)
	return p.key
}

// LogState implements Operator.
func (a *asof) LogState(log Log) error {
	for port, s := range a.sides {
		if s.bound != s.boundLogged && !mutant.On("the bounds of an ASOF join are not logged") {
			log.Put([]byte{tagBound, byte(port)}, binary.AppendVarint(nil, s.bound))
			s.boundLogged = s.bound
		}
		s.log.to = log
		s.logState(&s.log)
		s.log.to = nil
		if s.table.Len() == 0 {
			s.times.reset()
			s.at, s.seen, s.void = nil, nil, nil
		}
	}
	a.pairs[0], a.pairs[1] = trim(a.pairs[0]), trim(a.pairs[1])
	return nil
}

// Load implements Operator.
func (a *asof) Load(key, value []byte) error {
	if err := a.loadEntry(key, value); err != nil {
		return fmt.Errorf("%s: %w", a.cfg.Name, err)
	}
	return nil
}

func (a *asof) loadEntry(key, value []byte) error {
	switch {
	case len(key) == 2 && key[0] == tagBound && key[1] < 2:
		x, n := binary.Varint(value)
		if n <= 0 {
			return errStateKey
		}
		a.sides[key[1]].bound, a.sides[key[1]].boundLogged = x, x
		return nil
	case len(key) > 1 && (key[0] == tagPort || key[0] == tagPort+1):
		s := a.sides[key[0]-tagPort]
		s.restored = true
		return s.load.add(key[1:], value)
	}
	return errStateKey
}
