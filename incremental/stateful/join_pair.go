package stateful

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// pairSet are pairs under way: stored rows of both inputs, or rows of a batch of one input
// with stored rows of the other.
type pairSet struct {
	batch *vec.Batch // of input own; nil = both are stored
	own   int
	rows  []int32     // of batch
	at    []int32     // which of the batch's rows on time
	slots [2][]uint32 // of stored rows
	marks []mark      // truth of the comparison, for IN
	w     []int64     // weights, once they are tested; empty = 1
}

func (p *pairSet) len() int { return max(len(p.slots[0]), len(p.slots[1])) }

func (p *pairSet) clear() {
	p.rows, p.at, p.marks, p.w = p.rows[:0], p.at[:0], p.marks[:0], p.w[:0]
	p.slots[0], p.slots[1] = p.slots[0][:0], p.slots[1][:0]
}

// keep retains the pairs at the given places, ascending.
func (p *pairSet) keep(places []int32) {
	if len(places) == p.len() {
		return
	}
	p.rows, p.at = pickAt(p.rows, places), pickAt(p.at, places)
	p.slots[0], p.slots[1] = pickAt(p.slots[0], places), pickAt(p.slots[1], places)
	p.marks = pickAt(p.marks, places)
}

func pickAt[T any](s []T, places []int32) []T {
	if len(s) == 0 {
		return s
	}
	for i, at := range places {
		s[i] = s[at]
	}
	return s[:len(places)]
}

// column gives one column of an input for the pairs; out's memory may be used.
func (j *join) column(p *pairSet, port, column int, out *vec.Vector) *vec.Vector {
	if p.batch != nil && p.own == port {
		return vec.Gather(p.batch.Cols[column], p.rows)
	}
	s := j.sides[port]
	s.store.gather(s.stored[column], p.slots[port], out)
	return out
}

// residual evaluates the rest of the condition over pairs.
type residual struct {
	node  expr.Node
	cols  [][2]int // input and column, of those that it reads
	bufs  []*vec.Vector
	batch vec.Batch
	sel   []int32
}

func newResidual(j *join) *residual {
	if j.cfg.Residual == nil {
		return nil
	}
	r := &residual{node: j.cfg.Residual}
	left := len(j.cfg.Types[0])
	r.batch.Cols = make([]*vec.Vector, left+len(j.cfg.Types[1]))
	for port, ts := range j.cfg.Types {
		for i, t := range ts {
			r.batch.Cols[port*left+i] = vec.Nulls(t, 1) // stands for what is not read
		}
	}
	for _, c := range expr.ColumnsOf(r.node) {
		if c < left {
			r.cols = append(r.cols, [2]int{0, c})
		} else {
			r.cols = append(r.cols, [2]int{1, c - left})
		}
		r.bufs = append(r.bufs, &vec.Vector{})
	}
	return r
}

func readsColumn(n expr.Node, column int) bool {
	return n != nil && slices.Contains(expr.ColumnsOf(n), column)
}

// test keeps the pairs for which the residual is true.
func (j *join) test(c *fn.Ctx, p *pairSet) error {
	r := j.residual
	if r == nil || p.len() == 0 {
		return nil
	}
	mark := c.Mark()
	defer c.Release(mark)
	r.batch.N = p.len()
	for _, v := range r.batch.Cols {
		v.N = r.batch.N
	}
	for i, at := range r.cols {
		r.batch.Cols[at[0]*len(j.cfg.Types[0])+at[1]] = j.column(p, at[0], at[1], r.bufs[i])
	}
	v, err := r.node.Eval(c, &r.batch)
	if err != nil {
		return expr.Blame(err, r.node, &r.batch)
	}
	r.sel = r.sel[:0]
	for i := range p.len() {
		if v.IsTrue(i) {
			r.sel = append(r.sel, int32(i))
		}
	}
	p.keep(r.sel)
	return nil
}

// joinOutput makes the batches that a join emits; their memory is used again.
type joinOutput struct {
	bufs  [2][]*vec.Vector
	batch vec.Batch
	// Rows of one input under way: without a match, or of a semi, anti or mark join.
	slots []uint32
	w     []int64
	marks []mark
}

// mark is the truth of a match.
type mark uint8

const (
	isFalse mark = iota
	isUnknown
	isTrue
)

func newJoinOutput(j *join) joinOutput {
	var o joinOutput
	for port, ts := range j.cfg.Types {
		for range ts {
			o.bufs[port] = append(o.bufs[port], &vec.Vector{})
		}
	}
	return o
}

// emitPairs emits all pairs.
func (j *join) emitPairs(p *pairSet, out Emit) error {
	n := p.len()
	if n == 0 {
		return nil
	}
	b := &j.output.batch
	*b = vec.Batch{Cols: b.Cols[:0], N: n}
	for port, ts := range j.cfg.Types {
		for c := range ts {
			b.Cols = append(b.Cols, j.column(p, port, c, j.output.bufs[port][c]))
		}
	}
	if len(p.w) > 0 {
		b.W = p.w
	}
	return out(b)
}

// show adds a row of an input with weight w to the output.
func (j *join) show(s *joinSide, slot uint32, w int64, m mark, out Emit) error {
	if w == 0 {
		return nil
	}
	o := &j.output
	o.slots, o.w, o.marks = append(o.slots, slot), append(o.w, w), append(o.marks, m)
	if len(o.slots) < vec.BatchSize {
		return nil
	}
	return j.shown(s, out)
}

// shown emits the rows that show was given.
func (j *join) shown(s *joinSide, out Emit) error {
	o := &j.output
	n := len(o.slots)
	if n == 0 {
		return nil
	}
	b := &o.batch
	*b = vec.Batch{Cols: b.Cols[:0], N: n, W: o.w}
	for port, ts := range j.cfg.Types {
		if port == 1 && j.cfg.Kind.exists() {
			break
		}
		for c, t := range ts {
			if port != s.port {
				b.Cols = append(b.Cols, vec.Nulls(t, n))
				continue
			}
			s.store.gather(s.stored[c], o.slots, o.bufs[port][c])
			b.Cols = append(b.Cols, o.bufs[port][c])
		}
	}
	if j.cfg.Kind == MarkJoin {
		b.Cols = append(b.Cols, markColumn(o.marks))
	}
	if allOnes(b.W) {
		b.W = nil
	}
	err := out(b)
	o.slots, o.w, o.marks = o.slots[:0], o.w[:0], o.marks[:0]
	return err
}

func allOnes(w []int64) bool {
	for _, x := range w {
		if x != 1 {
			return false
		}
	}
	return true
}

func markColumn(marks []mark) *vec.Vector {
	v := &vec.Vector{Type: types.Of(types.Bool), N: len(marks), Bool: make([]uint8, len(marks))}
	for i, m := range marks {
		switch {
		case m == isTrue || m == isUnknown && mutant.On("an unknown mark is true"):
			v.Bool[i] = 1
		case m == isUnknown:
			v.SetNull(i)
		}
	}
	return v
}
