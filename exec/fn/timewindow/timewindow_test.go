package timewindow

import (
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
	"github.com/sqlstream/sqlstream/exec/vec"
)

const second = int64(1e6)

func seconds(n int64) types.IntervalValue { return types.IntervalValue{Micros: n * second} }

func constant(v types.IntervalValue) fn.Arg {
	t := types.Of(types.Interval)
	return fn.Arg{Type: t, Const: &vec.Vector{Type: t, N: 1, Const: true, Iv: []types.IntervalValue{v}}}
}

func run(t *testing.T, f *fn.Scalar, kind types.Kind, zone *time.Location, in []int64, params ...types.IntervalValue) []int64 {
	t.Helper()
	args := []fn.Arg{{Type: types.Of(kind)}}
	for _, p := range params {
		args = append(args, constant(p))
	}
	impl, err := f.Resolve(args)
	if err != nil {
		t.Fatal(err)
	}
	v := &vec.Vector{Type: types.Of(kind), N: len(in), I64: in}
	out, err := impl.Eval(&fn.Ctx{Zone: zone}, []*vec.Vector{v}, fn.Rows{N: len(in)})
	if err != nil {
		t.Fatal(err)
	}
	return out.I64
}

func equal(t *testing.T, got []int64, want ...int64) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v want %v", got, want)
		}
	}
}

func TestStartFloorsBefore1970(t *testing.T) {
	in := []int64{-25 * second, -10*second - 1, -10 * second, -1, 0, 9 * second, 10 * second, -1}
	got := run(t, &Start, types.Timestamp, time.UTC, in, seconds(10), seconds(0))
	equal(t, got, -30*second, -20*second, -10*second, -10*second, 0, 0, 10*second, -10*second)
	got = run(t, &Start, types.TimestampNTZ, time.UTC, in, seconds(10), seconds(3))
	equal(t, got, -27*second, -17*second, -17*second, -7*second, -7*second, 3*second, 3*second)
}

// The tumbling window of t is the sliding one of slide = size that is open at t.
func TestFirstOpenAgreesWithNaiveSearch(t *testing.T) {
	for _, c := range []struct{ size, slide, offset int64 }{{10, 10, 0}, {10, 3, 0}, {10, 5, 2}, {7, 1, -4}} {
		for at := int64(-40); at < 40; at++ {
			want := int64(-1000)
			for ; (want-c.offset)%c.slide != 0 || want+c.size <= at; want++ {
			}
			got := run(t, &FirstOpen, types.Timestamp, time.UTC, []int64{at}, types.IntervalValue{Micros: c.size},
				types.IntervalValue{Micros: c.slide}, types.IntervalValue{Micros: c.offset})
			equal(t, got, want)
		}
	}
}

func TestDaysFollowTheZone(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	day := types.IntervalValue{Days: 1}
	noon := time.Date(2024, 3, 31, 12, 0, 0, 0, paris).UnixMicro() // the day has 23 hours
	start := run(t, &Start, types.Timestamp, paris, []int64{noon}, day, types.IntervalValue{})
	equal(t, start, time.Date(2024, 3, 31, 0, 0, 0, 0, paris).UnixMicro())
	end := run(t, &End, types.Timestamp, paris, start, day)
	equal(t, end, time.Date(2024, 4, 1, 0, 0, 0, 0, paris).UnixMicro())
}

func TestParametersAreConstantAndOfOneKind(t *testing.T) {
	ts := fn.Arg{Type: types.Of(types.Timestamp)}
	for _, args := range [][]fn.Arg{
		{ts, {Type: types.Of(types.Interval)}, constant(seconds(0))},
		{ts, constant(types.IntervalValue{Months: 1, Days: 1}), constant(seconds(0))},
		{ts},
	} {
		if _, err := Start.Resolve(args); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	in := make([]int64, vec.BatchSize)
	for i := range in {
		in[i] = int64(i) * 1000
	}
	impl, _ := Start.Resolve([]fn.Arg{{Type: types.Of(types.Timestamp)}, constant(seconds(10)), constant(seconds(0))})
	v := &vec.Vector{Type: types.Of(types.Timestamp), N: len(in), I64: in}
	c := &fn.Ctx{Zone: time.UTC}
	for b.Loop() {
		if _, err := impl.Eval(c, []*vec.Vector{v}, fn.Rows{N: len(in)}); err != nil {
			b.Fatal(err)
		}
	}
}
