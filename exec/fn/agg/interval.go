package agg

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

var interval = types.Of(types.Interval)

// intervalSum adds the parts of intervals apart: months have no length in days.
type intervalSum struct {
	months, days int64
	micros       sum128 // and the number of rows
}

// intervalSums is the accumulator of sum and avg of INTERVAL. State: varint rows,
// months, days, then 16 bytes of µs.
type intervalSums struct {
	cells[intervalSum]
	mean bool
}

func intervalImpl(mean bool) fn.AggImpl {
	return fn.AggImpl{Args: []types.Type{interval}, Result: interval, New: func(bool) fn.Accumulator { return &intervalSums{mean: mean} }}
}

// Add implements fn.Accumulator.
func (a *intervalSums) Add(rows fn.AggRows) error {
	v := rows.Args[0]
	each(rows, v, func(g uint32, r int, w int64) {
		f, i := v.At(r)
		s := &a.at[g]
		s.months += int64(f.Iv[i].Months) * w
		s.days += int64(f.Iv[i].Days) * w
		s.micros.addTimes(f.Iv[i].Micros, w)
	})
	return nil
}

// Merge implements fn.Accumulator.
func (a *intervalSums) Merge(src fn.Accumulator, from, into []uint32) error {
	o := sameKind[intervalSums](src)
	for i, f := range from {
		s, n := &a.at[into[i]], &o.at[f]
		s.months += n.months
		s.days += n.days
		s.micros.merge(n.micros)
	}
	return nil
}

// Result implements fn.Accumulator.
func (a *intervalSums) Result(groups []uint32, out *vec.Builder) error {
	for _, g := range groups {
		s := &a.at[g]
		if s.micros.n == 0 {
			out.AppendNull()
			continue
		}
		months, days, micros := big.NewInt(s.months), big.NewInt(s.days), bigOf(s.micros.value())
		if a.mean {
			months, days, micros = meanInterval(months, days, micros, s.micros.n)
		}
		if !fits(months, math.MaxInt32) || !fits(days, math.MaxInt32) || !micros.IsInt64() {
			return &fn.DataError{Func: map[bool]string{false: "sum", true: "avg"}[a.mean], Row: -1, Msg: "the result does not fit in INTERVAL"}
		}
		out.AppendInterval(types.IntervalValue{Months: int32(months.Int64()), Days: int32(days.Int64()), Micros: micros.Int64()})
	}
	return nil
}

func fits(x *big.Int, most int64) bool {
	return x.IsInt64() && x.Int64() <= most && x.Int64() >= -most-1
}

func bigOf(x types.Int128) *big.Int {
	out := new(big.Int).Lsh(big.NewInt(x.Hi), 64)
	return out.Add(out, new(big.Int).SetUint64(x.Lo))
}

const dayMicros = 86_400_000_000

// meanInterval divides the parts by n: what is left of months counts 30 days each, what
// is left of days 24 hours; µs are rounded towards zero.
func meanInterval(months, days, micros *big.Int, n int64) (m, d, us *big.Int) {
	by := big.NewInt(n)
	m, rest := new(big.Int).QuoRem(months, by, new(big.Int))
	days = new(big.Int).Add(days, rest.Mul(rest, big.NewInt(30)))
	d, rest = new(big.Int).QuoRem(days, by, new(big.Int))
	micros = new(big.Int).Add(micros, rest.Mul(rest, big.NewInt(dayMicros)))
	return m, d, micros.Quo(micros, by)
}

// AppendState implements fn.Accumulator.
func (a *intervalSums) AppendState(dst []byte, g uint32) []byte {
	s := &a.at[g]
	for _, x := range []int64{s.micros.n, s.months, s.days} {
		dst = binary.AppendVarint(dst, x)
	}
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, uint64(s.micros.hi)), s.micros.lo)
}

// LoadState implements fn.Accumulator.
func (a *intervalSums) LoadState(src []byte, g uint32) ([]byte, error) {
	var parts [3]int64
	for i := range parts {
		var err error
		if parts[i], src, err = cutVarint(src); err != nil {
			return nil, err
		}
	}
	if len(src) < 16 {
		return nil, errState
	}
	a.at[g] = intervalSum{months: parts[1], days: parts[2], micros: sum128{n: parts[0],
		hi: int64(binary.BigEndian.Uint64(src)), lo: binary.BigEndian.Uint64(src[8:])}}
	return src[16:], nil
}
