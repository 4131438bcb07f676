package stateful

import (
	"cmp"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// topEntry is a row among the first ones of its partition.
type topEntry struct {
	row    uint32
	rank   int64 // 0 if it is not carried
	copies int64
}

// topSpan is what the output had of a partition before the trigger: a stretch of
// topWindows.old.
type topSpan struct {
	p        uint32
	from, to int
}

// topSource is where the rows of a TopN are kept: all of them, or the first ones.
type topSource interface {
	seq(p uint32) *sequence
	// compareRows is 0 for equal rows.
	compareRows(a, b uint32) int
	peers(a, b uint32) bool
	columns(rows []uint32) []*vec.Vector
	exists(p uint32) bool
}

// topWindows reads the first rows of partitions, and finds what changed among them.
type topWindows struct {
	cfg  *TopNConfig
	end  int64
	src  topSource
	seqs *sequences

	old        []topEntry
	spans      []topSpan
	now        []topEntry
	gone, come []topEntry

	rows  []uint32
	ranks []int64
	w     []int64
}

// remember notes what the output has of a partition that is about to change.
func (t *topWindows) remember(p uint32) {
	from := len(t.old)
	if !t.cfg.EmitOnClose {
		t.old = t.window(p, t.old)
	}
	t.spans = append(t.spans, topSpan{p, from, len(t.old)})
}

// window appends the first rows of a partition.
func (t *topWindows) window(p uint32, dst []topEntry) []topEntry {
	if t.cfg.Ranking == ByPosition {
		return t.positions(p, dst)
	}
	return t.rankings(p, dst)
}

func (t *topWindows) positions(p uint32, dst []topEntry) []topEntry {
	var c cursor
	skip := t.seqs.at(t.src.seq(p), &c, t.cfg.Offset)
	for pos := t.cfg.Offset; c.valid() && pos < t.end; c.next() {
		if mutant.On("the offset leaves all copies of a row out or none") {
			skip = 0
		}
		n := min(t.seqs.weight[c.row()]-skip, t.end-pos)
		skip = 0
		if !t.cfg.Carry {
			dst = append(dst, topEntry{row: c.row(), copies: n})
			pos += n
			continue
		}
		for range n {
			pos++
			dst = append(dst, topEntry{row: c.row(), rank: pos, copies: 1})
		}
	}
	return dst
}

func (t *topWindows) rankings(p uint32, dst []topEntry) []topEntry {
	var c cursor
	pos, group, rank := int64(0), int64(0), int64(0)
	before := uint32(0)
	for t.seqs.first(t.src.seq(p), &c); c.valid(); c.next() {
		row := c.row()
		if pos == 0 || !t.src.peers(before, row) || mutant.On("dense_rank counts rows") && t.cfg.Ranking == ByGroup {
			group++
			if rank = pos + 1; t.cfg.Ranking == ByGroup {
				rank = group
			}
			if rank > t.end {
				break
			}
		} else if pos >= t.end && mutant.On("ties of the last row are left out") {
			break
		}
		n := t.seqs.weight[row]
		e := topEntry{row: row, copies: n - min(n, max(0, t.cfg.Offset-pos))}
		if t.cfg.Carry {
			e.rank = rank
		}
		if e.copies > 0 {
			dst = append(dst, e)
		}
		pos += n
		before = row
	}
	return dst
}

// diff finds what changed in the partitions that were remembered.
func (t *topWindows) diff() {
	t.gone, t.come = t.gone[:0], t.come[:0]
	for _, s := range t.spans {
		t.now = t.window(s.p, t.now[:0])
		t.compare(t.old[s.from:s.to], t.now)
	}
}

// compare merges two windows of a partition, both in its order.
func (t *topWindows) compare(old, now []topEntry) {
	i, j := 0, 0
	for i < len(old) && j < len(now) {
		c := 0
		if old[i].row != now[j].row {
			c = t.src.compareRows(old[i].row, now[j].row)
		}
		if c == 0 && !mutant.On("a changed rank is not emitted") {
			c = cmp.Compare(old[i].rank, now[j].rank)
		}
		switch {
		case c < 0:
			t.gone = append(t.gone, old[i])
			i++
		case c > 0:
			t.come = append(t.come, now[j])
			j++
		default:
			t.weigh(old[i], now[j])
			i++
			j++
		}
	}
	t.gone, t.come = append(t.gone, old[i:]...), append(t.come, now[j:]...)
}

// weigh notes that there are more or fewer copies of an entry.
func (t *topWindows) weigh(old, now topEntry) {
	switch d := now.copies - old.copies; {
	case d < 0:
		old.copies = -d
		t.gone = append(t.gone, old)
	case d > 0:
		now.copies = d
		t.come = append(t.come, now)
	}
}

// forget ends the trigger.
func (t *topWindows) forget() {
	t.old, t.spans, t.gone, t.come = trim(t.old), trim(t.spans), trim(t.gone), trim(t.come)
}

// emit emits entries with their copies as weights, negative with sign −1.
func (t *topWindows) emit(list []topEntry, sign int64, out Emit) error {
	for from := 0; from < len(list); from += vec.BatchSize {
		chunk := list[from:min(from+vec.BatchSize, len(list))]
		t.rows, t.ranks, t.w = t.rows[:0], t.ranks[:0], t.w[:0]
		single := sign > 0
		for _, e := range chunk {
			t.rows, t.ranks, t.w = append(t.rows, e.row), append(t.ranks, e.rank), append(t.w, sign*e.copies)
			single = single && e.copies == 1
		}
		b := &vec.Batch{Cols: t.src.columns(t.rows), N: len(chunk)}
		if t.cfg.Carry {
			b.Cols = append(b.Cols[:len(b.Cols):len(b.Cols)], vec.FromInts(types.Of(types.Int64), t.ranks))
		}
		if !single {
			b.W = t.w
		}
		if err := out(b); err != nil {
			return err
		}
	}
	return nil
}
