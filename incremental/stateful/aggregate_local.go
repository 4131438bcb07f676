package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// aggLocal is a worker's part of an aggregate: tables for the rows of one trigger. It
// reads nothing of the operator but its configuration and the bound.
type aggLocal struct {
	op      *aggregate
	proto   *hash.Table // of the buckets' tables, which share its working memory
	buckets buckets
	pool    []*bucket // emptied ones
	late    int64

	groups, filtered []uint32
	filterSel        []int32
	args             []*vec.Vector
	keys             []*vec.Vector
	active           []*bucket // those with rows in the batch under way
	lateRows         []int32
}

func newAggLocal(op *aggregate) *aggLocal { return &aggLocal{op: op, proto: op.newTable()} }

// Step implements Stepper.
func (l *aggLocal) Step(t *Trigger, _ int, seq int64, b *vec.Batch, _ Emit) error {
	a := l.op
	if a.cfg.Bound < 0 {
		b.MarkAll(vec.Contributed)
		return l.feed(l.bucket(slot{}), b, b.Sel, seq)
	}
	v := b.Cols[a.cfg.Keys[a.cfg.Bound]]
	if at, ok := l.uniform(v, b); ok {
		b.MarkAll(vec.Contributed)
		return l.feed(l.bucket(at), b, b.Sel, seq)
	}
	l.scatter(v, b)
	if err := l.refuse(t, b); err != nil {
		return err
	}
	for _, bk := range l.active {
		if err := l.feed(bk, b, bk.sel, seq); err != nil {
			return err
		}
	}
	return nil
}

// uniform tells that all rows that count are in one bucket, and on time.
func (l *aggLocal) uniform(v *vec.Vector, b *vec.Batch) (slot, bool) {
	if b.Rows() == 0 || v.HasNulls() {
		return slot{}, false
	}
	first := v.Int(b.Row(0))
	low, high := first, first
	switch {
	case v.Const:
	case v.Dict == nil && b.Sel == nil:
		for _, x := range v.I64[:b.N] {
			low, high = min(low, x), max(high, x)
		}
	default:
		for i := range b.Rows() {
			x := v.Int(b.Row(i))
			low, high = min(low, x), max(high, x)
		}
	}
	at := l.op.bucketOf(low)
	return at, at == l.op.bucketOf(high) && l.op.onTime(low) == all
}

// scatter distributes the rows that are not late over their buckets' sel, and the
// others into lateRows.
func (l *aggLocal) scatter(v *vec.Vector, b *vec.Batch) {
	a := l.op
	l.active, l.lateRows = l.active[:0], l.lateRows[:0]
	var last *bucket
	var lastAt slot
	nulls := v.HasNulls()
	for i := range b.Rows() {
		r := b.Row(i)
		at := slot{null: true}
		if !nulls || !v.IsNull(r) {
			x := v.Int(r)
			switch a.onTime(x) {
			case none:
				l.lateRows = append(l.lateRows, int32(r))
				continue
			case nowhere:
				continue
			case some:
				l.late += a.missed(x)
				if b.Fates != nil {
					b.Fates.Partial++
				}
			}
			at = a.bucketOf(x)
		} else if a.cfg.Panes != nil { // no time, no window
			continue
		}
		if last == nil || at != lastAt {
			last, lastAt = l.bucket(at), at
			if len(last.sel) == 0 {
				l.active = append(l.active, last)
			}
		}
		last.sel = append(last.sel, int32(r))
		b.Mark(r, vec.Contributed)
	}
}

// refuse reports the late rows of the batch.
func (l *aggLocal) refuse(t *Trigger, b *vec.Batch) error {
	for _, r := range l.lateRows {
		b.Mark(int(r), vec.Late)
	}
	for _, r := range l.lateRows {
		l.late += l.op.refusals(b.Cols[l.op.cfg.Keys[l.op.cfg.Bound]].Int(int(r)))
	}
	if len(l.lateRows) == 0 || t.Late == nil {
		return nil
	}
	return t.Late(l.op.cfg.Name, b, l.lateRows)
}

// promptness tells which results a row can still change.
type promptness uint8

const (
	all     promptness = iota
	some               // some of its windows are final
	none               // it is late
	nowhere            // it is in no window
)

// onTime tells the promptness of a bound value.
func (a *aggregate) onTime(x int64) promptness {
	switch {
	case a.cfg.Panes != nil:
		return a.panePromptness(x)
	case late(x, a.bound) && !a.cfg.Keep:
		return none
	}
	return all
}

// bucket returns the local bucket of a slot.
func (l *aggLocal) bucket(at slot) *bucket {
	if b := l.buckets.find(at); b != nil {
		return b
	}
	var b *bucket
	if n := len(l.pool); n > 0 {
		b, l.pool = l.pool[n-1], l.pool[:n-1]
		b.at = at
	} else {
		b = newBucket(l.op, at, l.proto)
	}
	l.buckets.put(at, b)
	return b
}

const (
	poolSize    = 64
	pooledBytes = sharedBytes
)

// recycle takes a bucket out of use.
func (l *aggLocal) recycle(at slot, b *bucket) {
	l.buckets.remove(at)
	if len(l.pool) < poolSize && b.bytes() <= pooledBytes {
		b.empty()
		l.pool = append(l.pool, b)
	}
}

// feed adds rows to a bucket.
func (l *aggLocal) feed(bk *bucket, b *vec.Batch, sel []int32, seq int64) error {
	a := l.op
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	l.groups = growZero(l.groups, n)[:n]
	l.keys = l.keys[:0]
	for _, c := range a.tableCols {
		l.keys = append(l.keys, b.Cols[c])
	}
	bk.find(l.keys, sel, l.groups)
	countRows(bk.rows, l.groups, sel, b.W)
	for i := range a.specs {
		if bk.accs[i] == nil {
			continue
		}
		if err := l.feedOne(&a.specs[i], bk.accs[i], b, sel, seq); err != nil {
			return fmt.Errorf("%s: %w", a.cfg.Name, err)
		}
	}
	bk.sel = bk.sel[:0]
	return nil
}

func countRows(rows []int64, groups []uint32, sel []int32, w []int64) {
	switch {
	case w == nil:
		for _, g := range groups {
			rows[g]++
		}
	case sel == nil:
		for i, g := range groups {
			rows[g] += w[i]
		}
	default:
		for i, g := range groups {
			rows[g] += w[sel[i]]
		}
	}
}

func (l *aggLocal) feedOne(s *boundSpec, acc fn.Accumulator, b *vec.Batch, sel []int32, seq int64) error {
	if s.lead >= 0 {
		return nil // the leader has its rows
	}
	l.args = l.args[:0]
	for _, c := range s.args {
		l.args = append(l.args, b.Cols[c])
	}
	groups := l.groups
	if s.filter >= 0 {
		sel, groups = l.filter(b.Cols[s.filter], sel)
	}
	return acc.Add(fn.AggRows{Args: l.args, Sel: sel, W: b.W, Groups: groups, Seq: seq})
}

// filter keeps the rows for which a column is true.
func (l *aggLocal) filter(v *vec.Vector, sel []int32) ([]int32, []uint32) {
	l.filterSel, l.filtered = growZero(l.filterSel, len(l.groups)), growZero(l.filtered, len(l.groups))
	n := 0
	if sel == nil && v.Valid == nil && v.Dict == nil && !v.Const {
		for i, g := range l.groups {
			l.filterSel[n], l.filtered[n] = int32(i), g
			n += int(v.Bool[i] & 1)
		}
		return l.filterSel[:n], l.filtered[:n]
	}
	for i, g := range l.groups {
		r := int32(i)
		if sel != nil {
			r = sel[i]
		}
		if v.IsTrue(int(r)) {
			l.filterSel[n], l.filtered[n] = r, g
			n++
		}
	}
	return l.filterSel[:n], l.filtered[:n]
}

// typed is a constant of n rows with a bound value.
func (s slot) vector(t types.Type, n int) *vec.Vector {
	if s.null {
		return vec.Nulls(t, n)
	}
	return &vec.Vector{Type: t, N: n, Const: true, I64: []int64{s.at}}
}
