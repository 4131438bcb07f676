package types

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestIntervalText(t *testing.T) {
	for want, v := range map[string]IntervalValue{
		"00:00:00":                      {},
		"1 year 2 months":               {Months: 14},
		"-1 year -2 months":             {Months: -14},
		"1 month 2 days 03:00:00":       {Months: 1, Days: 2, Micros: 3 * MicrosPerHour},
		"-3 days":                       {Days: -3},
		"1 day -00:00:00.5":             {Days: 1, Micros: -500000},
		"100:00:00":                     {Micros: 100 * MicrosPerHour},
		"00:00:00.000001":               {Micros: 1},
		"-2562047788:00:54.775808":      {Micros: math.MinInt64},
		"-178956970 years -8 months":    {Months: math.MinInt32},
		"2147483647 days":               {Days: math.MaxInt32},
		"1 year -1 day 01:02:03.004005": {Months: 12, Days: -1, Micros: MicrosPerHour + 2*MicrosPerMinute + 3*MicrosPerSecond + 4005},
	} {
		if got := v.String(); got != want {
			t.Errorf("%#v prints as %q, want %q", v, got, want)
		}
		back, err := ParseInterval(want)
		if err != nil || back != v {
			t.Errorf("%q reads as %#v, %v", want, back, err)
		}
	}
}

func TestIntervalRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 20000 {
		v := IntervalValue{int32(r.Uint32()) >> r.IntN(32), int32(r.Uint32()) >> r.IntN(32), int64(r.Uint64()) >> r.IntN(64)}
		if back, err := ParseInterval(v.String()); err != nil || back != v {
			t.Fatalf("%#v prints as %q and reads as %#v, %v", v, v, back, err)
		}
	}
}

func TestParseInterval(t *testing.T) {
	for text, want := range map[string]IntervalValue{
		"10 minutes":       {Micros: 10 * MicrosPerMinute},
		"  1h30m ":         {Micros: 90 * MicrosPerMinute},
		"1.5 hours":        {Micros: 90 * MicrosPerMinute},
		"0.25 s":           {Micros: 250000},
		"250ms":            {Micros: 250000},
		"1 Week 1 DAY":     {Days: 8},
		"2 quarters":       {Months: 6},
		"-1 month +2 days": {Months: -1, Days: 2},
		"2 10:30":          {Days: 2, Micros: 10*MicrosPerHour + 30*MicrosPerMinute},
		"-2 -10:30:15.5":   {Days: -2, Micros: -(10*MicrosPerHour + 30*MicrosPerMinute + 15_500_000)},
		"3 days 04:05":     {Days: 3, Micros: 4*MicrosPerHour + 5*MicrosPerMinute},
		"1 day 1 day":      {Days: 2},
		"7 us":             {Micros: 7},
		"-47.21":           {Micros: -47_210_000},
		"1.5 days":         {Days: 1, Micros: 12 * MicrosPerHour},
		"1.5 quarters":     {Months: 4, Days: 15},
		"1.5 us":           {Micros: 1},
		"31.1234567 s":     {Micros: 31_123_457},
		"@ 2 mons 1h ago":  {Months: -2, Micros: -MicrosPerHour},
		"1 millennium":     {Months: 12000},
	} {
		if got, err := ParseInterval(text); err != nil || got != want {
			t.Errorf("%q: %#v, %v, want %#v", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"": ErrIntervalSyntax, "minutes": ErrIntervalSyntax, "10 10 minutes": ErrIntervalSyntax, "- 5 days": ErrIntervalSyntax, "1:2": ErrIntervalSyntax,
		"10:60": ErrIntervalSyntax, "1:00:00:00": ErrIntervalSyntax, "10:00.5": ErrIntervalSyntax, ":30": ErrIntervalSyntax, "%": ErrIntervalSyntax,
		"10 minuets": ErrIntervalUnit, "10 fortnights": ErrIntervalUnit, "1 day 10": ErrIntervalSyntax,
		"3000000000 days": ErrIntervalRange, "200000000 years": ErrIntervalRange, "9999999999999 hours": ErrIntervalRange, "99999999999999999999999999999999999999999 s": ErrIntervalRange,
	} {
		if got, err := ParseInterval(text); !errors.Is(err, want) {
			t.Errorf("%q: %#v, %v, want %v", text, got, err, want)
		}
	}
	if v, err := IntervalOf("-10", "MINUTE"); err != nil || v.Micros != -10*MicrosPerMinute {
		t.Errorf("IntervalOf: %v, %v", v, err)
	}
	if !IsIntervalUnit("Hours") || IsIntervalUnit("hoor") {
		t.Error("IsIntervalUnit")
	}
}

func TestParseIntervalRange(t *testing.T) {
	for _, c := range []struct {
		text, from, to string
		want           IntervalValue
		err            error
	}{
		{"1-2", "YEAR", "month", IntervalValue{Months: 14}, nil},
		{"-1-2", "year", "month", IntervalValue{Months: -14}, nil},
		{"1 02:03:04.5", "day", "second", IntervalValue{Days: 1, Micros: 2*MicrosPerHour + 3*MicrosPerMinute + 4_500_000}, nil},
		{"-1 02", "day", "hour", IntervalValue{Days: -1, Micros: -2 * MicrosPerHour}, nil},
		{"10:30", "hour", "minute", IntervalValue{Micros: 10*MicrosPerHour + 30*MicrosPerMinute}, nil},
		{"10:30", "minute", "second", IntervalValue{Micros: 10*MicrosPerMinute + 30*MicrosPerSecond}, nil},
		{"10", "minute", "second", IntervalValue{}, ErrIntervalSyntax},
		{"1--2", "year", "month", IntervalValue{}, ErrIntervalSyntax},
		{"1 2", "month", "day", IntervalValue{}, ErrIntervalUnit},
		{"1 2", "day", "day", IntervalValue{}, ErrIntervalUnit},
	} {
		got, err := ParseIntervalRange(c.text, c.from, c.to)
		if !errors.Is(err, c.err) || err == nil && got != c.want {
			t.Errorf("%q %s to %s: %#v, %v, want %#v, %v", c.text, c.from, c.to, got, err, c.want, c.err)
		}
	}
}

func TestIntervalArithmetic(t *testing.T) {
	v := IntervalValue{1, -2, 3}
	if n, ok := v.Neg(); !ok || n != (IntervalValue{-1, 2, -3}) {
		t.Errorf("neg %v", n)
	}
	if s, ok := v.Add(v); !ok || s != (IntervalValue{2, -4, 6}) {
		t.Errorf("add %v", s)
	}
	if m, ok := v.Mul(-3); !ok || m != (IntervalValue{-3, 6, -9}) {
		t.Errorf("mul %v", m)
	}
	for what, ok := range map[string]bool{
		"neg months": second((IntervalValue{Months: math.MinInt32}).Neg()),
		"neg µs":     second((IntervalValue{Micros: math.MinInt64}).Neg()),
		"add days":   second((IntervalValue{Days: math.MaxInt32}).Add(IntervalValue{Days: 1})),
		"add µs":     second((IntervalValue{Micros: math.MaxInt64}).Add(IntervalValue{Micros: 1})),
		"mul":        second((IntervalValue{Micros: 1 << 40}).Mul(1 << 40)),
	} {
		if ok {
			t.Errorf("%s: overflow is not noticed", what)
		}
	}
	if us, ok := (IntervalValue{Days: 2, Micros: 5}).Fixed(); !ok || us != 2*MicrosPerDay+5 {
		t.Errorf("fixed %d", us)
	}
	if _, ok := (IntervalValue{Months: 1}).Fixed(); ok {
		t.Error("a month has no fixed length")
	}
}

func second(_ IntervalValue, ok bool) bool { return ok }

func TestAddToTimestamp(t *testing.T) {
	berlin := mustZone(t, "Europe/Berlin")
	for _, c := range []struct{ from, interval, want string }{
		{"2024-01-31 10:00:00", "1 month", "2024-02-29 10:00:00"},
		{"2024-03-31 10:00:00", "-1 month", "2024-02-29 10:00:00"},
		{"2024-02-29 10:00:00", "1 year", "2025-02-28 10:00:00"},
		{"2024-12-15 10:00:00", "1 month 20 days", "2025-02-04 10:00:00"},
		{"2024-03-30 12:00:00", "1 day", "2024-03-31 12:00:00"},    // a day of 23 hours
		{"2024-03-30 12:00:00", "24:00:00", "2024-03-31 13:00:00"}, // exactly 24 hours
		{"2024-03-30 02:30:00", "1 day", "2024-03-31 03:30:00"},    // skipped
		{"2024-10-26 02:30:00", "1 day 01:00:00", "2024-10-27 02:30:00"},
		{"1969-12-31 23:00:00", "02:00:00", "1970-01-01 01:00:00"},
		{"2024-01-01 00:00:00", "-00:00:00.000001", "2023-12-31 23:59:59.999999"},
	} {
		from, err := ParseTimestamp(c.from, berlin)
		if err != nil {
			t.Fatal(err)
		}
		v, err := ParseInterval(c.interval)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := v.AddToTimestamp(from, berlin)
		if text := string(AppendTimestamp(nil, got, berlin)); !ok || text != c.want {
			t.Errorf("%s + %s = %s, want %s", c.from, c.interval, text, c.want)
		}
	}
	if _, ok := (IntervalValue{Micros: 1}).AddToTimestamp(math.MaxInt64, time.UTC); ok {
		t.Error("overflow is not noticed")
	}
	if _, ok := (IntervalValue{Days: math.MaxInt32}).AddToTimestamp(math.MaxInt64-1, time.UTC); ok {
		t.Error("overflow of days is not noticed")
	}
}

func TestIntervalCmp(t *testing.T) {
	if (IntervalValue{Months: 1}).Cmp(IntervalValue{Days: 30}) != 1 || (IntervalValue{Days: 29}).Cmp(IntervalValue{Months: 1}) != -1 {
		t.Error("a month is ordered as 30 days")
	}
	if (IntervalValue{1, 2, 3}).Cmp(IntervalValue{1, 2, 3}) != 0 {
		t.Error("equal")
	}
	if big := (IntervalValue{math.MaxInt32, math.MaxInt32, math.MaxInt64}); big.Span().Sign() <= 0 {
		t.Error("the span of the longest interval fits")
	}
}
