package stateful

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// overEmitter finds the difference of two lists of rows with values, and emits it.
type overEmitter struct {
	o     *over
	build []*vec.Builder // of the output
	cols  []*vec.Vector
	rows  []uint32
	w     []int64

	come, gone []int32 // places in the lists
	a, b       []int32
}

func newOverEmitter(o *over) overEmitter {
	e := overEmitter{o: o}
	for _, t := range o.cfg.Types[:o.cfg.Visible] {
		e.build = append(e.build, vec.NewBuilder(t))
	}
	for _, f := range o.cfg.Funcs {
		e.build = append(e.build, vec.NewBuilder(f.Result))
	}
	e.cols = make([]*vec.Vector, len(e.build))
	return e
}

// difference emits what is in one list and not in the other. Both are in the order of the
// partition.
func (e *overEmitter) difference(then, now *overRows, out Emit) error {
	e.come, e.gone = e.come[:0], e.gone[:0]
	i, j := 0, 0
	for i < len(then.rows) || j < len(now.rows) {
		a, b := runEnd(then.rows, i), runEnd(now.rows, j)
		switch {
		case j == len(now.rows) || i < len(then.rows) && e.o.rows.compareRows(then.rows[i], now.rows[j]) < 0:
			e.gone, i = appendRange(e.gone, i, a), a
		case i == len(then.rows) || then.rows[i] != now.rows[j]:
			e.come, j = appendRange(e.come, j, b), b
		default:
			e.copies(then, now, extent{int64(i), int64(a)}, extent{int64(j), int64(b)})
			i, j = a, b
		}
	}
	if err := e.emit(then, e.gone, -1, out); err != nil {
		return err
	}
	return e.emit(now, e.come, 1, out)
}

// runEnd is where the copies of the row at i end.
func runEnd(rows []uint32, i int) int {
	j := i
	for j < len(rows) && rows[j] == rows[i] {
		j++
	}
	return j
}

func appendRange(list []int32, from, to int) []int32 {
	for ; from < to; from++ {
		list = append(list, int32(from))
	}
	return list
}

// copies compares the values of the copies of a row, as multisets.
func (e *overEmitter) copies(then, now *overRows, old, new extent) {
	if old.to-old.from == 1 && new.to-new.from == 1 {
		if mutant.On("touched rows are emitted even if nothing changes") || e.compare(then, int32(old.from), now, int32(new.from)) != 0 {
			e.gone, e.come = append(e.gone, int32(old.from)), append(e.come, int32(new.from))
		}
		return
	}
	e.a, e.b = appendRange(e.a[:0], int(old.from), int(old.to)), appendRange(e.b[:0], int(new.from), int(new.to))
	slices.SortStableFunc(e.a, func(x, y int32) int { return e.compare(then, x, then, y) })
	slices.SortStableFunc(e.b, func(x, y int32) int { return e.compare(now, x, now, y) })
	i, j := 0, 0
	for i < len(e.a) || j < len(e.b) {
		c := 0
		switch {
		case i == len(e.a):
			c = 1
		case j == len(e.b):
			c = -1
		default:
			c = e.compare(then, e.a[i], now, e.b[j])
		}
		if c < 0 {
			e.gone = append(e.gone, e.a[i])
		}
		if c > 0 {
			e.come = append(e.come, e.b[j])
		}
		if c <= 0 {
			i++
		}
		if c >= 0 {
			j++
		}
	}
}

// compare orders rows by their values.
func (e *overEmitter) compare(a *overRows, i int32, b *overRows, j int32) int {
	for k := range a.vals {
		if c := vec.Compare(a.vals[k], int(i), b.vals[k], int(j)); c != 0 {
			return c
		}
	}
	return 0
}

// emit collects rows for a batch, and sends those that are full.
func (e *overEmitter) emit(from *overRows, places []int32, w int64, out Emit) error {
	for len(places) > 0 {
		n := min(len(places), vec.BatchSize-len(e.rows))
		for _, at := range places[:n] {
			e.rows, e.w = append(e.rows, from.rows[at]), append(e.w, w)
		}
		for k, v := range from.vals {
			e.build[e.o.cfg.Visible+k].AppendRows(v, places[:n])
		}
		places = places[n:]
		if len(e.rows) == vec.BatchSize {
			if err := e.flush(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush emits what has been collected.
func (e *overEmitter) flush(out Emit) error {
	if len(e.rows) == 0 {
		return nil
	}
	for c, b := range e.build {
		if c < e.o.cfg.Visible {
			e.o.rows.column(e.rows, c, b)
		}
		e.cols[c] = b.Finish()
	}
	err := out(&vec.Batch{Cols: e.cols, N: len(e.rows), W: e.w})
	for _, b := range e.build {
		b.Reset()
	}
	e.rows, e.w = e.rows[:0], e.w[:0]
	return err
}
