package vec

import "github.com/sqlstream/sqlstream/exec/invariant"

// Scratch lends slices for the time of one batch, so that operators and kernels do not
// allocate one a batch. It belongs to one worker; the zero value is ready. A slice
// holds anything at first, and is gone at Reset: nothing that outlives the batch may
// come from here.
type Scratch struct {
	i64  slab[int64]
	u64  slab[uint64]
	f64  slab[float64]
	i32  slab[int32]
	u32  slab[uint32]
	byte slab[byte]
}

// Ints lends n int64.
func (s *Scratch) Ints(n int) []int64 { return s.i64.lend(n) }

// Hashes lends n uint64, for hashes and bitmaps.
func (s *Scratch) Hashes(n int) []uint64 { return s.u64.lend(n) }

// Floats lends n float64.
func (s *Scratch) Floats(n int) []float64 { return s.f64.lend(n) }

// Sel lends n int32, for row numbers.
func (s *Scratch) Sel(n int) []int32 { return s.i32.lend(n) }

// Groups lends n uint32, for groups and codes.
func (s *Scratch) Groups(n int) []uint32 { return s.u32.lend(n) }

// Bytes lends n bytes.
func (s *Scratch) Bytes(n int) []byte { return s.byte.lend(n) }

// Reset takes everything back.
func (s *Scratch) Reset() {
	for _, b := range s.byte.chunks {
		invariant.Scramble(b)
	}
	s.i64.reset()
	s.u64.reset()
	s.f64.reset()
	s.i32.reset()
	s.u32.reset()
	s.byte.reset()
}

// slab cuts slices from chunks that it keeps.
type slab[T any] struct {
	chunks [][]T
	chunk  int // being cut
	used   int // of it
}

func (s *slab[T]) lend(n int) []T {
	for ; s.chunk < len(s.chunks); s.chunk++ {
		if c := s.chunks[s.chunk]; len(c)-s.used >= n {
			out := c[s.used : s.used+n : s.used+n]
			s.used += n
			return out
		}
		s.used = 0
	}
	s.chunks = append(s.chunks, make([]T, max(n, 4*BatchSize)))
	s.used = n
	return s.chunks[s.chunk][:n:n]
}

func (s *slab[T]) reset() { s.chunk, s.used = 0, 0 }
