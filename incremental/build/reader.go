package build

import (
	"context"
	"fmt"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/incremental/stateful"
)

// reader takes the splits of one scan on one worker: it computes the scan's columns,
// moves the watermark, keeps the ledger and sends the rows on.
type reader struct {
	w         *worker
	scan      *Scan
	run       *run
	turns     *turns // nil = rows go on in any order
	split     int64
	bad       []badRow
	ledger    Ledger
	watermark int64 // of the split under way
	times     Times
	// watermarks are those of the splits before, by partition, "" for a scan that has none.
	watermarks map[string]int64
	fates      vec.Fates
	cols       []*vec.Vector
	kept       []int32
}

func newReader(w *worker, s *Scan, r *run, q *turns) *reader {
	return &reader{w: w, scan: s, run: r, turns: q, watermarks: map[string]int64{}}
}

// badRow is a refused row and the split that it came with.
type badRow struct {
	split int64
	row   source.BadRow
}

// seqStride separates the arrival numbers of splits.
const seqStride = 1 << 40

func (p *reader) read(ctx context.Context, s source.Split, index int64) error {
	p.w.seq, p.split, p.watermark = index*seqStride, index, stateful.NoFrontier
	defer p.reached(p.scan.partition(s))
	defer p.w.watch.to(p.w.watch.to(p.scan.node.index))
	if p.turns != nil {
		p.w.lane = p.turns.open(index)
		defer func() { p.w.lane = nil }()
	}
	undecoded := func(b source.BadRow) {
		p.ledger.Input++
		p.refuse(b)
	}
	err := s.Read(ctx, source.Reading{Need: p.scan.Plan.Need, Ranges: p.ranges(), Skipped: p.skipped, Extent: p.extent(), Bad: undecoded}, func(b *vec.Batch) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.turns != nil {
			if err := p.waitTurn(ctx); err != nil {
				return err
			}
		}
		return p.batch(b)
	})
	if err != nil || p.turns == nil {
		return err
	}
	defer p.w.watch.to(p.w.watch.to(nowhere))
	return p.turns.finish(p.w, p.w.lane)
}

// waitTurn waits until rows of the split may be held or go on.
func (p *reader) waitTurn(ctx context.Context) error {
	defer p.w.watch.to(p.w.watch.to(nowhere))
	return p.turns.enter(ctx, p.w, p.w.lane)
}

// reached notes how far the rows of a split have moved the time of their partition.
func (p *reader) reached(partition string) {
	if w, ok := p.watermarks[partition]; !ok || w < p.watermark {
		p.watermarks[partition] = p.watermark
	}
}

// ranges are those of the plan, over the columns of the source.
func (p *reader) ranges() []source.Bounds {
	out := make([]source.Bounds, len(p.scan.Plan.Ranges))
	for i, r := range p.scan.Plan.Ranges {
		out[i] = source.Bounds{Col: p.scan.Plan.Need[r.Col], Min: r.Min, Max: r.Max}
	}
	return out
}

// extent asks for the event times of rows that are not read.
func (p *reader) extent() *source.Extent {
	wm := p.scan.Plan.Watermark
	if wm == nil || !wm.ByExtent {
		return nil
	}
	return &source.Extent{At: wm.Col, Unread: wm.Unread, Known: func(least, greatest, count int64) {
		if greatest == types.InfiniteMicros {
			return // which of the others is the greatest is not known
		}
		if !mutant.On("event times that are not read move no watermark") {
			p.reach(Times{Count: count, Min: least, Max: greatest, unsummed: true})
		}
	}}
}

// reach moves the watermark by the event times of some rows.
func (p *reader) reach(t Times) {
	if t.Count > 0 {
		p.times.Add(t)
		p.watermark = max(p.watermark, before(t.Max, p.scan.Plan.Watermark.Delay))
	}
}

// skipped enters rows that no filter above would let pass, and that were not read.
func (p *reader) skipped(rows int64) {
	p.ledger.Input += rows
	p.ledger.Filtered += rows
	p.w.seq += rows
}

// batch takes one batch of the source through the scan and on.
func (p *reader) batch(in *vec.Batch) error {
	rows := int64(in.Rows())
	if rows == 0 {
		return nil
	}
	p.run.seat.beat()
	m := p.w.ctx.Mark()
	defer p.w.ctx.Release(m)
	b := vec.Batch{Cols: append(p.cols[:0], in.Cols...), N: in.N, Sel: in.Sel, W: in.W}
	p.ledger.Input += rows
	for _, e := range p.scan.Plan.Computed {
		v, err := e.Eval(p.w.ctx, &b)
		if err != nil {
			b.Fates = &p.fates // rows are those of the source
			return fmt.Errorf("computed column: %w", expr.Locate(expr.Blame(err, e, &b), in.Place))
		}
		b.Cols = append(b.Cols, v)
	}
	p.cols = b.Cols[:0]
	if err := p.cutNulls(&b); err != nil {
		return err
	}
	if err := p.time(&b); err != nil {
		return err
	}
	later := p.turns != nil && p.turns.operators && p.w.waits()
	p.openFates(&b, later)
	if err := p.w.deliver(p.scan.node, &b); err != nil {
		return expr.Locate(err, in.Place)
	}
	if later {
		p.w.lane.end(b.Fates, int64(b.Rows()))
	} else {
		p.ledger.count(b.Fates, int64(b.Rows()))
	}
	p.w.seq += int64(in.N)
	return nil
}

// openFates gives a batch the place where the fates of its rows are noted: one of its
// own if they are decided later.
func (p *reader) openFates(b *vec.Batch, later bool) {
	if later {
		b.Fates = &vec.Fates{Of: make([]vec.Fate, b.N)}
		return
	}
	if cap(p.fates.Of) < b.N {
		p.fates.Of = make([]vec.Fate, max(b.N, vec.BatchSize))
	}
	p.fates.Of = p.fates.Of[:b.N]
	clear(p.fates.Of)
	p.fates.Partial = 0
	b.Fates = &p.fates
}

// count enters the rows of a batch of a scan.
func (l *Ledger) count(fates *vec.Fates, rows int64) {
	var of [3]int64
	for _, f := range fates.Of {
		of[f]++
	}
	l.Contributed += of[vec.Contributed]
	l.Late += of[vec.Late]
	l.Filtered += rows - of[vec.Contributed] - of[vec.Late]
	l.Partial += fates.Partial
}

// time moves the watermark by the rows of a batch, and takes out those that are too
// far ahead.
func (p *reader) time(b *vec.Batch) error {
	wm := p.scan.Plan.Watermark
	if wm == nil || p.scan.Plan.Finite {
		return nil
	}
	if p.scan.Plan.MaxAhead > 0 {
		p.cutAhead(b, b.Cols[wm.Col], p.w.ctx.Now+p.scan.Plan.MaxAhead)
	}
	sel := b.Sel
	if wm.Where != nil {
		kept, err := expr.Filter(p.w.ctx, wm.Where, b)
		if err != nil {
			return err
		}
		sel = kept
	}
	t := timesOf(b.Cols[wm.Col], b.N, sel)
	if t.Count > 0 && (t.Max == types.InfiniteMicros || t.Min == types.MinusInfiniteMicros) {
		t = finiteTimes(b.Cols[wm.Col], b.N, sel)
	}
	p.reach(t)
	return nil
}

// finiteTimes is timesOf without infinite times: they say nothing of how far the others are.
func finiteTimes(v *vec.Vector, n int, sel []int32) (t Times) {
	rows := vec.Batch{N: n, Sel: sel}
	rows.Each(func(r int) {
		if v.IsNull(r) {
			return
		}
		if x := v.Int(r); x != types.InfiniteMicros && x != types.MinusInfiniteMicros {
			t.add(x)
		}
	})
	return t
}

// before is the watermark for a greatest event time: the time minus the delay.
func before(top int64, d types.IntervalValue) int64 {
	d, _ = d.Neg()
	t, ok := d.AddToTimestamp(top, time.UTC)
	if !ok {
		return stateful.NoFrontier
	}
	return t
}

func timesOf(v *vec.Vector, n int, sel []int32) (t Times) {
	switch {
	case v.Const && v.IsNull(0):
	case sel != nil:
		for _, r := range sel {
			if !v.IsNull(int(r)) {
				t.add(v.Int(int(r)))
			}
		}
	case v.Valid == nil && v.Dict == nil && !v.Const && n > 0:
		t = denseTimes(v.I64[:n])
	default:
		for r := range n {
			if !v.IsNull(r) {
				t.add(v.Int(r))
			}
		}
	}
	return t
}

// denseTimes is timesOf without NULLs: it runs over every row of the input.
func denseTimes(us []int64) Times {
	t := Times{Count: int64(len(us)), Min: us[0], Max: us[0], base: us[0]}
	for _, x := range us {
		t.Min, t.Max = min(t.Min, x), max(t.Max, x)
		t.sum += x - t.base
	}
	return t
}
