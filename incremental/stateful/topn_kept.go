package stateful

import (
	"cmp"
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// keptRows are the first rows of each partition of append-only input, and no others: a
// row that another one pushes out never comes back. Equal rows are kept apart.
type keptRows struct {
	lay   partLayout
	cfg   *TopNConfig
	end   int64
	win   *topWindows
	parts *hash.Table
	rows  *hash.Rows
	keys  sortKeys
	seqs  sequences

	of    []keptPart // by partition
	part  []uint32   // by row
	flags []rowFlags
	dead  []uint32 // logged rows that have been pushed out: their values stay until the log knows

	load    *keptLoader
	tables  []*vec.Vector
	groups  []uint32
	sel     []int32
	buf     vec.KeyBuf
	key     []byte
	val     []byte
	entered func(ps []uint32) // told of new partitions
}

type keptPart struct {
	sequence
	groups  int32 // of peers, for dense_rank
	touched bool  // in the trigger under way
}

const rowOld rowFlags = 1 << 7 // it was there before the trigger

func newKeptRows(cfg *TopNConfig, win *topWindows) *keptRows {
	k := &keptRows{lay: layPartitions(cfg.arrange()), cfg: cfg, end: cfg.end(), win: win}
	k.reset()
	k.load = newKeptLoader(k)
	return k
}

func (k *keptRows) reset() {
	k.parts, k.rows = hash.New(k.lay.partTypes()), hash.NewRows(k.lay.rowTypes())
	k.keys, k.seqs = sortKeys{}, sequences{compare: k.compare}
	k.of, k.part, k.flags, k.dead = nil, nil, nil, nil
}

// compareRows is the order of the rows of a partition, 0 for equal ones.
func (k *keptRows) compareRows(a, b uint32) int {
	if c := k.keys.compare(a, b); c != 0 {
		return c
	}
	for _, t := range k.lay.ties {
		if c := k.rows.Compare(a, b, t); c != 0 {
			return c
		}
	}
	return 0
}

func (k *keptRows) compare(a, b uint32) int {
	if c := k.compareRows(a, b); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

func (k *keptRows) peers(a, b uint32) bool { return k.keys.compare(a, b) == 0 }

func (k *keptRows) seq(p uint32) *sequence { return &k.of[p].sequence }

func (k *keptRows) columns(rows []uint32) []*vec.Vector { return k.lay.columns(rows, k.rows.Key) }

// add takes the rows of b that sel lists (nil = all).
func (k *keptRows) add(b *vec.Batch, sel []int32) {
	if k.end == 0 {
		return
	}
	n := b.N
	if sel != nil {
		n = len(sel)
	}
	k.groups = growZero(k.groups, n)[:n]
	k.tables = k.tables[:0]
	for _, c := range k.cfg.Partition {
		k.tables = append(k.tables, b.Cols[c])
	}
	if k.parts.FindOrInsert(k.tables, sel, nil, k.groups) > 0 {
		k.of = growZero(k.of, k.parts.Cap())
		k.entered(k.parts.Added())
	}
	k.candidates(b, sel)
	if len(k.sel) == 0 {
		return
	}
	k.tables = k.tables[:0]
	for _, c := range k.lay.perm {
		k.tables = append(k.tables, b.Cols[c])
	}
	k.rows.Load(k.tables, k.sel, len(k.sel))
	for i, r := range k.sel {
		w := b.Weight(int(r))
		if k.cfg.Ranking == ByPosition {
			w = min(w, k.end)
		}
		for range w {
			k.offer(k.groups[i], i)
		}
	}
}

// candidates selects the rows that may be among the first ones of their partition, and
// makes their order keys. groups are then those of the candidates.
func (k *keptRows) candidates(b *vec.Batch, sel []int32) {
	k.sel = k.sel[:0]
	k.buf.Reset()
	k.buf.Off = append(k.buf.Off, 0)
	for i, p := range k.groups {
		r := rowAt(sel, i)
		from := len(k.buf.Buf)
		k.buf.Buf = appendOrderKey(k.buf.Buf, b.Cols, int(r), k.cfg.Order)
		if key := k.buf.Buf[from:]; !k.fits(p, key) {
			k.buf.Buf = k.buf.Buf[:from]
			continue
		}
		k.buf.Off = append(k.buf.Off, uint32(len(k.buf.Buf)))
		k.groups[len(k.sel)] = p
		k.sel = append(k.sel, r)
	}
}

// fits tells whether a row with an order key can be among the first ones.
func (k *keptRows) fits(p uint32, key []byte) bool {
	q := &k.of[p]
	if !k.full(q) {
		return true
	}
	return k.keys.compareKey(k.lastRow(q), keyHead(key), keyTail(key)) >= 0
}

// full tells that a row after the last one has no place.
func (k *keptRows) full(q *keptPart) bool {
	if k.cfg.Ranking == ByGroup {
		return int64(q.groups) >= k.end
	}
	return q.weight >= k.end
}

func (k *keptRows) lastRow(q *keptPart) uint32 {
	if q.depth == 0 {
		return k.seqs.blocks[q.root+uint32(q.n)-1]
	}
	var c cursor
	k.seqs.last(&q.sequence, &c)
	return c.row()
}

// offer takes the i-th candidate, if it is among the first ones.
func (k *keptRows) offer(p uint32, i int) {
	key := k.buf.Key(i)
	if !k.fits(p, key) {
		return
	}
	row := k.rows.Put(i)
	k.place(row, p, key)
	q := &k.of[p]
	if k.cfg.Ranking == ByPosition && k.full(q) && k.compareRows(row, k.lastRow(q)) >= 0 {
		k.free(row)
		return
	}
	if !q.touched {
		q.touched = true
		k.win.remember(p)
	}
	if k.end == 1 && q.n == 1 && k.cfg.Ranking == ByPosition {
		k.replace(q, row)
		return
	}
	k.insert(q, row)
	k.trim(q)
}

// replace puts a row in the place of the only one of its partition: the latest row of a
// key takes no search.
func (k *keptRows) replace(q *keptPart, row uint32) {
	old := k.seqs.blocks[q.root]
	k.seqs.blocks[q.root] = row
	k.leave(old)
}

// place gives a new row its partition and order key.
func (k *keptRows) place(row, p uint32, key []byte) {
	n := k.rows.Cap()
	k.part, k.flags = growZero(k.part, n), growZero(k.flags, n)
	k.seqs.weight = growZero(k.seqs.weight, n)
	k.keys.grow(n)
	k.part[row], k.flags[row], k.seqs.weight[row] = p, 0, 1
	k.keys.set(row, key)
}

func (k *keptRows) insert(q *keptPart, row uint32) {
	k.seqs.insert(&q.sequence, row)
	if k.cfg.Ranking == ByGroup && !k.hasPeer(q, row) {
		q.groups++
	}
}

// hasPeer tells whether a neighbour of a row is equal by the order columns.
func (k *keptRows) hasPeer(q *keptPart, row uint32) bool {
	var c cursor
	k.seqs.find(&q.sequence, &c, row)
	after := c
	if after.next(); after.valid() && k.peers(row, after.row()) {
		return true
	}
	c.prev()
	return c.valid() && k.peers(row, c.row())
}

// trim pushes out the rows that are no longer among the first ones.
func (k *keptRows) trim(q *keptPart) {
	switch k.cfg.Ranking {
	case ByPosition:
		for q.weight > k.end {
			k.push(q, k.lastRow(q))
		}
	case ByRank:
		for q.weight > k.end {
			n := k.lastPeers(q)
			if q.weight-n < k.end {
				return
			}
			k.pushLast(q, n)
		}
	case ByGroup:
		for int64(q.groups) > k.end {
			k.pushLast(q, k.lastPeers(q))
			q.groups--
		}
	}
}

// lastPeers is the number of rows that are peers of the last one.
func (k *keptRows) lastPeers(q *keptPart) int64 {
	var c cursor
	n := int64(0)
	k.seqs.last(&q.sequence, &c)
	for last := c.row(); c.valid() && k.peers(last, c.row()); c.prev() {
		n++
	}
	return n
}

func (k *keptRows) pushLast(q *keptPart, n int64) {
	for range n {
		k.push(q, k.lastRow(q))
	}
}

// push takes a row out.
func (k *keptRows) push(q *keptPart, row uint32) {
	k.seqs.remove(&q.sequence, row, 1)
	k.leave(row)
}

// leave frees a row that is no longer in its sequence, unless the log or the output had it.
func (k *keptRows) leave(row uint32) {
	if k.flags[row]&rowOld == 0 || mutant.On("a row that is pushed out is forgotten before it is taken back") {
		k.free(row)
		return
	}
	k.dead = append(k.dead, row)
}

func (k *keptRows) free(row uint32) {
	k.rows.Delete(row)
	k.keys.drop(row)
}

func (k *keptRows) exists(p uint32) bool { return int(p) < len(k.of) && !k.of[p].empty() }

// drop forgets a partition whole; a range of the log that holds it is dropped too.
func (k *keptRows) drop(p uint32) {
	k.seqs.clear(&k.of[p].sequence, k.free)
	k.of[p] = keptPart{}
	k.parts.Delete(p)
}

// logState writes the rows that came and went.
func (k *keptRows) logState(log Log) {
	for _, s := range k.win.spans {
		k.of[s.p].touched = false
		k.logPart(log, &k.of[s.p])
	}
	for _, row := range k.dead {
		q := &k.of[k.part[row]]
		var c cursor
		k.seqs.seek(&q.sequence, &c, func(r uint32) bool { return k.compareRows(r, row) < 0 })
		k.logRow(log, row, k.copies(&c, row))
		k.free(row)
	}
	k.dead = trim(k.dead)
	if k.parts.Len() == 0 && k.parts.Cap() > 0 {
		k.reset()
	}
}

// copies counts the rows from a cursor on that are equal to row, and moves behind them.
func (k *keptRows) copies(c *cursor, row uint32) int64 {
	n := int64(0)
	for ; c.valid() && k.compareRows(c.row(), row) == 0; c.next() {
		n++
	}
	return n
}

// logPart writes the new rows of a partition.
func (k *keptRows) logPart(log Log, q *keptPart) {
	var c cursor
	for k.seqs.first(&q.sequence, &c); c.valid(); {
		first, n, fresh := c.row(), int64(0), false
		for ; c.valid() && k.compareRows(c.row(), first) == 0; c.next() {
			fresh = fresh || k.flags[c.row()]&rowOld == 0
			k.flags[c.row()] |= rowOld
			n++
		}
		if fresh {
			k.logRow(log, first, n)
		}
	}
}

func (k *keptRows) logRow(log Log, row uint32, copies int64) {
	k.key = k.rows.KeyBytes(row, append(k.key[:0], tagGroup))
	if copies == 0 {
		log.Delete(k.key)
		return
	}
	k.val = binary.AppendUvarint(k.val[:0], uint64(copies))
	log.Put(k.key, k.val)
}

func (k *keptRows) bytes() int64 {
	return k.parts.Bytes() + k.rows.Bytes() + k.keys.bytes() + k.seqs.bytes() + int64(8*cap(k.seqs.weight)+
		24*cap(k.of)+4*cap(k.part)+cap(k.flags)+4*cap(k.dead))
}

// keptLoader puts logged rows back.
type keptLoader struct {
	k  *keptRows
	bs []*vec.Builder
	w  []int64
}

func newKeptLoader(k *keptRows) *keptLoader {
	return &keptLoader{k: k, bs: vec.NewBuilders(k.lay.rowTypes())}
}

func (l *keptLoader) add(key, value []byte) error {
	w, err := loadRow(key, value, l.bs)
	if err != nil {
		return err
	}
	if l.w = append(l.w, w); len(l.w) == vec.BatchSize {
		l.finish()
	}
	return nil
}

// finish puts what was collected into the state.
func (l *keptLoader) finish() {
	if len(l.w) == 0 {
		return
	}
	k := l.k
	b := &vec.Batch{N: len(l.w), W: l.w, Cols: make([]*vec.Vector, len(l.bs))}
	for i, c := range k.lay.perm {
		b.Cols[c] = l.bs[i].Finish()
	}
	k.add(b, nil)
	for _, s := range k.win.spans {
		k.of[s.p].touched = false
		var c cursor
		for k.seqs.first(k.seq(s.p), &c); c.valid(); c.next() {
			k.flags[c.row()] |= rowOld
		}
	}
	k.win.forget()
	for _, x := range l.bs {
		x.Reset()
	}
	l.w = l.w[:0]
}
