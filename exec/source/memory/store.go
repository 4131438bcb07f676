package memory

import (
	"fmt"
	"sync"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Stores holds the rows that INSERT … VALUES has given to each memory source or table
// of one engine. It is safe for concurrent use.
type Stores struct {
	instance string
	mu       sync.Mutex
	byName   map[string]*Store
}

// NewStores returns empty stores. instance tells runs of the program apart: positions
// in stores of an earlier run say nothing about these.
func NewStores(instance string) *Stores {
	return &Stores{instance: instance, byName: map[string]*Store{}}
}

// Get returns the store of a source or table, made when it is first asked for.
func (s *Stores) Get(name string) *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.byName[name]
	if st == nil {
		st = &Store{name: name}
		s.byName[name] = st
	}
	return st
}

// Drop forgets the rows of a source or table. Who reads them goes on with those it has.
func (s *Stores) Drop(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byName, name)
}

// Rename moves the rows of a table to another name.
func (s *Stores) Rename(from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st, ok := s.byName[from]; ok {
		delete(s.byName, from)
		st.name = to
		s.byName[to] = st
	}
}

// Store is the rows of one source or table, in the order of arrival.
type Store struct {
	name    string
	mu      sync.Mutex
	batches []*vec.Batch // owned, never changed, at most vec.BatchSize rows each
	starts  []int64      // number of rows before each
	rows    int64
}

// Append adds rows, with their weights; it copies them. Columns are those of the
// source in declared order, without metadata and computed ones.
func (s *Store) Append(b *vec.Batch) error {
	kinds := typesOf(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.batches) > 0 {
		if err := sameTypes(typesOf(s.batches[0]), kinds); err != nil {
			return fmt.Errorf("source %q: %w", s.name, err)
		}
	}
	rows := selected(b)
	for len(rows) > 0 {
		n := min(len(rows), vec.BatchSize)
		part := *b
		part.Sel = rows[:n]
		s.batches, s.starts = append(s.batches, part.Clone()), append(s.starts, s.rows)
		s.rows += int64(n)
		rows = rows[n:]
	}
	return nil
}

func selected(b *vec.Batch) []int32 {
	if b.Sel != nil {
		return b.Sel
	}
	out := make([]int32, b.N)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

func typesOf(b *vec.Batch) []types.Type {
	out := make([]types.Type, len(b.Cols))
	for i, c := range b.Cols {
		out[i] = c.Type
	}
	return out
}

func sameTypes(want, got []types.Type) error {
	if len(want) != len(got) {
		return fmt.Errorf("rows have %d columns, expected %d", len(got), len(want))
	}
	for i, t := range want {
		if !t.Equal(got[i]) {
			return fmt.Errorf("column %d is %s, expected %s", i+1, got[i], t)
		}
	}
	return nil
}

// Rows is how many rows arrived so far.
func (s *Store) Rows() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows
}

// between returns rows from … to−1 as batches that share the store's memory.
func (s *Store) between(from, to int64) []*vec.Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*vec.Batch
	for i, b := range s.batches {
		lo, hi := max(from-s.starts[i], 0), min(to-s.starts[i], int64(b.N))
		if lo >= hi {
			continue
		}
		part := &vec.Batch{N: int(hi - lo), Cols: make([]*vec.Vector, len(b.Cols))}
		for c, v := range b.Cols {
			part.Cols[c] = vec.Slice(v, int(lo), int(hi))
		}
		if b.W != nil {
			part.W = b.W[lo:hi]
		}
		out = append(out, part)
	}
	return out
}
