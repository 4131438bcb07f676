package hash

import (
	"math"
	"unsafe"

	"github.com/sqlstream/sqlstream/exec/invariant"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// A group's key is a row of 64-bit words: first those that hold values, then those
// that refer to bytes. NULLs are bits beside it, one for each node.

// node is a key column, or a field of a STRUCT.
type node struct {
	typ  types.Type
	phys types.Phys
	word int // first word of the value
	bit  int // bit of the null mask
	text int // for references: number among them
	kids []node
}

// layout says where the values of a key lie.
type layout struct {
	nodes []node
	fixed int  // words that hold values
	words int  // all words
	mask  int  // words of the null mask
	lists bool // an ARRAY or MAP is somewhere
}

func newLayout(keys []types.Type) *layout {
	l := &layout{}
	bits, texts := 0, 0
	for _, t := range keys {
		l.nodes = append(l.nodes, l.add(t, &bits, &texts))
	}
	l.mask = vec.Words(bits)
	l.words = l.fixed + texts
	place(l.nodes, l.fixed)
	return l
}

// add gives a type its place. References get theirs when all others are known.
func (l *layout) add(t types.Type, bits, texts *int) node {
	n := node{typ: t, phys: t.Phys(), bit: *bits, word: l.fixed, text: -1}
	*bits++
	switch n.phys {
	case types.PhysBool, types.PhysInt64, types.PhysFloat64:
		l.fixed++
	case types.PhysInt128, types.PhysInterval:
		l.fixed += 2
	case types.PhysString, types.PhysList:
		n.text = *texts
		*texts++
		l.lists = l.lists || n.phys == types.PhysList
	case types.PhysStruct:
		for _, f := range t.Fields {
			n.kids = append(n.kids, l.add(f.Type, bits, texts))
		}
	}
	return n
}

func place(nodes []node, fixed int) {
	for i := range nodes {
		if nodes[i].text >= 0 {
			nodes[i].word = fixed + nodes[i].text
		}
		place(nodes[i].kids, fixed)
	}
}

// A reference is an offset into bytes and a length.
const (
	lenBits = 28
	lenMask = 1<<lenBits - 1
)

func ref(off, n int) uint64 {
	if n > lenMask || off > math.MaxUint64>>lenBits {
		panic(invariant.Limit("a key is longer than 256 MiB, or the keys of one table are longer than 64 GiB"))
	}
	return uint64(off)<<lenBits | uint64(n)
}

func deref(buf []byte, w uint64) []byte {
	off, n := w>>lenBits, w&lenMask
	return buf[off : off+n : off+n]
}

// probe holds the keys of a batch in a table's layout.
type probe struct {
	words []uint64
	nulls []uint64 // mask by row; nil while no NULL was seen
	mem   []uint64 // storage of nulls
	bufs  [][]byte // bytes that references point to
	enc   [][]byte // own buffers for encoded values
}

// load fills p with the rows of cols that count, n of them.
func (l *layout) load(p *probe, cols []*vec.Vector, sel []int32, n int) {
	l.room(p, n)
	for i := range l.nodes {
		l.loadNode(p, &l.nodes[i], cols[i], sel, n)
	}
}

// room gives p space for n keys without NULLs.
func (l *layout) room(p *probe, n int) {
	if need := n * l.words; cap(p.words) < need {
		p.words = make([]uint64, need)
	}
	p.words = p.words[:n*l.words]
	p.nulls = nil
	if p.bufs == nil {
		p.bufs = make([][]byte, l.words-l.fixed)
		p.enc = make([][]byte, l.words-l.fixed)
	}
}

func (l *layout) loadNode(p *probe, d *node, v *vec.Vector, sel []int32, n int) {
	if v.Const {
		v, sel = vec.Flatten(vec.ConstOf(v, 0, n)), nil
	}
	if v.Dict != nil && d.phys != types.PhysString {
		v = vec.Flatten(v)
	}
	switch d.phys {
	case types.PhysNull:
	case types.PhysStruct:
		for i := range d.kids {
			l.loadNode(p, &d.kids[i], v.Child[i], sel, n)
		}
	case types.PhysList:
		l.loadEncoded(p, d, v, sel, n)
	case types.PhysString:
		l.loadText(p, d, v, sel, n)
	default:
		l.loadFixed(p.words, d, v, sel, n)
	}
	if v.HasNulls() {
		l.loadNulls(p, d, v, sel, n)
	}
}

func at(sel []int32, i int) int {
	if sel == nil {
		return i
	}
	return int(sel[i])
}

// loadFixed writes the words of a flat column of numbers.
func (l *layout) loadFixed(words []uint64, d *node, v *vec.Vector, sel []int32, n int) {
	w, step := d.word, l.words
	switch d.phys {
	case types.PhysInt64:
		loadInts(words, v.I64, sel, n, w, step)
	case types.PhysBool:
		for i := range n {
			words[i*step+w] = uint64(v.Bool[at(sel, i)] & 1)
		}
	case types.PhysFloat64:
		for i := range n {
			words[i*step+w] = vec.FloatBits(v.F64[at(sel, i)])
		}
	case types.PhysInt128:
		for i := range n {
			x := v.I128[at(sel, i)]
			words[i*step+w], words[i*step+w+1] = x.Lo, uint64(x.Hi)
		}
	case types.PhysInterval:
		for i := range n {
			x := v.Iv[at(sel, i)]
			words[i*step+w] = uint64(uint32(x.Months))<<32 | uint64(uint32(x.Days))
			words[i*step+w+1] = uint64(x.Micros)
		}
	}
}

func loadInts(words []uint64, src []int64, sel []int32, n, w, step int) {
	switch {
	case sel == nil && step == 1:
		copy(words, asWords(src[:n]))
	case sel == nil:
		for _, x := range src[:n] {
			words[w] = uint64(x)
			w += step
		}
	default:
		for _, r := range sel[:n] {
			words[w] = uint64(src[r])
			w += step
		}
	}
}

func asWords(s []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

func (l *layout) loadText(p *probe, d *node, v *vec.Vector, sel []int32, n int) {
	w, step := d.word, l.words
	f := v
	if v.Dict != nil {
		f = v.Dict
	}
	p.bufs[d.text] = f.Buf
	for i := range n {
		r := at(sel, i)
		if v.Dict != nil {
			if !vec.BitGet(v.Valid, r) {
				continue
			}
			r = int(v.Codes[r])
		}
		s := f.Str[r]
		p.words[i*step+w] = ref(int(s.Off), int(s.Len))
	}
}

// loadEncoded refers to the key encoding of ARRAYs and MAPs.
func (l *layout) loadEncoded(p *probe, d *node, v *vec.Vector, sel []int32, n int) {
	buf := p.enc[d.text][:0]
	for i := range n {
		from := len(buf)
		buf = vec.AppendKey(buf, v, at(sel, i))
		p.words[i*l.words+d.word] = ref(from, len(buf)-from)
	}
	p.enc[d.text], p.bufs[d.text] = buf, buf
}

// loadNulls sets the mask of the rows that are NULL, and makes their words equal.
func (l *layout) loadNulls(p *probe, d *node, v *vec.Vector, sel []int32, n int) {
	for i := range n {
		if !v.IsNull(at(sel, i)) {
			continue
		}
		if p.nulls == nil {
			p.nulls = p.cleared(n * l.mask)
		}
		l.setNull(p, d, i)
	}
}

func (p *probe) cleared(n int) []uint64 {
	if cap(p.mem) < n {
		p.mem = make([]uint64, n)
	}
	p.mem = p.mem[:n]
	clear(p.mem)
	return p.mem
}

// setNull makes the row's value of d NULL, with all fields.
func (l *layout) setNull(p *probe, d *node, i int) {
	p.nulls[i*l.mask+d.bit>>6] |= 1 << (uint(d.bit) & 63)
	for w := range d.size() {
		p.words[i*l.words+d.word+w] = 0
	}
	for k := range d.kids {
		l.setNull(p, &d.kids[k], i)
	}
}

// size is the number of the node's own words.
func (d *node) size() int {
	switch d.phys {
	case types.PhysNull, types.PhysStruct:
		return 0
	case types.PhysInt128, types.PhysInterval:
		return 2
	}
	return 1
}
