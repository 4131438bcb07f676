package stateful

import (
	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// rowStore keeps rows of columns in chunks of memory without pointers. A row has a slot,
// which stays the same while the row is there. A chunk whose rows are all gone is given
// back; one with many holes is filled again.
//
// Word 0 of a row belongs to the owner too, but must not be gone while the row is there.
type rowStore struct {
	*rowLayout
	chunks []rowChunk
	open   int   // chunk that takes rows, −1 = none
	holes  []int // chunks of which a quarter is free, maybe more than once
	unused []int // chunk numbers without memory
	live   int

	arenaSize int     // of the last chunk that was full
	resolved  []int32 // rows of the storage of STRUCTs under way
}

type rowChunk struct {
	words []uint64
	arena []byte
	waste int      // bytes of the arena that no row refers to
	used  int      // rows ever placed
	free  []uint16 // places of removed rows
	live  int
}

const (
	chunkBits = 12
	chunkRows = 1 << chunkBits
	chunkMask = chunkRows - 1
	gone      = ^uint64(0) // word 0 of a removed row
	noRow     = ^uint32(0)
)

func newRowStore(own int, columns []types.Type) *rowStore {
	return &rowStore{rowLayout: newRowLayout(own, columns), open: -1}
}

// row is the words of a slot, valid until the next call of place.
func (s *rowStore) row(slot uint32) []uint64 {
	at := int(slot&chunkMask) * s.words
	return s.chunks[slot>>chunkBits].words[at : at+s.words : at+s.words]
}

// exists tells whether a slot holds a row.
func (s *rowStore) exists(slot uint32) bool {
	c := int(slot >> chunkBits)
	return c < len(s.chunks) && int(slot&chunkMask) < s.chunks[c].used && s.row(slot)[0] != gone
}

// place makes room for a row, all words zero.
func (s *rowStore) place() uint32 {
	slot, _ := s.placeRun(1)
	return slot
}

// placeRun makes room for up to n rows that lie one behind the other, and tells how many.
func (s *rowStore) placeRun(n int) (slot uint32, rows int) {
	if s.open >= 0 && s.chunks[s.open].full() {
		s.arenaSize = len(s.chunks[s.open].arena)
		s.open = -1
	}
	if s.open < 0 {
		s.open = s.nextChunk()
	}
	c := &s.chunks[s.open]
	at := c.used
	if k := len(c.free); k > 0 {
		at, n = int(c.free[k-1]), 1
		c.free = c.free[:k-1]
		clear(c.words[at*s.words : (at+1)*s.words])
	} else {
		n = min(n, chunkRows-c.used)
		c.used += n
		if c.used*s.words > len(c.words) {
			s.growChunk(c)
		}
	}
	c.live += n
	s.live += n
	return uint32(s.open)<<chunkBits | uint32(at), n
}

func (c *rowChunk) full() bool { return c.used == chunkRows && len(c.free) == 0 }

func (s *rowStore) growChunk(c *rowChunk) {
	rows := min(chunkRows, max(16, 2*c.used))
	if s.live >= chunkRows {
		rows = chunkRows
		c.arena = make([]byte, 0, s.arenaSize)
	}
	words := make([]uint64, rows*s.words)
	copy(words, c.words)
	c.words = words
}

// nextChunk finds a chunk with room.
func (s *rowStore) nextChunk() int {
	for n := len(s.holes); n > 0; n = len(s.holes) {
		i := s.holes[n-1]
		s.holes = s.holes[:n-1]
		if len(s.chunks[i].free) > 0 {
			return i
		}
	}
	if n := len(s.unused); n > 0 {
		i := s.unused[n-1]
		s.unused = s.unused[:n-1]
		return i
	}
	if len(s.chunks) == 1<<(31-chunkBits)-1 {
		panic(invariant.Limit("one side of a join has more than 2 billion rows"))
	}
	s.chunks = append(s.chunks, rowChunk{})
	return len(s.chunks) - 1
}

// remove forgets a row.
func (s *rowStore) remove(slot uint32) {
	i := int(slot >> chunkBits)
	c := &s.chunks[i]
	row := s.row(slot)
	invariant.Assert(row[0] != gone, "a removed row exists")
	for _, t := range s.texts {
		c.waste += int(row[t] & textMask)
	}
	row[0] = gone
	c.live--
	s.live--
	c.free = append(c.free, uint16(slot&chunkMask))
	switch {
	case s.live == 0:
		s.chunks, s.holes, s.unused, s.open = nil, nil, nil, -1
	case c.live == 0:
		*c = rowChunk{}
		if i == s.open {
			s.open = -1
		}
		s.unused = append(s.unused, i)
	case c.waste > 1<<12 && c.waste > len(c.arena)/4*3:
		s.compact(c)
	}
	if s.live > 0 && len(c.free) == chunkRows/4 && i != s.open {
		s.holes = append(s.holes, i)
	}
}

// compact copies the bytes in use of a chunk to a new arena.
func (s *rowStore) compact(c *rowChunk) {
	arena := make([]byte, 0, len(c.arena)-c.waste+(len(c.arena)-c.waste)/8)
	for at := 0; at < c.used; at++ {
		row := c.words[at*s.words : (at+1)*s.words]
		if row[0] == gone {
			continue
		}
		for _, t := range s.texts {
			b := textOf(c.arena, row[t])
			row[t] = textRef(len(arena), len(b))
			arena = append(arena, b...)
		}
	}
	c.arena, c.waste = arena, 0
}

// add stores rows of columns and lists their slots.
func (s *rowStore) add(cols []*vec.Vector, rows []int32, slots []uint32) {
	for len(rows) > 0 {
		first, n := s.placeRun(len(rows))
		for i := range slots[:n] {
			slots[i] = first + uint32(i)
		}
		for k := range s.nodes {
			s.store(&s.nodes[k], cols[k], rows[:n], first)
		}
		rows, slots = rows[n:], slots[n:]
	}
}

// store writes one column of rows that lie one behind the other.
func (s *rowStore) store(n *rowNode, v *vec.Vector, rows []int32, first uint32) {
	if n.phys == types.PhysStruct {
		s.storeFields(n, v, rows, first)
	}
	flat := !v.Const && v.Dict == nil
	c := &s.chunks[first>>chunkBits]
	at := int(first&chunkMask)*s.words + n.word
	switch {
	case n.phys == types.PhysNull || n.phys == types.PhysStruct:
	case n.phys == types.PhysInt64 && flat:
		for _, r := range rows {
			c.words[at] = uint64(v.I64[r])
			at += s.words
		}
	case n.phys == types.PhysString && flat && v.Valid == nil:
		for _, r := range rows {
			x := v.Str[r]
			c.words[at] = textRef(len(c.arena), int(x.Len))
			c.arena = append(c.arena, v.Buf[x.Off:x.Off+x.Len]...)
			at += s.words
		}
	default:
		for i, r := range rows {
			if !v.IsNull(int(r)) {
				f, at := v.At(int(r))
				s.storeValue(n, f, at, first+uint32(i))
			}
		}
	}
	if !v.HasNulls() {
		return
	}
	for i, r := range rows {
		if v.IsNull(int(r)) {
			s.storeNull(n, first+uint32(i))
		}
	}
}

// storeFields writes the fields of a STRUCT. What lies under a NULL is never read.
func (s *rowStore) storeFields(n *rowNode, v *vec.Vector, rows []int32, first uint32) {
	if v.Const || v.Dict != nil {
		from := len(s.resolved)
		for _, r := range rows {
			at := 0
			if !v.IsNull(int(r)) {
				_, at = v.At(int(r))
			}
			s.resolved = append(s.resolved, int32(at))
		}
		rows = s.resolved[from:]
		defer func() { s.resolved = s.resolved[:from] }()
		if v.Dict != nil {
			v = v.Dict
		}
		if len(v.Child) == 0 || v.Child[0].N == 0 { // all are NULL
			return
		}
	}
	for k := range n.kids {
		s.store(&n.kids[k], v.Child[k], rows, first)
	}
}

// storeNull makes a value NULL; what lies under it is zero, so that it refers to nothing.
func (s *rowStore) storeNull(n *rowNode, slot uint32) {
	row := s.row(slot)
	s.setNull(row, n)
	if n.phys == types.PhysString || n.phys == types.PhysList {
		s.chunks[slot>>chunkBits].waste += int(row[n.word] & textMask)
	}
	if n.phys != types.PhysStruct && n.phys != types.PhysNull {
		row[n.word] = 0
	}
}

// storeValue writes element i of flat storage.
func (s *rowStore) storeValue(n *rowNode, f *vec.Vector, i int, slot uint32) {
	row := s.row(slot)
	switch n.phys {
	case types.PhysBool:
		row[n.word] = uint64(f.Bool[i] & 1)
	case types.PhysInt64:
		row[n.word] = uint64(f.I64[i])
	case types.PhysFloat64:
		row[n.word] = floatWord(f.F64[i])
	case types.PhysInt128:
		row[n.word], row[n.word+1] = f.I128[i].Lo, uint64(f.I128[i].Hi)
	case types.PhysInterval:
		row[n.word], row[n.word+1] = packInterval(f.Iv[i])
	case types.PhysString:
		c := &s.chunks[slot>>chunkBits]
		b := f.Buf[f.Str[i].Off : f.Str[i].Off+f.Str[i].Len]
		row[n.word] = textRef(len(c.arena), len(b))
		c.arena = append(c.arena, b...)
	case types.PhysList:
		c := &s.chunks[slot>>chunkBits]
		from := len(c.arena)
		c.arena = encodeValue(c.arena, f, i)
		row[n.word] = textRef(from, len(c.arena)-from)
	}
}

// bytes is the memory held.
func (s *rowStore) bytes() int64 {
	n := 64*cap(s.chunks) + 8*(cap(s.holes)+cap(s.unused))
	for i := range s.chunks {
		c := &s.chunks[i]
		n += 8*cap(c.words) + cap(c.arena) + 2*cap(c.free)
	}
	return int64(n)
}
