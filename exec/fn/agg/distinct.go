package agg

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Distinct is an aggregate over the different argument rows of each group: sum(DISTINCT
// x), count(DISTINCT a, b). It keeps a weight for each of them, and gives a row to
// the inner aggregate when its weight becomes positive, and takes it back when it
// no longer is.
func Distinct(inner fn.AggImpl) fn.AggImpl {
	out := inner
	out.New = func(retract bool) fn.Accumulator {
		a := &distinct{inner: inner.New(retract), retract: retract, seen: newValueMap(inner.Args), args: vec.NewBuilders(inner.Args)}
		a.innerEntries, _ = a.inner.(fn.EntryAccumulator)
		return a
	}
	return out
}

// distinct is the accumulator of Distinct. State: that of the inner accumulator; entries:
// a byte 0 and the key encoding of the arguments → weight, or a byte 1 and an entry
// of the inner accumulator.
type distinct struct {
	inner        fn.Accumulator
	innerEntries fn.EntryAccumulator // inner, if it has entries
	followers    []*follower         // further aggregates over the same values
	retract      bool
	seen         valueMap

	// Rows that go on to inner; scratch.
	args   []*vec.Builder
	sel    []int32
	w      []int64
	groups []uint32
}

// Grow implements fn.Accumulator.
func (a *distinct) Grow(n int) {
	a.seen.heads.Grow(n)
	a.inner.Grow(n)
}

// Reset implements fn.Accumulator.
func (a *distinct) Reset(g uint32) {
	a.seen.reset(g)
	a.inner.Reset(g)
}

// Bytes implements fn.Accumulator.
func (a *distinct) Bytes() int64 { return a.seen.bytes() + a.inner.Bytes() }

// Add implements fn.Accumulator.
func (a *distinct) Add(rows fn.AggRows) error {
	n := len(rows.Groups)
	if len(rows.Args) > 0 {
		n = rows.Args[0].N
	}
	a.begin()
	if rows.W != nil {
		a.w = slices.Grow(a.w, n)[:n]
	}
	for i, at := range a.seen.find(rows.Args, n, rows.Sel, rows.Groups) {
		r := rowAt(rows.Sel, i)
		sign := turn(a.seen.add(at, weightAt(rows.W, r)))
		if sign == 0 {
			continue
		}
		a.sel, a.groups = append(a.sel, int32(r)), append(a.groups, rows.Groups[i])
		if rows.W != nil {
			a.w[r] = sign
		}
	}
	return a.pass(rows.Args, rows.W != nil)
}

// pass gives the rows that turned to the inner accumulator.
func (a *distinct) pass(args []*vec.Vector, weighted bool) error {
	if len(a.sel) == 0 {
		return nil
	}
	out := fn.AggRows{Args: args, Sel: a.sel, Groups: a.groups}
	if weighted {
		out.W = a.w
	}
	for _, f := range a.followers {
		if mutant.On("a shared map forgets the others") {
			break
		}
		if err := f.inner.Add(out); err != nil {
			return err
		}
	}
	return a.inner.Add(out)
}

func (a *distinct) begin() {
	a.sel, a.groups, a.w = a.sel[:0], a.groups[:0], a.w[:0]
}

// turn is 1 when a value appears, −1 when it vanishes.
func turn(before, after int64) int64 {
	switch {
	case mutant.On("DISTINCT passes weights"):
		return after - before
	case before <= 0 && after > 0:
		return 1
	case before > 0 && after <= 0:
		return -1
	}
	return 0
}

// Merge implements fn.Accumulator. Values that appear or vanish are rows again for the
// inner accumulator.
func (a *distinct) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[distinct](src)
	var entries, groups []uint32
	for i, f := range from {
		entries = o.seen.of(f, entries)
		for len(groups) < len(entries) {
			groups = append(groups, into[i])
		}
		if len(entries) < vec.BatchSize && i < len(from)-1 {
			continue
		}
		for k := 0; k < len(entries); k += vec.BatchSize {
			to := min(k+vec.BatchSize, len(entries))
			if err := a.mergeEntries(&o.seen, entries[k:to], groups[k:to]); err != nil {
				return err
			}
		}
		entries, groups = entries[:0], groups[:0]
	}
	return nil
}

// mergeEntries adds entries of another map to groups of this one. It overwrites entries.
func (a *distinct) mergeEntries(src *valueMap, entries, groups []uint32) error {
	a.begin()
	turned := entries[:0]
	for i, at := range a.seen.findFrom(src, entries, groups) {
		if sign := turn(a.seen.add(at, src.entries[entries[i]].weight)); sign != 0 {
			a.sel, a.groups, a.w = append(a.sel, int32(len(turned))), append(a.groups, groups[i]), append(a.w, sign)
			turned = append(turned, entries[i])
		}
	}
	cols := make([]*vec.Vector, len(a.args))
	for i, b := range a.args {
		b.Reset()
		src.table.Key(turned, i+1, b)
		cols[i] = b.Finish()
	}
	return a.pass(cols, a.retract)
}

// Result implements fn.Accumulator.
func (a *distinct) Result(groups []uint32, out *vec.Builder) error {
	return a.inner.Result(groups, out)
}

// AppendState implements fn.Accumulator.
func (a *distinct) AppendState(dst []byte, g uint32) []byte { return a.inner.AppendState(dst, g) }

// LoadState implements fn.Accumulator.
func (a *distinct) LoadState(src []byte, g uint32) ([]byte, error) { return a.inner.LoadState(src, g) }

// The first byte of an entry's key.
const (
	subValue = 0
	subInner = 1
)

// DirtyEntries implements fn.EntryAccumulator.
func (a *distinct) DirtyEntries(put func(group uint32, sub, val []byte)) {
	a.seen.dirtyEntries(tagged(subValue, put))
	if a.innerEntries != nil {
		a.innerEntries.DirtyEntries(tagged(subInner, put))
	}
}

// LoadEntry implements fn.EntryAccumulator.
func (a *distinct) LoadEntry(g uint32, sub, val []byte) error {
	switch {
	case len(sub) == 0:
		return errState
	case sub[0] == subValue:
		return a.seen.load(g, sub[1:], val)
	case a.innerEntries == nil:
		return errState
	}
	return a.innerEntries.LoadEntry(g, sub[1:], val)
}
