package agg

import (
	"encoding/binary"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// BitAnd is bit_and(x).
var BitAnd = fn.Aggregate{
	Name: "bit_and", Group: "Aggregate",
	Syntax: []string{"bit_and(x)"},
	Doc:    "The bits that are set in all integers that are not NULL; NULL if there are none.",
	Examples: []fn.Example{
		{SQL: "bit_and(x) FROM (VALUES (6), (3), (NULL)) AS t(x)", Want: "2"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveBits(args, opAnd) },
}

// BitOr is bit_or(x).
var BitOr = fn.Aggregate{
	Name: "bit_or", Group: "Aggregate",
	Syntax: []string{"bit_or(x)"},
	Doc:    "The bits that are set in some integer; NULL if there is none that is not NULL.",
	Examples: []fn.Example{
		{SQL: "bit_or(x) FROM (VALUES (6), (3), (NULL)) AS t(x)", Want: "7"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveBits(args, opOr) },
}

// BitXor is bit_xor(x).
var BitXor = fn.Aggregate{
	Name: "bit_xor", Group: "Aggregate",
	Syntax: []string{"bit_xor(x)"},
	Doc:    "The bits that are set in an odd number of integers; NULL if there is none that is not NULL.",
	Examples: []fn.Example{
		{SQL: "bit_xor(x) FROM (VALUES (6), (3), (NULL)) AS t(x)", Want: "5"},
	},
	Resolve: func(args []fn.Arg) (fn.AggImpl, error) { return resolveBits(args, opXor) },
}

type bitOp uint8

const (
	opAnd bitOp = iota
	opOr
	opXor
)

func resolveBits(args []fn.Arg, op bitOp) (fn.AggImpl, error) {
	if err := wantArgs(args, 1, 1); err != nil {
		return fn.AggImpl{}, err
	}
	if err := wantInteger(args[0].Type); err != nil {
		return fn.AggImpl{}, err
	}
	t := known(args[0].Type, bigint)
	return fn.AggImpl{Args: []types.Type{t}, Result: t, New: func(retract bool) fn.Accumulator {
		if retract && op != opXor {
			return &bitCounts{op: op}
		}
		return &bitWords{op: op}
	}}, nil
}

type bitWord struct {
	word int64
	n    int64
}

// bitWords combines words as they come; only xor may be retracted so. State: rows and
// the word as varints.
type bitWords struct {
	cells[bitWord]
	op bitOp
}

// Add implements fn.Accumulator.
func (a *bitWords) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		x := v.Int(r)
		if a.op == opXor && w&1 == 0 {
			x = 0
		}
		a.combine(g, bitWord{x, w})
	})
	return nil
}

func (a *bitWords) combine(g uint32, o bitWord) {
	c := &a.at[g]
	switch {
	case a.op == opXor:
		c.word ^= o.word
	case c.n == 0:
		c.word = o.word
	case a.op == opAnd:
		c.word &= o.word
	default:
		c.word |= o.word
	}
	c.n += o.n
}

// Merge implements fn.Accumulator.
func (a *bitWords) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[bitWords](src)
	for i, f := range from {
		if c := o.at[f]; c != (bitWord{}) {
			a.combine(into[i], c)
		}
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *bitWords) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		if c := a.at[g]; c.n != 0 {
			out.AppendInt(c.word)
			continue
		}
		out.AppendNull()
	}
	return nil
}

// AppendState implements fn.Accumulator.
func (a *bitWords) AppendState(dst []byte, g uint32) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, a.at[g].n), a.at[g].word)
}

// LoadState implements fn.Accumulator.
func (a *bitWords) LoadState(src []byte, g uint32) (rest []byte, err error) {
	if a.at[g].n, src, err = cutVarint(src); err != nil {
		return nil, err
	}
	a.at[g].word, rest, err = cutVarint(src)
	return rest, err
}

type bitCount struct {
	n   int64
	set [64]int64
}

// bitCounts counts, bit by bit, the rows in which it is set: bit_and and bit_or over
// any input. State: rows and, if there are rows, 64 counts as varints.
type bitCounts struct {
	cells[bitCount]
	op bitOp
}

// Add implements fn.Accumulator.
func (a *bitCounts) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		c := &a.at[g]
		c.n += w
		x := uint64(v.Int(r))
		for b := range c.set {
			c.set[b] += w & -int64(x>>b&1)
		}
	})
	return nil
}

// Merge implements fn.Accumulator.
func (a *bitCounts) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[bitCounts](src)
	for i, f := range from {
		c, s := &a.at[into[i]], &o.at[f]
		c.n += s.n
		for b := range c.set {
			c.set[b] += s.set[b]
		}
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *bitCounts) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		c := &a.at[g]
		if c.n == 0 {
			out.AppendNull()
			continue
		}
		least := int64(1)
		if a.op == opAnd {
			least = c.n
		}
		var x uint64
		for b, n := range c.set {
			if n >= least {
				x |= 1 << b
			}
		}
		out.AppendInt(int64(x))
	}
	return nil
}

// AppendState implements fn.Accumulator.
func (a *bitCounts) AppendState(dst []byte, g uint32) []byte {
	c := &a.at[g]
	dst = binary.AppendVarint(dst, c.n)
	if c.n == 0 {
		return dst
	}
	for _, n := range c.set {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

// LoadState implements fn.Accumulator.
func (a *bitCounts) LoadState(src []byte, g uint32) (rest []byte, err error) {
	c := &a.at[g]
	*c = bitCount{}
	if c.n, src, err = cutVarint(src); err != nil || c.n == 0 {
		return src, err
	}
	for b := range c.set {
		if c.set[b], src, err = cutVarint(src); err != nil {
			return nil, err
		}
	}
	return src, nil
}
