package stateful

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Dedup
//
// State: the keys seen so far; with a bound that cleans, the time at which each is
// forgotten.
// +1: the first row of a key, by arrival, goes through at once, later ones are
// dropped. −1: does not occur, the input is append-only.
// Late: a row whose bound column is below the frontier of the trigger before, whether
// or not that column is part of the key. NULL is never late.
// Dropped: plain, a key whose bound column is below the frontier (if it is part of
// the key; otherwise nothing ever is). Within a watermark, a key once the frontier
// has reached the time of its first row plus the delay; it may come again. A key
// with a NULL time is not forgotten.
// Cost: O(1) per row and per forgotten key.
// Restart: keys with their times, and the bound.

// DedupConfig describes drop_duplicates, drop_duplicates_within_watermark, and DISTINCT
// ON without ORDER BY.
type DedupConfig struct {
	Name     string
	Keys     []int // input columns
	KeyTypes []types.Type
	Bound    int // input column that carries the frontier, −1 = none
	Front    int // which frontier of fronts[0] is its
	// Clean: the bound column is one of the keys, which are forgotten below the frontier.
	Clean bool
	// Expires, when set, is the time at which a key whose first row has the given time is
	// forgotten: that time plus the delay of the watermark. Clean is false then.
	Expires  func(first int64) int64
	Unlogged bool
}

// never is the time at which a key that stays is forgotten.
const never = math.MaxInt64

type dedup struct {
	cfg   DedupConfig
	table *hash.Table
	until []int64   // by group: it is forgotten when the frontier is above
	lists timeLists // groups by the time of until

	bound, boundLogged, closedTo int64
	passed                       bool     // a key is held that the bound has passed: the delay is 0
	dirty                        []uint32 // new groups since the last LogState

	late   lateFilter
	keys   []*vec.Vector
	groups []uint32
	stats  Stats
	begun  bool // stats are those of the trigger under way
}

// NewDedup returns the operator. Its input must come in order of arrival.
func NewDedup(cfg DedupConfig) (Operator, error) {
	if cfg.Bound < 0 && (cfg.Clean || cfg.Expires != nil) {
		return nil, fmt.Errorf("%s: keys cannot be forgotten without a watermark", cfg.Name)
	}
	return &dedup{cfg: cfg, table: hash.New(cfg.KeyTypes), lists: newTimeLists(timeWidth),
		late:  lateFilter{name: cfg.Name, col: cfg.Bound},
		bound: NoFrontier, boundLogged: NoFrontier, closedTo: NoFrontier}, nil
}

// Step implements Stepper.
func (d *dedup) Step(t *Trigger, _ int, _ int64, b *vec.Batch, out Emit) error {
	d.begin()
	sel, err := d.late.onTime(t, b, d.bound)
	d.stats.Late += d.late.taken()
	if err != nil {
		return err
	}
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	d.keys = d.keys[:0]
	for _, c := range d.cfg.Keys {
		d.keys = append(d.keys, b.Cols[c])
	}
	d.groups = growZero(d.groups, n)[:n]
	d.table.FindOrInsert(d.keys, sel, nil, d.groups)
	firsts := d.firsts(b, sel)
	if len(firsts) == 0 {
		return nil
	}
	return out(&vec.Batch{Cols: b.Cols, N: b.N, Sel: firsts})
}

func (d *dedup) begin() {
	if !d.begun {
		d.stats = Stats{}
		d.begun = true
	}
}

// firsts lists the rows that began a group, and notes when their keys are forgotten.
func (d *dedup) firsts(b *vec.Batch, sel []int32) []int32 {
	added := d.table.Added()
	if len(added) == 0 {
		return nil
	}
	d.until = growZero(d.until, d.table.Cap())
	out := make([]int32, 0, len(added))
	for i, g := range d.groups {
		if len(out) < len(added) && g == added[len(out)] {
			r := i
			if sel != nil {
				r = int(sel[i])
			}
			out = append(out, int32(r))
			d.remember(g, d.untilOf(b, r))
			d.dirty = append(d.dirty, g)
		}
	}
	invariant.Assert(len(out) == len(added), "each new group has a first row")
	d.stats.Updated += int64(len(out))
	return out
}

// untilOf is the last frontier at which the key of a first row is still remembered.
func (d *dedup) untilOf(b *vec.Batch, row int) int64 {
	if !d.cfg.Clean && d.cfg.Expires == nil {
		return never
	}
	v := b.Cols[d.cfg.Bound]
	if v.IsNull(row) {
		return never
	}
	x := v.Int(row)
	switch {
	case d.cfg.Clean:
		return x
	case mutant.On("within-watermark keys live one delay more"):
		return d.cfg.Expires(d.cfg.Expires(x)) - 1
	}
	return d.cfg.Expires(x) - 1
}

func (d *dedup) remember(g uint32, until int64) {
	d.until[g] = until
	d.passed = d.passed || until < d.bound
	if until != never {
		d.lists.add(until, g)
	}
}

// Flush implements Operator.
func (d *dedup) Flush(*Trigger, Emit) error {
	d.begin()
	d.begun = false
	return nil
}

// Advance implements Operator.
func (d *dedup) Advance(t *Trigger, fronts [][]int64, _ Emit) error {
	if d.cfg.Bound >= 0 {
		front := fronts[0][d.cfg.Front]
		invariant.Assert(front >= d.bound, "frontiers never retreat")
		d.bound = max(d.bound, front)
	}
	if d.cfg.Unlogged {
		if err := d.LogState(discard{}); err != nil {
			return err
		}
	}
	d.forget()
	return nil
}

// forget drops the keys that nothing can touch any more.
func (d *dedup) forget() {
	if !d.cfg.Clean && d.cfg.Expires == nil || d.bound == d.closedTo && !d.passed || d.bound == NoFrontier {
		return
	}
	d.lists.below(d.bound, func(_ int64, g uint32) bool {
		if d.until[g] >= d.bound {
			return false
		}
		d.drop(g)
		return true
	})
	d.closedTo, d.passed = d.bound, false
	if d.table.Len() == 0 {
		d.table, d.until = hash.New(d.cfg.KeyTypes), nil
	}
}

func (d *dedup) drop(g uint32) {
	d.until[g] = NoFrontier
	d.table.Delete(g)
	d.stats.Removed++
}

// LogState implements Operator. Keys: 00 → the bound; 01, the time until which the
// key is remembered (NULL = always), the key → nothing.
func (d *dedup) LogState(log Log) error {
	moved := d.bound != d.boundLogged
	logBound(log, d.bound, &d.boundLogged)
	if moved && (d.cfg.Clean || d.cfg.Expires != nil) {
		logClosed(log, d.bound)
	}
	if d.cfg.Unlogged {
		d.dirty = d.dirty[:0]
	}
	var key []byte
	for _, g := range d.dirty {
		if int(g) >= len(d.until) || d.until[g] == NoFrontier { // forgotten in the same trigger
			continue
		}
		log.Put(d.stateKey(key[:0], g), nil)
	}
	d.dirty = trim(d.dirty)
	return nil
}

func (d *dedup) stateKey(dst []byte, g uint32) []byte {
	dst = append(dst, tagGroup)
	if d.until[g] == never {
		dst = vec.AppendNullKey(dst)
	} else {
		dst = vec.AppendIntKey(dst, d.until[g])
	}
	return d.table.KeyBytes(g, dst)
}

// Load implements Operator.
func (d *dedup) Load(key, value []byte) error {
	if err := d.loadEntry(key, value); err != nil {
		return fmt.Errorf("%s: %w", d.cfg.Name, err)
	}
	return nil
}

func (d *dedup) loadEntry(key, value []byte) error {
	if len(key) == 1 && key[0] == tagBound {
		x, n := binary.Varint(value)
		if n <= 0 {
			return errStateKey
		}
		d.bound, d.boundLogged, d.closedTo = x, x, x
		return nil
	}
	if len(key) == 0 || key[0] != tagGroup {
		return errStateKey
	}
	at := vec.NewBuilder(types.Of(types.Int64))
	rest, err := vec.DecodeKey(key[1:], at.Type(), at)
	if err != nil {
		return err
	}
	g, err := d.table.InsertKey(rest)
	if err != nil {
		return err
	}
	until := int64(never)
	if v := at.Finish(); !v.IsNull(0) {
		until = v.I64[0]
	}
	d.until = growZero(d.until, d.table.Cap())
	d.remember(g, until)
	return nil
}

// Stats implements Operator.
func (d *dedup) Stats() Stats {
	s := d.stats
	s.Keys = int64(d.table.Len())
	s.Bytes = d.table.Bytes() + int64(8*cap(d.until)+4*cap(d.dirty)) + d.lists.bytes()
	return s
}
