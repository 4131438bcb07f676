package pace

import (
	"math"
	"math/bits"
)

// Speed is when rows come: so many a second, from the first second on or, with a ramp,
// as Spark's rate source: in second i of it (counted from 0) step·(i+1) rows, with step =
// PerSecond / (Ramp+1), rounded down.
type Speed struct {
	PerSecond int64 // 0 = all rows are there at once, at the same moment
	Ramp      int64 // seconds
}

// step is by how much the speed grows in each second of the ramp.
func (s Speed) step() int64 { return s.PerSecond / (s.Ramp + 1) }

// ramped counts the rows of the first so many seconds of the ramp.
func (s Speed) ramped(seconds int64) int64 {
	if seconds%2 == 0 {
		return seconds / 2 * s.step() * (seconds + 1)
	}
	return (seconds + 1) / 2 * s.step() * seconds
}

// Before counts the rows of the first us µs, that of the very moment included.
func (s Speed) Before(us int64) int64 {
	switch {
	case us < 0:
		return 0
	case s.PerSecond == 0:
		return math.MaxInt64
	case us >= s.Ramp*1e6:
		return s.ramped(s.Ramp) + 1 + scaled(us-s.Ramp*1e6, s.PerSecond)
	}
	second := us / 1e6
	n := s.ramped(second)
	if v := s.step() * (second + 1); v > 0 {
		n += 1 + scaled(us%1e6, v)
	}
	return n
}

// scaled is us·perSecond/10⁶.
func scaled(us, perSecond int64) int64 {
	hi, lo := bits.Mul64(uint64(us), uint64(perSecond))
	if hi >= 1e6 {
		return math.MaxInt64 - 1<<32
	}
	q, _ := bits.Div64(hi, lo, 1e6)
	return int64(min(q, math.MaxInt64-1<<32))
}

// moments are those of the rows from, from+1, …, for row 0 at start.
func (s Speed) moments(at []int64, from, start int64) {
	if s.PerSecond == 0 {
		for i := range at {
			at[i] = start
		}
		return
	}
	if s.Ramp == 0 {
		steady(at, from, start, s.PerSecond)
		return
	}
	second := s.secondOf(from)
	for i := range at {
		row := from + int64(i)
		for second < s.Ramp && row >= s.ramped(second+1) {
			second++
		}
		if second == s.Ramp {
			steady(at[i:], row-s.ramped(s.Ramp), start+s.Ramp*1e6, s.PerSecond)
			return
		}
		at[i] = start + second*1e6 + (row-s.ramped(second))*1e6/(s.step()*(second+1))
	}
}

// secondOf is the second of the ramp in which a row comes; Ramp = after it.
func (s Speed) secondOf(row int64) int64 {
	lo, hi := int64(0), s.Ramp
	for lo < hi {
		mid := (lo + hi) / 2
		if row >= s.ramped(mid+1) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func steady(at []int64, from, start, rate int64) {
	for i := range at {
		row := from + int64(i)
		at[i] = start + row/rate*1e6 + row%rate*1e6/rate
	}
}
