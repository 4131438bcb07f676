package stateful

import (
	"github.com/sqlstream/sqlstream/exec/fn"
)

// overTree holds partial aggregates of what is below the nodes of sequences, by number.
// They are made when a frame covers a node, and dropped when a row below it changes.
type overTree struct {
	o    *over
	n    uint32   // numbers given out
	free []uint32 // of them

	aggs []*overAgg // the functions that have partial aggregates
	runs []groupRun
	sums []bool // the accumulators have the node's rows
}

// groupRun is what dense_rank needs of a node: how many groups of peers, and the last row.
type groupRun struct {
	groups int64
	last   uint32
}

// recycle takes the numbers of nodes that have changed.
func (t *overTree) recycle() {
	s := &t.o.rows.seqs
	for _, g := range s.spoiled {
		for _, a := range t.aggs {
			if a.nodes != nil {
				a.nodes.Reset(g)
			}
		}
		t.runs[g], t.sums[g] = groupRun{}, false
		t.free = append(t.free, g)
	}
	s.spoiled = trim(s.spoiled)
}

// number gives a child of a node its number.
func (t *overTree) number(nd *innerNode, i int) uint32 {
	if nd.agg[i] == 0 {
		g := t.n
		if k := len(t.free); k > 0 {
			g, t.free = t.free[k-1], t.free[:k-1]
		} else {
			t.n++
		}
		t.runs, t.sums = growZero(t.runs, int(t.n)), growZero(t.sums, int(t.n))
		nd.agg[i] = g + 1
	}
	return nd.agg[i] - 1
}

func (t *overTree) reset() {
	for _, a := range t.aggs {
		a.nodes = nil
	}
	*t = overTree{o: t.o}
}

func (t *overTree) bytes() int64 {
	n := int64(4*cap(t.free) + 16*cap(t.runs) + cap(t.sums))
	for _, a := range t.aggs {
		if a.nodes != nil {
			n += a.nodes.Bytes()
		}
	}
	return n
}

// groupsBefore counts the groups of peers before a position at which one begins.
func (t *overTree) groupsBefore(q *sequence, pos int64) int64 {
	var run groupRun
	s := &t.o.rows.seqs
	if q.depth == 0 {
		t.countRows(s.leaf(q), pos, &run)
	} else {
		t.countBelow(q.root, q.depth, pos, &run)
	}
	return run.groups
}

// countBelow adds the groups before a position below an inner node.
func (t *overTree) countBelow(at uint32, level uint8, pos int64, run *groupRun) {
	s := &t.o.rows.seqs
	for i := 0; pos > 0 && i < s.inner[at].n; i++ {
		w := s.inner[at].weight[i]
		kid := s.inner[at].kid[i]
		switch {
		case pos >= w:
			t.join(run, s.inner[at].first[i], t.run(at, level, i))
		case level == 1:
			t.countRows(s.rowsAt(kid, int(s.inner[at].rows[i]), blockMax), pos, run)
		default:
			t.countBelow(kid, level-1, pos, run)
		}
		pos -= w
	}
}

func (t *overTree) countRows(rows []uint32, pos int64, run *groupRun) {
	for _, r := range rows {
		if pos <= 0 {
			return
		}
		t.join(run, r, groupRun{1, r})
		pos -= t.o.rows.weight(r)
	}
}

// join puts a run of rows that begins with first behind another.
func (t *overTree) join(run *groupRun, first uint32, next groupRun) {
	if run.groups > 0 && t.o.rows.peers(run.last, first) {
		run.groups--
	}
	run.groups += next.groups
	run.last = next.last
}

// run is that of a child of an inner node.
func (t *overTree) run(at uint32, level uint8, i int) groupRun {
	s := &t.o.rows.seqs
	g := t.number(&s.inner[at], i)
	if t.runs[g].groups > 0 {
		return t.runs[g]
	}
	kid, rows := s.inner[at].kid[i], int(s.inner[at].rows[i])
	var run groupRun
	if level == 1 {
		t.countRows(s.rowsAt(kid, rows, blockMax), 1<<62, &run)
	} else {
		for k := range s.inner[kid].n {
			t.join(&run, s.inner[kid].first[k], t.run(kid, level-1, k))
		}
	}
	t.runs[g] = run
	return run
}

// sum makes the partial aggregates of a child of an inner node.
func (t *overTree) sum(at uint32, level uint8, i int) (uint32, error) {
	s := &t.o.rows.seqs
	g := t.number(&s.inner[at], i)
	if t.sums[g] {
		return g, nil
	}
	for _, a := range t.aggs {
		a.growNodes(int(t.n))
	}
	kid, rows := s.inner[at].kid[i], int(s.inner[at].rows[i])
	if level == 1 {
		for _, a := range t.aggs {
			list := s.rowsAt(kid, rows, blockMax)
			if err := a.addRows(a.nodes, g, list, nil); err != nil {
				return 0, err
			}
		}
	} else {
		for k := range s.inner[kid].n {
			from, err := t.sum(kid, level-1, k)
			if err != nil {
				return 0, err
			}
			for _, a := range t.aggs {
				if err := a.merge(a.nodes, a.nodes, from, g); err != nil {
					return 0, err
				}
			}
		}
	}
	t.sums[g] = true
	return g, nil
}

// add adds the rows at positions of a sequence to group 0 of an accumulator.
func (t *overTree) add(a *overAgg, q *sequence, w extent, into fn.Accumulator) error {
	s := &t.o.rows.seqs
	if q.depth == 0 {
		return a.addPart(into, s.leaf(q), w.from, w.to)
	}
	return t.addBelow(a, q.root, q.depth, w, into)
}

func (t *overTree) addBelow(a *overAgg, at uint32, level uint8, w extent, into fn.Accumulator) error {
	s := &t.o.rows.seqs
	for i := 0; w.to > 0 && i < s.inner[at].n; i++ {
		weight, kid := s.inner[at].weight[i], s.inner[at].kid[i]
		var err error
		switch {
		case w.from >= weight:
		case w.from <= 0 && w.to >= weight:
			var g uint32
			if g, err = t.sum(at, level, i); err == nil {
				err = a.merge(into, a.nodes, g, 0)
			}
		case level == 1:
			err = a.addPart(into, s.rowsAt(kid, int(s.inner[at].rows[i]), blockMax), w.from, w.to)
		default:
			err = t.addBelow(a, kid, level-1, w, into)
		}
		if err != nil {
			return err
		}
		w.from, w.to = w.from-weight, w.to-weight
	}
	return nil
}
