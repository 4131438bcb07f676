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
		a := &distinct{inner: inner.New(retract), retract: retract, args: vec.NewBuilders(inner.Args)}
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
	a.begin()
	if rows.W != nil {
		a.w = slices.Grow(a.w, len(rows.W))[:len(rows.W)]
	}
	for i, g := range rows.Groups {
		r := rowAt(rows.Sel, i)
		key := vec.AppendRowKey(a.seen.buf[:0], rows.Args, r)
		a.seen.buf = key
		before, after := a.seen.add(g, key, weightAt(rows.W, r))
		sign := turn(before, after)
		if sign == 0 {
			continue
		}
		a.sel, a.groups = append(a.sel, int32(r)), append(a.groups, g)
		if rows.W != nil {
			a.w[r] = sign
		}
	}
	if len(a.sel) == 0 {
		return nil
	}
	out := fn.AggRows{Args: rows.Args, Sel: a.sel, Groups: a.groups, Seq: rows.Seq}
	if rows.W != nil {
		out.W = a.w
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
	a.begin()
	for _, b := range a.args {
		b.Reset()
	}
	var failed error
	for i, f := range from {
		g := into[i]
		o.seen.eachOf(f, func(key []byte, w int64) {
			if w == 0 {
				return
			}
			before, after := a.seen.add(g, key, w)
			if sign := turn(before, after); sign != 0 {
				a.groups, a.w = append(a.groups, g), append(a.w, sign)
				if err := vec.DecodeRowKey(key, a.args); err != nil {
					failed = err
				}
			}
		})
	}
	if failed != nil || len(a.groups) == 0 {
		return failed
	}
	cols := make([]*vec.Vector, len(a.args))
	for i, b := range a.args {
		cols[i] = b.Finish()
	}
	out := fn.AggRows{Args: cols, Groups: a.groups}
	if a.retract {
		out.W = a.w
	}
	return a.inner.Add(out)
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
	var buf []byte
	tagged := func(tag byte) func(group uint32, sub, val []byte) {
		return func(group uint32, sub, val []byte) {
			buf = append(append(buf[:0], tag), sub...)
			put(group, buf, val)
		}
	}
	a.seen.dirtyEntries(tagged(subValue))
	if a.innerEntries != nil {
		a.innerEntries.DirtyEntries(tagged(subInner))
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
