package stateful

import "github.com/sqlstream/sqlstream/exec/mutant"

// register notes when a partition is to be looked at: when its first row that is still
// above the bound goes below it.
func (o *over) register(p uint32) {
	if o.cfg.EmitOnClose {
		o.await(p)
		return
	}
	if !o.cfg.Whole && o.cfg.Keep == nil {
		return
	}
	q := o.rows.seq(p)
	if q.empty() {
		return
	}
	o.part.open(o, p)
	at := int64(0)
	if !o.cfg.Whole {
		keep := o.keep()
		at = o.part.seek(func(r uint32) bool { return o.below(r, keep.From) })
	}
	if at >= o.part.n {
		return
	}
	v := o.value(o.part.at(at), o.cfg.Bound)
	if v.IsNull(0) { // the number may have been that of another partition
		if int(p) < len(o.until) {
			o.until[p] = never
		}
		return
	}
	o.lookAgain(p, v.Int(0))
}

// lookAgain notes the bound value at which a partition is to be looked at.
func (o *over) lookAgain(p uint32, at int64) {
	for n := len(o.until); n < o.rows.parts.Cap(); n++ {
		o.until = append(o.until, never)
	}
	if o.until[p] != at {
		o.until[p] = at
		o.lists.add(at, p)
	}
}

// due reports a partition whose time has come. An entry of the lists, in the stretch from at
// on, that is no longer that of its partition is to be dropped.
func (o *over) due(at int64, p uint32, bound int64) (due, drop bool) {
	until := o.until[p]
	if until < bound {
		o.until[p] = never
		return true, true
	}
	return false, until == never || floorTo(until, o.lists.width) != at
}

func (o *over) keep() OverKeep {
	if o.bound == NoFrontier {
		return OverKeep{From: NoFrontier, At: NoFrontier}
	}
	return o.cfg.Keep(o.bound)
}

// below reports rows that come before those whose bound is at least x; NULL does where it
// is first in the order.
func (o *over) below(row uint32, x int64) bool {
	v := o.value(row, o.cfg.Bound)
	if v.IsNull(0) {
		return o.cfg.Order[0].Order.NullsFirst()
	}
	return v.Int(0) < x
}

// clean forgets what no later change can touch.
func (o *over) clean() {
	switch {
	case o.cfg.Whole:
		o.lists.below(o.bound, func(at int64, p uint32) bool {
			due, drop := o.due(at, p, o.bound)
			if due {
				o.drop(p)
			}
			return drop
		})
		o.closedTo = o.bound
	case o.cfg.Keep != nil:
		keep := o.keep()
		if keep.From == EndOfInput {
			o.rows.partitions(func(p uint32) { o.cut(p, keep) })
			break
		}
		var again []uint32
		o.lists.below(keep.From, func(at int64, p uint32) bool {
			due, drop := o.due(at, p, keep.From)
			if due {
				o.cut(p, keep)
				again = append(again, p)
			}
			return drop
		})
		for _, p := range again {
			o.register(p)
		}
	}
	o.rows.settle()
}

// drop forgets a whole partition, if it has rows.
func (o *over) drop(p uint32) {
	q := o.rows.seq(p)
	if q.empty() {
		return
	}
	o.rows.forget(p)
	o.stats.Removed++
}

// cut forgets the rows of a partition before the ones that are kept.
func (o *over) cut(p uint32, keep OverKeep) {
	if int(p) >= len(o.rows.of) || o.rows.seq(p).empty() {
		return
	}
	o.part.open(o, p)
	from := o.part.seek(func(r uint32) bool { return o.isNull(r, o.cfg.Bound) && o.cfg.Order[0].Order.NullsFirst() })
	to := o.part.seek(func(r uint32) bool { return o.below(r, keep.From) })
	rows := keep.Rows
	if mutant.On("a row too few is kept before the frontier") {
		rows--
	}
	at := o.part.seek(func(r uint32) bool { return o.below(r, keep.At) })
	to = min(to, at-rows)
	var gone []uint32
	o.rows.seqs.at(o.part.q, &o.part.cur, from)
	for c := &o.part.cur; from < to && c.valid(); c.next() {
		from += o.rows.weight(c.row())
		if from > to { // some of its copies are kept: all
			break
		}
		gone = append(gone, c.row())
	}
	for _, r := range gone {
		o.rows.evict(r)
		o.stats.Removed++
	}
}
