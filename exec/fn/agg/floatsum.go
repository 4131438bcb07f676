package agg

import (
	"encoding/binary"
	"math"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// odd counts the values of a group that no finite sum can hold.
type odd struct {
	nan, pos, neg int64
}

// floatSums sums doubles exactly, and counts NaN and infinities on the side: their
// retraction gives back the finite sum. State: varint rows, the sum, a byte that
// tells whether the three counts of odd values follow.
type floatSums struct {
	sums exactSums
	n    cells[int64]
	odds map[uint32]odd // groups that have some
}

// Grow implements fn.Accumulator.
func (a *floatSums) Grow(n int) {
	a.sums.Grow(n)
	a.n.Grow(n)
}

// Reset implements fn.Accumulator.
func (a *floatSums) Reset(group uint32) {
	a.sums.Reset(group)
	a.n.Reset(group)
	delete(a.odds, group)
}

// Bytes implements fn.Accumulator.
func (a *floatSums) Bytes() int64 { return a.sums.Bytes() + a.n.Bytes() + 48*int64(len(a.odds)) }

// Add implements fn.Accumulator.
func (a *floatSums) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	if plain(rows, v) {
		xs := v.F64[:len(rows.Groups)]
		for i, g := range rows.Groups {
			a.addOne(g, xs[i])
		}
		return nil
	}
	each(rows, v, func(g uint32, r int, w int64) { a.addTimes(g, v.Float(r), w) })
	return nil
}

func (a *floatSums) addOne(g uint32, x float64) {
	if math.Float64bits(x)>>52&0x7ff == 0x7ff {
		a.addTimes(g, x, 1)
		return
	}
	a.n.at[g]++
	a.sums.add(g, x)
}

func (a *floatSums) addTimes(g uint32, x float64, w int64) {
	a.n.at[g] += w
	if math.IsNaN(x) || math.IsInf(x, 0) {
		a.addOdd(g, oddOf(x, w))
		return
	}
	a.sums.addTimes(g, x, w)
}

func oddOf(x float64, w int64) odd {
	switch {
	case math.IsNaN(x):
		return odd{nan: w}
	case x > 0:
		return odd{pos: w}
	}
	return odd{neg: w}
}

func (a *floatSums) addOdd(g uint32, o odd) {
	old := a.odds[g]
	o = odd{old.nan + o.nan, old.pos + o.pos, old.neg + o.neg}
	if o == (odd{}) {
		delete(a.odds, g)
		return
	}
	if a.odds == nil {
		a.odds = map[uint32]odd{}
	}
	a.odds[g] = o
}

func (a *floatSums) merge(src *floatSums, from, into []uint32) {
	for i, f := range from {
		g := into[i]
		a.n.at[g] += src.n.at[f]
		a.sums.merge(g, &src.sums, f)
		if o, some := src.odds[f]; some {
			a.addOdd(g, o)
		}
	}
}

// value is the sum of a group under the rules of IEEE 754.
func (a *floatSums) value(g uint32) float64 {
	if o, some := a.odds[g]; some {
		switch {
		case o.nan > 0 || o.pos > 0 && o.neg > 0:
			return math.NaN()
		case o.pos > 0:
			return math.Inf(1)
		case o.neg > 0:
			return math.Inf(-1)
		}
	}
	return a.sums.value(g)
}

// AppendState implements fn.Accumulator.
func (a *floatSums) AppendState(dst []byte, g uint32) []byte {
	dst = binary.AppendVarint(dst, a.n.at[g])
	dst = a.sums.appendState(dst, g)
	o, some := a.odds[g]
	if !some {
		return append(dst, 0)
	}
	dst = binary.AppendVarint(append(dst, 1), o.nan)
	return binary.AppendVarint(binary.AppendVarint(dst, o.pos), o.neg)
}

// LoadState implements fn.Accumulator.
func (a *floatSums) LoadState(src []byte, g uint32) (rest []byte, err error) {
	delete(a.odds, g)
	if a.n.at[g], src, err = cutVarint(src); err != nil {
		return nil, err
	}
	if src, err = a.sums.loadState(src, g); err != nil {
		return nil, err
	}
	if len(src) == 0 {
		return nil, errState
	}
	if src[0] == 0 {
		return src[1:], nil
	}
	src = src[1:]
	var o odd
	for _, field := range []*int64{&o.nan, &o.pos, &o.neg} {
		if *field, src, err = cutVarint(src); err != nil {
			return nil, err
		}
	}
	a.addOdd(g, o)
	return src, nil
}

// appendFloats appends the value of each group, NULL for those without rows.
func (a *floatSums) appendFloats(groups []uint32, out *vec.Builder, value func(g uint32, n int64) float64) {
	for _, g := range groups {
		if n := a.n.at[g]; n != 0 {
			out.AppendFloat(value(g, n))
			continue
		}
		out.AppendNull()
	}
}
