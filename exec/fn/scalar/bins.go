package scalar

import (
	"fmt"
	"math"
	"math/big"
	stdslices "slices"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// This file has the bounds of bins for charts. The round ones are those that DuckDB
// finds: multiples of 1, 2 or 5 times a power of ten, and times at the start of a unit.

func binBounds() []*fn.Scalar {
	return []*fn.Scalar{{
		Name: "equi_width_bins", Group: "Arrays", Syntax: []string{"equi_width_bins(low, high, n, nice)"},
		Doc:      "Lists the upper bounds of n bins of the same width from low to high, for histogram(x, bounds). Where nice is true they are round numbers or times, about n of them, and the last one is not below high.",
		Examples: []fn.Example{{SQL: "equi_width_bins(0, 9, 5, true)", Want: "[2,4,6,8,10]"}, {SQL: "equi_width_bins(0, 1e0, 4, false)", Want: "[0.25,0.5,0.75,1.0]"}, {SQL: "equi_width_bins(date '2024-01-01', date '2025-01-01', 2, true)", Want: `["2024-07-01","2025-01-01"]`}, {SQL: "equi_width_bins(NULL, 9, 5, true)", Want: "NULL"}},
		Resolve:  resolveBins,
	}}
}

// maxBins bounds the number of bins.
const maxBins = 1_000_000

func resolveBins(args []fn.Arg) (fn.Impl, error) {
	if err := arity(args, 4, 4); err != nil {
		return fn.Impl{}, err
	}
	t, err := common(args[:2], 0)
	if err != nil {
		return fn.Impl{}, err
	}
	want := []types.Type{t, t, bigint, boolean}
	switch {
	case t.IsInteger(), t.Kind == types.Null:
		t, want[0], want[1] = bigint, bigint, bigint
	case t.IsFloat(), t.Kind == types.Decimal:
		t, want[0], want[1] = double, double, double
	case t.Kind == types.Date:
		want[0], want[1] = ntz, ntz
	case !t.IsTime():
		return fn.Impl{}, mismatch(args, 0, "number or time")
	}
	if err := matches(args[2:], want[2:]); err != nil {
		return fn.Impl{}, err
	}
	list := types.ArrayOf(t)
	return fn.Impl{Args: want, Result: list, Eval: tryBuilt(list, func(b *vec.Builder, args []*vec.Vector, r int) error {
		n := args[2].Int(r)
		if n < 1 || n > maxBins {
			return &fn.DataError{Func: "equi_width_bins", Value: fmt.Sprint(n), Row: r, Msg: fmt.Sprintf("there are 1 to %d bins", maxBins)}
		}
		if vec.Rank(args[0], r, args[1], r) > 0 {
			return &fn.DataError{Func: "equi_width_bins", Value: shown(args[0], r), Row: r, Msg: "the lower end is above the upper one"}
		}
		return appendBins(b, t, args, r, int(n), args[3].IsTrue(r))
	})}, nil
}

func appendBins(b *vec.Builder, t types.Type, args []*vec.Vector, r, n int, nice bool) error {
	child := b.Child(0)
	if t.IsFloat() {
		low, high := args[0].Float(r), args[1].Float(r)
		if !(math.Abs(low) <= math.MaxFloat64 && math.Abs(high) <= math.MaxFloat64) {
			return &fn.DataError{Func: "equi_width_bins", Value: shown(args[1], r), Row: r, Msg: "an end is no finite number"}
		}
		for _, x := range floatBins(low, high, n, nice) {
			child.AppendFloat(x)
		}
		b.EndList()
		return nil
	}
	low, high := args[0].Int(r), args[1].Int(r)
	var bounds []int64
	if t.IsTime() && nice {
		bounds = timeBins(low, high, n)
	} else {
		bounds = intBins(low, high, n, nice)
	}
	for _, x := range bounds {
		if t.Kind == types.Date {
			x = types.FloorDiv(x, types.MicrosPerDay)
		}
		child.AppendInt(x)
	}
	b.EndList()
	return nil
}

// intBins computes with thousandths, so that the width need not be a whole number.
func intBins(low, high int64, n int, nice bool) []int64 {
	thousand := big.NewInt(1000)
	from, to := new(big.Int).Mul(big.NewInt(low), thousand), new(big.Int).Mul(big.NewInt(high), thousand)
	step := new(big.Int).Sub(to, from)
	step.Quo(step, big.NewInt(int64(n)))
	most := n
	if nice {
		most *= 2
		if width := niceWidth(step); width.Sign() > 0 {
			if up := ceilTo(to, width); up.Cmp(from) != 0 {
				to, step = up, width
			}
		}
	}
	if step.Sign() <= 0 {
		step = big.NewInt(1)
	}
	if low == high {
		return []int64{low}
	}
	var out []int64
	for at := to; at.Cmp(from) > 0; at = new(big.Int).Sub(at, step) {
		x := clampInt(new(big.Int).Quo(at, thousand))
		if len(out) > 0 && (x < low || len(out) >= most) {
			break
		}
		if len(out) == 0 || x != out[len(out)-1] {
			out = append(out, x)
		}
	}
	stdslices.Reverse(out)
	return out
}

// clampInt is the BIGINT next to x.
func clampInt(x *big.Int) int64 {
	switch {
	case x.IsInt64():
		return x.Int64()
	case x.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// ceilTo is the multiple of unit at or above x, cut towards zero as in DuckDB for x below 0.
func ceilTo(x, unit *big.Int) *big.Int {
	up := new(big.Int).Add(x, unit)
	up.Sub(up, big.NewInt(1))
	return up.Quo(up, unit).Mul(up, unit)
}

// niceWidth is the multiple of 1, 2, 5 or 10 times the power of ten below the width that is
// closest to it.
func niceWidth(width *big.Int) *big.Int {
	power := big.NewInt(1)
	for power.Cmp(width) < 0 {
		power.Mul(power, big.NewInt(10))
	}
	power.Quo(power, big.NewInt(10))
	if power.Sign() == 0 {
		return power
	}
	times := func(k int64) *big.Int { return new(big.Int).Mul(power, big.NewInt(k)) }
	two, five := times(2), times(1)
	if times(3).Cmp(width) <= 0 {
		two = times(10)
	}
	if times(2).Cmp(width) <= 0 {
		five = times(5)
	}
	byTwo, byFive := roundTo(width, two), roundTo(width, five)
	if apart(width, byTwo).Cmp(apart(width, byFive)) < 0 {
		return byTwo
	}
	return byFive
}

func roundTo(x, unit *big.Int) *big.Int {
	half := new(big.Int).Rsh(unit, 1)
	half.Add(half, x)
	return half.Quo(half, unit).Mul(half, unit)
}

func apart(a, b *big.Int) *big.Int {
	d := new(big.Int).Sub(a, b)
	return d.Abs(d)
}

func floatBins(low, high float64, n int, nice bool) []float64 {
	step := (high - low) / float64(n)
	if math.IsInf(high-low, 0) {
		step = high/float64(n) - low/float64(n)
	}
	scale := 10 / powerBelow(step)
	to, most := high, n
	if nice {
		most *= 2
		step = niceFloatWidth(step)
		if up := math.Ceil(high/step) * step; !math.IsInf(up, 0) && up == up {
			to = up
		}
	}
	if low == high {
		return []float64{low}
	}
	var out []float64
	for at := to; step > 0 && at > low; at -= step {
		x := at
		if nice {
			if y := math.Round(at*scale) / scale; !math.IsInf(y, 0) && y == y {
				x = y
			}
		}
		if len(out) > 0 && x == out[len(out)-1] {
			if at-step == at {
				break // the width is less than the distance of two numbers here
			}
			continue
		}
		if x <= low || len(out) >= most {
			break
		}
		out = append(out, x)
	}
	stdslices.Reverse(out)
	return out
}

// powerBelow is the power of ten below x, or at most x for x below 1.
func powerBelow(x float64) float64 {
	power := 1.0
	if x < 1 {
		for power > x && power > 0 {
			power /= 10
		}
		return power
	}
	for power < x {
		power *= 10
	}
	return power / 10
}

func niceFloatWidth(width float64) float64 {
	if width == 0 {
		return 0
	}
	power := powerBelow(width)
	two, five := power*2, power
	if power*3 <= width {
		two *= 5
	}
	if power*2 <= width {
		five *= 5
	}
	byTwo, byFive := math.Round(width/two)*two, math.Round(width/five)*five
	if math.Abs(width-byTwo) < math.Abs(width-byFive) {
		return byTwo
	}
	return byFive
}

// timeBins are bounds at the start of a unit that fits the width.
func timeBins(low, high int64, n int) []int64 {
	step := niceInterval(timeStep(time.UnixMicro(low).UTC(), time.UnixMicro(high).UTC(), float64(n)))
	at := ceilTime(high, step)
	if step.Months <= 0 && step.Days <= 0 && step.Micros <= 0 {
		step = types.IntervalValue{Micros: 1}
	}
	var out []int64
	for at >= low && len(out) < n {
		out = append(out, at)
		day := types.FloorDiv(at, types.MicrosPerDay)
		back := types.AddMonths(day, -int64(step.Months)) - int64(step.Days)
		next := back*types.MicrosPerDay + at - day*types.MicrosPerDay - step.Micros
		if next >= at {
			break
		}
		at = next
	}
	stdslices.Reverse(out)
	return out
}

// timeStep is an n-th of the way between two times: of its months, days and rest. What is
// no whole month or day is carried on.
func timeStep(low, high time.Time, n float64) types.IntervalValue {
	clock := func(t time.Time) int64 { return types.FloorMod(t.UnixMicro(), types.MicrosPerDay) }
	months := float64((high.Year()-low.Year())*12+int(high.Month()-low.Month())) / n
	days := float64(high.Day()-low.Day()) / n
	micros := float64(clock(high)-clock(low)) / n
	if months > 0 {
		days += (months - math.Floor(months)) * 30
	}
	if days > 0 {
		micros += (days - math.Floor(days)) * float64(types.MicrosPerDay)
	}
	return types.IntervalValue{Months: int32(months), Days: int32(days), Micros: int64(micros)}
}

const (
	microsPerMinute = 60 * types.MicrosPerSecond
	microsPerHour   = 60 * microsPerMinute
)

// niceInterval rounds what is small beside the rest of a width.
func niceInterval(v types.IntervalValue) types.IntervalValue {
	unit := int64(0)
	switch {
	case v.Months >= 6:
		v.Days, v.Micros = 0, 0
	case v.Months > 0 || v.Days >= 5:
		v.Micros = 0
	case v.Days > 0 || v.Micros >= 6*microsPerHour:
		unit = microsPerHour
	case v.Micros >= microsPerHour:
		unit = 15 * microsPerMinute
	case v.Micros >= 10*microsPerMinute:
		unit = microsPerMinute
	case v.Micros >= microsPerMinute:
		unit = 15 * types.MicrosPerSecond
	case v.Micros >= 10*types.MicrosPerSecond:
		unit = types.MicrosPerSecond
	}
	if unit > 0 {
		v.Micros = (v.Micros + unit/2) / unit * unit
	}
	return v
}

// ceilTime is the start of the unit, smaller than the width, at or behind a time.
func ceilTime(at int64, step types.IntervalValue) int64 {
	unit := int64(1)
	switch {
	case step.Months >= 12:
		day := types.FloorDiv(at+types.MicrosPerDay-1, types.MicrosPerDay)
		if d := time.Unix(day*86400, 0).UTC().Day(); d > 1 {
			day = types.AddMonths(day-int64(d)+1, 1)
		}
		return day * types.MicrosPerDay
	case step.Months > 0 || step.Days >= 1:
		unit = types.MicrosPerDay
	case step.Micros >= microsPerHour:
		unit = microsPerHour
	case step.Micros >= microsPerMinute:
		unit = microsPerMinute
	case step.Micros >= types.MicrosPerSecond:
		unit = types.MicrosPerSecond
	}
	return types.FloorDiv(at+unit-1, unit) * unit
}
