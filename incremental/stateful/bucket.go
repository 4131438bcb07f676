package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/fn/agg"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// bucket holds the groups of one slot.
type bucket struct {
	at    slot
	table *hash.Table // nil when the slot has one group: no further keys
	size  int         // places for groups
	rows  []int64     // rows of each group; 0 = the group does not exist
	accs  []fn.Accumulator
	flags []groupFlags

	// Since the last Flush.
	touched []uint32 // changed groups that did not exist before
	changed []uint32 // changed groups that did, and
	old     []*vec.Builder

	// Since the last LogState.
	dirty []uint32 // changed groups
	gone  []uint32 // groups that vanished: their numbers are free once this is logged

	sel []int32 // a local's rows of the batch under way
}

type groupFlags uint8

const (
	flagTouched groupFlags = 1 << iota // in touched or changed
	flagDirty                          // in dirty
)

// newBucket returns an empty bucket. Its table is a sibling of proto, which is nil when a
// slot has one group.
func newBucket(a *aggregate, at slot, proto *hash.Table) *bucket {
	b := &bucket{at: at, accs: make([]fn.Accumulator, len(a.specs))}
	retract := a.cfg.Retract && !mutant.On("deletions meet append-only accumulators")
	for i, s := range a.specs {
		switch {
		case s.counter:
		case s.lead >= 0:
			b.accs[i] = agg.Follow(b.accs[s.lead], s.impl, retract)
		default:
			b.accs[i] = s.impl.New(retract)
		}
	}
	if proto != nil {
		b.table = proto.Sibling()
	}
	return b
}

// find gives the groups of the rows of cols that count, making those that are missing.
func (b *bucket) find(cols []*vec.Vector, sel []int32, groups []uint32) {
	if b.table == nil {
		clear(groups)
		b.grow(1)
		return
	}
	b.table.FindOrInsert(cols, sel, nil, groups)
	b.grow(b.table.Cap())
}

func (b *bucket) grow(n int) {
	if n <= b.size {
		return
	}
	b.growRows(n)
	for _, acc := range b.accs {
		if acc != nil {
			acc.Grow(n)
		}
	}
}

// growRows makes places for groups, but for those in accumulators.
func (b *bucket) growRows(n int) {
	b.size = n
	b.rows = growZero(b.rows, n)
	b.flags = growZero(b.flags, n)
}

func growZero[T any](s []T, n int) []T {
	if n > cap(s) {
		grown := make([]T, n, max(n, 2*cap(s)))
		copy(grown, s)
		return grown
	}
	return s[:n]
}

// lookup finds the groups of b for groups of src, making those that are missing.
func (b *bucket) lookup(src *bucket, groups, into []uint32) {
	if b.table == nil {
		clear(into)
		b.grow(1)
		return
	}
	b.table.InsertFrom(src.table, groups, into)
	b.grow(b.table.Cap())
}

// used is the number of group numbers given out.
func (b *bucket) used() int {
	if b.table == nil {
		return 1
	}
	return b.table.Cap()
}

// addGroups adds groups of src to groups of b.
func (b *bucket) addGroups(src *bucket, from, into []uint32) error {
	b.addRows(src, from, into)
	for i := range b.accs {
		if err := b.addAccs(i, src, from, into); err != nil {
			return err
		}
	}
	return nil
}

func (b *bucket) addRows(src *bucket, from, into []uint32) {
	for i, g := range into {
		b.rows[g] += src.rows[from[i]]
	}
}

// addAccs adds groups of an accumulator of src.
func (b *bucket) addAccs(i int, src *bucket, from, into []uint32) error {
	if b.accs[i] == nil {
		return nil
	}
	return b.accs[i].Merge(src.accs[i], from, into)
}

// adopted makes a local's bucket a part of the state: all of its groups are new.
func (b *bucket) adopted() {
	for g := range uint32(b.used()) {
		b.flags[g] = flagTouched
		b.touched = append(b.touched, g)
	}
}

// check finds rows that were deleted without having been there.
func (b *bucket) check(name string) error {
	for _, list := range [2][]uint32{b.touched, b.changed} {
		for _, g := range list {
			if b.rows[g] < 0 {
				return fmt.Errorf("%s: a row was deleted that is not there", name)
			}
		}
	}
	for _, a := range b.accs {
		if o, ok := a.(fn.Owing); ok && o.Owes() {
			return fmt.Errorf("%s: a row was deleted that is not there", name)
		}
	}
	return nil
}

// settle ends a trigger's changes: touched groups are dirty, those without rows vanish.
// It returns how many changed.
func (b *bucket) settle(keepEmpty bool) int {
	n := 0
	for _, list := range [2][]uint32{b.touched, b.changed} {
		n += len(list)
		for _, g := range list {
			b.flags[g] &^= flagTouched
			if b.flags[g]&flagDirty == 0 {
				b.flags[g] |= flagDirty
				b.dirty = append(b.dirty, g)
			}
			if b.rows[g] == 0 && !keepEmpty {
				b.gone = append(b.gone, g)
			}
		}
	}
	b.touched, b.changed, b.old = trim(b.touched), trim(b.changed), nil
	return n
}

// trim empties a list, and gives its memory back if it was long.
func trim[T any](s []T) []T {
	if cap(s) > 1<<12 {
		return nil
	}
	return s[:0]
}

// vanish marks a group that has been closed on its own.
func (b *bucket) vanish(g uint32) {
	if b.flags[g]&flagDirty == 0 {
		b.flags[g] |= flagDirty
		b.dirty = append(b.dirty, g)
	}
	b.gone = append(b.gone, g)
}

// release frees the numbers of vanished groups, once the log knows of it.
func (b *bucket) release() {
	for _, g := range b.gone {
		if b.rows[g] != 0 || b.flags[g]&flagDirty != 0 { // it came again, or was listed twice
			continue
		}
		for _, acc := range b.accs {
			if acc != nil {
				acc.Reset(g)
			}
		}
		b.flags[g] |= flagDirty // not twice
		if b.table != nil {
			b.table.Delete(g)
		}
	}
	for _, g := range b.gone {
		if b.rows[g] == 0 {
			b.flags[g] = 0
		}
	}
	b.gone = trim(b.gone)
}

// live lists the groups that exist.
func (b *bucket) live() []uint32 {
	out := make([]uint32, 0, b.size)
	for g, n := range b.rows {
		if n > 0 {
			out = append(out, uint32(g))
		}
	}
	return out
}

// count is the number of groups that exist.
func (b *bucket) count() int {
	if b.table != nil {
		return b.table.Len() - len(b.gone)
	}
	if b.size > 0 && b.rows[0] != 0 {
		return 1
	}
	return 0
}

// forgetDirty is what follows a LogState, without one.
func (b *bucket) forgetDirty() {
	for _, g := range b.dirty {
		b.flags[g] &^= flagDirty
	}
	b.dirty = trim(b.dirty)
	drain(b.accs)
}

// drain makes accumulators forget which entries changed.
func drain(accs []fn.Accumulator) {
	for _, acc := range accs {
		if e, ok := acc.(fn.EntryAccumulator); ok {
			e.DirtyEntries(func(uint32, []byte, []byte) {})
		}
	}
}

// empty drops all groups and keeps the memory: a local's bucket that has been merged.
func (b *bucket) empty() {
	for g := range uint32(b.size) {
		for _, acc := range b.accs {
			if acc != nil {
				acc.Reset(g)
			}
		}
	}
	drain(b.accs)
	clear(b.rows)
	clear(b.flags)
	if b.table != nil {
		b.table.Reset()
	}
}

func (b *bucket) bytes() int64 {
	n := int64(8*cap(b.rows) + cap(b.flags) + 4*(cap(b.touched)+cap(b.changed)+cap(b.dirty)+cap(b.gone)))
	if b.table != nil {
		n += b.table.Bytes()
	}
	for _, acc := range b.accs {
		if acc != nil {
			n += acc.Bytes()
		}
	}
	return n
}

// scratch is room for work on a chunk of groups.
type scratch struct {
	groups, into, firsts []uint32
	sel, selOld          []int32
	minus                []int64 // −1 for each row of a chunk
	keys                 []*vec.Builder
	keyCols              []*vec.Vector
}

func newScratch(keys []types.Type) *scratch {
	s := &scratch{keys: vec.NewBuilders(keys), keyCols: make([]*vec.Vector, len(keys)), minus: make([]int64, vec.BatchSize)}
	for i := range s.minus {
		s.minus[i] = -1
	}
	return s
}

// run returns the numbers from … from+n−1, and room for as many.
func (s *scratch) run(from, n int) (groups, into []uint32) {
	s.groups, s.into = s.groups[:0], growZero(s.into, n)
	for i := range n {
		s.groups = append(s.groups, uint32(from+i))
	}
	return s.groups, s.into[:n]
}

// keysOf returns the keys of groups, valid until the next call.
func (s *scratch) keysOf(t *hash.Table, groups []uint32) []*vec.Vector {
	for _, b := range s.keys {
		b.Reset()
	}
	t.Keys(groups, s.keys)
	for i, b := range s.keys {
		s.keyCols[i] = b.Finish()
	}
	return s.keyCols
}
