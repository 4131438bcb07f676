package fn

import (
	"slices"

	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// Scratch lends arrays of vec.BatchSize elements for vectors that live no longer
// than the batch under way. It is a stack: Release gives back everything that was
// lent since Mark. Bytes of strings, dictionaries and list children are never lent,
// because gathered vectors share them.
type Scratch struct {
	bools shelf[uint8]
	ints  shelf[int64]
	flts  shelf[float64]
	i128  shelf[types.Int128]
	ivs   shelf[types.IntervalValue]
	strs  shelf[vec.StrRef]
	sels  shelf[int32]
	codes shelf[uint32]
	bits  shelf[uint64]
}

// Mark is a height of the stack.
type Mark [9]int

type shelf[T any] struct {
	all  [][]T
	used int
}

func (s *shelf[T]) take(n int) []T {
	if n > vec.BatchSize {
		return make([]T, n)
	}
	if s.used == len(s.all) {
		s.all = append(s.all, make([]T, vec.BatchSize))
	}
	s.used++
	return s.all[s.used-1][:n:n]
}

// Mark notes the height of the stack, for Release. Both work on a Ctx without
// scratch too.
func (c *Ctx) Mark() Mark {
	s := c.Scratch
	if s == nil {
		return Mark{}
	}
	return Mark{s.bools.used, s.ints.used, s.flts.used, s.i128.used, s.ivs.used, s.strs.used, s.sels.used, s.codes.used, s.bits.used}
}

// Release takes back what was lent since the mark.
func (c *Ctx) Release(m Mark) {
	s := c.Scratch
	if s == nil {
		return
	}
	s.bools.used, s.ints.used, s.flts.used = m[0], m[1], m[2]
	s.i128.used, s.ivs.used, s.strs.used = m[3], m[4], m[5]
	s.sels.used, s.codes.used, s.bits.used = m[6], m[7], m[8]
}

// Bools lends n bytes. Like all lent arrays they hold anything.
func (c *Ctx) Bools(n int) []uint8 {
	if c.Scratch == nil {
		return make([]uint8, n)
	}
	return c.Scratch.bools.take(n)
}

// Int64s lends n integers.
func (c *Ctx) Int64s(n int) []int64 {
	if c.Scratch == nil {
		return make([]int64, n)
	}
	return c.Scratch.ints.take(n)
}

// Float64s lends n floats.
func (c *Ctx) Float64s(n int) []float64 {
	if c.Scratch == nil {
		return make([]float64, n)
	}
	return c.Scratch.flts.take(n)
}

// Int128s lends n 128-bit integers.
func (c *Ctx) Int128s(n int) []types.Int128 {
	if c.Scratch == nil {
		return make([]types.Int128, n)
	}
	return c.Scratch.i128.take(n)
}

// Intervals lends n intervals.
func (c *Ctx) Intervals(n int) []types.IntervalValue {
	if c.Scratch == nil {
		return make([]types.IntervalValue, n)
	}
	return c.Scratch.ivs.take(n)
}

// StrRefs lends n string references, all of them empty.
func (c *Ctx) StrRefs(n int) []vec.StrRef {
	if c.Scratch == nil {
		return make([]vec.StrRef, n)
	}
	refs := c.Scratch.strs.take(n)
	clear(refs)
	return refs
}

// Sel lends room for n row numbers.
func (c *Ctx) Sel(n int) []int32 {
	if c.Scratch == nil {
		return make([]int32, n)
	}
	return c.Scratch.sels.take(n)
}

// Codes lends n dictionary codes.
func (c *Ctx) Codes(n int) []uint32 {
	if c.Scratch == nil {
		return make([]uint32, n)
	}
	return c.Scratch.codes.take(n)
}

// Bits lends a bitmap for n rows, all bits clear.
func (c *Ctx) Bits(n int) []uint64 {
	words := (n + 63) / 64
	if c.Scratch == nil {
		return make([]uint64, words)
	}
	b := c.Scratch.bits.take(words)
	clear(b)
	return b
}

// New makes a flat vector of n rows with fixed-width storage lent by the context.
// Lists and structs are made by a vec.Builder instead.
func (c *Ctx) New(t types.Type, n int) *vec.Vector {
	v := &vec.Vector{Type: t, N: n}
	switch t.Phys() {
	case types.PhysBool:
		v.Bool = c.Bools(n)
	case types.PhysInt64:
		v.I64 = c.Int64s(n)
	case types.PhysFloat64:
		v.F64 = c.Float64s(n)
	case types.PhysInt128:
		v.I128 = c.Int128s(n)
	case types.PhysInterval:
		v.Iv = c.Intervals(n)
	case types.PhysString:
		v.Str = c.StrRefs(n)
	}
	return v
}

// Room makes room for the texts of all rows once the first ones, which are done, tell how
// long they are: bytes are never lent, and a buffer that doubles takes twice the memory.
func Room(buf []byte, done, all int) []byte {
	const sample = 32
	if done != sample {
		return buf
	}
	return slices.Grow(buf, min(len(buf)/sample*(all-sample)+all/2, 1<<20))
}
