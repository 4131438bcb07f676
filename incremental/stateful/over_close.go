package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
)

// In append mode (EmitOnClose) a row is emitted once: when no row that may still come, which
// is at or above the bound, is read by its functions. Those rows are the first of their
// partition, and their number follows from the rows and the bound. So nothing is kept of
// what was emitted: what an advance of the bound adds is the difference of two numbers.

// closing emits what is final now, old being the bound before.
func (o *over) closing(old int64, out Emit) error {
	var again []uint32
	if o.bound == EndOfInput {
		o.rows.partitions(func(p uint32) { again = append(again, p) })
	} else {
		o.lists.below(o.bound, func(at int64, p uint32) bool {
			due, drop := o.due(at, p, o.bound)
			if due {
				again = append(again, p)
			}
			return drop
		})
	}
	for _, p := range again {
		if int(p) >= len(o.rows.of) || o.rows.seq(p).empty() {
			continue
		}
		if err := o.emitFinal(p, old, out); err != nil {
			return err
		}
		o.register(p)
	}
	o.rows.settle()
	o.tree.recycle()
	return o.emitter.flush(out)
}

// emitFinal emits the rows of a partition that have become final, and forgets those that
// none of the others reads.
func (o *over) emitFinal(p uint32, old int64, out Emit) error {
	o.part.open(o, p)
	from, to := o.final(old), o.final(o.bound)
	if from < to {
		o.spans = append(o.spans[:0], span{lo: o.part.at(from), hi: o.part.at(to - 1)})
		if err := o.values(p, &o.now); err != nil {
			return err
		}
		first := o.part.from // of the copies of the first row
		places := appendRange(nil, int(from-first), int(to-first))
		if err := o.emitter.emit(&o.now, places, 1, out); err != nil {
			return err
		}
	}
	switch {
	case o.bound == EndOfInput:
		o.cut(p, OverKeep{From: EndOfInput, At: EndOfInput})
		return nil
	case o.cfg.Keep == nil:
		return nil
	}
	o.part.open(o, p)
	least := o.bound
	if to < o.part.n {
		if v := o.value(o.part.at(to), o.cfg.Bound); !v.IsNull(0) {
			least = min(least, v.Int(0))
		}
	}
	if mutant.On("OVER forgets rows that wait for others") {
		least = o.bound
	}
	o.cut(p, o.cfg.Keep(least))
	return nil
}

// final is how many rows of the open partition no later row can change, where rows below a
// bound do not come any more.
func (o *over) final(bound int64) int64 {
	p := &o.part
	switch bound {
	case NoFrontier:
		return 0
	case EndOfInput:
		return p.n
	}
	cut := p.seek(func(r uint32) bool { return o.below(r, bound) })
	end := cut
	for i := range o.cfg.Funcs {
		end = min(end, o.finalOf(&o.cfg.Funcs[i], cut, bound))
	}
	return max(end, 0)
}

// finalOf is final for one function; the first cut rows are below the bound.
func (o *over) finalOf(f *OverFunc, cut, bound int64) int64 {
	if !f.framed() {
		switch {
		case f.Kind != fn.Lead:
			return cut
		case f.IgnoreNulls:
			return o.finalOverNulls(f, cut)
		}
		return cut - f.N
	}
	b := f.Frame.End
	switch {
	case b.Kind != fn.Following:
		return cut
	case f.Frame.Unit == fn.FrameRange:
		if mutant.On("a RANGE that reaches beyond the bound is final") {
			return cut
		}
		return o.part.seek(func(r uint32) bool { return o.limitBelow(r, b, bound) })
	case f.Frame.Unit == fn.FrameSession:
		return o.finalSessions(b, cut, bound)
	case f.Frame.Unit == fn.FrameGroups:
		at := cut
		for k := int64(0); k < b.Offset && at > 0; k++ {
			at = o.part.groupStart(o.part.at(at - 1))
		}
		return at
	}
	if mutant.On("a row is final before the rows ahead of it have come") {
		return cut
	}
	return cut - b.Offset
}

// limitBelow reports rows whose RANGE ends below a bound. A limit out of the type has no end.
func (o *over) limitBelow(row uint32, b OverBound, bound int64) bool {
	if o.isNull(row, o.cfg.Order[0].Col) {
		return o.below(row, bound)
	}
	v := o.value(row, b.Limit)
	return !v.IsNull(0) && v.Int(0) < bound
}

// finalOverNulls counts the rows before the last ones that have as many values behind them.
func (o *over) finalOverNulls(f *OverFunc, cut int64) int64 {
	left := f.N
	for at := cut; at > 0; at-- {
		if left <= 0 {
			return at
		}
		if !o.isNull(o.part.at(at-1), f.Args[0]) {
			left--
		}
	}
	return 0
}

// await notes the bound at which a partition may have more final rows: when a row goes below
// it, or the end of a RANGE does.
func (o *over) await(p uint32) {
	if o.rows.seq(p).empty() {
		return
	}
	o.part.open(o, p)
	part := &o.part
	at := int64(never)
	note := func(row uint32, col int) {
		if v := o.value(row, col); !v.IsNull(0) {
			at = min(at, v.Int(0))
		}
	}
	next := int64(0)
	if o.bound != NoFrontier {
		next = part.seek(func(r uint32) bool { return o.below(r, o.bound) })
	}
	if next < part.n {
		note(part.at(next), o.cfg.Bound)
	}
	for i := range o.cfg.Funcs {
		f := &o.cfg.Funcs[i]
		if next == 0 || !f.framed() || f.Frame.Unit != fn.FrameSession {
			continue
		}
		if v := o.value(part.at(next-1), f.Frame.End.Limit); !v.IsNull(0) {
			at = min(at, v.Int(0)-1)
		}
	}
	if first := o.final(o.bound); first < part.n {
		for i := range o.cfg.Funcs {
			f := &o.cfg.Funcs[i]
			if f.framed() && f.Frame.Unit == fn.FrameRange && f.Frame.End.Kind == fn.Following {
				note(part.at(first), f.Frame.End.Limit)
			}
		}
	}
	switch {
	case at != never:
		o.lookAgain(p, at)
	case int(p) < len(o.until):
		o.until[p] = never
	}
}
