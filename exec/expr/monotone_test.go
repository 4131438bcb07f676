package expr_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/expr"
	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

// steps wrap an expression in a function that may keep its order.
func steps(r *expr.Resolver, rnd *rand.Rand, n expr.Node) (expr.Node, error) {
	k := int64(rnd.IntN(9) - 4)
	t := n.Type()
	iv := expr.Interval(types.IntervalValue{Months: int32(rnd.IntN(2)), Days: int32(k), Micros: k * 1e9})
	unit := expr.Text([]string{"second", "minute", "hour", "day", "week", "month", "year"}[rnd.IntN(7)])
	num := expr.Int(types.Of(types.Int32), k)
	if t.IsTime() {
		switch rnd.IntN(8) {
		case 0:
			return r.Resolve("+", n, iv)
		case 1:
			return r.Resolve("-", n, iv)
		case 2:
			return r.Resolve("date_trunc", unit, n)
		case 3:
			return r.Cast(n, types.Of([]types.Kind{types.Date, types.Timestamp, types.TimestampNTZ}[rnd.IntN(3)]), false)
		case 4:
			return r.Resolve([]string{"year", "month", "hour", "last_day"}[rnd.IntN(4)], n)
		case 5:
			return r.Resolve("floor", n, unit)
		case 6:
			return r.Resolve("time_bucket", expr.Interval(types.IntervalValue{Micros: 86_400_000_000 * int64(1+rnd.IntN(3)) / int64(1+rnd.IntN(5))}), n)
		}
		return r.Resolve("unix_millis", n)
	}
	switch rnd.IntN(8) {
	case 0:
		return r.Resolve("+", num, n)
	case 1:
		return r.Resolve("-", num, n)
	case 2:
		return r.Resolve("*", n, num)
	case 3:
		return r.Resolve("/", n, num)
	case 4:
		return r.Cast(n, columnTypes[1+rnd.IntN(6)], false)
	case 5:
		return r.Resolve([]string{"floor", "ceil", "round", "abs", "-", "sign"}[rnd.IntN(6)], n)
	case 6:
		return r.Resolve("%", n, num)
	}
	return r.Resolve([]string{"least", "greatest"}[rnd.IntN(2)], n, num)
}

// TestMonotone checks the promise of MonotoneIn on ascending values, in UTC and in a
// zone with daylight saving.
func TestMonotone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(9, 9))
	claimed := 0
	r := newResolver(t)
	for range 3000 {
		zone, fixed := time.UTC, true
		if rnd.IntN(2) == 0 {
			zone, fixed = berlin, false
		}
		r.Zone = zone
		typ := []types.Type{types.Of(types.Timestamp), types.Of(types.TimestampNTZ), types.Of(types.Date), types.Of(types.Int64), types.Of(types.Float64)}[rnd.IntN(5)]
		var n expr.Node = &expr.Column{Name: "x", T: typ}
		for range 1 + rnd.IntN(3) {
			if next, err := steps(r, rnd, n); err == nil {
				n = next
			}
		}
		if _, ok := expr.MonotoneIn(n, fixed); !ok {
			continue
		}
		claimed++
		checkAscending(t, rnd, n, typ, zone)
	}
	if claimed < 500 {
		t.Errorf("only %d expressions were monotone", claimed)
	}
}

func checkAscending(t *testing.T, rnd *rand.Rand, n expr.Node, typ types.Type, zone *time.Location) {
	t.Helper()
	const count = 200
	b := vec.NewBuilder(typ)
	vals := make([]int64, count)
	base := time.Date(2024, time.March, 31, 0, 0, 0, 0, time.UTC).UnixMicro() // the clocks change
	if rnd.IntN(2) == 0 {
		base = time.Date(2024, time.October, 27, 0, 0, 0, 0, time.UTC).UnixMicro()
	}
	for i := range vals {
		vals[i] = base + rnd.Int64N(2*86_400_000_000) - 86_400_000_000
		switch typ.Kind {
		case types.Date:
			vals[i] = rnd.Int64N(2000) - 1000
		case types.Int64, types.Float64:
			vals[i] = rnd.Int64N(400) - 200
		}
	}
	slices.Sort(vals)
	for _, v := range vals {
		if typ.Kind == types.Float64 {
			b.AppendFloat(float64(v) / 3)
		} else {
			b.AppendInt(v)
		}
	}
	v, err := n.Eval(&fn.Ctx{Zone: zone, NullOnError: true}, vec.NewBatch(b.Take()))
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for i := range count {
		if v.IsNull(i) {
			continue
		}
		if last >= 0 && vec.Compare(v, last, v, i) > 0 {
			t.Fatalf("%s in %s: %d gives %s, but %d gives %s", n, zone, vals[last], vec.RowString(v, last, zone), vals[i], vec.RowString(v, i, zone))
		}
		last = i
	}
}

// TestWalking covers the helpers on trees.
func TestWalking(t *testing.T) {
	r := newResolver(t)
	a, b := &expr.Column{Index: 3, Name: "a", T: types.Of(types.Int32)}, &expr.Column{Index: 1, Name: "b", T: types.Of(types.Int32)}
	sum, _ := r.Resolve("+", a, b)
	twice, _ := r.Resolve("*", sum, sum)
	if got := fmt.Sprint(expr.ColumnsOf(twice)); got != "[1 3]" {
		t.Errorf("columns %s", got)
	}
	if twice.String() != "((a + b) * (a + b))" {
		t.Errorf("text %s", twice)
	}
	moved := expr.MapColumns(twice, func(i int) int { return i * 10 })
	if got := fmt.Sprint(expr.ColumnsOf(moved)); got != "[10 30]" || expr.Equal(moved, twice) {
		t.Errorf("moved columns %s", got)
	}
	again, _ := r.Resolve("+", a, b)
	if !expr.Equal(sum, again) {
		t.Error("equal expressions differ")
	}
	now, _ := r.Resolve("now")
	rnd, _ := r.Resolve("random")
	if expr.Volatility(sum) != fn.Immutable || expr.Volatility(now) != fn.Stable || expr.Volatility(rnd) != fn.Volatile {
		t.Error("wrong volatility")
	}
	if expr.Equal(rnd, rnd) {
		t.Error("random() equals itself")
	}
	if !expr.IsConst(expr.Substitute(sum, []expr.Node{nil, expr.Int(types.Of(types.Int32), 1), nil, expr.Int(types.Of(types.Int32), 2)}).Children()[0]) {
		t.Error("not substituted")
	}
}

// TestLazyBranches checks that a guarded division never fails.
func TestLazyBranches(t *testing.T) {
	r := newResolver(t)
	x := &expr.Column{Name: "x", T: types.Of(types.Int32)}
	zero, one := expr.Int(types.Of(types.Int32), 0), expr.Int(types.Of(types.Int32), 1)
	div, _ := r.Resolve("div", one, x)
	isZero, _ := r.Resolve("=", x, zero)
	notZero, _ := r.Resolve("<>", x, zero)
	positive, _ := r.Resolve(">", div, zero)
	whenCase, _ := r.Case([]expr.Node{isZero}, []expr.Node{zero}, div)
	iff, _ := r.Resolve("if", notZero, div, zero)
	co, _ := r.Resolve("coalesce", x, div)
	batch := vec.NewBatch(vec.FromInts(types.Of(types.Int32), []int64{0, 1, 2, 0}))
	for _, n := range []expr.Node{expr.NewAnd(notZero, positive), expr.NewOr(isZero, positive), whenCase, iff, co} {
		if _, err := n.Eval(&fn.Ctx{Zone: time.UTC}, batch); err != nil {
			t.Errorf("%s: %v", n, err)
		}
	}
	if _, err := div.Eval(&fn.Ctx{Zone: time.UTC}, batch); err == nil {
		t.Error("an unguarded division by zero gave no error")
	}
}
