package stateful

import (
	"fmt"

	"github.com/sqlstream/sqlstream/exec/hash"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Join
//
// State: the rows of both inputs with weights, in chains by key; for kinds that tell of
// rows without a match, the degree of each such row: the weight of its matches under the
// whole condition. Semi, anti and mark joins without a residual keep the weight of the right
// rows of each key instead of the rows; for IN, besides, how many rows and NULLs there are
// among those that the selecting keys choose.
// +1/−1: ΔA⋈B⁻ and A⁺⋈ΔB. Between inputs without retractions pairs are emitted while the
// rows come. Otherwise the rows of a trigger are netted first, and Flush emits
// w⁺(a)·w⁺(b) − w⁻(a)·w⁻(b) for each pair in which a weight has changed. NULL-padded rows
// and the rows of semi, anti and mark joins are settled by Flush, from the degrees before
// and after the trigger.
// A row that can match nothing (a NULL key, or the other input has ended) is not kept.
// Late: a row whose time is below the frontier of its input of the trigger before.
// Dropped: a row that can meet no new row of the other input, and cannot be retracted.
// Cost: O(1) per row, and per pair with equal keys; O(log n) per forgotten row.
// Restart: rows, weights, degrees, counts, and the bounds.

type join struct {
	cfg   JoinConfig
	sides [2]*joinSide
	// deferred: Flush emits everything. Otherwise pairs are emitted while rows come.
	deferred bool
	// counted: the right rows of a key are only counted.
	counted bool

	table *hash.Table // by key, rows of both inputs; nil without keys
	keyed chains      // rows by group of table
	// For NullAware: rows by their selecting keys.
	parts *hash.Table // nil without selecting keys
	loose chains      // rows with NULL in a compared key, by part
	full  chains      // the others, by part

	counts groupCounts
	totals partTotals

	pairs    pairSet
	residual *residual
	output   joinOutput

	keys      []*vec.Vector
	picked    []int32
	compared  [2]*vec.Vector
	idle      []uint32 // groups of which a list has become empty
	idleParts []uint32

	logs   countLog
	bounds [4]int64 // as logged
	stats  Stats
	begun  bool // stats are those of the trigger under way
	twice  bool // a left row has two matches, where one is allowed
}

// joinSide is what a join keeps of one input.
type joinSide struct {
	JoinSide
	port    int
	keys    []int
	columns []int // of the input, that are stored
	stored  []int // by column of the input: its place in the store, −1 = none
	store   *rowStore
	at      rowWords
	// indexed: equal rows are one. Otherwise a pair could go with an old row and come with a
	// new one that equals it.
	indexed bool
	index   rowIndex

	bound  int64 // rows below it are late
	closed int64 // rows that are kept until a time below it are forgotten
	expire expiries
	retire expiries // rows that meet nothing new any more, by their own time

	touched []touch
	leaving []uint32 // rows that expire in this trigger
	pending []uint32 // new rows without a match, whose fate Flush decides
	matched []uint32 // rows that were emitted as without a match, and have one now

	log sideLog

	// Of the batch under way.
	late   lateFilter
	rows   []int32 // on time
	lone   []int32 // those that match nothing
	hashes []uint64
	groups []uint32
	part   []uint32
	slots  []uint32
	passed []int32
	cols   []*vec.Vector
	// Of the rows on time: matches, those whose chain has more rows, and the next row + 1 of
	// each.
	degrees []int64
	active  []int32
	cursor  []uint32
}

// rowWords are the places of what the join knows of a stored row, −1 = not kept.
type rowWords struct {
	link    int // chain by key: next and previous row
	ring    int // chain by part, for IN
	home    int // group and part
	mark    int // tag of the hash, and place among the touched rows + 1
	weight  int
	degree  int // weight of its matches
	unknown int // … of the rows that it may equal, for IN
	until   int
	seq     int // its number in the log, 0 = not logged
	count   int
}

// NewJoin returns the operator.
func NewJoin(cfg JoinConfig) (Operator, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	j := &join{cfg: cfg, bounds: [4]int64{NoFrontier, NoFrontier, NoFrontier, NoFrontier}}
	j.deferred = cfg.Kind.exists() || cfg.Sides[0].Retract || cfg.Sides[1].Retract
	j.counted = cfg.canCount()
	if len(cfg.KeyTypes) > 0 {
		j.table = hash.New(cfg.KeyTypes)
	}
	if n := cfg.NullAware; n > 0 && n < len(cfg.KeyTypes) {
		j.parts = hash.New(cfg.KeyTypes[n:])
	}
	for port := range j.sides {
		j.sides[port] = j.newSide(port)
	}
	j.compared = [2]*vec.Vector{{}, {}}
	j.logs.off = cfg.Unlogged
	j.residual = newResidual(j)
	j.output = newJoinOutput(j)
	return j, nil
}

// canCount tells whether the weight of the right rows of a key is all that is asked of
// them, now and when they are forgotten.
func (c *JoinConfig) canCount() bool {
	if !c.Kind.exists() || c.Residual != nil || c.NullAware > 1 {
		return false
	}
	keep := c.Sides[1].Keep
	if keep == nil || keep.Col < 0 {
		return true
	}
	for _, k := range c.Keys[1] {
		if k == keep.Col {
			return c.NullAware == 0 && !c.Sides[1].Retract
		}
	}
	return false
}

func (j *join) newSide(port int) *joinSide {
	s := &joinSide{JoinSide: j.cfg.Sides[port], port: port, keys: j.cfg.Keys[port], bound: NoFrontier, closed: NoFrontier,
		expire: newExpiries(), retire: newExpiries()}
	s.stored = make([]int, len(j.cfg.Types[port]))
	var ts []types.Type
	for c := range s.stored {
		s.stored[c] = -1
		if j.needs(s, c) {
			s.stored[c] = len(s.columns)
			s.columns = append(s.columns, c)
			ts = append(ts, j.cfg.Types[port][c])
		}
	}
	s.late = lateFilter{name: j.cfg.Name, col: -1}
	if s.Late != nil {
		s.late.col = s.Late.Col
	}
	s.at = j.words(s)
	s.store = newRowStore(s.at.count, ts)
	s.indexed = j.deferred && (s.Retract || !j.cfg.Kind.exists())
	s.index = rowIndex{store: s.store, mark: s.at.mark}
	s.log = sideLog{off: j.cfg.Unlogged, ranged: s.Keep != nil && !s.Retract, side: s}
	return s
}

// needs tells whether a column is stored: all that are emitted, and what the join itself
// reads.
func (j *join) needs(s *joinSide, column int) bool {
	if s.port == 0 || !j.cfg.Kind.exists() {
		return true
	}
	if s.Keep != nil && s.Keep.Col == column || s.Late != nil && s.Retract && s.Late.Col == column {
		return true
	}
	for _, k := range s.keys {
		if k == column {
			return true
		}
	}
	return readsColumn(j.cfg.Residual, len(j.cfg.Types[0])+column)
}

// words chooses what is kept beside the values of a row.
func (j *join) words(s *joinSide) rowWords {
	n := 0
	word := func(kept bool) int {
		if !kept {
			return -1
		}
		n++
		return n - 1
	}
	track := j.tracks(s.port)
	w := rowWords{link: word(true)}
	w.ring = word(j.cfg.NullAware > 0)
	w.home = word(j.deferred)
	w.mark = word(j.deferred)
	w.weight = word(j.deferred)
	w.degree = word(track)
	w.unknown = word(track && j.cfg.NullAware > 0)
	w.until = word(s.Keep != nil)
	w.seq = word(j.deferred || track)
	w.count = n
	return w
}

// tracks tells whether the rows of an input have degrees.
func (j *join) tracks(port int) bool {
	switch {
	case j.cfg.Kind == FullJoin:
		return true
	case port == 1 || j.counted:
		return false
	}
	return j.cfg.Kind != InnerJoin || j.cfg.Single
}

func (j *join) other(s *joinSide) *joinSide { return j.sides[1-s.port] }

// ended tells that no row of the other input can come any more.
func (s *joinSide) ended() bool { return s.closed == EndOfInput }

func (j *join) begin() error {
	if !j.begun {
		j.stats = Stats{}
		j.begun = true
	}
	return j.finishLoad()
}

// Step implements Stepper.
func (j *join) Step(t *Trigger, port int, _ int64, b *vec.Batch, out Emit) error {
	if err := j.begin(); err != nil {
		return err
	}
	s := j.sides[port]
	if err := s.onTime(j, t, b); err != nil || len(s.rows) == 0 {
		return err
	}
	if j.deferred {
		return j.collect(s, b, out)
	}
	return j.stream(t, s, b, out)
}

// onTime lists the rows that are not late, and reports the others.
func (s *joinSide) onTime(j *join, t *Trigger, b *vec.Batch) error {
	sel, err := s.late.onTime(t, b, s.bound)
	j.stats.Late += s.late.taken()
	if sel != nil || b.Rows() == 0 {
		s.rows = append(s.rows[:0], sel...)
		return err
	}
	s.rows = growZero(s.rows, b.N)[:b.N]
	for i := range s.rows {
		s.rows[i] = int32(i)
	}
	return err
}

// split takes the rows out that can match nothing.
func (j *join) split(s *joinSide, cols []*vec.Vector) {
	s.lone = s.lone[:0]
	for k, c := range s.keys {
		if k >= j.cfg.NullAware && !j.cfg.nullSafe(k) {
			s.dropNulls(cols[c])
		}
	}
	if s.Keep != nil && s.Keep.Col >= 0 {
		s.dropNulls(cols[s.Keep.Col])
	}
}

// dropNulls moves the rows with NULL from rows to lone.
func (s *joinSide) dropNulls(v *vec.Vector) {
	if !v.HasNulls() {
		return
	}
	kept := s.rows[:0]
	for _, r := range s.rows {
		if v.IsNull(int(r)) {
			s.lone = append(s.lone, r)
		} else {
			kept = append(kept, r)
		}
	}
	s.rows = kept
}

// find gives the rows their groups of the key table, making those that are missing.
func (j *join) find(s *joinSide, cols []*vec.Vector, rows []int32) {
	s.groups = growZero(s.groups, len(rows))
	if j.table == nil {
		clear(s.groups)
		j.keyed.grow(1)
		return
	}
	j.keys = j.keys[:0]
	for _, c := range s.keys {
		j.keys = append(j.keys, cols[c])
	}
	j.table.FindOrInsert(j.keys, rows, nil, s.groups)
	j.keyed.grow(j.table.Cap())
}

// untilOf is the last frontier of the other input at which a row is kept.
func (s *joinSide) untilOf(cols []*vec.Vector, row int) int64 {
	at := int64(0)
	if s.Keep.Col >= 0 {
		at = cols[s.Keep.Col].Int(row)
	}
	return min(later(at, s.Keep.Shift), EndOfInput-1)
}

// Stats implements Operator.
func (j *join) Stats() Stats {
	s := j.stats
	for _, side := range j.sides {
		s.Keys += int64(side.store.live)
		s.Bytes += side.bytes()
	}
	s.Keys += int64(j.counts.live)
	s.Bytes += j.keyed.bytes() + j.loose.bytes() + j.full.bytes() + j.counts.bytes() + j.totals.bytes()
	if j.table != nil {
		s.Bytes += j.table.Bytes()
	}
	if j.parts != nil {
		s.Bytes += j.parts.Bytes()
	}
	return s
}

func (s *joinSide) bytes() int64 {
	return s.store.bytes() + s.index.bytes() + s.expire.bytes() + s.retire.bytes() + s.log.bytes() +
		int64(32*cap(s.touched)+4*(cap(s.pending)+cap(s.matched)))
}
