package agg

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Follow returns an accumulator of another aggregate over the different argument rows
// that leader, an accumulator of Distinct, keeps: count(DISTINCT x) and sum(DISTINCT x)
// need one map of values. The follower is given nothing itself: what Add and Merge do to
// leader reaches it. The rest of an accumulator's work it does for its own part.
func Follow(leader fn.Accumulator, inner fn.AggImpl, retract bool) fn.Accumulator {
	lead := sameKind[distinct](leader)
	f := &follower{inner: inner.New(retract)}
	f.innerEntries, _ = f.inner.(fn.EntryAccumulator)
	lead.followers = append(lead.followers, f)
	return f
}

// follower is the accumulator of Follow. State: that of the inner accumulator; entries: a
// byte 1 and an entry of it.
type follower struct {
	inner        fn.Accumulator
	innerEntries fn.EntryAccumulator // inner, if it has entries
}

// Grow implements fn.Accumulator.
func (f *follower) Grow(n int) { f.inner.Grow(n) }

// Add implements fn.Accumulator: the leader passes the rows on.
func (f *follower) Add(fn.AggRows) error { return nil }

// Merge implements fn.Accumulator: the leader passes the rows on.
func (f *follower) Merge(fn.Accumulator, []uint32, []uint32) error { return nil }

// Result implements fn.Accumulator.
func (f *follower) Result(groups []uint32, out *vec.Builder) error {
	return f.inner.Result(groups, out)
}

// AppendState implements fn.Accumulator.
func (f *follower) AppendState(dst []byte, g uint32) []byte { return f.inner.AppendState(dst, g) }

// LoadState implements fn.Accumulator.
func (f *follower) LoadState(src []byte, g uint32) ([]byte, error) { return f.inner.LoadState(src, g) }

// Reset implements fn.Accumulator.
func (f *follower) Reset(g uint32) { f.inner.Reset(g) }

// Bytes implements fn.Accumulator.
func (f *follower) Bytes() int64 { return f.inner.Bytes() }

// DirtyEntries implements fn.EntryAccumulator.
func (f *follower) DirtyEntries(put func(group uint32, sub, val []byte)) {
	if f.innerEntries != nil {
		f.innerEntries.DirtyEntries(tagged(subInner, put))
	}
}

// LoadEntry implements fn.EntryAccumulator.
func (f *follower) LoadEntry(g uint32, sub, val []byte) error {
	if len(sub) == 0 || sub[0] != subInner || f.innerEntries == nil {
		return errState
	}
	return f.innerEntries.LoadEntry(g, sub[1:], val)
}

// tagged puts entries with a byte in front of their keys.
func tagged(tag byte, put func(group uint32, sub, val []byte)) func(group uint32, sub, val []byte) {
	var buf []byte
	return func(group uint32, sub, val []byte) {
		buf = append(append(buf[:0], tag), sub...)
		put(group, buf, val)
	}
}
