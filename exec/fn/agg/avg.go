package agg

import (
	"math/bits"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// avgInt is the mean of integers.
type avgInt struct {
	intSums
}

// Merge implements fn.Accumulator.
func (a *avgInt) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[avgInt](src).intSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *avgInt) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		s := &a.at[g]
		if s.n == 0 {
			out.AppendNull()
			continue
		}
		out.AppendFloat(s.value().Float64() / float64(s.n))
	}
	return nil
}

// avgTime is the mean of times.
type avgTime struct {
	intSums
}

// Add implements fn.Accumulator.
func (a *avgTime) Add(rows fn.AggRows) (failed error) {
	v := rows.Args[0]
	each(rows, v, func(_ uint32, r int, _ int64) {
		if v.Type.Kind.Infinite(v.Int(r)) != 0 {
			failed = &fn.DataError{Func: "avg", Value: string(vec.RowString(v, r, nil)), Row: r, Msg: "infinity has no mean"}
		}
	})
	if failed != nil {
		return failed
	}
	return a.intSums.Add(rows)
}

// Merge implements fn.Accumulator.
func (a *avgTime) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[avgTime](src).intSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *avgTime) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		s := &a.at[g]
		if s.n == 0 {
			out.AppendNull()
			continue
		}
		mean, _ := s.value().DivRound(types.Int128From(s.n))
		us, _ := mean.Int64() // between the least and the greatest time
		out.AppendInt(us)
	}
	return nil
}

// avgFloat is the mean of FLOAT or DOUBLE.
type avgFloat struct {
	floatSums
}

// Merge implements fn.Accumulator.
func (a *avgFloat) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[avgFloat](src).floatSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *avgFloat) Result(groups []uint32, out *vec.Builder) error {
	a.appendFloats(groups, out, func(g uint32, n int64) float64 { return a.value(g) / float64(n) })
	return nil
}

// avgDecimal is the mean of decimals of at most 18 digits, with more digits after the
// point than these.
type avgDecimal struct {
	intSums
	more int
	even bool // halves are rounded to the even digit
}

// Merge implements fn.Accumulator.
func (a *avgDecimal) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[avgDecimal](src).intSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *avgDecimal) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		s := &a.at[g]
		if s.n == 0 {
			out.AppendNull()
			continue
		}
		if err := appendQuotient(s.wide(), a.more, a.even, out); err != nil {
			return err
		}
	}
	return nil
}

// appendQuotient appends sum·10^more/n, rounded half away from zero, or half to even with
// no more digits; n > 0.
func appendQuotient(sum sum192, more int, even bool, out *vec.Builder) error {
	var abs [3]uint64
	negative := magnitude([]uint64{sum.lo, sum.mid, uint64(sum.hi)}, abs[:])
	n, rem := uint64(sum.n), uint64(0)
	for i := 2; i >= 0; i-- {
		abs[i], rem = bits.Div64(rem, abs[i], n)
	}
	whole, fits := types.Int128{Hi: int64(abs[1]), Lo: abs[0]}.MulPow10(more)
	fits = fits && abs[2] == 0 && int64(abs[1]) >= 0
	part, _ := types.MulInt64(int64(rem), int64(types.Pow10(more).Lo)).DivRound(types.Int128From(sum.n))
	if even && rem*2 == n {
		part = types.Int128From(int64(whole.Lo & 1))
	}
	q, added := whole.Add(part)
	if negative {
		q, _ = q.Neg()
	}
	return appendDecimal("avg", q, fits && added, out)
}

// avgWide is the mean of decimals of more than 18 digits.
type avgWide struct {
	wideSums
	more int
	even bool
}

// Merge implements fn.Accumulator.
func (a *avgWide) Merge(src fn.Accumulator, from, into []uint32) error {
	a.merge(&sameKind[avgWide](src).wideSums, from, into)
	return nil
}

// Result implements fn.Accumulator.
func (a *avgWide) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		s := &a.at[g]
		if s.n == 0 {
			out.AppendNull()
			continue
		}
		if err := appendQuotient(*s, a.more, a.even, out); err != nil {
			return err
		}
	}
	return nil
}
