package kafka

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/sqlstream/sqlstream/exec/format"
	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// pile is a column of byte strings, laid out as format.Messages wants them.
type pile struct {
	wanted, text bool // text: it must be UTF-8
	buf          []byte
	ends         []uint32
	null         []bool
	nulls        int
}

// pileBytes is how much text a batch gathers at most, but for its last record.
const pileBytes = 4 << 20

func (p *pile) add(b []byte) {
	p.buf = append(append(p.buf, b...), 0)
	p.ends = append(p.ends, uint32(len(p.buf)-1))
	p.null = append(p.null, b == nil)
	if b == nil {
		p.nulls++
	}
}

func (p *pile) reset() { p.buf, p.ends, p.null, p.nulls = p.buf[:0], p.ends[:0], p.null[:0], 0 }

// messages is the pile as who decodes takes it.
func (p *pile) messages(position func(int) string) format.Messages {
	var end [64]byte
	p.buf = append(p.buf, end[:]...)
	m := format.Messages{Buf: p.buf, Ends: p.ends, Position: position}
	if p.nulls > 0 {
		m.Null = p.null
	}
	return m
}

// ref is where a string lies.
func (p *pile) ref(i int) vec.StrRef {
	from := uint32(0)
	if i > 0 {
		from = p.ends[i-1] + 1
	}
	return vec.StrRef{Off: from, Len: p.ends[i] - from}
}

// gather makes batches of the records of one part. It serves one call of Read.
type gather struct {
	ctx  context.Context
	part *part
	lay  *layout
	rd   source.Reading
	emit func(*vec.Batch) error

	n int
	// What is decoded, and what is given out as it is: decoding overwrites.
	values, keys       pile
	rawValues, rawKeys pile
	offsets, times     []int64
	epochs             []int64
	kinds              []int64 // of times
	headers            [][]byte
	tombs              []bool // records without a value, where these are deletions

	valueNeed, keyNeed []int
	reading            format.Reading
	out                vec.Batch
	store              []storage // by needed column
	weights            []int64
}

// storage is the memory of a column that is made here.
type storage struct {
	ints  []int64
	strs  []vec.StrRef
	valid []uint64
	v     vec.Vector
}

func newGather(ctx context.Context, p *part, rd source.Reading, emit func(*vec.Batch) error) *gather {
	g := &gather{ctx: ctx, part: p, lay: p.s.layout, rd: rd, emit: emit, store: make([]storage, len(rd.Need))}
	g.out.Cols = make([]*vec.Vector, len(rd.Need))
	g.values.wanted, g.keys.wanted = g.lay.value != nil, g.lay.key != nil
	for _, i := range rd.Need {
		c := g.lay.columns[i]
		text := c.typ.Kind == types.String
		switch {
		case c.from == inValue:
			g.valueNeed = append(g.valueNeed, c.at)
		case c.from == inKey:
			g.keyNeed = append(g.keyNeed, c.at)
		case c.field == recordValue:
			g.rawValues.wanted, g.rawValues.text = true, g.rawValues.text || text
		case c.field == recordKey:
			g.rawKeys.wanted, g.rawKeys.text = true, g.rawKeys.text || text
		}
	}
	if rd.Bad != nil {
		name := p.s.cfg.Name
		g.reading.Bad = func(b format.BadRow) {
			rd.Bad(source.BadRow{Source: name, Position: b.Position, Reason: b.Reason, Raw: b.Raw})
		}
	}
	return g
}

// block takes the records of a block with offsets from … to−1.
func (g *gather) block(b *block, from, to int64) error {
	for i := range b.segments {
		s := &b.segments[i]
		if s.last < from || s.first >= to {
			continue
		}
		if err := g.segment(s, from, to); err != nil {
			return err
		}
	}
	return nil
}

func (g *gather) segment(s *segment, from, to int64) error {
	in := s.records
	for n := s.n; n > 0; n-- {
		r, size, ok := readRecord(in)
		if !ok {
			return fmt.Errorf("%s, offset %d or after: %w", g.part.in.place, s.first, errDamaged)
		}
		in = in[size:]
		offset := s.first + r.offset
		if offset < from || offset >= to && !mutant.On("kafka: what lies behind a range is read too") {
			continue
		}
		if err := g.add(s, r, offset); err != nil {
			return err
		}
		if g.n == vec.BatchSize || len(g.values.buf)+len(g.rawValues.buf) > pileBytes {
			if err := g.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// add takes one record.
func (g *gather) add(s *segment, r record, offset int64) error {
	if g.rawValues.text && !utf8.Valid(r.value) {
		return g.notText(offset, "value", r.value)
	}
	if g.rawKeys.text && !utf8.Valid(r.key) {
		return g.notText(offset, "key", r.key)
	}
	for _, p := range [...]struct {
		to *pile
		b  []byte
	}{{&g.values, r.value}, {&g.rawValues, r.value}, {&g.keys, r.key}, {&g.rawKeys, r.key}} {
		if p.to.wanted {
			p.to.add(p.b)
		}
	}
	ms := s.time + r.time
	if s.appendTime >= 0 {
		ms = s.appendTime
	}
	g.offsets = append(g.offsets, offset)
	g.times = append(g.times, ms*1000)
	g.epochs = append(g.epochs, int64(s.epoch))
	g.kinds = append(g.kinds, int64(s.timeType))
	g.headers = append(g.headers, r.headers)
	g.tombs = append(g.tombs, g.lay.tombstones && r.value == nil)
	g.n++
	return nil
}

// notText deals with a key or value that was declared as text and is none.
func (g *gather) notText(offset int64, what string, raw []byte) error {
	row := format.BadRow{Position: g.positionOf(offset), Reason: "the " + what + " is not UTF-8; declare the column BYTES", Raw: raw}
	if g.part.s.cfg.OnError == source.Fail {
		return &format.RowError{BadRow: row}
	}
	g.reading.Bad(row)
	return nil
}

func (g *gather) positionOf(offset int64) string {
	return fmt.Sprintf("%s, offset %d", g.part.in.place, offset)
}

func (g *gather) position(i int) string { return g.positionOf(g.offsets[i]) }

// flush gives out what was gathered.
func (g *gather) flush() error {
	if g.n == 0 {
		return g.ctx.Err()
	}
	if err := g.decodeKeys(); err != nil {
		return err
	}
	for _, p := range []*pile{&g.values, &g.rawValues, &g.keys, &g.rawKeys} {
		p.reset()
	}
	g.offsets, g.times, g.epochs, g.kinds, g.headers, g.tombs = g.offsets[:0], g.times[:0], g.epochs[:0], g.kinds[:0], g.headers[:0], g.tombs[:0]
	g.n = 0
	return g.ctx.Err()
}

// decodeKeys decodes the keys, and the values of those records whose key is sound.
func (g *gather) decodeKeys() error {
	if g.lay.key == nil {
		return g.decodeValues(nil)
	}
	rd := g.reading
	rd.Need = g.keyNeed
	return g.lay.key.ReadMessages(g.ctx, g.keys.messages(g.position), rd, func(b *vec.Batch, from []int32) error {
		if len(from) < g.n {
			g.keepOnly(from)
		}
		return g.decodeValues(b)
	})
}

// keepOnly drops the records that rows does not list: their keys are bad, and counted.
func (g *gather) keepOnly(rows []int32) {
	for _, p := range []*pile{&g.values, &g.rawValues, &g.rawKeys} {
		if p.wanted {
			var kept pile
			kept.wanted, kept.text = p.wanted, p.text
			for _, i := range rows {
				r := p.ref(int(i))
				b := p.buf[r.Off : r.Off+r.Len]
				if p.null[i] {
					b = nil
				}
				kept.add(b)
			}
			*p = kept
		}
	}
	for to, i := range rows {
		g.offsets[to], g.times[to], g.epochs[to], g.kinds[to] = g.offsets[i], g.times[i], g.epochs[i], g.kinds[i]
		g.headers[to], g.tombs[to] = g.headers[i], g.tombs[i]
	}
	g.n = len(rows)
}

// decodeValues decodes the values; keys are the decoded keys, row by record.
func (g *gather) decodeValues(keys *vec.Batch) error {
	if g.lay.value == nil {
		return g.give(nil, keys, nil, g.n)
	}
	rd := g.reading
	rd.Need = g.valueNeed
	return g.lay.value.ReadMessages(g.ctx, g.values.messages(g.position), rd, func(b *vec.Batch, from []int32) error {
		return g.give(b, keys, from, b.N)
	})
}

// give puts decoded columns and parts of records into one batch of n rows. from tells, by
// row, which record it came from; nil = each its own.
func (g *gather) give(values, keys *vec.Batch, from []int32, n int) error {
	if sameRows(from, g.n) {
		from = nil
	}
	g.out.N, g.out.Sel, g.out.W = n, nil, nil
	g.out.Place = func(row int) string { return g.position(recordOf(from, row)) }
	if values != nil {
		g.out.Sel, g.out.W = values.Sel, values.W
	}
	if g.lay.tombstones {
		g.out.W = g.weigh(from, n)
	}
	value, key := 0, 0
	for i, col := range g.rd.Need {
		switch c := g.lay.columns[col]; c.from {
		case inValue:
			g.out.Cols[i] = values.Cols[value]
			value++
		case inKey:
			g.out.Cols[i] = keys.Cols[key]
			if from != nil {
				g.out.Cols[i] = vec.Gather(keys.Cols[key], from)
			}
			key++
		default:
			g.out.Cols[i] = g.store[i].fill(g, c, from, n)
		}
	}
	return g.emit(&g.out)
}

// sameRows reports that row i came from record i, of n.
func sameRows(from []int32, n int) bool {
	if len(from) != n {
		return false
	}
	for i, f := range from {
		if int(f) != i {
			return false
		}
	}
	return true
}

// weigh makes deletions of records without a value.
func (g *gather) weigh(from []int32, n int) []int64 {
	g.weights = g.weights[:0]
	for row := range n {
		w := int64(1)
		if g.tombs[recordOf(from, row)] && !mutant.On("kafka: a tombstone is a row") {
			w = -1
		}
		g.weights = append(g.weights, w)
	}
	return g.weights
}

func recordOf(from []int32, row int) int {
	if from == nil {
		return row
	}
	return int(from[row])
}
