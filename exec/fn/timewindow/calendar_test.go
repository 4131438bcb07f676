package timewindow

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sqlstream/sqlstream/exec/types"
)

// Zones whose clocks change at 2:00, at midnight, over midnight, by half an hour and by a
// day; and nights on which they did.
var zones = map[string][]string{
	"America/New_York":    {"2024-03-10", "2024-11-03"},
	"Europe/Berlin":       {"2024-03-31", "2024-10-27"},
	"America/Sao_Paulo":   {"2018-11-04", "2018-02-18"},
	"America/Havana":      {"2024-03-10", "2024-11-03"},
	"America/St_Johns":    {"2006-04-02", "2006-10-29"},
	"Australia/Lord_Howe": {"2024-04-07", "2024-10-06"},
	"Pacific/Apia":        {"2011-12-30", "2011-09-24"},
}

// calendarTimes calls check with times around the nights and with others.
func calendarTimes(t *testing.T, check func(zone *time.Location, at int64)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for name, nights := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nights {
			day, err := time.ParseInLocation("2006-01-02", n, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			for range 150 {
				check(zone, day.UnixMicro()+(rng.Int64N(96*60)-48*60)*60*second)
			}
		}
		for range 100 {
			check(zone, rng.Int64N(3e15)-1e15)
		}
	}
}

func TestCalendarWindowsTile(t *testing.T) {
	sizes := []types.IntervalValue{{Days: 1}, {Days: 7}, {Days: 3}, {Months: 1}, {Months: 3}, {Months: 12}}
	calendarTimes(t, func(zone *time.Location, at int64) {
		c := calendar{zone}
		for _, size := range sizes {
			for _, offset := range []types.IntervalValue{{}, {Micros: 6 * 3600 * second}} {
				s := c.floor(at, size, offset)
				e := c.add(s, size)
				if s > at || e <= at {
					t.Fatalf("%s %s offset %s: %s is in [%s, %s)", zone, size, offset, show(zone, at), show(zone, s), show(zone, e))
				}
				if c.floor(s, size, offset) != s || c.floor(e-1, size, offset) != s || c.floor(e, size, offset) != e {
					t.Fatalf("%s %s offset %s: the window of %s is [%s, %s), whose bounds are in others", zone, size, offset, show(zone, at), show(zone, s), show(zone, e))
				}
				if w := time.UnixMicro(s).In(zone); offset.Micros == 0 && w.Hour() != 0 && w.Hour() != 1 {
					t.Fatalf("%s: a day starts at %s", zone, w)
				}
			}
		}
	})
}

func show(zone *time.Location, t int64) string {
	return time.UnixMicro(t).In(zone).Format(time.RFC3339)
}

func TestMonths(t *testing.T) {
	c := calendar{time.UTC}
	at := func(text string) int64 {
		d, err := time.Parse("2006-01-02", text)
		if err != nil {
			t.Fatal(err)
		}
		return d.UnixMicro()
	}
	for _, x := range []struct {
		size        types.IntervalValue
		t, from, to string
	}{
		{types.IntervalValue{Months: 1}, "2024-02-29", "2024-02-01", "2024-03-01"},
		{types.IntervalValue{Months: 3}, "2024-12-31", "2024-10-01", "2025-01-01"},
		{types.IntervalValue{Months: 12}, "1969-06-15", "1969-01-01", "1970-01-01"},
		{types.IntervalValue{Months: 5}, "1970-06-01", "1970-06-01", "1970-11-01"},
		{types.IntervalValue{Days: 7}, "1970-01-07", "1970-01-01", "1970-01-08"},
	} {
		s := c.floor(at(x.t), x.size, types.IntervalValue{})
		if s != at(x.from) || c.add(s, x.size) != at(x.to) {
			t.Errorf("%s of %s: [%s, %s)", x.size, x.t, show(time.UTC, s), show(time.UTC, c.add(s, x.size)))
		}
	}
}

// The windows of a time are those that hold it, among the starts of a long stretch.
func TestSlidingCalendarWindows(t *testing.T) {
	for _, w := range []Windows{
		{Size: types.IntervalValue{Days: 2}, Slide: types.IntervalValue{Days: 1}},
		{Size: types.IntervalValue{Days: 1}, Slide: types.IntervalValue{Micros: 6 * 3600 * second}},
		{Size: types.IntervalValue{Months: 2}, Slide: types.IntervalValue{Months: 1}},
		{Size: types.IntervalValue{Months: 1}, Slide: types.IntervalValue{Days: 7}, Offset: types.IntervalValue{Days: 1}},
	} {
		calendarTimes(t, func(zone *time.Location, at int64) {
			got := w.Of(zone, at, nil)
			var want []int64
			step, size := calendarOf(zone, w.Slide), calendarOf(zone, w.Size)
			for s := step.floor(at, w.Slide, w.Offset); s > at-70*microsPerDay; s = step.floor(s-1, w.Slide, w.Offset) {
				if size.add(s, w.Size) > at {
					want = append([]int64{s}, want...)
				}
			}
			if !slices.Equal(got, want) || len(got) == 0 {
				t.Fatalf("%s %+v at %s: %v, want %v", zone, w, show(zone, at), got, want)
			}
			if w.firstOpen(zone, at) != got[0] {
				t.Fatalf("%s %+v at %s: first open %s, want %s", zone, w, show(zone, at), show(zone, w.firstOpen(zone, at)), show(zone, got[0]))
			}
		})
	}
}

func TestCumulatingWindows(t *testing.T) {
	for _, w := range []Windows{
		{Size: types.IntervalValue{Micros: 3600 * second}, Slide: types.IntervalValue{Micros: 600 * second}, Cumulate: true},
		{Size: types.IntervalValue{Days: 1}, Slide: types.IntervalValue{Micros: 3600 * second}, Cumulate: true},
		{Size: types.IntervalValue{Months: 1}, Slide: types.IntervalValue{Days: 7}, Cumulate: true},
		{Size: types.IntervalValue{Months: 12}, Slide: types.IntervalValue{Months: 1}, Cumulate: true},
	} {
		calendarTimes(t, func(zone *time.Location, at int64) {
			got := w.Of(zone, at, nil)
			c := calendarOf(zone, w.Size)
			start := c.floor(at, w.Size, w.Offset)
			last := got[len(got)-1]
			if last != c.add(start, w.Size) || got[0] <= at || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
				t.Fatalf("%s %+v at %s: %v", zone, w, show(zone, at), got)
			}
			if next := w.nextEnd(zone, at); next != got[0] {
				t.Fatalf("%s %+v at %s: next end %s, want %s", zone, w, show(zone, at), show(zone, next), show(zone, got[0]))
			}
			for _, e := range got {
				if c.floor(e-1, w.Size, w.Offset) != start {
					t.Fatalf("%s %+v at %s: end %s is of another window", zone, w, show(zone, at), show(zone, e))
				}
			}
		})
	}
}

func BenchmarkStartInZone(b *testing.B) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		b.Fatal(err)
	}
	c := calendar{zone}
	for i := range b.N {
		c.floor(1.7e15+int64(i)*second, types.IntervalValue{Days: 1}, types.IntervalValue{})
	}
}
