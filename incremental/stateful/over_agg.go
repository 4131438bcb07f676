package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// overAgg computes an aggregate over frames. What can be merged cheaply is put together
// from the partial aggregates of the tree; what holds many values (DISTINCT, median, lists)
// follows the frame from row to row, adding and taking away.
type overAgg struct {
	o    *over
	f    *OverFunc
	spec boundSpec
	// merges: partial aggregates are kept by the tree.
	merges bool
	// slides: rows can be taken away again. The lists follow the order of the rows, and
	// are made anew where a frame starts elsewhere.
	slides bool

	nodes fn.Accumulator // by number of the tree
	frame fn.Accumulator // of the frame under way, group 0
	at    extent         // what it holds; nothing: from = to
	seq   int64          // arrival numbers for lists

	start, end []int64
	pieces     []extent
	build      []*vec.Builder
	args       []*vec.Vector
	sel        []int32
	w          []int64
	rows       []uint32
	groups     []uint32
	from, to   [1]uint32
}

func newOverAgg(o *over, f *OverFunc) *overAgg {
	a := &overAgg{o: o, f: f, spec: bindSpec(*f.Agg)}
	lists := f.Agg.Ordered || len(f.Agg.OrderBy) > 0
	if !lists && !f.Agg.Distinct {
		_, many := a.spec.impl.New(false).(fn.EntryAccumulator)
		a.merges = !many
	}
	a.slides = !a.merges && !lists
	a.frame = a.spec.impl.New(a.slides)
	a.frame.Grow(1)
	for _, c := range a.columns() {
		a.build = append(a.build, vec.NewBuilder(o.cfg.Types[c]))
	}
	a.args = make([]*vec.Vector, len(a.build))
	if a.merges {
		o.tree.aggs = append(o.tree.aggs, a)
	}
	return a
}

// columns are the arguments, then the filter.
func (a *overAgg) columns() []int {
	out := append([]int(nil), a.spec.args...)
	if a.spec.filter >= 0 {
		out = append(out, a.spec.filter)
	}
	return out
}

func (a *overAgg) growNodes(n int) {
	if a.nodes == nil {
		a.nodes = a.spec.impl.New(false)
	}
	a.nodes.Grow(n)
}

func (a *overAgg) merge(into, src fn.Accumulator, from, to uint32) error {
	a.from[0], a.to[0] = from, to
	return into.Merge(src, a.from[:], a.to[:])
}

func (a *overAgg) values(p *overPart, out *vec.Builder) error {
	f := &a.f.Frame
	a.start = p.bounds(f.Unit, f.Start, false, a.start)
	a.end = p.bounds(f.Unit, f.End, true, a.end)
	a.clear()
	for i := range p.row {
		if err := a.value(p, i, out); err != nil {
			return err
		}
	}
	a.clear()
	drain([]fn.Accumulator{a.frame})
	return nil
}

func (a *overAgg) clear() {
	a.frame.Reset(0)
	a.at, a.seq = extent{}, 0
}

var group0 = [1]uint32{0}

// value appends the aggregate of one row's frame.
func (a *overAgg) value(p *overPart, i int, out *vec.Builder) error {
	x := a.f.Frame.Exclude
	if mutant.On("frames exclude nothing") {
		x = fn.ExcludeNothing
	}
	a.pieces = p.pieces(x, i, a.start[i], a.end[i], a.pieces)
	if x == fn.ExcludeNothing && len(a.pieces) == 1 {
		if err := a.moveTo(p, a.pieces[0]); err != nil {
			return err
		}
		return a.result(out)
	}
	a.clear()
	for _, w := range a.pieces {
		if err := a.add(p, w, 1); err != nil {
			return err
		}
	}
	err := a.result(out)
	a.clear()
	return err
}

// result appends what the accumulator of the frame holds.
func (a *overAgg) result(out *vec.Builder) error {
	return a.f.Agg.blame(values(a.o.ctx, a.frame, group0[:], out))
}

// moveTo makes the accumulator hold a frame, from the frame before where that is near.
func (a *overAgg) moveTo(p *overPart, w extent) error {
	switch {
	case a.at == w:
		return nil
	case a.at.from == w.from && a.at.to <= w.to && a.at.to > a.at.from:
		if err := a.add(p, extent{a.at.to, w.to}, 1); err != nil {
			return err
		}
	case a.slides && a.at.from <= w.from && w.from < a.at.to && a.at.to <= w.to:
		if err := a.add(p, extent{a.at.from, w.from}, -1); err != nil {
			return err
		}
		if err := a.add(p, extent{a.at.to, w.to}, 1); err != nil {
			return err
		}
	default:
		a.clear()
		if err := a.add(p, w, 1); err != nil {
			return err
		}
	}
	a.at = w
	return nil
}

// add adds the rows at positions, or takes them away.
func (a *overAgg) add(p *overPart, w extent, sign int64) error {
	if w.from >= w.to {
		return nil
	}
	if a.merges && w.to-w.from > blockMax {
		return a.o.tree.add(a, p.q, w, a.frame)
	}
	a.rows, a.w = a.rows[:0], a.w[:0]
	if i := w.from - p.from; i >= 0 && w.to-p.from <= int64(len(p.row)) { // within the stretch
		a.rows = append(a.rows, p.row[i:w.to-p.from]...)
		for range a.rows {
			a.w = append(a.w, sign)
		}
		return a.addRows(a.frame, 0, a.rows, a.w)
	}
	skip := a.o.rows.seqs.at(p.q, &p.cur, w.from)
	for at := w.from; at < w.to; p.cur.next() {
		n := min(a.o.rows.weight(p.cur.row())-skip, w.to-at)
		a.rows, a.w = append(a.rows, p.cur.row()), append(a.w, n*sign)
		at, skip = at+n, 0
	}
	return a.addRows(a.frame, 0, a.rows, a.w)
}

// addPart adds the copies between two positions of a list of rows.
func (a *overAgg) addPart(into fn.Accumulator, rows []uint32, from, to int64) error {
	a.rows, a.w = a.rows[:0], a.w[:0]
	at := int64(0)
	for _, r := range rows {
		n := a.o.rows.weight(r)
		if part := min(at+n, to) - max(at, from); part > 0 {
			a.rows, a.w = append(a.rows, r), append(a.w, part)
		}
		at += n
	}
	return a.addRows(into, 0, a.rows, a.w)
}

// addRows adds rows with weights to a group; nil = their weight in the partition.
func (a *overAgg) addRows(into fn.Accumulator, g uint32, rows []uint32, w []int64) error {
	if w == nil {
		w = a.w[:0]
		for _, r := range rows {
			w = append(w, a.o.rows.weight(r))
		}
		a.w = w
	}
	for i, c := range a.columns() {
		a.build[i].Reset()
		a.o.rows.column(rows, c, a.build[i])
		a.args[i] = a.build[i].Finish()
	}
	args := a.args[:len(a.spec.args)]
	a.sel = a.sel[:0]
	for i := range rows {
		if a.spec.filter < 0 || a.args[len(args)].IsTrue(i) {
			a.sel = append(a.sel, int32(i))
		}
	}
	a.groups = growZero(a.groups, len(a.sel))[:len(a.sel)]
	for i := range a.groups {
		a.groups[i] = g
	}
	add := fn.AggRows{Args: args, Sel: a.sel, W: w, Groups: a.groups, Seq: a.seq}
	a.seq += int64(len(rows))
	return into.Add(add)
}
