package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/sqlstream/sqlstream/exec/mutant"
	"github.com/sqlstream/sqlstream/exec/source"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
	"github.com/sqlstream/sqlstream/planner/physical"
)

// viewStore holds the rows of a materialised view as of the last published batch, for
// readers that do not wait for the query: a version never changes, and a batch makes a new
// one, which shares all that the batch did not touch. Rows are kept as their key encoding,
// the columns of the view's key first, in buckets by the hash of these. Publish is called
// from one goroutine; readers are any number.
type viewStore struct {
	types []types.Type
	order []int // columns in the order of encoding
	key   int   // how many of them are the key; all of them if the view has none
	seed  maphash.Seed
	now   atomic.Pointer[viewVersion]
	buf   []byte
}

// viewFan is the number of pages, and of buckets of a page.
const viewFan = 256

type viewVersion struct {
	number int64
	pages  [viewFan]*viewPage
}

type viewPage struct {
	made    int64 // by which version: that one may still change it
	buckets [viewFan]*viewBucket
}

type viewBucket struct {
	made int64
	rows []viewRow
}

type viewRow struct {
	code   []byte
	weight int64
}

func newViewStore(cols []types.Type, key []int) *viewStore {
	s := &viewStore{types: cols, order: slices.Clone(key), key: len(key), seed: maphash.MakeSeed()}
	for i := range cols {
		if !slices.Contains(key, i) {
			s.order = append(s.order, i)
		}
	}
	if s.key == 0 {
		s.key = len(cols)
	}
	s.now.Store(&viewVersion{})
	return s
}

// publish makes the version after a batch.
func (s *viewStore) publish(delta []*vec.Batch) {
	if len(delta) == 0 {
		return
	}
	next := *s.now.Load()
	next.number++
	for _, b := range delta {
		b.Each(func(row int) {
			w := int64(1)
			if b.W != nil {
				w = b.W[row]
			}
			s.add(&next, b, row, w)
		})
		runtime.Gosched() // readers are here, too
		if mutant.On("readers of a view see half a trigger") {
			half := next
			s.now.Store(&half)
		}
	}
	s.now.Store(&next)
}

// add adds a weight to a row of a version that nobody reads yet.
func (s *viewStore) add(v *viewVersion, b *vec.Batch, row int, w int64) {
	s.buf = s.buf[:0]
	end := 0
	for i, col := range s.order {
		if s.buf = vec.AppendKey(s.buf, b.Cols[col], row); i+1 == s.key {
			end = len(s.buf)
		}
	}
	bucket := v.bucket(maphash.Bytes(s.seed, s.buf[:end]))
	i := slices.IndexFunc(bucket.rows, func(r viewRow) bool { return bytes.Equal(r.code, s.buf) })
	if i < 0 {
		bucket.rows = append(bucket.rows, viewRow{bytes.Clone(s.buf), w})
		return
	}
	if bucket.rows[i].weight += w; bucket.rows[i].weight == 0 {
		bucket.rows = slices.Delete(bucket.rows, i, i+1)
	}
}

// bucket is that of a hash, as this version's own.
func (v *viewVersion) bucket(hash uint64) *viewBucket {
	p := v.pages[hash%viewFan]
	if p == nil || p.made != v.number {
		next := &viewPage{made: v.number}
		if p != nil {
			next.buckets = p.buckets
		}
		p = next
		v.pages[hash%viewFan] = p
	}
	at := hash / viewFan % viewFan
	b := p.buckets[at]
	if b == nil || b.made != v.number {
		next := &viewBucket{made: v.number}
		if b != nil {
			next.rows = slices.Clone(b.rows)
		}
		b = next
		p.buckets[at] = b
	}
	return b
}

// all are the rows of a version in the order of their encoding.
func (v *viewVersion) all() []viewRow {
	var out []viewRow
	for _, p := range v.pages {
		if p == nil {
			continue
		}
		for _, b := range p.buckets {
			if b != nil {
				out = append(out, b.rows...)
			}
		}
	}
	slices.SortFunc(out, func(a, b viewRow) int { return bytes.Compare(a.code, b.code) })
	return out
}

// find are the rows of a key, encoded.
func (s *viewStore) find(v *viewVersion, key []byte) []viewRow {
	hash := maphash.Bytes(s.seed, key)
	p := v.pages[hash%viewFan]
	if p == nil || p.buckets[hash/viewFan%viewFan] == nil {
		return nil
	}
	var out []viewRow
	for _, r := range p.buckets[hash/viewFan%viewFan].rows {
		if bytes.HasPrefix(r.code, key) {
			out = append(out, r)
		}
	}
	return out
}

// viewRows reads a version of a view, once.
type viewRows struct {
	rowSource
	store *viewStore
	at    *viewVersion
	// equal are the values that columns must have, by column: with one for each column of
	// the key it is looked up.
	equal map[int]*vec.Vector
}

// wants tells what the only scan of the view needs.
func (s *viewRows) wants(p *physical.Scan) {
	s.equal = map[int]*vec.Vector{}
	for _, e := range p.Equal {
		s.equal[p.Need[e.Col]] = e.Value
	}
}

// Plan implements source.Source.
func (s *viewRows) Plan(context.Context, source.Limits, source.Snapshot) (source.Range, bool, error) {
	if s.done {
		return source.Range{}, false, nil
	}
	s.done = true
	return source.Range{Offset: json.RawMessage("0")}, true, nil
}

// Splits implements source.Source.
func (s *viewRows) Splits(context.Context, source.Range) ([]source.Split, error) {
	rows := s.rows()
	var out []source.Split
	for len(rows) > 0 {
		n := min(len(rows), 64*vec.BatchSize)
		out = append(out, &viewSplit{s.store, rows[:n]})
		rows = rows[n:]
	}
	return out, nil
}

func (s *viewRows) rows() []viewRow {
	var key []byte
	for _, col := range s.store.order[:s.store.key] {
		v, ok := s.equal[col]
		if !ok {
			return s.at.all()
		}
		key = vec.AppendKey(key, v, 0)
	}
	return s.store.find(s.at, key)
}

// viewSplit is some rows of a view.
type viewSplit struct {
	store *viewStore
	rows  []viewRow
}

// Rows implements source.Split.
func (p *viewSplit) Rows() int64 { return -1 }

// Read implements source.Split.
func (p *viewSplit) Read(ctx context.Context, rd source.Reading, emit func(*vec.Batch) error) error {
	order := make([]types.Type, len(p.store.order))
	place := make([]int, len(order)) // by column
	for i, col := range p.store.order {
		order[i], place[col] = p.store.types[col], i
	}
	bs := vec.NewBuilders(order)
	flush := func() error {
		out := &vec.Batch{N: bs[0].Len(), Cols: make([]*vec.Vector, len(rd.Need))}
		for i, col := range rd.Need {
			out.Cols[i] = bs[place[col]].Finish()
		}
		err := emit(out)
		for _, b := range bs {
			b.Reset()
		}
		return err
	}
	for _, r := range p.rows {
		for range r.weight {
			if err := vec.DecodeRowKey(r.code, bs); err != nil {
				return err
			}
			if bs[0].Len() < vec.BatchSize {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if bs[0].Len() == 0 {
		return nil
	}
	return flush()
}

func typesOf(cols []types.Column) []types.Type {
	out := make([]types.Type, len(cols))
	for i, c := range cols {
		out[i] = c.Type
	}
	return out
}
